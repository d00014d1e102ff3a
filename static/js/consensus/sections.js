// A section of the meeting room is swapped for a newer one. Of the same issue, what is typed, chosen,
// unfolded, scrolled, refused and focused stays.

import { $, parse, say } from "../core/page.js";
import { complain, refusalOf } from "./refusals.js";
import { store } from "./typed.js";

export const TYPES =
  "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=hidden])";
const nameOf = (field) => field.id || (field.form ? `${field.form.id}/${field.name}/${field.value}` : "");
const isChanged = (
  field,
) => (field.type === "radio" || field.type === "checkbox"
  ? field.checked !== field.defaultChecked
  : field.tagName === "SELECT"
  ? ![...field.options].every((option) => option.selected === option.defaultSelected) && field.value !== "" &&
    !("keepsNot" in field.dataset)
  : field.value !== field.defaultValue);
const fieldsOf = (part) => [...part.querySelectorAll("input:not([type=hidden]), select, textarea")];
const finder = (
  element,
) => (element.id
  ? `#${CSS.escape(element.id)}`
  : element.dataset.key
  ? `[data-key="${CSS.escape(element.dataset.key)}"]`
  : element.dataset.group
  ? `[data-group="${CSS.escape(element.dataset.group)}"]`
  : element.value && element.name
  ? `[name="${CSS.escape(element.name)}"][value="${CSS.escape(element.value)}"]`
  : "");

function remember(part) {
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  return {
    fields: fieldsOf(part).filter((field) => nameOf(field) && isChanged(field)).map((
      field,
    ) => [nameOf(field), field]),
    open: new Map([...part.querySelectorAll("details")].map((fold, at) => [fold.id || at, fold.open])),
    scrolled: [...part.querySelectorAll("[data-scroll]")].map((box) => [box.id, box.scrollTop]),
    refusals: [...part.querySelectorAll("[data-refusal]")].filter((box) =>
      box.dataset.script && box.hasChildNodes()
    ).map((box) => [box.dataset.refusal || box.closest("form")?.id, [...box.childNodes]]),
    seen: part.querySelector("#decide [name=seen_number]")?.value,
    active,
    at: active ? finder(active) : "",
    selection: active?.matches("textarea, input[type=text], input:not([type])")
      ? [active.selectionStart, active.selectionEnd]
      : null,
  };
}
function recall(part, was, isSame) {
  for (const [id, top] of was.scrolled) {
    const box = id && part.querySelector(`#${CSS.escape(id)}`);
    if (box) box.scrollTop = top;
  }
  if (isSame) {
    const now = new Map(fieldsOf(part).map((field) => [nameOf(field), field]));
    for (const [name, old] of was.fields) {
      const field = now.get(name);
      if (!field || field === old) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = old.checked;
      else if (
        field.tagName !== "SELECT" ||
        [...field.options].some((option) => option.value === old.value && !option.disabled)
      ) field.value = old.value;
    }
    [...part.querySelectorAll("details")].forEach((fold, at) => {
      if (was.open.has(fold.id || at)) fold.open = was.open.get(fold.id || at);
    });
    for (const [name, nodes] of was.refusals) {
      const box = refusalOf(name);
      if (box && !box.hasChildNodes()) {
        box.dataset.script = "";
        box.append(...nodes);
      }
    }
    const seen = part.querySelector("#decide [name=seen_number]")?.value;
    const typed = was.fields.some(([name]) =>
      name.startsWith("decide-") && name !== "decide-category" && name !== "decide-how"
    );
    if (was.seen !== undefined && seen !== was.seen && typed) {
      if (seen !== undefined && $("again")) $("again").open = true;
      complain("decide", [say("meanwhile", { said: part.dataset.say })]);
    }
  }
  if (was.at && !part.contains(document.activeElement)) {
    const next = part.querySelector(was.at);
    if (next && next !== was.active) {
      next.closest("details")?.setAttribute("open", "");
      next.focus({ preventScroll: true });
      if (was.selection && next.setSelectionRange) next.setSelectionRange(...was.selection);
    }
  }
}
// Renew everything around `keep` and leave that field itself in place, so that typing (and an input method)
// goes on.
function renewAround(old, fresh, keep, kin) {
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) old.setAttribute(name, fresh.getAttribute(name));
  if (old === keep) return;
  const mine = [...old.children].find((child) => child.contains(keep)),
    theirs = [...fresh.children].find((child) => child.contains(kin));
  const nodes = [...fresh.childNodes], middle = nodes.indexOf(theirs);
  for (const child of [...old.childNodes]) if (child !== mine) child.remove();
  mine.before(...nodes.slice(0, middle));
  mine.after(...nodes.slice(middle + 1));
  renewAround(mine, theirs, keep, kin);
}
function canStay(old, fresh, keep, kin) {
  for (let one = keep, other = kin;; one = one.parentElement, other = other.parentElement) {
    if (!other || one.tagName !== other.tagName || one.id !== other.id) return false;
    if (one === old) return other === fresh;
  }
}
// Swap the section of that id; returns what is to be read out of the new one, or "".
export function swap(id, html, isSame) {
  const old = $(id), fresh = parse(html);
  if (!old || !fresh) return "";
  const was = remember(old);
  const typing = isSame && was.active?.matches(TYPES) && was.active.id ? was.active : null;
  const kin = typing && fresh.querySelector(`#${CSS.escape(typing.id)}`);
  const said = old.dataset.say ?? "";
  const shown = old.isConnected ? old : null;
  let now = fresh;
  if (kin && canStay(shown, fresh, typing, kin)) {
    renewAround(old, fresh, typing, kin);
    now = old;
  } else old.replaceWith(fresh);
  recall(now, was, isSame);
  for (const form of now.querySelectorAll("form[data-keeps]")) store.restore(form);
  return now.dataset.say && now.dataset.say !== said ? now.dataset.say : "";
}
