// Offers the time zone of the browser to who has not chosen one, unless the server has the same.

const offer = document.querySelector("#zone-offer");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const now = (timeZone) => new Date().toLocaleString("en", { timeZone });
if (offer && here && now(here) !== now(offer.dataset.server)) {
  document.querySelector("#zone-here").value = here;
  document.querySelector("#zone-name").textContent = here.replaceAll("_", " ");
  offer.hidden = false;
}
