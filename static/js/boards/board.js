// The board: keys, clicks, searching, and the phases. store.js knows the state, view.js draws it, sending.js
// sends cards, piles.js describes piles, splits and merges.

import { $, announce, ask, say, toast } from "../core/page.js";
import { makePiles } from "./piles.js";
import { makeSending } from "./sending.js";
import { ASIDE, makeStore, UNSORTED } from "./store.js";
import { count, makeView } from "./view.js";

const board = $("board");

// What went wrong: what was refused is no longer shown, and the server's words say where the cards are now.
function tell(kind, why, act) {
  $("lost").hidden = kind !== "lost";
  if (kind === "lost" || kind === "found") return;
  toast(why || say(kind), "bad");
  for (const card of act?.cards ?? []) view.items.get(card.id)?.classList.add("fresh");
  setTimeout(() => {
    for (const card of act?.cards ?? []) view.items.get(card.id)?.classList.remove("fresh");
  }, 6000);
}
const view = makeView();
const store = makeStore({ stateUrl: board.dataset.state, actsUrl: board.dataset.acts, view, tell });
view.begin(store);
const sending = makeSending({ store, view });
const piles = makePiles({ store, view, sending });

// ---- Searching: what does not match is hidden. Words in any order.
const find = $("find");
function search() {
  const asked = find.value.normalize("NFKC").toLocaleLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  const unsorted = [];
  for (const card of store.cards.values()) {
    const fits = asked.every((word) => card.folded.includes(word));
    const item = view.items.get(card.id);
    if (item.hidden === fits) item.hidden = !fits;
    if (!fits) continue;
    found += 1;
    if (card.at === UNSORTED) unsorted.push(card);
  }
  board.dataset.searching = asked.length ? "yes" : "no";
  $("found").hidden = !asked.length;
  $("found-n").textContent = say(found === 1 ? "found_one" : "found_many", {
    n: count(found),
    left: count(unsorted.length),
  });
  $("choose-found").hidden = !unsorted.length || !store.canEdit;
  $("choose-found").textContent = say("choose_found", { n: count(unsorted.length) });
  for (const box of document.querySelectorAll("#unsorted > [data-group]")) {
    const list = box.querySelector("ul");
    box.hidden = ![...list.children].some((item) => !item.hidden);
  }
  view.restop();
  return unsorted;
}
let later;
find.addEventListener("input", () => {
  clearTimeout(later);
  later = setTimeout(search, 80);
});
find.addEventListener("search", search);

// ---- Moving the focus.
function move(by, extends_) {
  const now = sending.current();
  const item = now && view.items.get(now.id);
  if (!item || !board.contains(document.activeElement)) {
    sending.focusOn(now ?? sending.cardOf(view.shown($("unsorted"))[0]));
    return;
  }
  const next = view.beside(item, by);
  if (!next) return;
  if (extends_) {
    sending.choose(now, true);
    sending.choose(sending.cardOf(next), true);
  }
  next.focus();
}
function across(by) {
  const areas = view.areas().filter((area) => view.shown(area).length);
  const now = areas.indexOf(document.activeElement.closest?.("#unsorted, .pile"));
  const next = areas[now < 0 ? 0 : now + by];
  if (!next) return;
  if (now === 0) next.scrollIntoView({ block: "nearest" });
  const stops = [...next.querySelectorAll('.bcard[tabindex="0"]')].filter((item) => !item.hidden);
  (stops[0] ?? view.shown(next)[0]).focus();
}
board.addEventListener("focusin", (event) => {
  const item = event.target.closest(".bcard");
  if (!item) return;
  const list = item.parentElement;
  if (list.stop !== item) {
    if (list.stop) list.stop.tabIndex = -1;
    list.stop = item;
    item.tabIndex = 0;
  }
  sending.setCurrent(sending.cardOf(item));
});

