// The turns of a transcript and the quotes in them. Places are counted in UTF-16 units here and in characters
// on the server; they differ only in turns with characters outside the basic plane.

import { $, make } from "../core/page.js";

const WIDE = /[\ud800-\udbff][\udc00-\udfff]/;
const FIRST = 24; // turns with quotes that are painted before the page is shown
const LEAST = 10, SLOWEST = 100; // ms that painting goes on at a time, and between two times
const bySpan = (one, other) => one.start - other.start || one.end - other.end;

export const keyOf = ({ turn, start, end }) => `${turn}.${start}.${end}`;

// `chip(code)` makes the chip of a category; `label(text)` says in words what the button of a quote does.
export function makeTurns({ chip, label }) {
  const root = $("turns");
  const turns = [...root.querySelectorAll(".turn")].map((node, index) => {
    const text = node.querySelector("p");
    return {
      index,
      node,
      text,
      position: Number(node.id.slice(1)),
      said: text.textContent,
      asks: node.classList.contains("asks"),
      row: null,
      isPainted: false,
      words: null,
      quotes: new Map(),
      pending: null,
    };
  });
  const byPosition = new Map(turns.map((turn) => [turn.position, turn]));
  let count = 0;

  const toUnits = (turn, place) =>
    WIDE.test(turn.said) ? [...turn.said].slice(0, place).join("").length : place;
  const toCharacters = (turn, place) => WIDE.test(turn.said) ? [...turn.said.slice(0, place)].length : place;
  const local = (place) => {
    const turn = byPosition.get(place.turn);
    return turn && { turn: place.turn, start: toUnits(turn, place.start), end: toUnits(turn, place.end) };
  };
  const remote = (place) => {
    const turn = byPosition.get(place.turn);
    return {
      turn: place.turn,
      start: toCharacters(turn, place.start),
      end: toCharacters(turn, place.end),
    };
  };

  // One pass over a turn: its text in pieces that have the same quotes.
  const quotesOf = (turn) => [...turn.quotes.values()].sort(bySpan);
  function paint(turn) {
    turn.isPainted = true;
    const quotes = quotesOf(turn);
    const all = turn.pending ? [...quotes, turn.pending].sort(bySpan) : quotes;
    const cuts = [...new Set([0, turn.said.length, ...all.flatMap(({ start, end }) => [start, end])])];
    cuts.sort((one, other) => one - other);
    const pieces = [];
    let open = [], next = 0;
    for (let cut = 0; cut + 1 < cuts.length; cut += 1) {
      const [from, to] = [cuts[cut], cuts[cut + 1]];
      open = open.filter(({ end }) => end > from);
      while (next < all.length && all[next].start <= from) open.push(all[next++]);
      const piece = turn.said.slice(from, to);
      if (!open.length) {
        pieces.push(piece);
        continue;
      }
      const mark = make("mark", "", piece);
      mark.dataset.n = Math.min(3, open.length);
      if (open.includes(turn.pending)) mark.classList.add("pending");
      mark.dataset.quotes = open.filter((quote) => quote !== turn.pending).map(keyOf).join(" ");
      pieces.push(mark);
    }
    turn.text.replaceChildren(...pieces);
    paintRow(turn, quotes);
  }
  function paintRow(turn, quotes) {
    if (!quotes.length) {
      turn.row?.remove();
      turn.row = null;
      return;
    }
    if (!turn.row) {
      turn.row = make("div", "quotes");
      turn.node.append(turn.row);
    }
    turn.row.replaceChildren(...quotes.map((quote) => {
      const words = turn.said.slice(quote.start, quote.end);
      const button = make(
        "button",
        "quote",
        // A blank after each: who speaks to the page says what stands on the button.
        ...quote.codes.flatMap((code) => [chip(code), " "]),
        ...quote.open_codes.flatMap((name) => [make("span", "badge", name), " "]),
      );
      button.type = "button";
      button.dataset.quote = keyOf(quote);
      button.title = words;
      if (quote.memo) button.append(make("span", "xs faint memo", quote.memo));
      const shown = [...quote.codes, ...quote.open_codes, quote.memo].filter(Boolean);
      button.setAttribute("aria-label", `${shown.join(" ")} ${label(words)}`);
      return button;
    }));
  }
  // Turns from where the address leads at once; the others some at a time, while nothing else is to be done.
  // What is out of view is not laid out, so painting it costs its nodes only.
  const later = globalThis.requestIdleCallback ?? setTimeout; // not in every Safari
  const isKeyWaiting = () => navigator.scheduling?.isInputPending() ?? false; // in Chromium only
  const marked = (name) => requestAnimationFrame(() => setTimeout(() => performance.mark(name)));
  // `then` is called in a further such moment.
  function paintAll(then) {
    const shown = $(location.hash.slice(1))?.closest("#turns .turn");
    const from = turns.findIndex((turn) => turn.node === shown);
    const due = [...turns.slice(Math.max(0, from)), ...turns.slice(0, Math.max(0, from))]
      .filter((turn) => turn.quotes.size && !turn.isPainted);
    function paintUntil(isEnough, held = null) {
      while (due.length && !isEnough()) {
        const turn = due.shift();
        if (turn.isPainted) continue;
        paint(turn);
        if (held?.turn === turn.position) select(turn, held.start, held.end);
      }
    }
    const rest = due.length - FIRST;
    paintUntil(() => due.length <= rest);
    marked("quotes-shown");
    const goOn = (deadline) => {
      const until = performance.now() + Math.max(LEAST, deadline?.timeRemaining() ?? 0);
      // Asked for once: to tell what is selected, the browser styles all that was painted before.
      paintUntil(() => performance.now() > until || isKeyWaiting(), selected());
      if (due.length) later(goOn, { timeout: SLOWEST });
      else {
        document.body.dataset.painted = "";
        marked("quotes-painted");
        later(then);
      }
    };
    later(goOn, { timeout: SLOWEST });
  }

  // ---- What is selected
  function offset(turn, node, at) {
    const range = document.createRange();
    range.selectNodeContents(turn.text);
    range.setEnd(node, at);
    return range.toString().length;
  }
  // The selection of the browser within one turn, without white space at its ends; what goes beyond the turn
  // where it began is left out. null for none.
  function selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const holder = range.startContainer;
    const node = (holder.nodeType === 1 ? holder : holder.parentElement)?.closest("#turns .turn");
    const turn = node && byPosition.get(Number(node.id.slice(1)));
    if (!turn || !range.intersectsNode(turn.text)) return null;
    const begins = turn.text.contains(holder) ? offset(turn, holder, range.startOffset) : 0;
    const ends = turn.text.contains(range.endContainer)
      ? offset(turn, range.endContainer, range.endOffset)
      : turn.said.length;
    const words = turn.said.slice(begins, ends), trimmed = words.trim();
    if (!trimmed) return null;
    const start = begins + words.indexOf(trimmed);
    return { turn: turn.position, start, end: start + trimmed.length };
  }
  function select(turn, start, end) {
    const at = (place) => {
      const walker = document.createTreeWalker(turn.text, NodeFilter.SHOW_TEXT);
      let left = place, node = walker.nextNode();
      while (node && left > node.length) {
        left -= node.length;
        node = walker.nextNode();
      }
      return node ? [node, left] : [turn.text, turn.text.childNodes.length];
    };
    getSelection().setBaseAndExtent(...at(start), ...at(end));
  }
  // Where the words of a turn begin and end, in scripts with and without spaces.
  function words(turn) {
    if (!turn.words) {
      const parts = globalThis.Intl?.Segmenter
        ? [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(turn.said)]
          .filter((part) => part.isWordLike).map((part) => [part.index, part.index + part.segment.length])
        : [...turn.said.matchAll(/\S+/g)].map((part) => [part.index, part.index + part[0].length]);
      turn.words = parts;
    }
    return turn.words;
  }

  return {
    all: turns,
    at: (position) => byPosition.get(position),
    of: (element) => byPosition.get(Number(element?.closest?.("#turns .turn")?.id.slice(1))),
    local,
    remote,
    paint,
    paintAll,
    selected,
    select,
    words,
    count: () => count,
    // The places of all quotes in their order, and the button of one.
    places: () => turns.flatMap(quotesOf),
    buttonOf(place) {
      const turn = byPosition.get(place.turn);
      if (!turn.isPainted) paint(turn);
      return turn.row.querySelector(`[data-quote="${keyOf(place)}"]`);
    },
    get(place) {
      return byPosition.get(place.turn)?.quotes.get(keyOf(place)) ?? null;
    },
    // Put a quote at its place, or take it off with null; painted unless told otherwise.
    put(place, content, { painted = true } = {}) {
      const turn = byPosition.get(place.turn);
      if (!turn) return;
      const key = keyOf(place);
      count += (content ? 1 : 0) - (turn.quotes.has(key) ? 1 : 0);
      if (content) turn.quotes.set(key, { ...place, ...content });
      else turn.quotes.delete(key);
      if (painted) paint(turn);
    },
    // Show where the quote will be that the panel holds.
    pend(place) {
      for (const turn of turns) {
        if (!turn.pending) continue;
        turn.pending = null;
        if (turn.position !== place?.turn) paint(turn);
      }
      if (!place) return;
      const turn = byPosition.get(place.turn);
      turn.pending = place;
      paint(turn);
    },
  };
}
