// The coding page: words are selected, get codes, and are painted at once; the server hears of it in the
// background. turns.js has the transcript, codes.js the codebook, queue.js what is on its way.

import { $, announce, make, say, toast } from "../core/page.js";
import { makeCodes } from "./codes.js";
import { makeQueue } from "./queue.js";
import { keyOf, makeTurns } from "./turns.js";

const main = $("main"), form = $("quote-form"), canEdit = form.hasAttribute("data-can-edit");
const FIELDS = ["codes", "open_codes", "memo", "strength"];
const contentOf = (quote) => quote && Object.fromEntries(FIELDS.map((field) => [field, quote[field]]));
const same = (one, other) => JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
const named = ({ codes, open_codes }) => [...codes, ...open_codes.map((name) => `“${name}”`)].join(", ");

const codes = makeCodes({ onChange: keepDraft });
const turns = makeTurns({
  chip: codes.chipOf,
  label: (text) => say("edit_codes", { text }),
});
let editing = null; // {turn, start, end, was: content or null}
let active = null, words = null; // the turn that keys move in; {anchor, focus}: its words that are selected
const done = [], undone = []; // {place, before, after}

// ---- What is on its way
const queue = makeQueue(form.action, `${form.dataset.store}queue`, {
  change(waiting, why) {
    document.body.dataset.waiting = waiting;
    const text = !waiting ? say("all_saved") : say(why || "sending", { n: waiting });
    if ($("state").textContent !== text) $("state").textContent = text;
    $("state").classList.toggle("unsaved", Boolean(why));
  },
  refused(record, answer, status) {
    const { place, content, was } = record.fields.reduce(readField, {
      place: null,
      content: null,
      was: null,
    });
    const here = turns.local(place);
    const isClash = answer.code === "QuoteChanged";
    turns.put(here, isClash ? answer.stored : was);
    done.length = undone.length = 0;
    toast(answer.detail || say("refused_status", { n: status }), "bad");
    tell();
    if (content.codes.length || content.open_codes.length) {
      open(here, content, isClash ? answer.stored : null);
    }
  },
});
// The place and content in the fields of a record that came back.
function readField(found, [name, value]) {
  found.place ??= {};
  found.content ??= { codes: [], open_codes: [], memo: "", strength: null };
  if (["turn", "start", "end"].includes(name)) found.place[name] = Number(value);
  else if (name === "codes") found.content.codes.push(value);
  else if (name === "open_codes") found.content.open_codes = value.split("\n").filter(Boolean);
  else if (name === "was") found.was = JSON.parse(value);
  else if (name === "memo") found.content.memo = value;
  else if (name === "strength") found.content.strength = Number(value) || null;
  return found;
}
function send(here, before, after) {
  const place = turns.remote(here), content = after ?? before;
  const fields = [
    ["transcript", form.dataset.transcript],
    ["turn", place.turn],
    ["start", place.start],
    ["end", place.end],
    ["was", JSON.stringify(before)],
    ...content.codes.map((code) => ["codes", code]),
    ["open_codes", content.open_codes.join("\n")],
    ["memo", content.memo],
    ["strength", content.strength ?? ""],
  ];
  if (!after) fields.push(["drop", "1"]);
  queue.add(keyOf(place), fields);
}
// Make a change here at once, and send it.
function apply({ place, before, after }) {
  turns.put(place, after);
  send(place, before, after);
  tell();
}
function change(place, before, after) {
  if (before === after || (before && after && same(before, after))) return;
  const one = { place, before, after };
  done.push(one);
  undone.length = 0;
  apply(one);
}
function step(from, to, turned, empty) {
  const one = from.pop();
  if (!one) {
    announce(say(empty));
    return;
  }
  to.push(one);
  const { place, before, after } = one;
  apply(turned ? { place, before: after, after: before } : one);
  show(turns.at(place.turn));
  announce(say(turned ? "undone" : "redone"));
  tell();
}
const undo = () => step(done, undone, true, "nothing_to_undo");
const redo = () => step(undone, done, false, "nothing_to_redo");
function tell() {
  const n = turns.count();
  $("count").textContent = say(n === 1 ? "quotes_one" : "quotes_many", {
    n: n.toLocaleString(document.documentElement.lang),
  });
  if ($("undo")) $("undo").disabled = !done.length;
}

