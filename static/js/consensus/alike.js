// Keys of the groups: j k from one to the next, Enter opens, digits choose a category, r the rationale. Links
// and forms do the rest.

import { $ } from "../core/page.js";

const lines = () => [...document.querySelectorAll(".lines .line")];
const ticks = () => [...document.querySelectorAll('#decide [name="issues"]')];
const types = (target) =>
  target.matches("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");

function move(by) {
  const all = lines();
  const now = all.indexOf(document.activeElement);
  const next = all[
    now < 0 ? Math.max(all.findIndex((line) => line.ariaCurrent === "true") + (by > 0 ? 0 : by), 0) : now + by
  ];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function tell() {
  const all = ticks();
  const ticked = all.filter((box) => box.checked).length;
  const whole = $("tick-all");
  if (whole) {
    whole.checked = ticked === all.length;
    whole.indeterminate = ticked > 0 && ticked < all.length;
  }
  const number = $("ticked");
  if (number) number.textContent = ticked;
}

document.addEventListener("keydown", (event) => {
  const target = event.target;
  const form = $("decide");
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (types(target)) {
    if (event.key === "Escape") target.blur();
    return;
  }
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (form?.elements.rationale && event.key === "r") {
    event.preventDefault();
    form.elements.rationale.focus();
  } else if (form && /^[1-9]$/.test(event.key)) {
    form.querySelectorAll('label.opt > [type="radio"]')[event.key - 1]?.click();
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form?.id !== "decide") return;
  if (event.target.id === "tick-all") { for (const box of ticks()) box.checked = event.target.checked; }
  if (event.target.id === "tick-all" || event.target.name === "issues") tell();
  // A category chosen from all of them is the answer, and one of the pair's takes it back.
  if (event.target.name === "other" && event.target.value) {
    $("choice-other").checked = true;
  }
  if (event.target.name === "choice" && event.target.value !== "other") form.elements.other.value = "";
});

// The group that was opened stays where the eye is.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "alike") return;
  tell();
  if (document.activeElement === document.body) {
    const open = document.querySelector(".lines .open > .line");
    open?.focus({ preventScroll: true });
    open?.scrollIntoView({ block: "nearest" });
  }
});
tell();