// ---- Clicks: one listener for the whole board.
let anchor = null;
board.addEventListener("click", (event) => {
  const item = event.target.closest(".bcard");
  if (item) {
    const card = sending.cardOf(item);
    if (event.shiftKey && anchor && anchor.at === card.at) {
      const row = [...view.shown(view.areaOf(item))];
      const [a, b] = [row.indexOf(view.items.get(anchor.id)), row.indexOf(item)].sort((x, y) => x - y);
      for (const each of row.slice(Math.max(a, 0), b + 1)) sending.choose(sending.cardOf(each), true);
    } else if (store.canEdit) sending.choose(card);
    anchor = card;
    item.focus();
    sending.tell();
    return;
  }
  const group = event.target.closest('[data-act="choose-group"]')?.closest("[data-group]");
  if (group) chooseGroup(Number(group.dataset.group));
});
function chooseGroup(group) {
  const cards = [...(store.groups.get(group) ?? [])].filter((card) => card.at === UNSORTED);
  if (!cards.length) return;
  const all = cards.every((card) => sending.chosen.has(card));
  sending.focusOn(cards[0]);
  sending.chooseAll(cards, !all);
  announce(say(sending.chosen.size === 1 ? "chosen_one" : "chosen_many", { n: count(sending.chosen.size) }));
}
const acts = {
  "choose-found": () => {
    sending.chooseAll(search());
    sending.focusOn(sending.about()[0]);
  },
  "clear": () => {
    sending.clear();
    sending.focusOn(sending.current());
  },
  "do-new": () => sending.open("", true),
  "do-aside": () => sending.send(ASIDE),
  "do-back": () => sending.send(UNSORTED),
  "do-split": () => piles.split(),
  "do-merge": () => piles.merge(),
  "undo": () => takeBack("undo"),
  "redo": () => takeBack("redo"),
  "new-pile": () => sending.open("", true),
  "send-now": () => sending.open(),
  "show-unsorted": () => side("unsorted"),
  "show-piles": () => side("piles"),
  "compact": () => compact(),
  "done": async () => {
    if (await ask(say("ask_done"))) {
      await store.act({ act: "done" });
      location.reload();
    }
  },
  "not-done": async () => {
    if (await store.act({ act: "done", done: false })) location.reload();
  },
  "together": async () => {
    if (await ask(say(store.sorters.every((one) => one.done) ? "ask_together" : "ask_together_early"))) {
      if (await store.act({ act: "together" })) {
        location.reload();
      }
    }
  },
  "close-board": async () => {
    if (await ask(say("ask_close", { left: count(store.count(UNSORTED)) }))) {
      if (await store.act({ act: "close" })) {
        location.reload();
      }
    }
  },
};
acts.bring = async () => {
  if (!await ask(say("ask_bring", { n: count(store.news) }), say("bring"))) return;
  if (!await store.act({ act: "bring" })) return;
  store.news = 0;
  view.state(store, false);
  announce(say("brought"));
};
acts["open-mapping"] = () => {
  const [left, aside] = [store.count(UNSORTED), store.count(ASIDE)];
  $("mapping-in").textContent = say("mapping_in", {
    cards: count(store.cards.size - left - aside),
    piles: count(store.piles.size),
  });
  $("mapping-out").hidden = !left && !aside;
  $("mapping-out").querySelector("span").textContent = say("mapping_out", {
    aside: count(aside),
    left: count(left),
  });
  $("mapping").showModal();
};
$("mapping")?.addEventListener("submit", () => $("mapping").close());
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[id]");
  if (button && acts[button.id] && button.ariaDisabled !== "true") acts[button.id]();
});
async function takeBack(act) {
  if (!store[act === "undo" ? "canUndo" : "canRedo"] && !store.waiting()) return;
  if (await store.act({ act })) announce(say(act === "undo" ? "undone" : "redone"));
  sending.tell();
}
// On a phone one side is in view at a time.
function side(which) {
  board.dataset.side = which;
  for (const each of ["unsorted", "piles"]) $(`show-${each}`).setAttribute("aria-pressed", each === which);
}
function compact() {
  const on = board.dataset.compact !== "yes";
  board.dataset.compact = on ? "yes" : "no";
  $("compact").setAttribute("aria-pressed", on);
}

// ---- Keys. They never fire while somebody types into a field.
const editing = {
  x: () => {
    sending.choose(sending.current());
    sending.tell();
  },
  " ": () => {
    sending.choose(sending.current());
    sending.tell();
  },
  g: () => {
    const card = sending.current();
    if (card) chooseGroup(card.group);
  },
  n: acts["do-new"],
  a: acts["do-aside"],
  b: acts["do-back"],
  s: acts["do-split"],
  m: acts["do-merge"],
  u: acts.undo,
  U: acts.redo,
  e: () => piles.edit(),
  Enter: () => sending.open(),
  t: () => sending.open(),
};
const reading = {
  j: () => move(1),
  k: () => move(-1),
  J: () => move(1, true),
  K: () => move(-1, true),
  l: () => across(1),
  h: () => across(-1),
  "/": () => find.select(),
  c: compact,
  "?": () => $("keys").showModal(),
};
const arrows = { ArrowDown: "j", ArrowUp: "k", ArrowRight: "l", ArrowLeft: "h" };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape" && event.target === find) {
      find.value = "";
      search();
      sending.focusOn(sending.current());
    }
    return;
  }
  const onCard = event.target.closest?.(".bcard, #unsorted");
  if (event.key === "Escape" && sending.chosen.size) {
    acts.clear();
    return;
  }
  // Enter, the space bar and the arrows are the buttons' and links' own, elsewhere.
  if (
    !onCard && (event.key === "Enter" || event.key === " " || arrows[event.key]) &&
    event.target !== document.body
  ) return;
  const key = arrows[event.key]
    ? (event.shiftKey ? arrows[event.key].toUpperCase() : arrows[event.key])
    : event.key;
  const does = reading[key] ?? (store.canEdit && editing[key]);
  if (does) {
    event.preventDefault();
    does();
    return;
  }
  if (/^\d$/.test(event.key) && store.canEdit && sending.about().length) {
    event.preventDefault();
    sending.open(event.key);
  }
});
addEventListener("beforeunload", (event) => {
  if (store.waiting()) event.preventDefault();
});

store.load().then((ok) => {
  board.ariaBusy = "false";
  $("loading").hidden = true;
  if (ok) sending.tell();
});