// ---- The panel
function open(place, content = null, was = null) {
  if (!canEdit) return;
  const turn = turns.at(place.turn);
  if (turn.asks) {
    announce(say("asks"));
    toast(say("asks"), "warn");
    return;
  }
  const stored = contentOf(turns.get(place));
  editing = { ...place, was: was ?? stored };
  codes.show(content ?? stored ?? { codes: [], open_codes: [], memo: "", strength: null });
  turns.pend({ turn: place.turn, start: place.start, end: place.end });
  const quoted = make("q", "", turn.said.slice(place.start, place.end));
  quoted.dir = "auto";
  $("quoted").replaceChildren(make("b", "medium", say(stored ? "edit_quote" : "new_quote")), " ", quoted);
  $("drop").hidden = !stored;
  $("cancel").hidden = false;
  sheet(true);
  codes.find.focus({ preventScroll: true });
}
function close() {
  if (!editing) return;
  const turn = turns.at(editing.turn);
  const { end } = editing;
  editing = null;
  keepDraft();
  codes.show(null);
  turns.pend(null);
  $("quoted").textContent = say("no_quote");
  for (const id of ["drop", "cancel"]) $(id).hidden = true;
  sheet(false);
  main.focus({ preventScroll: true });
  show(turn);
  // Words go on after the quote.
  const at = turns.words(turn).findIndex(([start]) => start >= end);
  words = at > 0 ? { anchor: at - 1, focus: at - 1 } : null;
}
function save() {
  if (!editing) return;
  const content = codes.content();
  if (!content.codes.length && !content.open_codes.length) {
    announce(say("choose_first"));
    codes.find.focus();
    return;
  }
  const { turn, start, end, was } = editing;
  turns.at(turn).pending = null;
  change({ turn, start, end }, was, content);
  performance.mark("quote-painted");
  close();
  announce(say("saved", { codes: named(content) }));
}
function drop(place) {
  const before = contentOf(turns.get(place));
  if (!before || !canEdit) return;
  if (editing && keyOf(editing) === keyOf(place)) close();
  change({ turn: place.turn, start: place.start, end: place.end }, before, null);
  main.focus({ preventScroll: true });
  announce(say("dropped"));
}
// What the panel holds outlives the page.
function keepDraft() {
  const name = `${form.dataset.store}draft`;
  try {
    if (!editing) localStorage.removeItem(name);
    else {localStorage.setItem(
        name,
        JSON.stringify({
          transcript: form.dataset.transcript,
          place: turns.remote(editing),
          content: codes.content(),
        }),
      );}
  } catch { /* no storage */ }
}
function takeUpDraft() {
  try {
    const kept = JSON.parse(localStorage.getItem(`${form.dataset.store}draft`));
    if (kept?.transcript !== form.dataset.transcript) return;
    const { codes: known, open_codes: names, memo } = kept.content;
    if (known.length || names.length || memo) open(turns.local(kept.place), kept.content);
  } catch { /* nothing was kept */ }
}

// ---- Moving
function show(turn, { scroll = true } = {}) {
  active?.node.classList.remove("now");
  active = turn ?? null;
  if (!active) return;
  active.node.classList.add("now");
  if (scroll) active.node.scrollIntoView({ block: "nearest" });
}
function toTurn(steps) {
  const at = active ? active.index + steps : 0;
  words = null;
  getSelection().removeAllRanges();
  show(turns.all[Math.max(0, Math.min(turns.all.length - 1, at))]);
  announce(`${active.node.querySelector(".who").textContent.trim()}: ${active.said}`);
}
function selectWords(anchor, focus) {
  const all = turns.words(active), last = all.length - 1;
  if (last < 0) return;
  const fit = (place) => Math.max(0, Math.min(last, place));
  words = { anchor: fit(anchor), focus: fit(focus) };
  const [from, to] = [Math.min(words.anchor, words.focus), Math.max(words.anchor, words.focus)];
  turns.select(active, all[from][0], all[to][1]);
  announce(say("selected", { text: active.said.slice(all[from][0], all[to][1]) }));
}
function byWord(steps, extends_) {
  if (!active) show(turns.all[0]);
  const at = words ? words.focus + steps : steps > 0 ? 0 : turns.words(active).length - 1;
  selectWords(extends_ && words ? words.anchor : at, at);
}
function toQuote(steps) {
  const all = turns.places(), here = document.activeElement.dataset?.quote;
  if (!all.length) return;
  let at = here ? all.findIndex((one) => keyOf(one) === here) : -1;
  if (at >= 0) at += steps;
  else {
    const next = all.findIndex((one) => !active || turns.at(one.turn).index >= active.index);
    at = next < 0 ? all.length - 1 : steps > 0 ? next : next - 1;
  }
  const place = all[Math.max(0, Math.min(all.length - 1, at))];
  show(turns.at(place.turn));
  turns.buttonOf(place).focus();
}
function placeOf(key) {
  const [turn, start, end] = key.split(".").map(Number);
  return { turn, start, end };
}
function openSelected() {
  const place = turns.selected();
  if (place) open(place);
  else {
    announce(say("select_first"));
    if (!active) toTurn(0);
  }
}
// Fingers select with the handles of the system, and no pointer event tells when they are done: a button
// opens the selection. A tap on it ends the selection, so its place is kept.
const touch = matchMedia("(pointer: coarse)");
let offering = 0;
function offer() {
  if (editing) return;
  const place = turns.selected();
  if (!place || turns.at(place.turn).asks) {
    if ($("offer")) $("quoted").textContent = say("no_quote");
    return;
  }
  const words = make("q", "", turns.at(place.turn).said.slice(place.start, place.end));
  words.dir = "auto";
  const button = make("button", "btn small primary", say("code_selection"));
  button.type = "button";
  button.id = "offer";
  button.addEventListener("click", () => open(place));
  $("quoted").replaceChildren(button, " ", words);
}
document.addEventListener("selectionchange", () => {
  if (!canEdit || !touch.matches) return;
  clearTimeout(offering);
  offering = setTimeout(offer, 300);
});
function sheet(on) {
  document.body.dataset.sheet = on ? "open" : "peek";
  document.querySelector(".grab")?.setAttribute("aria-expanded", on);
}

