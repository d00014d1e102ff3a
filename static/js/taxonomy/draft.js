// The editor of a taxonomy: its keys, dragging in the tree, and news of what others changed.

import { $ } from "../core/page.js";

const editor = () => $("editor");
const nodes = () =>
  [...document.querySelectorAll("#tree a.node")].filter((node) => !node.closest("details:not([open])"));
const chosen = () => document.querySelector("#tree a.node[aria-current]");
const row = (node) => node?.closest("li[data-key]");
const siblings = (item) => [...item.parentElement.children].filter((each) => each.dataset.key);

// Moves: one hidden form carries them all.
function move(item, parent, to) {
  const form = $("nudge");
  form.elements.key.value = item.dataset.key;
  form.elements.parent.value = parent ?? "";
  form.elements.to.value = to;
  form.elements["seen-parent"].value = item.dataset.parent;
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
  const act = $(id);
  if (!act) return;
  act.open = true;
  $(field)?.focus();
}
// Move, merge and split open where they can be seen, with their first field ready.
document.addEventListener("toggle", (event) => {
  const act = event.target;
  if (!act.open || !act.matches(".acts > details") || !act.contains(document.activeElement)) return;
  act.querySelector("select, textarea").focus({ preventScroll: true });
  act.scrollIntoView({ block: "nearest" });
}, true);
const keys = {
  a: () => $("add-name").focus(),
  r: () => $("f-name")?.select(),
  v: () => open("act-move", "move-to"),
  m: () => open("act-merge", "merge-into"),
  s: () => open("act-split", "split-parts"),
  z: () => $("undo").requestSubmit(),
  Z: () => $("redo").requestSubmit(),
  "/": () => $("find").focus(),
  Delete: (on) => {
    if (on.closest("#tree") || on === document.body) $("retire")?.requestSubmit();
  },
};
// These act on the category that has the focus: another one than the chosen one is chosen first.
const ofCategory = ["a", "r", "v", "m", "s", "Delete"];
let pending = null;
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "editor" || !pending) return;
  const { press, id } = pending, node = chosen();
  pending = null;
  if (node?.id === id) keys[press](node);
});

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, textarea, select");
  if (document.querySelector("dialog[open]") || !editor()) return;
  if (field) {
    if (event.key === "Escape") {
      (chosen() ?? editor()).focus();
      event.preventDefault();
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form?.requestSubmit();
    }
    if (field.id === "add-name") inAdd(event, field);
    return;
  }
  const node = event.target.closest("#tree a.node") ?? chosen();
  if (event.altKey && event.key.startsWith("Arrow")) {
    if (row(node)) {
      event.preventDefault();
      nudge(event.key, row(node));
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const all = nodes(), place = all.indexOf(node);
    const next = all[place + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.focus();
    }
    return;
  }
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    const below = row(node)?.querySelector(":scope > details");
    if (below) {
      event.preventDefault();
      below.open = event.key === "ArrowRight";
    }
    return;
  }
  if (!keys[event.key]) return;
  event.preventDefault();
  if (node && node !== chosen() && ofCategory.includes(event.key)) {
    pending = { press: event.key, id: node.id };
    node.click();
  } else keys[event.key](event.target);
});

// The field for a new category stays open: what is typed while one is on its way waits for its turn.
// Alt and an arrow say where it stands: so many steps down, or up, from the one before.
let adding = false, typed = "", steps = 0, waiting = [];
function step(by) {
  const where = $("add-where");
  where.selectedIndex = Math.min(Math.max(where.selectedIndex - by, 0), where.options.length - 1);
}
function inAdd(event, field) {
  const by = event.altKey && { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by && adding) steps += by;
  else if (by) step(by);
  else if (adding && event.key === "Enter" && !event.isComposing) {
    if (field.value.trim()) waiting.push({ name: field.value, steps });
    field.value = "";
    steps = 0;
  } else return;
  event.preventDefault();
}
function send({ name, steps: by }) {
  step(by);
  $("add-name").value = name;
  $("add").requestSubmit();
}

