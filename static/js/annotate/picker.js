// The categories of the labelling page: the tree, its search, choosing. labelling.js says what happens with
// what is chosen. The page is complete without it: the tree is radio buttons in a form that posts.

import { $, announce, make, makeSearch, say, squash } from "../core/page.js";

const TEXTS = ["definition", "includes", "excludes", "examples"];

// ---- The tree
// Rows with a place and a parent; roles are given here, where keys work as they promise.
export function makePicker({ onChange }) {
  const form = $("label-form"), tree = $("tree"), find = $("find");
  const depth = Number(form.dataset.depth);
  const counts = JSON.parse($("counts").textContent);
  const branch = [];
  const items = JSON.parse($("codebook").textContent).map((category) => {
    const row = $(`c${category.id}`);
    const item = {
      ...category,
      row,
      node: row.firstElementChild,
      radio: row.querySelector("input"),
      chip: row.querySelector(".code"),
      label: row.querySelector(".name"),
    };
    Object.assign(item, {
      squashed: squash(category.code),
      parent: branch[category.level - 2] ?? null,
      children: [],
      open: !category.can,
      why: null,
      fit: category.can ? 1 + (category.level === depth) : 0,
    });
    branch[category.level - 1] = item;
    item.parent?.children.push(item);
    return item;
  });
  const byId = new Map(items.map((item) => [item.id, item]));
  const byCode = new Map(items.map((item) => [item.code, item]));
  const example = items.find((item) => item.can)?.squashed ?? ""; // a code that can be typed here
  let search = null; // made at the first search: a thousand categories take longer to read than to search
  let active = null, chosen = null, hits = null; // hits: what a search finds, best first; null without one

  for (const item of items) {
    item.row.setAttribute("role", "treeitem");
    item.row.setAttribute("aria-selected", "false");
    if (!item.can) item.row.setAttribute("aria-disabled", "true");
    if (item.radio) item.radio.hidden = true;
    item.label.title = item.name;
    item.count = make("span", "n");
    item.node.append(item.count);
  }
  const showCount = (item) => {
    item.count.textContent = counts[item.id]?.toLocaleString(document.documentElement.lang) ?? "";
  };
  items.forEach(showCount);
  tree.setAttribute("role", "tree");
  tree.tabIndex = 0;

  const place = (item, level, size, at) => {
    for (const [name, value] of [["level", level], ["setsize", size], ["posinset", at]]) {
      item.row.setAttribute(`aria-${name}`, value);
    }
  };
  const isListed = (item) => !hits || item.hit || item.leads;
  function placeAll() {
    const tops = items.filter((item) => !item.parent && isListed(item));
    for (const item of items.filter(isListed)) {
      const siblings = item.parent ? item.parent.children.filter(isListed) : tops;
      place(item, item.level, siblings.length, siblings.indexOf(item) + 1);
    }
  }
  placeAll();

  const isOpen = ({ parent }) => !parent || (parent.open && isOpen(parent));
  const reachable = () => items.filter((item) => (hits ? item.hit : !item.row.hidden));
  function draw() {
    for (const item of items) {
      item.row.hidden = hits ? !isListed(item) : !isOpen(item);
      if (!item.children.length) continue;
      if (!hits) item.row.setAttribute("aria-expanded", item.open);
      else if (item.leads) item.row.setAttribute("aria-expanded", "true");
      else item.row.removeAttribute("aria-expanded");
    }
  }

  // Text with what was searched for marked.
  const spelled = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  function marked(text, found) {
    const parts = found.filter(Boolean).map(spelled);
    const pieces = parts.length ? text.split(new RegExp(`(${parts.join("|")})`, "giu")) : [text];
    return pieces.map((piece, at) => (at % 2 ? make("mark", "", piece) : piece));
  }
  const chipOf = (item) => make("span", item.chip.className.replace(/ (plain|solid)/g, ""), item.code);
  function withChips(text, found) { // codes that an arrow points to become chips
    return text.split(/(→\s*[\p{L}\p{N}.]*[\p{L}\p{N}])/u).flatMap((piece, at) => {
      const item = at % 2 ? byCode.get(piece.replace(/^→\s*/, "")) : null;
      if (!item) return marked(piece, found);
      const chip = chipOf(item);
      chip.title = item.name;
      return [make("span", "nowrap", "→ ", chip)];
    });
  }
  const countsAs = (item) => {
    let up = item;
    while (up && up.level > depth) up = up.parent;
    return up && up !== item ? up : null;
  };
  const implied = (
    item,
  ) => (item && countsAs(item) ? say("counts_as", { code: item.code, as: countsAs(item).code }) : "");
  function about(item) {
    const box = $("about");
    box.classList.toggle("folded", !item || !TEXTS.some((field) => item[field]));
    if (!item) {
      const none = matchMedia("(pointer: coarse)").matches ? "about_none_touch" : "about_none";
      box.replaceChildren(make("p", "faint", say(hits ? "nothing_found" : none, { code: example })));
      return;
    }
    const found = item.hit ? searchedFor(item.hit) : [];
    const list = make("dl");
    for (const field of TEXTS.slice(1)) {
      if (item[field]) {
        list.append(
          make("dt", "", say(field[0].toUpperCase() + field.slice(1))),
          make("dd", "", ...withChips(item[field], found)),
        );
      }
    }
    const head = make("h2", "", chipOf(item), make("span", "", item.name));
    if (countsAs(item)) head.append(make("span", "as", say("as", { as: countsAs(item).code })));
    box.replaceChildren(head);
    if (item.definition) box.append(make("p", "", ...marked(item.definition, found)));
    if (list.children.length) box.append(list);
    box.scrollTop = 0;
  }

  // The folded definition does not open over the category that the pointer is on.
  function pointedAt(item) {
    const row = item?.row.getBoundingClientRect(), tree_ = tree.getBoundingClientRect();
    const box = $("about"), wasFolded = box.classList.contains("folded");
    about(item);
    if (!wasFolded || box.classList.contains("folded") || !row) return;
    if (row.bottom > tree.getBoundingClientRect().bottom && row.bottom <= tree_.bottom) {
      about(active ?? chosen);
    }
  }

  // ---- Searching: hits keep their places in the tree, below what they belong to; the best one is active.
  // The tree comes back as it was.
  const searchedFor = (hit) =>
    [...new Set([...hit.tokens.map((token) => (parts.find((part) => token.includes(part)) ?? token))])].sort((
      one,
      other,
    ) => other.length - one.length);
  let parts = [];
  function detail({ item, field, token, tokens: found }) { // where the words were found, if not in the name
    if (["code", "name"].includes(field)) return null;
    if (field === "also") return make("span", "why", ...marked(item.also, searchedFor({ tokens: found })));
    const start = item[field].toLowerCase().indexOf(token);
    const words = marked(item[field].slice(start, start + token.length), searchedFor({ tokens: found }));
    return make("span", "why", `${say(field)}: `, ...words);
  }
  function look() {
    const query = find.value.trim();
    parts = query.toLowerCase().split(/\s+/).filter(Boolean);
    const were = hits;
    for (const item of items) {
      item.hit = null;
      item.leads = false;
      item.why?.remove();
      item.why = null;
    }
    search ??= query ? makeSearch(items) : null;
    hits = query ? search(query) : null;
    for (const { item } of were ?? []) item.label.textContent = item.name;
    for (const hit of hits ?? []) {
      const { item } = hit;
      item.hit = hit;
      for (let up = item.parent; up && !up.leads; up = up.parent) up.leads = true;
      item.why = detail(hit);
      if (item.why) item.label.after(item.why);
      item.label.replaceChildren(...marked(item.name, searchedFor(hit)));
    }
    for (const item of items) item.row.classList.toggle("path", item.leads && !item.hit);
    if (hits || were) placeAll();
    tree.classList.toggle("searched", hits !== null);
    draw();
    $("found").textContent = hits ? say("found", { n: hits.length, all: items.length }) : "";
    activate(hits ? hits.find((hit) => hit.item.can || hit.rank === -2)?.item : chosen);
  }

  function activate(item) {
    active?.row.classList.remove("active");
    active?.row.removeAttribute("aria-describedby");
    active = item ?? null;
    for (const box of [tree, find]) {
      active
        ? box.setAttribute("aria-activedescendant", active.row.id)
        : box.removeAttribute("aria-activedescendant");
    }
    about(active ?? (hits ? null : chosen));
    if (!active) return;
    active.row.classList.add("active");
    active.row.setAttribute("aria-describedby", "about");
    for (let up = active.parent; up && !hits; up = up.parent) up.open = true;
    if (active.row.hidden) draw();
    active.row.scrollIntoView({ block: "nearest" });
  }
  // Mark a category as the one that the form holds; null for none. Tells nobody.
  function select(item) {
    for (const [one, is] of [[chosen, false], [item, true]]) {
      if (!one) continue;
      one.row.setAttribute("aria-selected", is);
      one.chip.classList.toggle("solid", is);
      if (one.radio) one.radio.checked = is;
    }
    chosen = item ?? null;
  }
  function choose(item) {
    activate(item);
    if (!item.can) { // its parts are what can be chosen
      announce(say("too_broad", { code: item.code }));
      item.open = true;
      draw();
      activate(item.children.find((child) => !child.row.hidden) ?? item);
      return false;
    }
    const isNew = item !== chosen;
    select(item);
    onChange(item, isNew);
    return true;
  }
  function move(steps) {
    const rows = reachable(), at = rows.indexOf(active);
    if (rows.length) {
      activate(
        rows[at < 0 ? (steps > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + steps))],
      );
    }
  }
  function sideways(right) {
    if (!active || hits) return;
    if (right && active.children.length) {
      if (active.open) move(1);
      else {
        active.open = true;
        draw();
      }
    } else if (right) return;
    else if (active.children.length && active.open) {
      active.open = false;
      draw();
    } else if (active.parent) activate(active.parent);
  }
  // As the tree stands when the next issue comes.
  function reset(id) {
    find.value = "";
    for (const item of items) item.open = !item.can;
    select(byId.get(id));
    activate(null);
    look();
    if (!chosen) tree.scrollTop = 0;
  }

  const under = (event) => byId.get(Number(event.target.closest("li")?.id.slice(1)));
  tree.addEventListener("click", (event) => {
    const item = under(event);
    if (!item) return;
    event.preventDefault(); // the radio button is set by select()
    const twist = item.children.length &&
      event.clientX - item.node.getBoundingClientRect().left <
        parseFloat(getComputedStyle(item.node).paddingLeft);
    if ((twist || !item.can) && !hits) {
      item.open = !item.open;
      draw();
      activate(item);
    } else choose(item);
    tree.focus({ preventScroll: true });
  });
  tree.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") pointedAt(under(event) ?? active ?? chosen);
  });
  tree.addEventListener("pointerleave", () => about(active ?? chosen));
  // Reading the texts of a thousand categories takes some milliseconds: before the first search, not in it.
  (globalThis.requestIdleCallback ?? setTimeout)(() => {
    search ??= makeSearch(items);
  });

  return {
    tree,
    find,
    items,
    byId,
    look,
    activate,
    select,
    choose,
    move,
    sideways,
    reset,
    implied,
    active: () => active,
    chosen: () => chosen,
    isSearching: () => hits !== null,
    starts: new Set(items.map((item) => item.squashed[0])),
    toggle(item) {
      item.open = !item.open;
      draw();
    },
    countOneMore(id) {
      const item = byId.get(id);
      if (!item) return;
      counts[id] = (counts[id] ?? 0) + 1;
      showCount(item);
    },
  };
}

