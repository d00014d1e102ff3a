// The labelling page: find and choose a category, keys, drafts that save themselves, the next issue without a reload.
// The page is complete without it: the tree is radio buttons in a form that posts. What it says is in JSON on the page.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const form = $("label-form"), main = $("main");
  const words = JSON.parse($("words").textContent);
  const say = (name, values = {}) => words[name].replace(/%\((\w+)\)s/g, (_all, key) => values[key] ?? "");
  const make = (tag, css = "", ...inside) => { const made = document.createElement(tag); if (css) made.className = css; made.append(...inside); return made; };
  const announce = (text) => { if ($("said")) $("said").textContent = text; };
  // ---- The tree: rows with a place, a parent and texts to search; roles are given here, where keys work as they promise.
  const tree = $("tree"), find = $("find"), summary = $("summary"), unsure = $("unsure"), submit = $("submit");
  const counts = JSON.parse($("counts").textContent);
  const squash = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const FIELDS = ["name", "includes", "definition", "examples", "excludes"];  // from the best place of a match to the worst
  const branch = [];
  const items = !form ? [] : JSON.parse($("codebook").textContent).map((category) => {
    const row = $(`c${category.id}`);
    const item = { ...category, row, node: row.firstElementChild, radio: row.querySelector("input"), chip: row.querySelector(".code"), label: row.querySelector(".name"),
      squashed: squash(category.code), lower: Object.fromEntries(FIELDS.map((field) => [field, category[field].toLowerCase()])), parent: branch[category.level - 2] ?? null, children: [], open: !category.can };
    branch[category.level - 1] = item;
    item.parent?.children.push(item);
    return item;
  });
  const byId = new Map(items.map((item) => [item.id, item]));
  const byCode = new Map(items.map((item) => [item.code, item]));
  let active = null, chosen = null, looking = [], searched = false, sending = false;

  for (const item of items) {
    const { row } = item, siblings = item.parent ? item.parent.children : items.filter((other) => !other.parent);
    row.setAttribute("role", "treeitem");
    for (const [name, value] of Object.entries({ level: item.level, setsize: siblings.length, posinset: siblings.indexOf(item) + 1, selected: false })) row.setAttribute(`aria-${name}`, value);
    if (!item.can) row.setAttribute("aria-disabled", "true");
    if (item.radio) item.radio.hidden = true;
    item.label.title = item.name;
    item.count = make("span", "n");
    item.node.append(item.count);
  }
  const showCount = (item) => { item.count.textContent = counts[item.id]?.toLocaleString(document.documentElement.lang) ?? ""; };
  items.forEach(showCount);
  if (tree) { tree.setAttribute("role", "tree"); tree.tabIndex = 0; }
  const isOpen = ({ parent }) => !parent || (parent.open && isOpen(parent));
  const reachable = () => items.filter((item) => (looking.length ? item.hit : !item.row.hidden));
  function draw() {
    for (const item of items) {
      item.row.hidden = looking.length ? !item.hit && !item.leads : !isOpen(item);
      item.row.classList.toggle("path", looking.length > 0 && !item.hit);
      if (item.children.length) item.row.setAttribute("aria-expanded", looking.length ? item.children.some((child) => child.hit || child.leads) : item.open);
    }
  }

  // Text with its search words marked, and with the codes that an arrow points to as chips.
  function marked(text, parts = looking) {
    const found = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pieces = found.length ? text.split(new RegExp(`(${found.join("|")})`, "giu")) : [text];
    return pieces.map((piece, place) => (place % 2 ? make("mark", "", piece) : piece));
  }
  function withChips(text) {
    return text.split(/(→\s*[\p{L}\p{N}.]*[\p{L}\p{N}])/u).flatMap((piece, place) => {
      const item = place % 2 ? byCode.get(piece.replace(/^→\s*/, "")) : null;
      if (!item) return marked(piece);
      const chip = make("span", item.chip.className.replace(/ (plain|solid)/g, ""), item.code);
      chip.title = item.name;
      return [make("span", "nowrap", "→ ", chip)];
    });
  }
  function about(item) {
    const box = $("about");
    if (!item) { box.replaceChildren(make("p", "faint", say(looking.length ? "nothing_found" : "about_none"))); return; }
    const list = make("dl");
    for (const field of ["includes", "excludes", "examples"]) if (item[field]) list.append(make("dt", "", say(field[0].toUpperCase() + field.slice(1))), make("dd", "", ...withChips(item[field])));
    const chip = make("span", item.chip.className.replace(/ (plain|solid)/g, ""), item.code);
    box.replaceChildren(make("h2", "", chip, make("span", "", item.name)), make("p", "", ...marked(item.definition)), list);
    box.scrollTop = 0;
  }

  // ---- Finding: a code (c3, C.3.ii) by its beginning; otherwise words, anywhere in what is said about a category.
  function match(item, code, isCode) {
    if (isCode) return item.squashed === code ? { score: 0 } : item.squashed.startsWith(code) ? { score: 1 } : null;
    let worst = null;
    for (const part of looking) {
      const place = item.squashed.startsWith(squash(part) || "-") ? 0 : FIELDS.findIndex((field) => item.lower[field].includes(part));
      if (place < 0) return null;
      if (!worst || place > worst.place) worst = { place, part };
    }
    return { score: 2 + worst.place, field: FIELDS[worst.place], part: worst.part };
  }
  function look() {
    const query = find.value.trim().toLowerCase(), code = squash(query);
    looking = query.split(/\s+/).filter(Boolean);
    const isCode = code !== "" && items.some((item) => item.squashed.startsWith(code));
    let best = null, hits = 0;
    for (const item of items) { item.hit = null; item.leads = false; item.why?.remove(); }
    for (const item of looking.length ? items : []) {
      item.hit = match(item, code, isCode);
      if (!item.hit) continue;
      hits += 1;
      for (let up = item.parent; up; up = up.parent) up.leads = true;
      if (item.hit.field && item.hit.field !== "name") {
        const start = item.lower[item.hit.field].indexOf(item.hit.part);
        item.why = make("span", "why", `${say(item.hit.field)}: `, make("mark", "", item[item.hit.field].slice(start, start + item.hit.part.length)));
        item.label.after(item.why);
      }
      if ((item.can || item.hit.score === 0) && (!best || item.hit.score < best.hit.score)) best = item;
    }
    for (const item of items) item.label.replaceChildren(...(item.hit?.field === "name" ? marked(item.name) : [item.name]));
    draw();
    $("found").textContent = looking.length ? say("found", { n: hits, all: items.length }) : "";
    activate(looking.length ? best : chosen);
  }

  function activate(item) {
    active?.row.classList.remove("active");
    active = item ?? null;
    for (const box of [tree, find]) active ? box.setAttribute("aria-activedescendant", active.row.id) : box.removeAttribute("aria-activedescendant");
    about(active ?? (looking.length ? null : chosen));
    if (!active) return;
    active.row.classList.add("active");
    active.row.setAttribute("aria-describedby", "about");
    for (let up = active.parent; up && !looking.length; up = up.parent) up.open = true;
    if (active.row.hidden) draw();
    active.row.scrollIntoView({ block: "nearest" });
  }
  function select(item) {
    if (chosen) { chosen.row.setAttribute("aria-selected", "false"); chosen.chip.classList.remove("solid"); chosen.radio.checked = false; }
    chosen = item ?? null;
    if (chosen) { chosen.row.setAttribute("aria-selected", "true"); chosen.chip.classList.add("solid"); chosen.radio.checked = true; }
    const word = form.dataset.mode === "change" ? "change" : "submit";
    submit.firstElementChild.textContent = chosen ? say(`${word}_code`, { code: chosen.code }) : say(word);
  }
  function choose(item) {
    activate(item);
    if (!item.can) {  // its parts are what can be chosen
      announce(say("too_broad", { code: item.code }));
      item.open = true;
      draw();
      activate(item.children.find((child) => !child.row.hidden) ?? item);
      return false;
    }
    complain("");
    searched = false;
    if (item !== chosen) { select(item); changed(); }
    announce(say("chosen", { code: item.code }));
    return true;
  }
  function move(steps) {
    const rows = reachable(), at = rows.indexOf(active);
    if (rows.length) activate(rows[at < 0 ? (steps > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + steps))]);
  }
  function sideways(right) {
    if (!active) return;
    const shut = !active.open && !looking.length;
    if (right && active.children.length) { if (shut) { active.open = true; draw(); } else move(1); }
    else if (right) return;
    else if (active.children.length && active.open && !looking.length) { active.open = false; draw(); }
    else if (active.parent) activate(active.parent);
  }
  function send() { if (!sending) form.requestSubmit(submit); }
  function onEnter(event) {
    event.preventDefault();
    if (event.repeat) return;  // a key held down must not submit what it has just chosen
    if (searched && !active) { announce(say("nothing_found")); return; }
    if (event.ctrlKey) { if (!active || choose(active)) send(); return; }
    // What was searched for is confirmed first, even if it is what was chosen before.
    if (active && (active !== chosen || searched)) { choose(active); tree.focus({ preventScroll: true }); } else send();
  }

  // ---- The parts of the form
  function complain(text) {
    const box = $("refusal");
    if (!text) return box.replaceChildren();
    box.replaceChildren(make("div", "note bad", text));
    box.firstChild.setAttribute("role", "alert");
  }
  function count() { $("counter").textContent = say("counter", { n: [...summary.value].length, all: summary.value.length > 140 ? 500 : 140 }); $("counter").classList.toggle("warn-ink", summary.value.length > 140); }
  const hidden = (name) => $("turn").querySelector(`[name="${name}"]`);
  const content = () => ({ category: chosen?.id ?? null, summary: summary.value, unsure: unsure.checked });
  const same = (one, other) => one.category === other.category && one.summary === other.summary && one.unsure === other.unsure;
  function fill({ category, summary: text, unsure: isUnsure }) {
    select(byId.get(category));
    summary.value = text;
    unsure.checked = isUnsure;
    count();
    activate(chosen);
  }
  const inWords = ({ category, summary: text, unsure: isUnsure }) => [byId.get(category)?.code ?? say("no_category"), text, isUnsure ? `(${say("unsure")})` : ""].filter(Boolean).join(" ");

  // ---- Drafts: saved a moment after each change; until the server has it, a copy stays in this browser.
  const FRESH = 10;  // s for which a page that was asked for before the last save may show less than was saved
  let timer = 0, saving = null, dirty = false, savedAt = 0, tries = 0, posted = null;
  const key = () => form.dataset.store + hidden("issue").value;
  const copy = {
    keep(saved = 0) { try { localStorage.setItem(key(), JSON.stringify({ ...content(), revision: Number(hidden("revision").value), posted, saved })); } catch { /* no storage: the server has all but the last second */ } },
    read() { try { return JSON.parse(localStorage.getItem(key())); } catch { return null; } },
    forget(name = key()) { try { localStorage.removeItem(name); } catch { /* nothing was kept */ } },
  };
  function state(name, values = {}, { good = false, link = "" } = {}) {
    const line = $("state");
    line.classList.toggle("unsaved", !good);
    line.querySelector(".tick").hidden = !good;
    line.querySelector(".text").replaceChildren(name ? say(name, values) : "", " ", link);
  }
  function tick() {
    if (!savedAt || dirty || saving) return;
    const seconds = Math.round((Date.now() - savedAt) / 1000);
    if (seconds > FRESH) copy.forget();
    state(seconds < 2 ? "saved_now" : seconds < 60 ? "saved_seconds" : "saved_minutes", { n: seconds < 60 ? seconds : Math.round(seconds / 60) }, { good: true });
  }
  function changed() {
    dirty = true;
    savedAt = 0;
    copy.keep();
    state("unsaved");
    later(800);
  }
  function later(wait) { clearTimeout(timer); timer = setTimeout(save, wait); }
  function save({ keepalive = false } = {}) {
    clearTimeout(timer);
    if (!dirty || sending || saving) return saving;  // what comes meanwhile is saved after it, or from the copy
    dirty = false;
    posted = content();
    copy.keep();
    const issue = hidden("issue").value;
    state("saving");
    saving = post(keepalive).then(({ status, answer }) => {
      if (hidden("issue").value !== issue) return;  // the page has moved on
      if (status < 300) {
        hidden("revision").value = answer.revision;
        tries = 0;
        if (!dirty) { savedAt = Date.now(); copy.keep(savedAt); tick(); }
      } else if (answer.stored) differ(answer.detail, answer.stored);
      else if (status === 401 || status === 403) {
        const link = Object.assign(make("a", "", words.sign_in), { href: form.dataset.signIn, target: "_blank", rel: "noopener" });
        dirty = true;
        state("signed_out", {}, { link });
        timer = setTimeout(save, 5000);
      } else if (status >= 500) throw new Error(String(status));
      else { state(answer.code === "RoundClosed" ? "saved_now" : "refused"); complain(answer.detail ?? ""); }
    }).catch(() => {
      dirty = true;
      tries += 1;
      state("offline");
      timer = setTimeout(save, Math.min(30000, 1000 * 2 ** tries));
    }).finally(() => { saving = null; if (dirty && !tries) later(800); });
    return saving;
  }
  async function post(keepalive) {
    const token = document.cookie.split("; ").find((pair) => pair.startsWith("csrftoken="))?.slice(10) ?? form.elements.csrfmiddlewaretoken.value;
    const response = await fetch(form.dataset.draft, { method: "POST", body: new URLSearchParams(new FormData(form)), keepalive, headers: { Accept: "application/json", "X-CSRFToken": token } });
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.redirected ? 401 : response.status, answer: isJson ? await response.json() : {} };
  }
  // Both texts, side by side; neither is lost until one is chosen.
  function differ(text, stored) {
    const note = $("both").content.firstElementChild.cloneNode(true);
    note.querySelector("[data-said]").textContent = text;
    note.querySelector("[data-there]").textContent = inWords(stored);
    note.querySelector("[data-here]").textContent = inWords(content());
    const settle = (act) => () => { hidden("revision").value = stored.revision; note.remove(); act(); };
    note.querySelector("[data-keep]").addEventListener("click", settle(() => { changed(); save(); }));
    note.querySelector("[data-take]").addEventListener("click", settle(() => { fill(stored); copy.forget(); dirty = false; state(""); }));
    $("refusal").replaceChildren(note);
    state("refused");
  }
  // Start with what the server sent, or with what this browser kept when the server did not get it.
  function begin() {
    const { category, summary: text, unsure: isUnsure } = $("turn").dataset;
    clearTimeout(timer);
    [dirty, searched, savedAt, tries, posted] = [false, false, 0, 0, null];
    find.value = "";
    const sent = { category: Number(category) || null, summary: text, unsure: isUnsure === "1" };
    fill(sent);
    look();
    state("");
    const kept = copy.read(), revision = Number(hidden("revision").value);
    if (kept?.saved && kept.revision > revision && Date.now() - kept.saved < FRESH * 1000) {  // saved while this page was on its way
      fill(kept);
      hidden("revision").value = kept.revision;
      savedAt = kept.saved;
      tick();
      return;
    }
    if (!kept || kept.saved || same(kept, sent)) { copy.forget(); return; }
    fill(kept);
    const isOurs = kept.posted && same(kept.posted, sent);  // what the server has came from here, then more was typed
    if (kept.revision < revision && !isOurs) { differ(say("both"), { ...sent, revision }); return; }
    changed();
    announce(say("restored"));
  }

  if (form) {
    begin();
    setInterval(tick, 1000);
    summary.addEventListener("input", () => { count(); changed(); });
    unsure.addEventListener("change", changed);
    find.addEventListener("input", () => { searched = find.value.trim() !== ""; look(); });
    find.addEventListener("focus", () => sheet(true));
    tree.addEventListener("click", (event) => {
      const item = byId.get(Number(event.target.closest("li")?.id.slice(1)));
      if (!item) return;
      event.preventDefault();  // the radio button is set by select()
      const twist = item.children.length && event.clientX - item.node.getBoundingClientRect().left < parseFloat(getComputedStyle(item.node).paddingLeft);
      if ((twist || !item.can) && !looking.length) { item.open = !item.open; draw(); activate(item); } else choose(item);
      tree.focus({ preventScroll: true });
    });
    tree.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") about(byId.get(Number(event.target.closest("li")?.id.slice(1))) ?? active ?? chosen); });
    tree.addEventListener("pointerleave", () => about(active ?? chosen));
    document.addEventListener("click", (event) => {
      const pick = event.target.closest("[data-pick]");
      if (!pick) return;
      find.value = "";
      look();
      choose(byId.get(Number(pick.dataset.pick)));
      if (!matchMedia("(max-width: 760px)").matches) tree.focus({ preventScroll: true });
    });

    addEventListener("pagehide", () => save({ keepalive: true }));
    document.addEventListener("visibilitychange", () => { if (document.hidden) save({ keepalive: true }); });
    addEventListener("online", save);

    // ---- Submit: after the draft on its way has arrived, and never twice.
    let sent = "";
    form.addEventListener("htmx:confirm", (event) => {
      if (event.target !== form) return;
      if (!chosen) { event.preventDefault(); complain(say("choose_first")); find.focus(); return; }
      clearTimeout(timer);
      if (saving) { event.preventDefault(); saving.finally(() => event.detail.issueRequest(true)); }
    });
    form.addEventListener("htmx:beforeRequest", () => { sending = true; dirty = false; sent = key(); copy.keep(); });
    form.addEventListener("htmx:afterRequest", (event) => {
      sending = false;
      if (event.detail.xhr.status >= 200 && event.detail.xhr.status < 300) copy.forget(sent); else changed();
    });
    document.addEventListener("moved", (event) => {
      const item = byId.get(event.detail.category);
      if (item) { counts[item.id] = (counts[item.id] ?? 0) + 1; showCount(item); }
      $("skip")?.close();
      $("skip")?.querySelector("form").reset();
      for (const other of items) other.open = !other.can;
      begin();
      tree.scrollTop = 0;
      main.scrollTop = 0;
      sheet(false);
      main.focus({ preventScroll: true });
    });
  }
  function sheet(open) {
    document.body.dataset.sheet = open ? "open" : "peek";
    document.querySelector(".grab")?.setAttribute("aria-expanded", open);
  }

  // ---- Keys: docs/decisions/0004-keys-of-the-labelling-page.md. They never fire while somebody types in a field.
  const fold = (open) => { for (const part of $("issue").querySelectorAll("details.fold")) part.open = open; };
  const scroll = (by) => main.scrollBy({ top: by, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
  const startFinding = (text) => { find.focus(); find.value = text; searched = true; look(); };
  const actions = {
    b: () => $("back")?.click(), o: () => $("original")?.click(), j: () => scroll(140), k: () => scroll(-140), "[": () => fold(false), "]": () => fold(true), "?": () => $("keys").showModal(),
    ...(form && {
      "/": () => { find.focus(); find.select(); }, s: () => { sheet(true); summary.focus(); }, x: () => $("skip-button")?.click(),
      u: () => { unsure.checked = !unsure.checked; changed(); announce(unsure.checked ? say("unsure") : ""); },
    }),
  };
  const WAIT = 400;  // ms for the digit after a letter that begins a code and is a key as well
  const starts = new Set(items.map((item) => item.squashed[0]));
  let waiting = null;
  function stopWaiting() { const letter = waiting?.letter; clearTimeout(waiting?.timer); waiting = null; return letter; }

  const isField = (element) => element.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
  const isPlain = (element) => element.matches("body, main, #tree");
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.target === find) { inFind(event); return; }
    if (isField(event.target)) { if (event.key === "Escape" && event.target === summary) tree.focus({ preventScroll: true }); return; }
    if (form && event.key === "Enter" && isPlain(event.target)) { onEnter(event); return; }
    if (event.ctrlKey) return;
    const first = stopWaiting();
    if (first && /^\d$/.test(event.key)) { event.preventDefault(); startFinding(first + event.key); return; }
    if (first) actions[first]();
    if (form && !event.target.closest("pre, .tablewrap") && inTree(event)) return;
    if (starts.has(event.key) && actions[event.key]) {
      const letter = event.key;
      waiting = { letter, timer: setTimeout(() => { stopWaiting(); actions[letter](); }, WAIT) };
    } else if (starts.has(event.key)) startFinding(event.key);
    else if (Object.hasOwn(actions, event.key)) actions[event.key]();
    else return;
    event.preventDefault();
  });
  function inFind(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
    else if (event.key === "Enter") onEnter(event);
    else if (event.key === "Escape") { event.preventDefault(); if (find.value) { find.value = ""; searched = false; look(); } else tree.focus({ preventScroll: true }); }
  }
  function inTree(event) {
    const onTree = event.target === tree;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (onTree && event.key === "Home") move(-items.length);
    else if (onTree && event.key === "End") move(items.length);
    else if (onTree && event.key === "ArrowRight") sideways(true);
    else if (onTree && event.key === "ArrowLeft") sideways(false);
    else if (onTree && event.key === " " && active) choose(active);
    else if (onTree && event.key === "Escape") { find.value = ""; look(); main.focus({ preventScroll: true }); }
    else return false;
    event.preventDefault();
    return true;
  }
})();
