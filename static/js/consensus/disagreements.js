// Keys of the disagreements: arrows in the matrix, j k n through the list, x a to choose, digits and r to
// decide; the bar of what is chosen; counts that stay true. Links and forms do the rest.

import { $ } from "../core/page.js";

const press = (id) => $(id)?.click();
const rows = () => [...document.querySelectorAll(".list-card tbody .ti > a")];
const types = (target) => target.matches("input:not([type=radio]), textarea, select, [contenteditable]");
const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// The next cell that is a link in that direction; empty cells are passed over.
function neighbour(link, [down, right]) {
  const lines = [...document.querySelectorAll("#matrix tbody tr")];
  const cell = link.closest("td");
  let y = lines.indexOf(cell.parentElement);
  let x = cell.cellIndex;
  for (;;) {
    y += down;
    x += right;
    const next = lines[y]?.cells[x];
    if (!next || next.matches("th")) return null;
    if (next.querySelector("a")) return next.querySelector("a");
  }
}

function move(by) {
  const all = rows();
  const now = all.indexOf(document.activeElement);
  const next = all[now < 0 ? Math.max(all.findIndex((link) => link.ariaCurrent === "true"), 0) : now + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

// The bar: there as soon as something is chosen. `all` means what the filters find, on every page.
const bar = () => $("bar");
const boxes = () => [...document.querySelectorAll(".list-card td.ck input:not(:disabled)")];
function tell() {
  if (!bar()) return;
  const all = $("choose-all");
  const on = boxes().filter((box) => box.checked).length;
  const page = $("choose-page");
  page.checked = on > 0 && on === boxes().length;
  page.indeterminate = on > 0 && on < boxes().length;
  page.disabled = !boxes().length;
  bar().classList.toggle("idle", !on && !all.checked);
  $("chosen").textContent = all.checked
    ? all.closest("label").textContent.match(/\d[\d.,\s\u00a0\u202f]*/)?.[0].trim() ?? ""
    : on;
}
document.addEventListener("change", (event) => {
  if (!event.target.closest("#choose")) return;
  if (event.target.id === "choose-page") { for (const box of boxes()) box.checked = event.target.checked; }
  tell();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#choose-none")) return;
  for (const box of [...boxes(), $("choose-all")]) box.checked = false;
  tell();
});
addEventListener("pageshow", tell);

// The counts are asked for anew while somebody looks; the list stays until they want it.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "live" && document.hidden) event.preventDefault();
});
let drawn = $("live")?.dataset.counts;
document.addEventListener("htmx:afterSettle", (event) => {
  const counts = $("live")?.dataset.counts;
  if (event.target.id === "disagreements") {
    drawn = counts;
    tell();
  }
  const changed = $("changed");
  if (changed) changed.hidden = counts === drawn;
});

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (target.closest("#matrix a") && steps[event.key]) {
    event.preventDefault();
    neighbour(target, steps[event.key])?.focus();
    return;
  }
  if (event.key === "Escape") {
    if (document.querySelector("details.menu[open]")) return;
    if (types(target)) target.blur();
    else press("close");
    return;
  }
  if (types(target)) return;
  const form = $("decide");
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "x") {
    const box = document.activeElement.closest?.(".list-card tbody tr")?.querySelector(
      ".ck input:not(:disabled)",
    );
    if (box) {
      box.checked = !box.checked;
      tell();
    }
  } else if (event.key === "a" && bar() && !bar().classList.contains("idle")) {
    event.preventDefault();
    press("to-agenda");
  } else if (event.key === "n") {
    if ($("next")) press("next");
    else if (!$("panel")) rows()[0]?.click();
  } else if (form && event.key === "r") {
    event.preventDefault();
    form.closest("details").open = true;
    form.elements.rationale.focus();
  } else if (form && /^[1-9]$/.test(event.key)) {
    form.closest("details").open = true;
    form.querySelectorAll('label.opt > [type="radio"]')[event.key - 1]?.click();
  }
});

// A category chosen from all of them is the answer, and one of the split's takes it back.
document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form?.id !== "decide") return;
  if (event.target.name === "other" && event.target.value) {
    form.querySelector('[name="choice"][value="other"]').checked = true;
  }
  if (event.target.name === "choice" && event.target.value !== "other") form.elements.other.value = "";
});

// What the reader was at is gone with the swap: go on at the top of the issue, or at what is to be mended.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "disagreements") return;
  const wrong = document.querySelector("#decide .errorlist");
  if (wrong) {
    wrong.closest("fieldset, .field").querySelector("input, textarea").focus();
    return;
  }
  const now = document.activeElement;
  if (now === document.body || now.form?.id === "decide") {
    document.querySelector("#panel .pane")?.focus({ preventScroll: true });
  }
});