// ---- Keys. They never fire while somebody types in a field.
const isField = (element) => element.matches("input:not([type=checkbox], [type=radio]), textarea, select");
function inFind(event) {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") codes.move(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Enter") {
    const isSearch = codes.isSearching();
    if (isSearch && !codes.toggleActive()) return;
    if (!isSearch || event.ctrlKey || event.metaKey) save();
  } else if (event.key === "Escape") {
    if (codes.isSearching()) codes.clearSearch();
    else close();
  } else return;
  event.preventDefault();
}
const ACTIONS = {
  j: () => toTurn(1),
  k: () => toTurn(-1),
  a: () => active && selectWords(0, turns.words(active).length - 1),
  "[": () => toQuote(-1),
  "]": () => toQuote(1),
  u: undo,
  r: redo,
  x: () => {
    const key = document.activeElement.dataset?.quote ?? (editing && keyOf(editing));
    if (key) drop(placeOf(key));
  },
  "/": () => codes.find.focus(),
  "?": () => $("keys").showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || document.querySelector("dialog[open]")) return;
  const { key, target } = event, isCommand = event.ctrlKey || event.metaKey;
  if (target === codes.find) {
    inFind(event);
    return;
  }
  if (isField(target)) {
    if (key === "Escape") codes.find.focus();
    else if (key === "Enter" && isCommand) save();
    return;
  }
  if (isCommand) {
    if (!canEdit || !/^[zy]$/i.test(key)) return;
    event.preventDefault();
    if (key.toLowerCase() === "y" || event.shiftKey) redo();
    else undo();
    return;
  }
  if (key === "Enter" && (target === main || target === document.body)) {
    event.preventDefault();
    openSelected();
  } else if (key === "Escape" && editing) {
    if (target.closest("#quote-form")) codes.find.focus();
    else close();
  } else if ((key === "ArrowRight" || key === "ArrowLeft") && !target.closest("#tree, .strength, pre")) {
    event.preventDefault();
    byWord(key === "ArrowRight" ? 1 : -1, event.shiftKey);
  } else if (target.id === "tree" && (key === "ArrowDown" || key === "ArrowUp")) {
    event.preventDefault();
    codes.move(key === "ArrowDown" ? 1 : -1);
  } else if (target.id === "tree" && (key === "Enter" || key === " ")) {
    event.preventDefault();
    codes.toggleActive();
  } else if (Object.hasOwn(ACTIONS, key) && (canEdit || "jk[]?".includes(key))) {
    event.preventDefault();
    ACTIONS[key]();
  }
});

// ---- Pointer
$("turns").addEventListener("pointerup", () => {
  setTimeout(() => { // the selection is there after the event
    const place = turns.selected();
    if (!place) return;
    show(turns.at(place.turn), { scroll: false });
    words = null;
    if (canEdit && !turns.at(place.turn).asks) open(place);
  });
});
$("turns").addEventListener("click", (event) => {
  const turn = turns.of(event.target);
  if (turn) show(turn, { scroll: false });
  const button = event.target.closest(".quote"), mark = event.target.closest("mark[data-quotes]");
  const key = button?.dataset.quote ?? (getSelection().isCollapsed && mark?.dataset.quotes.split(" ").pop());
  if (key) open(placeOf(key));
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
$("drop")?.addEventListener("click", () => editing && drop(editing));
$("cancel")?.addEventListener("click", close);
$("undo")?.addEventListener("click", undo);
$("done-form").addEventListener("submit", (event) => {
  if (!queue.waiting().length) return;
  event.preventDefault();
  toast(say("ask_done_waiting"), "warn");
  queue.flush();
}, { capture: true });

// ---- Beginning: what the server has, and on top of it what this browser still has to send.
for (const [turn, start, end, codes, open_codes, memo, strength] of JSON.parse($("quotes").textContent)) {
  const content = { codes, open_codes, memo, strength };
  turns.put(turns.local({ turn, start, end }), content, { painted: false });
}
for (const record of queue.waiting()) {
  const { place, content } = record.fields.reduce(readField, { place: null, content: null });
  const here = turns.local(place), isDrop = record.fields.some(([name]) => name === "drop");
  if (here) turns.put(here, isDrop ? null : content, { painted: false });
}
document.body.dataset.waiting = queue.waiting().length;
codes.show(null);
// The page has the number of stored quotes. For another number the browser reads its tables of languages.
if (queue.waiting().length) tell();
turns.paintAll(() => {
  codes.prepare();
  tell();
});
takeUpDraft();
if (queue.waiting().length) queue.flush();
const asked = Number(new URLSearchParams(location.search).get("turn"));
if (location.search && turns.at(asked)) show(turns.at(asked));
