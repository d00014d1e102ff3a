// Sending cards: what is chosen, the field that takes a pile's number or letters of its name, and dragging.

import { $, announce, say } from "../core/page.js";
import { ASIDE, UNSORTED } from "./store.js";
import { count } from "./view.js";

const fold = (text) => text.normalize("NFKC").toLocaleLowerCase();

export function makeSending({ store, view }) {
  const chosen = new Set(), recent = [];
  const field = $("to"), options = $("to-list"), bar = $("bar");
  let current = null, offered = [], at = 0, isNew = false, subjects = null;

  const itemOf = (card) => card && view.items.get(card.id);
  const cardOf = (item) => store.cards.get(Number(item?.dataset.card));
  const about = () => (chosen.size ? [...chosen] : current && store.cards.has(current.id) ? [current] : []);

  function setCurrent(card) {
    itemOf(current)?.classList.remove("now");
    current = card;
    itemOf(card)?.classList.add("now");
  }

  // ---- What is chosen.
  function choose(card, on = !chosen.has(card)) {
    if (!card) return;
    if (on) chosen.add(card);
    else chosen.delete(card);
    itemOf(card)?.setAttribute("aria-selected", on);
  }
  function chooseAll(cards, on = true) {
    for (const card of cards) choose(card, on);
    tell();
  }
  function clear() {
    chooseAll([...chosen], false);
  }
  view.forget = (card) => {
    chosen.delete(card);
    if (current === card) current = null;
  };

  // The bar says what the next key is about.
  function tell() {
    const cards = about();
    bar.dataset.any = cards.length ? "yes" : "no";
    const head = chosen.size || cards.length > 1
      ? say(cards.length === 1 ? "chosen_one" : "chosen_many", { n: count(cards.length) })
      : "";
    $("about-n").textContent = head;
    const card = cards.length === 1 ? cards[0] : null;
    $("about-text").textContent = card ? card.text : "";
    $("about-alike").textContent = card ? likes(card) : "";
    for (
      const [id, can] of [
        ["do-split", cards.length === 1],
        ["do-merge", cards.length > 1],
        ["do-back", cards.some((each) => each.at !== UNSORTED)],
        ["do-aside", cards.some((each) => each.at !== ASIDE)],
        ["do-new", cards.length > 0],
      ]
    ) $(id)?.setAttribute("aria-disabled", !can);
  }
  // Where the cards that are alike have gone.
  function likes(card) {
    const places = new Map();
    for (const other of store.groups.get(card.group) ?? []) {
      if (other !== card) places.set(other.at, (places.get(other.at) ?? 0) + 1);
    }
    const words = [...places].filter(([place]) => place !== UNSORTED).map(([place, n]) =>
      say("alike_in", { n, pile: nameOf(place) })
    );
    return words.length ? say("alike_elsewhere", { places: words.join(", ") }) : "";
  }
  function nameOf(place) {
    if (place === UNSORTED) return say("unsorted");
    if (place === ASIDE) return say("aside");
    const pile = store.piles.get(place);
    return pile ? `${pile.number} ${pile.name}` : "";
  }

  // ---- Where to: a number by its beginning, else words of the name; what is not found can become a pile.
  const byUse = (a, b) => (recent.indexOf(b.id) - recent.indexOf(a.id)) || a.position - b.position;
  function matching(typed) {
    const piles = [...store.piles.values()], words = fold(typed).split(/\s+/).filter(Boolean);
    const option = (pile) => ({
      place: pile.id,
      number: pile.number,
      name: pile.name,
      made: pile.made,
      n: store.count(pile.id),
    });
    if (isNew) {
      return [{
        fresh: typed.trim(),
        name: typed.trim() ? say("new_pile_named", { name: typed.trim() }) : say("new_pile"),
      }];
    }
    if (!words.length) {
      return [...piles.sort(byUse).map(option), { place: UNSORTED, number: 0, name: say("unsorted") }, {
        place: ASIDE,
        number: "",
        name: say("aside"),
      }];
    }
    if (/^\d+$/.test(typed.trim())) {
      const number = typed.trim();
      const found = piles.filter((pile) => String(pile.number).startsWith(number)).sort((a, b) =>
        a.number - b.number
      ).map(option);
      return number === "0" ? [{ place: UNSORTED, number: 0, name: say("unsorted") }] : found;
    }
    const rank = (pile) => {
      const name = fold(`${pile.name} ${pile.made ?? ""}`);
      if (!words.every((word) => name.includes(word))) return -1;
      return words.filter((word) => name.startsWith(word) || name.includes(` ${word}`)).length;
    };
    const found = piles.map((pile) => [rank(pile), pile]).filter(([r]) => r >= 0).sort(([r, a], [s, b]) =>
      s - r || byUse(a, b)
    ).map(([, pile]) => option(pile));
    for (const place of [UNSORTED, ASIDE]) {
      if (fold(nameOf(place)).startsWith(words[0])) {
        found.push({ place, number: place === UNSORTED ? 0 : "", name: nameOf(place) });
      }
    }
    if (!piles.some((pile) => fold(pile.name) === fold(typed.trim()))) {
      found.push({ fresh: typed.trim(), name: say("new_pile_named", { name: typed.trim() }) });
    }
    return found;
  }
  function offer() {
    offered = matching(field.value);
    at = 0;
    options.replaceChildren(...offered.map((option, place) => {
      const line = document.createElement("li");
      line.role = "option";
      line.id = `to-${place}`;
      const [number, name, n] = ["no", "name clip", "n"].map((css) =>
        Object.assign(document.createElement("span"), { className: css })
      );
      number.textContent = option.fresh === undefined ? option.number : "+";
      name.textContent = option.name;
      n.textContent = option.n === undefined ? "" : count(option.n);
      line.append(number, name, n);
      return line;
    }));
    options.hidden = !offered.length;
    field.setAttribute("aria-expanded", offered.length > 0);
    mark(0);
  }
  function mark(place) {
    options.children[at]?.setAttribute("aria-selected", false);
    view.target?.classList.remove("target");
    at = Math.min(Math.max(place, 0), offered.length - 1);
    const line = options.children[at];
    if (line) {
      line.setAttribute("aria-selected", true);
      line.scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", line.id);
    } else field.removeAttribute("aria-activedescendant");
    // The pile that is meant shows on the board.
    view.target = offered[at]?.place ? $(`pile-${offered[at].place}`) : null;
    if (field.value) view.target?.scrollIntoView({ block: "nearest" });
    view.target?.classList.add("target");
  }
  function open(typed = "", fresh = false, cards = null) {
    if (!store.canEdit) return;
    subjects = cards;
    isNew = fresh;
    bar.dataset.new = fresh ? "yes" : "no";
    field.ariaLabel = say(fresh ? "name_of_new" : "send_to");
    field.placeholder = field.ariaLabel;
    field.value = typed;
    field.focus();
    offer();
  }
  function close(back = true) {
    options.hidden = true;
    field.setAttribute("aria-expanded", false);
    field.value = "";
    view.target?.classList.remove("target");
    if (isNew) {
      isNew = false;
      bar.dataset.new = "no";
      field.ariaLabel = field.placeholder = say("send_to");
    }
    if (back) focusOn(current ?? store.cards.get(Number(view.shown($("unsorted"))[0]?.dataset.card)));
  }

  // ---- Sending. The focus goes on to the card after those that go.
  function after(cards) {
    const gone = new Set(cards);
    for (const by of [1, -1]) {
      let item = current && itemOf(current);
      while (item && gone.has(cardOf(item))) item = view.beside(item, by);
      if (item) return cardOf(item);
    }
    return null;
  }
  function focusOn(card) {
    const item = card && itemOf(card);
    if (item) item.focus();
    else $("unsorted").focus();
  }
  function sent(cards, place, name) {
    const next = current && cards.includes(current) ? after(cards) : current;
    clear();
    setCurrent(next);
    if (place !== UNSORTED && place !== ASIDE && place) {
      const i = recent.indexOf(place);
      if (i >= 0) recent.splice(i, 1);
      recent.push(place);
    }
    return {
      goOn() {
        focusOn(next);
        tell();
      },
      told() {
        announce(
          say(cards.length === 1 ? "sent_one" : "sent_many", {
            n: count(cards.length),
            pile: name,
            left: count(store.count(UNSORTED)),
          }),
        );
      },
    };
  }
  function send(place, cards = about()) {
    if (!cards.length || !store.canEdit) return;
    const { goOn, told } = sent(cards, place, nameOf(place));
    store.move(cards, place);
    goOn();
    told();
  }
  async function sendToNew(name, cards = about()) {
    if (!store.canEdit) return null;
    const { goOn, told } = sent(cards, null, name || say("new_pile"));
    goOn();
    const before = new Set(store.piles.keys());
    const answer = await store.pile(name, cards);
    if (answer) told(); // not before: the cards lie there only now
    const made = answer && [...store.piles.keys()].find((id) => !before.has(id));
    if (made) {
      recent.push(made);
      $(`pile-${made}`).scrollIntoView({ block: "nearest" });
    }
    tell();
    return made ?? null;
  }
  function take(option) {
    const cards = subjects ?? about();
    const wasNew = option && option.fresh !== undefined;
    close(false);
    subjects = null;
    if (!option) {
      focusOn(current);
      return;
    }
    if (wasNew) sendToNew(option.fresh, cards);
    else send(option.place, cards);
  }

  field.addEventListener("input", offer);
  field.addEventListener("focus", () => {
    if (options.hidden) offer();
  });
  field.addEventListener("blur", () =>
    setTimeout(() => {
      if (document.activeElement !== field) close(false);
    }, 150));
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      take(offered[at]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(at + (event.key === "ArrowDown" ? 1 : -1));
    }
  });
  options.addEventListener("pointerdown", (event) => event.preventDefault());
  options.addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) take(offered[[...options.children].indexOf(line)]);
  });

  // ---- Dragging: all that is chosen, or the one under the pointer.
  let dragged = null, over = null;
  const lift = (next) => {
    if (over === next) return;
    over?.classList.remove("over");
    over = next;
    over?.classList.add("over");
  };
  document.addEventListener("dragstart", (event) => {
    const card = cardOf(event.target.closest?.(".bcard"));
    if (!card || !store.canEdit) return;
    dragged = chosen.has(card) ? [...chosen] : [card];
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.map((each) => each.text).join("\n"));
    $("dragged").textContent = say(dragged.length === 1 ? "chosen_one" : "chosen_many", {
      n: count(dragged.length),
    });
    if (dragged.length > 1) event.dataTransfer.setDragImage($("dragged"), -12, -8);
  });
  const zone = (event) => (dragged ? event.target.closest?.("[data-drop-on]") : null);
  document.addEventListener("dragover", (event) => {
    const next = zone(event);
    lift(next);
    if (next) {
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
    }
  });
  document.addEventListener("drop", (event) => {
    const on = zone(event);
    if (!on) return;
    event.preventDefault();
    const cards = dragged;
    lift(null);
    dragged = null;
    if (on.id === "new-pile") open("", true, cards);
    else send(on.dataset.place, cards);
  });
  document.addEventListener("dragend", () => {
    dragged = null;
    lift(null);
  });

  return {
    chosen,
    choose,
    chooseAll,
    clear,
    tell,
    open,
    send,
    sendToNew,
    about,
    focusOn,
    cardOf,
    current: () => current,
    setCurrent(card) {
      setCurrent(card);
      tell();
    },
    lastPile: () => store.piles.get(recent.findLast((id) => store.piles.has(id)) ?? ""),
  };
}