// What is typed into the form and not saved is not left without a question.
const form = () => $("describe");
const isChanged = () =>
  [...(form()?.querySelectorAll("input:not([type=hidden]), textarea:not([hidden])") ?? [])]
    .some((
      field,
    ) => (field.type === "radio"
      ? field.checked !== field.defaultChecked
      : field.value !== field.defaultValue)
    );
document.addEventListener("htmx:confirm", (event) => {
  if (event.target === form() || ["dry-run", "examples"].includes(event.target.id) || !isChanged()) return;
  if (confirm(form().dataset.unsaved)) return;
  pending = null;
  event.preventDefault();
});
addEventListener("beforeunload", (event) => {
  if (isChanged() && !leaving) event.preventDefault();
});
let leaving = false;
// What is put to the vote goes to a page of its own, and so past htmx.
document.addEventListener("submit", (event) => {
  const toVote = event.submitter?.name === "prefill";
  if (toVote) event.stopPropagation();
  leaving = toVote || !event.target.matches("[hx-post]");
}, true);

// After a change the focus is where it was: in the field of a new category, or on the chosen one.
let toForm = false;
document.addEventListener("htmx:beforeRequest", (event) => {
  toForm = event.target.matches?.("#tree a.node") && matchMedia("(max-width: 1000px)").matches;
  if (event.target.id !== "add") return;
  adding = true;
  steps = 0;
  $("add-name").value = "";
});
document.addEventListener("htmx:beforeSwap", (event) => {
  // The dry run and the examples come by themselves, into their own places.
  if (event.detail.target.id !== "editor") return;
  typed = $("add-name")?.value ?? "";
  // Of details with one name only one is open in a page: the one that comes would be shut.
  for (const act of document.querySelectorAll(".acts > details[open]")) act.open = false;
});
for (const name of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(name, () => {
    pending = null;
  });
}
document.addEventListener("htmx:sendError", () => {
  adding = false;
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "editor" && event.target.id !== "editor") return;
  hide();
  const field = $("add-name");
  if (adding) {
    field.focus({ preventScroll: true });
    if (field.getAttribute("aria-invalid")) [adding, waiting] = [false, []];
    else field.value = typed;
  } else if (document.activeElement === document.body) {
    const refused = document.querySelector(".acts > details[open] :is(select, textarea)");
    (refused ?? chosen())?.focus({ preventScroll: true });
  }
  if (toForm) $("category")?.scrollIntoView({ block: "start" });
  else chosen()?.scrollIntoView({ block: "nearest" });
});
// Only now the new form can be sent: the next name that waits goes, and what is being typed stays.
document.addEventListener("htmx:afterSettle", (event) => {
  if (!adding || event.target.id !== "editor") return;
  const field = $("add-name");
  if (waiting.length) {
    const [words, by] = [field.value, steps];
    send(waiting.shift());
    [field.value, steps] = [words, by];
  } else {
    adding = false;
    step(steps);
  }
});

// Dragging: on the upper edge of another it comes before it, on the lower after it, in the middle below it.
let dragged = null;
const where = (event, node) => {
  const box = node.getBoundingClientRect(), part = (event.clientY - box.top) / box.height;
  return part < 0.28 ? "before" : part > 0.72 ? "after" : "below";
};
const clear = () => {
  for (const node of document.querySelectorAll("[data-drop]")) delete node.dataset.drop;
};
document.addEventListener("dragstart", (event) => {
  dragged = row(event.target.closest?.("#tree a.node"));
  if (dragged) {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.key);
  }
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
document.addEventListener("dragend", () => {
  dragged = null;
  clear();
});

// News: an open page asks now and then whether the draft is still the one that it shows.
const news = () => $("news");
const hide = () => {
  if (news()) news().hidden = true;
};
const address = () => {
  const at = new URL(location.href);
  at.searchParams.set("edition", editor().dataset.edition);
  return at;
};
async function look() {
  if (!editor() || document.hidden || !news().hidden) return;
  const answer = await fetch(address(), { headers: { "HX-Request": "true", "HX-Target": "editor" } }).catch(
    () => null,
  );
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
  if (isChanged() && !confirm(form().dataset.unsaved)) return;
  htmx.ajax("GET", at.href, { target: "#editor", swap: "outerHTML" });
});
