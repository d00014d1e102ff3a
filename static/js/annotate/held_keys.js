// Keys that are pressed while the issue they are meant for is on its way: they wait, in order, and act when it
// is here.

import { isField } from "./picker.js";

const HELD = ["Enter", "Backspace", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

// `onEscape`, before any key waits, takes back what they would wait for, and says whether it could.
export function makeHeldKeys({ onEscape }) {
  let holding = false;
  const keys = [];
  addEventListener("keydown", (event) => {
    if (!holding || event.isComposing || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]")) return; // its keys are its own
    const { key, ctrlKey } = event;
    if (ctrlKey ? key !== "Enter" : key.length > 1 && !HELD.includes(key) && key !== "Escape") return;
    event.stopImmediatePropagation();
    take(event);
  }, { capture: true });
  function take(event) {
    event.preventDefault();
    if (event.key === "Escape" && !keys.length && onEscape()) return;
    if (!event.repeat) keys.push({ key: event.key, ctrlKey: event.ctrlKey });
  }

  // As if the key were pressed now. A browser types nothing for an event that a script has made.
  function press({ key, ctrlKey }) {
    const made = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true });
    const goesOn = (document.activeElement ?? document.body).dispatchEvent(made);
    const field = document.activeElement;
    if (!goesOn || !isField(field)) return;
    const isLine = key === "Enter" && field.matches("textarea") && !ctrlKey;
    if (key === "Enter" && !isLine) field.form?.requestSubmit();
    if (key.length > 1 && key !== "Backspace" && !isLine) return;
    const { selectionStart: start, selectionEnd: end } = field;
    if (key === "Backspace") {
      field.setRangeText("", start === end ? Math.max(0, start - 1) : start, end, "end");
    } else field.setRangeText(key, start, end, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return {
    // Take a key that has come as far as to what makes keys wait; false if none wait now.
    takes(event) {
      if (holding) take(event);
      return holding;
    },
    hold() {
      holding = true;
    },
    // Let them act; what comes after a key that holds them again waits on.
    release() {
      holding = false;
      while (!holding && keys.length) press(keys.shift());
    },
    drop() {
      holding = false;
      keys.length = 0;
    },
  };
}
