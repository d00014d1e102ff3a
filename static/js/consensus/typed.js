// What is typed in a meeting is kept in this browser, by meeting, member, issue and form, until it is sent.

import { $ } from "../core/page.js";

const room = $("room");
export const item = () => $("issue")?.dataset.item ?? "";

export const place = (form, of = item()) => `meeting:${room.dataset.meeting}:${of}:${form.id}`;
export const kept = (form) => (form.dataset.keeps ?? "").split(" ").filter((name) => form.elements[name]);
export const store = {
  read(form) {
    try {
      return JSON.parse(sessionStorage.getItem(place(form))) ?? {};
    } catch {
      return {};
    }
  },
  write(form) {
    const values = Object.fromEntries(kept(form).map((name) => [name, form.elements[name].value]));
    try {
      if (Object.values(values).some(Boolean)) sessionStorage.setItem(place(form), JSON.stringify(values));
      else sessionStorage.removeItem(place(form));
    } catch { /* no storage: the page itself still has it */ }
  },
  forget(form) {
    try {
      sessionStorage.removeItem(place(form));
    } catch { /* nothing was kept */ }
  },
  restore(form) {
    const values = store.read(form);
    for (const name of kept(form)) {
      const field = form.elements[name];
      if (values[name] && field.value === field.defaultValue) field.value = values[name];
      if (values[name]) {
        for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) {
          if (fold.id === "also") fold.open = true;
        }
      }
    }
  },
};
document.addEventListener("input", (event) => {
  if (event.target.form?.dataset.keeps) store.write(event.target.form);
});
