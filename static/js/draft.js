// The editor of a taxonomy: its keys, dragging in the tree, and news of what others changed.
"use strict";
(() => {
  const editor = () => document.getElementById("editor");
  const nodes = () => [...document.querySelectorAll("#tree a.node")].filter((node) => node.offsetParent !== null);
  const chosen = () => document.querySelector("#tree a.node[aria-current]");
  const row = (node) => node?.closest("li[data-key]");
  const siblings = (item) => [...item.parentElement.children].filter((each) => each.dataset.key);

  // Moves: one hidden form carries them all.
  function move(item, parent, to) {
    const form = document.getElementById("nudge");
    form.elements.key.value = item.dataset.key;
    form.elements.parent.value = parent ?? "";
    form.elements.to.value = to;
    form.requestSubmit();
  }
  function nudge(key, item) {
    const beside = siblings(item), place = beside.indexOf(item);
    if (key === "ArrowUp" && place > 0) move(item, item.dataset.parent, "up");
    if (key === "ArrowDown" && place < beside.length - 1) move(item, item.dataset.parent, "down");
    if (key === "ArrowRight" && place > 0) move(item, beside[place - 1].dataset.key, "last");
    const above = item.parentElement.closest("li[data-key]");
    if (key === "ArrowLeft" && above) move(item, above.dataset.parent, above.dataset.key);
  }

  function open(id, field) {
    const act = document.getElementById(id);
    if (!act) return;
    act.open = true;
    document.getElementById(field)?.focus();
  }
  const keys = {
    a: () => document.getElementById("add-name").focus(),
    r: () => document.getElementById("f-name")?.select(),
    v: () => open("act-move", "move-to"),
    m: () => open("act-merge", "merge-into"),
    s: () => open("act-split", "split-parts"),
    z: () => document.getElementById("undo").requestSubmit(),
    Z: () => document.getElementById("redo").requestSubmit(),
    "/": () => document.getElementById("find").focus(),
    Delete: () => document.getElementById("retire")?.requestSubmit(),
  };

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select");
    if (document.querySelector("dialog[open]") || !editor()) return;
    if (field) {
      if (event.key === "Escape") { (chosen() ?? editor()).focus(); event.preventDefault(); }
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); field.form?.requestSubmit(); }
      // In the field for a new category Alt and an arrow say where it stands.
      if (field.id === "add-name" && event.altKey && ["ArrowRight", "ArrowLeft"].includes(event.key)) {
        const where = document.getElementById("add-where");
        const place = where.selectedIndex + (event.key === "ArrowLeft" ? 1 : -1);
        if (place >= 0 && place < where.options.length) where.selectedIndex = place;
        event.preventDefault();
      }
      return;
    }
    const node = event.target.closest("#tree a.node") ?? chosen();
    if (event.altKey && event.key.startsWith("Arrow")) {
      if (row(node)) { event.preventDefault(); nudge(event.key, row(node)); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const all = nodes(), place = all.indexOf(node);
      const next = all[place + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) { event.preventDefault(); next.focus(); }
      return;
    }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const below = row(node)?.querySelector(":scope > details");
      if (below) { event.preventDefault(); below.open = event.key === "ArrowRight"; }
      return;
    }
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });

  // After a change the focus is where it was: in the emptied field of a new category, or on the chosen one.
  let adding = false;
  document.addEventListener("htmx:beforeRequest", (event) => { adding = event.target.id === "add"; });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id !== "editor" && event.target.id !== "editor") return;
    hide();
    if (adding && event.detail.successful !== false) document.getElementById("add-name")?.focus();
    else if (document.activeElement === document.body) chosen()?.focus({ preventScroll: true });
    chosen()?.scrollIntoView({ block: "nearest" });
    adding = false;
  });

  // Dragging: on the upper edge of another it comes before it, on the lower after it, in the middle below it.
  let dragged = null;
  const where = (event, node) => {
    const box = node.getBoundingClientRect(), part = (event.clientY - box.top) / box.height;
    return part < 0.28 ? "before" : part > 0.72 ? "after" : "below";
  };
  const clear = () => { for (const node of document.querySelectorAll("[data-drop]")) delete node.dataset.drop; };
  document.addEventListener("dragstart", (event) => {
    dragged = row(event.target.closest?.("#tree a.node"));
    if (dragged) { event.dataTransfer.effectAllowed = "move"; event.dataTransfer.setData("text/plain", dragged.dataset.key); }
  });
  document.addEventListener("dragover", (event) => {
    const node = event.target.closest?.("#tree a.node");
    clear();
    if (!dragged || !node || dragged.contains(node)) return;
    event.preventDefault();
    node.dataset.drop = where(event, node);
  });
  document.addEventListener("drop", (event) => {
    const node = event.target.closest?.("#tree a.node");
    if (!dragged || !node || dragged.contains(node)) return;
    event.preventDefault();
    const item = row(node), to = where(event, node);
    const beside = siblings(item).filter((each) => each !== dragged), before = beside[beside.indexOf(item) - 1];
    if (to === "below") move(dragged, item.dataset.key, "last");
    else move(dragged, item.dataset.parent, to === "after" ? item.dataset.key : before?.dataset.key ?? "first");
  });
  document.addEventListener("dragend", () => { dragged = null; clear(); });

  // News: an open page asks now and then whether the draft is still the one that it shows.
  const news = () => document.getElementById("news");
  const hide = () => { if (news()) news().hidden = true; };
  const address = () => {
    const at = new URL(location.href);
    at.searchParams.set("edition", editor().dataset.edition);
    return at;
  };
  async function look() {
    if (!editor() || document.hidden || !news().hidden) return;
    const answer = await fetch(address(), { headers: { "HX-Request": "true", "HX-Target": "editor" } }).catch(() => null);
    if (answer?.status === 200) {
      const there = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("editor");
      news().hidden = !there || there.dataset.edition === editor().dataset.edition;
    }
  }
  setInterval(look, 4000);
  document.addEventListener("click", (event) => {
    if (!event.target.closest('[data-act="news"]')) return;
    const at = address();
    at.searchParams.delete("edition");
    htmx.ajax("GET", at.href, { target: "#editor", swap: "outerHTML" });
  });
})();