// ---- Keys
// Keys of the labelling page: docs/decisions/0004-keys-of-the-labelling-page.md. They never fire while
// somebody types in a field.
const WAIT = 400; // ms for the digit after a letter that begins a code and is a key as well
export const isField = (element) =>
  element.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
// `actions` by key; `picker` is null where there is nothing to choose; `onEnter(event)` is Enter outside of
// fields; `isHeld(event)` takes a key that an action before it lets wait.
export function listenToKeys(picker, actions, { onEnter, startFinding, isHeld = () => false }) {
  let waiting = null;
  function stopWaiting() {
    const letter = waiting?.letter;
    clearTimeout(waiting?.timer);
    waiting = null;
    return letter;
  }
  function inTree(event) {
    const { tree, items, active } = picker, onTree = event.target === tree;
    if (event.key === "ArrowDown") picker.move(1);
    else if (event.key === "ArrowUp") picker.move(-1);
    else if (onTree && event.key === "Home") picker.move(-items.length);
    else if (onTree && event.key === "End") picker.move(items.length);
    else if (onTree && event.key === "ArrowRight") picker.sideways(true);
    else if (onTree && event.key === "ArrowLeft") picker.sideways(false);
    else if (onTree && event.key === " " && active()) picker.choose(active());
    else if (onTree && event.key === "Escape") {
      picker.find.value = "";
      picker.look();
      $("main").focus({ preventScroll: true });
    } else return false;
    event.preventDefault();
    return true;
  }
  function inFind(event) {
    const { find, tree } = picker;
    if (event.key === "Enter") {
      onEnter(event);
      return;
    }
    if (!["ArrowDown", "ArrowUp", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key !== "Escape") picker.move(event.key === "ArrowDown" ? 1 : -1);
    else if (find.value) startFinding("");
    else tree.focus({ preventScroll: true });
  }
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (picker && event.target === picker.find) {
      inFind(event);
      return;
    }
    if (isField(event.target)) {
      if (event.key === "Escape" && event.target.form?.id === "label-form") {
        picker.tree.focus({ preventScroll: true });
      } else if (event.key === "Enter" && event.ctrlKey && event.target.form?.id === "label-form") {
        onEnter(event);
      }
      return;
    }
    const isEnter = event.key === "Enter" && event.target.matches("body, main, #tree");
    if (event.ctrlKey && !isEnter) return;
    const first = stopWaiting();
    if (first && /^\d$/.test(event.key)) {
      event.preventDefault();
      startFinding(first + event.key);
      return;
    }
    if (first) {
      actions[first]();
      if (isHeld(event)) return;
      if (isEnter && (isField(document.activeElement) || document.querySelector("dialog[open]"))) {
        event.preventDefault();
        return;
      }
    }
    if (isEnter) {
      onEnter(event);
      return;
    }
    if (picker && !event.target.closest("pre, .tablewrap") && inTree(event)) return;
    const isAction = Object.hasOwn(actions, event.key), isStart = picker?.starts.has(event.key);
    if (!isAction && !isStart) return;
    event.preventDefault();
    if (isAction && isStart) {
      const letter = event.key;
      waiting = {
        letter,
        timer: setTimeout(() => {
          stopWaiting();
          actions[letter]();
        }, WAIT),
      };
    } else if (isStart) startFinding(event.key);
    else actions[event.key]();
  });
}

// ---- Keys that wait
// They are pressed while the issue they are meant for is on its way, and act, in order, when it is here.
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
    // Forget them; returns what was typed, to be read.
    drop() {
      holding = false;
      return keys.splice(0).map(({ key }) => (key.length > 1 ? ` ${key} ` : key)).join("").trim();
    },
    // Those that wait now, and such as waited on the page before this one.
    waiting: () => [...keys],
    add(more) {
      keys.push(...more);
    },
  };
}
