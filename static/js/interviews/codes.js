// The codes of a quote: the codebook with the search of the labelling page, open codes, memo and strength.

import { $, announce, make, makeSearch, say, squash } from "../core/page.js";

const TEXTS = ["includes", "excludes", "examples"];

export function makeCodes({ onChange }) {
  const form = $("quote-form"), list = $("tree"), find = $("find"), picked = $("picked"), memo = $("memo");
  const branch = [];
  const items = JSON.parse($("codebook").textContent).map((category, place) => {
    const row = $(`k${place}`);
    const item = prepared({ ...category, open: false, row });
    item.chip = row.querySelector(".code").cloneNode(true);
    item.chip.title = item.name;
    item.parent = branch[category.level - 2] ?? null;
    branch[category.level - 1] = item;
    return item;
  });
  const byCode = new Map(items.map((item) => [item.code, item]));
  const byName = new Map(); // open codes, by name without case
  let search = null, hits = null, active = null, chosen = new Set();
  const fresh = make("li", "fresh", make("span", "node"));
  fresh.id = "fresh";

  function prepared(item) {
    item.row.setAttribute("role", "option");
    item.row.setAttribute("aria-selected", "false");
    const box = item.row.querySelector("input");
    if (box) {
      box.checked = false;
      box.remove();
    }
    return { fit: 0, squashed: squash(item.code), ...item, name_: item.row.querySelector(".name") };
  }
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-multiselectable", "true");
  list.tabIndex = 0;

  function addOpen(name) {
    const key = name.toLowerCase();
    const known = byName.get(key);
    if (known) return known;
    const row = make(
      "li",
      "l1 open",
      make("span", "node", make("span", "badge", say("open_code")), make("span", "name", name)),
    );
    row.id = `open${byName.size}`;
    const empty = { definition: "", includes: "", excludes: "", examples: "" };
    const item = prepared({ code: "", name, also: "", level: 1, ...empty, open: true, row });
    item.parent = null;
    items.push(item);
    byName.set(key, item);
    list.append(row);
    search = null;
    return item;
  }
  for (const name of JSON.parse($("own-codes").textContent)) addOpen(name);

  const called = (item) => (item.open ? `“${item.name}”` : item.code);
  function chipOf(code) {
    const item = byCode.get(code);
    if (!item) return make("span", "code", code);
    return item.chip.cloneNode(true);
  }

  // ---- Search
  function look() {
    const query = find.value.trim();
    search ??= query ? makeSearch(items.filter((item) => !item.open || item.name)) : null;
    hits = query ? search(query) : null;
    const found = new Map((hits ?? []).map((hit) => [hit.item, hit]));
    const leads = new Set();
    for (const item of found.keys()) for (let up = item.parent; up; up = up.parent) leads.add(up);
    for (const item of items) {
      item.row.hidden = hits !== null && !found.has(item) && !leads.has(item);
      item.row.classList.toggle("path", hits !== null && !found.has(item) && leads.has(item));
    }
    const isNew = query && !byName.has(query.toLowerCase()) && !byCode.has(query);
    fresh.remove();
    if (isNew) {
      fresh.setAttribute("role", "option");
      fresh.setAttribute("aria-selected", "false");
      fresh.firstChild.textContent = say("new_code", { name: query });
      list.append(fresh);
    }
    $("found").textContent = hits ? say("found", { n: hits.length, all: items.length }) : "";
    activate(hits?.length ? hits[0].item : isNew ? "fresh" : null);
  }
  const rowOf = (item) => (item === "fresh" ? fresh : item?.row);
  function activate(item) {
    rowOf(active)?.classList.remove("active");
    active = item ?? null;
    for (const box of [find, list]) {
      if (active) box.setAttribute("aria-activedescendant", rowOf(active).id);
      else box.removeAttribute("aria-activedescendant");
    }
    about(active);
    if (!active) return;
    rowOf(active).classList.add("active");
    rowOf(active).scrollIntoView({ block: "nearest" });
  }
  function about(item) {
    const box = $("about");
    const says = item && item !== "fresh" && !item.open;
    box.classList.toggle("folded", !says || !(item.definition || TEXTS.some((field) => item[field])));
    if (!says) {
      box.replaceChildren(...(hits && !hits.length ? [make("p", "faint", say("nothing_found"))] : []));
      return;
    }
    const texts = make("dl");
    for (const field of TEXTS) {
      if (item[field]) texts.append(make("dt", "", say(field)), make("dd", "", item[field]));
    }
    box.replaceChildren(make("h2", "", chipOf(item.code), make("span", "", item.name)));
    if (item.definition) box.append(make("p", "", item.definition));
    if (texts.children.length) box.append(texts);
    box.scrollTop = 0;
  }
  function move(steps) {
    const rows = hits ? hits.map((hit) => hit.item) : items.filter((item) => !item.row.hidden);
    const all = fresh.isConnected ? [...rows, "fresh"] : rows;
    const at = all.indexOf(active);
    if (all.length) {
      activate(
        all[at < 0 ? (steps > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + steps))],
      );
    }
  }

  // ---- What is chosen
  function draw() {
    for (const item of items) item.row.setAttribute("aria-selected", chosen.has(item));
    picked.replaceChildren(...[...chosen].map((item) => {
      const button = make("button", "", item.open ? make("span", "badge", item.name) : chipOf(item.code));
      button.type = "button";
      button.setAttribute("aria-label", say("take_off", { code: called(item) }));
      button.addEventListener("click", () => {
        toggle(item);
        find.focus();
      });
      return button;
    }));
    if ($("save")) $("save").disabled = !chosen.size;
  }
  function toggle(item) {
    if (find.disabled) return;
    const one = item === "fresh" ? addOpen(find.value.trim()) : item;
    const isOn = !chosen.has(one);
    if (isOn) chosen.add(one);
    else chosen.delete(one);
    draw();
    announce(say(isOn ? "chosen" : "taken_off", { code: called(one) }));
    onChange();
  }
  function toggleActive() {
    if (!active) {
      announce(say("nothing_found"));
      return false;
    }
    toggle(active);
    find.value = "";
    look();
    return true;
  }
  list.addEventListener("click", (event) => {
    const row = event.target.closest("li");
    if (!row) return;
    event.preventDefault();
    toggle(row === fresh ? "fresh" : items.find((item) => item.row === row));
    if (row === fresh) {
      find.value = "";
      look();
    }
  });
  list.addEventListener("pointerover", (event) => {
    const row = event.target.closest("li");
    if (event.pointerType === "mouse" && row && row !== fresh) about(items.find((item) => item.row === row));
  });
  list.addEventListener("pointerleave", () => about(active));
  find.addEventListener("input", look);
  for (const field of [memo, ...form.elements.strength]) field.addEventListener("input", onChange);

  return {
    find,
    chipOf,
    move,
    toggleActive,
    isSearching: () => hits !== null,
    clearSearch() {
      find.value = "";
      look();
    },
    // Reading the texts of a thousand categories takes some milliseconds: before the first search, not in it.
    prepare() {
      search ??= makeSearch(items);
    },
    content: () => ({
      codes: items.filter((item) => !item.open && chosen.has(item)).map((item) => item.code),
      open_codes: [...chosen].filter((item) => item.open).map((item) => item.name).sort(),
      memo: memo.value.trim(),
      strength: Number(form.elements.strength.value) || null,
    }),
    // Show the content of a quote; null closes the panel.
    show(content) {
      find.disabled = content === null;
      find.value = "";
      const given = content ?? { codes: [], open_codes: [], memo: "", strength: null };
      chosen = new Set([
        ...given.codes.map((code) => byCode.get(code)).filter(Boolean),
        ...given.open_codes.map(addOpen),
      ]);
      memo.value = given.memo;
      for (const radio of form.elements.strength) {
        radio.checked = radio.value === String(given.strength ?? "");
      }
      draw();
      look();
    },
  };
}
