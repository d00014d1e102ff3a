// A refusal stands in the form that was refused, or else in a toast.

import { $, toast } from "../core/page.js";

export function refusalOf(name) {
  return document.querySelector(`[data-refusal="${CSS.escape(name)}"]`) ??
    $(name)?.querySelector("[data-refusal]");
}
export function complain(name, texts, { unsent = false } = {}) {
  const box = name && refusalOf(name);
  if (!box) {
    if (texts.length) toast(texts.join(" "), "bad");
    return;
  }
  const note = document.createElement("div"), inside = document.createElement("div");
  note.className = `note ${unsent ? "warn" : "bad"}`;
  for (const text of texts) {
    const line = document.createElement("p");
    line.textContent = text;
    if (unsent) line.dataset.unsent = "";
    inside.append(line);
  }
  note.append(inside);
  box.dataset.script = "";
  box.replaceChildren(...(texts.length ? [note] : []));
  box.scrollIntoView({ block: "nearest" });
}
