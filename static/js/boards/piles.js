// Piles described in their place by one form that moves from pile to pile, and the dialogs that split and
// merge cards.

import { $, announce, ask, say, toast } from "../core/page.js";
import { count } from "./view.js";

export function makePiles({ store, view, sending }) {
  const form = $("describe");
  const fields = form.elements;
  let open = null, was = null;

  const current = () => {
    const card = sending.current();
    const id = card && store.piles.has(card.at) ? card.at : null;
    return store.piles.get(document.activeElement.closest?.(".pile")?.dataset.place ?? id ?? "") ??
      sending.lastPile();
  };
  const isChanged = () =>
    was && ["name", "definition", "theme"].some((name) => fields[name].value !== (was[name] ?? ""));

  function edit(pile = current()) {
    if (!pile) {
      toast(say("which_pile"), "warn");
      return;
    }
    if (!store.canEdit) return;
    if (open && open !== pile.id && isChanged()) save();
    close(false);
    open = pile.id;
    was = { name: pile.name, definition: pile.definition ?? "", theme: pile.theme ?? "" };
    for (const name of ["name", "definition", "theme"]) fields[name].value = was[name];
    $("pile-theme").disabled = Boolean(pile.made);
    $("make").hidden = Boolean(pile.made);
    $("is-made").hidden = !pile.made;
    $("is-made").textContent = pile.made ? say("is_made", { code: pile.made }) : "";
    const others = [...store.piles.values()].filter((other) => other.id !== pile.id).sort((a, b) =>
      a.number - b.number
    );
    fields.into.replaceChildren(
      new Option(say("join_with"), ""),
      ...others.map((other) => new Option(`${other.number} ${other.name}`, other.id)),
    );
    const box = $(`pile-${pile.id}`);
    box.classList.add("open");
    box.querySelector("header").after(form);
    form.hidden = false;
    box.scrollIntoView({ block: "nearest" });
    fields.name.focus();
    fields.name.select();
  }
  function close(back = true) {
    if (!open) return;
    const box = $(`pile-${open}`);
    open = null;
    was = null;
    form.hidden = true;
    $("board").append(form);
    box?.classList.remove("open");
    if (back) box?.querySelector(".name").focus();
  }
  // A pile that is gone takes no form with it.
  const gone = view.pileGone;
  view.pileGone = (id) => {
    if (open === id) {
      close(false);
      toast(say("pile_gone"), "warn");
    }
    gone(id);
  };

  const described = () => ({
    act: "describe",
    pile: Number(open),
    name: fields.name.value.trim(),
    definition: fields.definition.value.trim(),
    theme: fields.theme.value || null,
    was,
  });
  function save() {
    if (!isChanged()) return Promise.resolve(true);
    return store.act(described());
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    const id = open;
    const kept = isChanged() ? described() : null;
    close();
    if (kept && await store.act(kept)) announce(say("saved"));
    else if (kept && store.piles.has(id)) restore(id, kept);
  });
  // What could not be saved stays typed.
  function restore(id, kept) {
    edit(store.piles.get(id));
    fields.name.value = kept.name;
    fields.definition.value = kept.definition;
    fields.theme.value = kept.theme ?? "";
  }
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  async function change(body, words) {
    const id = open;
    const saved = await save();
    if (!saved) return null;
    close();
    const answer = await store.act({ ...body, ...(body.pile === undefined ? {} : { pile: Number(id) }) });
    if (answer && words) announce(words);
    return answer;
  }
  const doing = {
    "cancel-describe": () => close(),
    "make": () => {
      if (!fields.theme.value) {
        fields.theme.focus();
        toast(say("needs_theme"), "warn");
        return;
      }
      const name = fields.name.value.trim();
      change({ act: "make", pile: open }).then((answer) => {
        if (answer) toast(say("made", { name }));
      });
    },
    "earlier": () => shift(-1),
    "later": () => shift(1),
    "take-apart": async () => {
      const id = open;
      const n = store.count(id);
      if (
        n && !await ask(say(n === 1 ? "ask_apart_one" : "ask_apart_many", { n: count(n) }), say("take_apart"))
      ) return;
      close(false);
      if (await store.act({ act: "drop", pile: Number(id) })) announce(say("taken_apart"));
      $("unsorted").focus();
    },
  };
  function shift(by) {
    const pile = store.piles.get(open);
    const to = pile.position + by;
    if (to < 0 || to >= store.piles.size) return;
    const id = open;
    store.act({ act: "order", pile: Number(id), position: to }).then(() => {
      $(`pile-${id}`)?.scrollIntoView({ block: "nearest" });
    });
  }
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && doing[button.id]) doing[button.id]();
  });
  fields.into.addEventListener("change", async () => {
    const into = fields.into.value;
    const other = store.piles.get(into);
    if (!other) return;
    const id = open;
    if (!await ask(say("ask_join", { name: other.name }), say("join"))) {
      fields.into.value = "";
      return;
    }
    close(false);
    if (await store.act({ act: "join", piles: [Number(into), Number(id)] })) {
      announce(say("joined", { name: other.name }));
    }
  });
  $("piles").addEventListener("click", (event) => {
    const name = event.target.closest(".pile .name");
    if (name) edit(store.piles.get(name.closest(".pile").dataset.place));
  });

  // ---- Splitting and merging cards.
  let about = [];
  function show(id, cards, text) {
    if (id === "merge") {
      $("merge-list").replaceChildren(
        ...cards.map((card) => Object.assign(document.createElement("li"), { textContent: card.text })),
      );
    }
    about = cards;
    const dialog = $(id);
    dialog.querySelector("textarea").value = text;
    dialog.querySelector(".refused").hidden = true;
    dialog.showModal();
    dialog.querySelector("textarea").focus();
  }
  $("split").addEventListener("submit", (event) => {
    const texts = $("split-texts").value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (texts.length < 2) {
      event.preventDefault();
      $("split").querySelector(".refused").hidden = false;
      return;
    }
    settle("split", store.act({ act: "split", card: about[0].id, texts }, about), about, texts.join("\n"));
  });
  $("merge").addEventListener("submit", (event) => {
    const text = $("merge-text").value.trim();
    if (!text) {
      event.preventDefault();
      $("merge").querySelector(".refused").hidden = false;
      return;
    }
    settle("merged", store.merge(text, about), about, text);
  });
  // What was refused stays typed, if all of its cards are still there.
  async function settle(done, act, cards, text) {
    const answer = await act;
    if (answer) announce(say(done));
    else if (cards.every((card) => store.cards.has(card.id)) && !document.querySelector("dialog[open]")) {
      show(done === "split" ? "split" : "merge", cards, text);
      return;
    }
    sending.clear();
    sending.focusOn(sending.current());
  }
  for (const id of ["split", "merge"]) {
    $(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        $(id).querySelector('button[value="yes"]').click();
      }
    });
  }
  return {
    edit,
    split() {
      const cards = sending.about();
      if (cards.length === 1) show("split", cards, cards[0].text);
      else toast(say("split_one"), "warn");
    },
    merge() {
      const cards = sending.about();
      if (cards.length < 2) {
        toast(say("merge_two"), "warn");
        return;
      }
      show(
        "merge",
        cards,
        [...cards].sort((a, b) => b.labels - a.labels || a.text.length - b.text.length)[0].text,
      );
    },
  };
}
