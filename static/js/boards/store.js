// The cards and piles of a board as the server last said them, the acts on their way to it, and the news of
// what others did.
//
// A card is shown where its reader has sent it before the server has answered; when all acts about it are
// answered it is shown where the server says. Acts go one at a time, in order, each with a key: sent twice,
// it is done once.

import { cookie, pause } from "../core/page.js";

const POLL = 2000, RETRY = 3000;
// 32 hexadecimal digits; randomUUID() is there on secure pages only.
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const UNSORTED = "", ASIDE = "aside";
const placeOf = (
  card,
) => (card.aside ? ASIDE : card.pile === null || card.pile === undefined ? UNSORTED : String(card.pile));

async function ask(url, body) {
  const headers = { Accept: "application/json" };
  if (body) {
    Object.assign(headers, { "Content-Type": "application/json", "X-CSRFToken": cookie("csrftoken") ?? "" });
  }
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers,
      body: body && JSON.stringify(body),
      redirect: "manual",
    });
    const isJson = response.headers.get("content-type")?.includes("json");
    return {
      status: response.type === "opaqueredirect" ? 401 : response.status,
      answer: isJson ? await response.json() : {},
    };
  } catch {
    return { status: 0, answer: {} };
  }
}

// `view` draws: card(card, was), gone(card), piles(piles), state(store), others(cards); `tell(kind, words)`
// says what went wrong.
export function makeStore({ stateUrl, actsUrl, view, tell }) {
  const cards = new Map(), piles = new Map(), groups = new Map(), counts = new Map();
  const store = {
    cards,
    piles,
    groups,
    revision: 0,
    phase: "",
    canEdit: false,
    mayLead: false,
    canUndo: false,
    canRedo: false,
    sorters: [],
    news: 0,
    isLost: false,
  };
  const queue = [];
  let running = false;

  store.count = (place) => counts.get(place) ?? 0;
  const add = (place, by) => counts.set(place, store.count(place) + by);

  // Show a card at a place; `was` is undefined for one that comes.
  function show(card, place) {
    const was = card.at;
    if (was === place) return false;
    if (was !== undefined) add(was, -1);
    add(place, 1);
    card.at = place;
    view.card(card, was);
    return true;
  }
  function take(told) {
    let card = cards.get(told.id);
    const isNew = !card;
    if (isNew) {
      card = { id: told.id, waits: 0, at: undefined };
      cards.set(told.id, card);
      if (told.group !== null && told.group !== undefined) {
        groups.set(told.group, (groups.get(told.group) ?? new Set()).add(card));
      }
    }
    if (!isNew && card.group !== told.group) regroup(card, told.group);
    const changed = !isNew &&
      (card.text !== told.text || card.labels !== told.labels || card.had?.length !== told.had?.length);
    Object.assign(card, told, { truth: placeOf(told) });
    if (changed) view.text(card);
    return !card.waits && show(card, card.truth) && !isNew;
  }
  // New cards that come can make a group with one that had none.
  function regroup(card, group) {
    groups.get(card.group)?.delete(card);
    groups.set(group, (groups.get(group) ?? new Set()).add(card));
    card.group = group;
    if (card.at === UNSORTED) view.card(card, card.at);
  }
  function drop(id) {
    const card = cards.get(id);
    if (!card) return;
    cards.delete(id);
    groups.get(card.group)?.delete(card);
    if (card.at !== undefined) add(card.at, -1);
    view.gone(card);
  }

  // What an answer says, to `act` if it is one's own: what else has moved, others did, but for an act without
  // cards.
  function apply(answer, act = null) {
    const mine = new Set(act?.cards.map((card) => card.id));
    if (
      answer.revision === undefined || answer.revision === null ||
      (answer.revision < store.revision && !answer.whole)
    ) return;
    const phase = store.phase;
    store.revision = answer.revision;
    store.phase = answer.phase ?? store.phase;
    store.canEdit = answer.can_edit ?? store.canEdit;
    store.mayLead = answer.may_lead ?? store.mayLead;
    store.canUndo = answer.can_undo ?? store.canUndo;
    store.canRedo = answer.can_redo ?? store.canRedo;
    store.sorters = answer.sorters ?? store.sorters;
    store.news = answer.news ?? store.news;
    store.you = answer.you ?? store.you;
    if (answer.piles) {
      const old = new Set(piles.keys());
      for (const [place, told] of answer.piles.entries()) {
        const id = String(told.id);
        piles.set(id, { ...told, id, position: place, number: told.number ?? place + 1 });
        old.delete(id);
      }
      view.piles(
        [...piles.values()].filter((pile) => !old.has(pile.id)).sort((a, b) => a.position - b.position),
      );
    }
    const others = [];
    for (const told of answer.cards ?? []) {
      const moved = take(told);
      if (moved && !mine.has(told.id)) others.push(cards.get(told.id));
    }
    for (const id of answer.gone ?? []) drop(id);
    if (answer.whole) {
      const there = new Set(answer.cards.map((card) => card.id));
      for (const id of [...cards.keys()]) if (!there.has(id)) drop(id);
    }
    // A pile goes when its cards have gone elsewhere.
    if (answer.piles) {
      const there = new Set(answer.piles.map((pile) => String(pile.id)));
      for (const id of [...piles.keys()]) {
        if (!there.has(id)) {
          piles.delete(id);
          view.pileGone(id);
        }
      }
    }
    view.state(store, phase !== "" && phase !== store.phase);
    if (others.length) view.others(others, Boolean(act) && !act.cards.length);
  }

  async function send(act) {
    for (;;) {
      const { status, answer } = await ask(actsUrl, { ...act.body, seen: store.revision, key: act.key });
      if (status === 0 || status >= 502) {
        if (!store.isLost) {
          store.isLost = true;
          tell("lost");
        }
        await pause(RETRY);
        continue;
      }
      if (store.isLost) {
        store.isLost = false;
        tell("found");
      }
      for (const card of act.cards) card.waits -= 1;
      apply(answer, act);
      // What the server did not do is not shown.
      for (const card of act.cards) if (!card.waits && cards.has(card.id)) show(card, card.truth);
      view.state(store, false);
      if (status >= 400) tell(status === 401 ? "signed_out" : "refused", answer.error ?? answer.detail, act);
      return status < 400 ? answer : null;
    }
  }
  async function pump() {
    if (running) return;
    running = true;
    while (queue.length) {
      const act = queue[0];
      const answer = await send(act);
      queue.shift();
      act.done(answer);
    }
    running = false;
    view.waits(false);
  }

  // Send one act; resolves to the answer, or null if it was refused (and said so).
  store.act = (body, about = []) =>
    new Promise((done) => {
      for (const card of about) card.waits += 1;
      queue.push({ body, cards: about, key: newKey(), done });
      view.waits(true);
      pump();
    });
  // Where cards are seen: what lies elsewhere by the time that an act arrives is not touched.
  const seenAt = (about) =>
    Object.fromEntries(
      about.map((
        card,
      ) => [card.id, card.at === UNSORTED ? null : card.at === ASIDE ? ASIDE : Number(card.at)]),
    );
  store.pile = (name, about) =>
    store.act({ act: "pile", name, cards: about.map((card) => card.id), from: seenAt(about) }, about);
  store.move = (about, place) => {
    const moved = about.filter((card) => card.at !== place);
    if (!moved.length) return Promise.resolve(null);
    const from = seenAt(moved);
    for (const card of moved) show(card, place);
    view.state(store, false);
    const to = place === UNSORTED || place === ASIDE ? null : Number(place);
    return store.act(
      { act: "move", cards: moved.map((card) => card.id), to, aside: place === ASIDE, from },
      moved,
    );
  };
  store.merge = (text, about) =>
    store.act({ act: "merge", cards: about.map((card) => card.id), text, from: seenAt(about) }, about);
  store.waiting = () => queue.length;

  store.load = async () => {
    const { status, answer } = await ask(stateUrl);
    if (status !== 200) {
      tell(status === 401 ? "signed_out" : "refused", answer.error ?? answer.detail);
      return false;
    }
    apply(answer);
    setInterval(async () => {
      if (running || document.hidden) return;
      running = true;
      const { status: said, answer: news } = await ask(`${stateUrl}?since=${store.revision}`);
      running = false;
      if (said === 200) apply(news);
      if (queue.length) pump();
    }, POLL);
    return true;
  };
  return store;
}
