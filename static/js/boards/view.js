// How a board is drawn: one element per card for as long as it is in play. A move takes an element from one
// list to another, and touches nothing else but the two counts. Every text is set as text.

import { $, announce, copy, say } from "../core/page.js";
import { ASIDE, UNSORTED } from "./store.js";

export const count = (n) => n.toLocaleString(document.documentElement.lang || "en");
const isThere = (item) => item && !item.hidden;

export function makeView() {
  const items = new Map(), lists = new Map(), alike = new Map(), touched = new Set();
  const unsorted = $("unsorted"), piles = $("piles");
  let store = null, first = true;

  const listIn = (box, place, name) => {
    const list = box.querySelector("ul");
    list.dataset.place = place;
    list.ariaLabel = name;
    return list;
  };
  lists.set(ASIDE, listIn($("aside-pile"), ASIDE, say("aside")));
  lists.set(UNSORTED, listIn($("alone"), UNSORTED, say("unsorted")));

  // The list that a card belongs into: unsorted ones stand with what is alike.
  function listOf(card) {
    if (card.at !== UNSORTED) return lists.get(card.at);
    if (card.group === null || card.group === undefined) return lists.get(UNSORTED);
    if (!alike.has(card.group)) {
      const box = copy("t-alike");
      box.dataset.group = card.group;
      alike.set(card.group, listIn(box, UNSORTED, say("alike_cards")));
      // The largest come first, when the board is opened; a group that comes later comes before the cards
      // without one.
      $("alone").before(box);
    }
    return alike.get(card.group);
  }
  // One card of each list can be reached by Tab.
  function restop(list) {
    if (isThere(list.stop) && list.stop.parentElement === list) return;
    if (list.stop) list.stop.tabIndex = -1;
    list.stop = [...list.children].find(isThere);
    if (list.stop) list.stop.tabIndex = 0;
  }
  function put(item, list, card) {
    if (card.at !== UNSORTED && !first) {
      list.prepend(item);
      return;
    }
    // Unsorted cards keep their order: the place is found by halves.
    let low = 0, high = list.children.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(list.children[middle].dataset.card) < card.id) low = middle + 1;
      else high = middle;
    }
    list.insertBefore(item, list.children[low] ?? null);
  }
  function write(item, card) {
    item.querySelector(".text").textContent = card.text;
    const labels = item.querySelector(".labels");
    labels.hidden = card.labels < 2;
    labels.textContent = card.labels < 2 ? "" : `×${card.labels}`;
    labels.title = card.labels < 2 ? "" : say("labels", { n: card.labels });
    const had = item.querySelector(".had");
    had.hidden = !card.had?.length;
    had.textContent = (card.had ?? []).map(({ who, pile }) => `${who}: ${pile}`).join(" · ");
    card.folded = `${card.text} ${had.textContent}`.normalize("NFKC").toLocaleLowerCase();
  }

  const view = {
    items,
    lists,
    touched,
    begin: (made) => {
      store = made;
    },
    card(card) {
      let item = items.get(card.id);
      if (!item) {
        item = copy("t-card");
        item.dataset.card = card.id;
        items.set(card.id, item);
        write(item, card);
      }
      const before = item.parentElement, list = listOf(card);
      if (!list) return;
      if (first) list.append(item);
      else put(item, list, card);
      for (const each of [before, list]) if (each) touched.add(each);
    },
    text: (card) => write(items.get(card.id), card),
    gone(card) {
      const item = items.get(card.id);
      if (item.parentElement) touched.add(item.parentElement);
      item.remove();
      items.delete(card.id);
      view.forget?.(card);
    },
    piles(told) {
      let before = null;
      for (const pile of told) {
        let box = $(`pile-${pile.id}`);
        if (!box) {
          box = copy("t-pile");
          box.id = `pile-${pile.id}`;
          box.dataset.place = pile.id;
          lists.set(pile.id, box.querySelector("ul"));
          lists.get(pile.id).dataset.place = pile.id;
        }
        const name = box.querySelector(".name");
        if (name.textContent !== pile.name) name.textContent = pile.name;
        name.title = pile.name;
        name.ariaLabel = say("edit_pile", { n: pile.number, name: pile.name });
        box.ariaLabel = say("pile", { n: pile.number, name: pile.name });
        lists.get(pile.id).ariaLabel = box.ariaLabel;
        box.querySelector(".no").textContent = pile.number;
        const made = box.querySelector(".code");
        made.hidden = !(pile.made || pile.theme);
        made.textContent = pile.made ?? pile.theme ?? "";
        made.classList.toggle("solid", Boolean(pile.made));
        made.title = pile.made
          ? say("is_made", { code: pile.made })
          : pile.theme
          ? say("under", { code: pile.theme })
          : "";
        const definition = box.querySelector(".def");
        // A theme that a file names, and the draft has not, is said here.
        definition.textContent = pile.definition ||
          (!pile.theme && pile.rootcause ? say("under", { code: pile.rootcause }) : "");
        definition.hidden = !definition.textContent;
        const right = before ? before.nextElementSibling : piles.firstElementChild;
        if (box !== right) piles.insertBefore(box, right);
        before = box;
      }
    },
    pileGone(id) {
      $(`pile-${id}`)?.remove();
      lists.delete(id);
    },
    // Counts, buttons and the bar of progress; then only the lists that were touched.
    state(now, isNewPhase) {
      if (isNewPhase) {
        location.reload();
        return;
      }
      if (first && now.cards.size) sortAlike();
      first = false;
      const left = now.count(UNSORTED), aside = now.count(ASIDE), all = now.cards.size;
      for (const list of touched) {
        const place = list.dataset.place;
        const box = list.closest("[data-group]");
        if (box) {
          box.hidden = !list.children.length;
          box.querySelector(".n").textContent = say(list.children.length === 1 ? "alike_one" : "alike_many", {
            n: count(list.children.length),
          });
          const all = store.groups.get(Number(box.dataset.group)).size,
            elsewhere = all - list.children.length;
          box.classList.toggle("single", all < 2);
          box.querySelector(".rest").textContent = elsewhere
            ? say("alike_rest", { n: count(elsewhere) })
            : "";
        }
        const own = place && list.closest("[data-place].pile");
        if (own) {
          own.querySelector(".n").textContent = count(now.count(place));
          own.classList.toggle("bare", !list.children.length);
        }
        restop(list);
      }
      touched.clear();
      for (const pile of now.piles.values()) {
        const n = $(`pile-${pile.id}`)?.querySelector(".n");
        if (n && !n.textContent) n.textContent = "0";
      }
      $("left").textContent = count(left);
      $("all-sorted").hidden = left > 0 || !all;
      $("no-cards").hidden = all > 0;
      const bar = $("progress");
      bar.max = Math.max(all, 1);
      bar.value = all - left;
      if ($("board").dataset.looks === "on") {
        $("sorted").textContent = say(all === 1 ? "cards_one" : "cards_many", { n: count(all) });
      } else {$("sorted").textContent = say("progress", {
          sorted: count(all - left - aside),
          all: count(all),
          aside: count(aside),
          left: count(left),
        });}
      for (const [id, can] of [["undo", now.canUndo], ["redo", now.canRedo]]) {
        $(id)?.setAttribute("aria-disabled", !can);
      }
      if ($("news")) {
        $("news").hidden = !now.news;
        $("news-n").textContent = say(now.news === 1 ? "news_one" : "news_many", { n: count(now.news) });
      }
      $("board").dataset.edit = now.canEdit ? "yes" : "no";
      $("no-piles").hidden = now.piles.size > 0;
      const sorters = $("sorters");
      if (sorters) {
        for (const chip of sorters.querySelectorAll("[data-who]")) {
          chip.querySelector(".done").hidden = !now.sorters.find((sorter) => sorter.who === chip.dataset.who)
            ?.done;
        }
      }
    },
    waits: (on) => {
      $("board").dataset.waits = on ? "yes" : "no";
    },
    // What others moved, or an undo, stands out for a moment; what others did is said once.
    others(cards, isOwn) {
      for (const card of cards) items.get(card.id)?.classList.add("fresh");
      setTimeout(() => {
        for (const card of cards) items.get(card.id)?.classList.remove("fresh");
      }, 4000);
      if (!isOwn) {
        announce(say(cards.length === 1 ? "others_one" : "others_many", { n: count(cards.length) }));
      }
    },
    restop: () => {
      for (const list of [...lists.values(), ...alike.values()]) restop(list);
    },
    // The areas that arrows pass through, left to right: what is to be sorted, the piles, what was left
    // aside.
    areas: () => [unsorted, ...piles.querySelectorAll(":scope > .pile")],
    areaOf: (item) => item.closest("#unsorted, .pile"),
    shown: (area) => area.querySelectorAll(".bcard:not([hidden])"),
    // The next card of the same area; in the unsorted ones across the groups.
    beside(item, by) {
      const way = by > 0 ? "nextElementSibling" : "previousElementSibling";
      let next = item[way];
      while (next && next.hidden) next = next[way];
      if (next) return next;
      let box = item.closest(".alike")?.[way];
      for (; box; box = box[way]) {
        const there = [...box.querySelectorAll(".bcard")].filter(isThere);
        if (there.length) return by > 0 ? there[0] : there.at(-1);
      }
      return null;
    },
  };
  function sortAlike() {
    const boxes = [...unsorted.querySelectorAll("[data-group]")];
    const size = (box) => box.querySelector("ul").children.length;
    boxes.sort((a, b) => size(b) - size(a) || a.dataset.group - b.dataset.group);
    unsorted.prepend(...boxes);
  }
  return view;
}
