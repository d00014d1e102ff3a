// What every page has: theme, toasts, dialogs, confirmation, menus, forms that are sent once, relative times,
// and htmx's failures in words; and the small pieces that the scripts of all rooms share.

const root = document.documentElement;

// ---- Small pieces
export const $ = (id) => document.getElementById(id);

// A new element with its classes and what is inside.
export function make(tag, css = "", ...inside) {
  const made = document.createElement(tag);
  if (css) made.className = css;
  made.append(...inside);
  return made;
}

// The first element of HTML that this server made.
export function parse(html) {
  const box = document.createElement("template");
  box.innerHTML = html;
  return box.content.firstElementChild;
}

// A copy of the first element of the <template> with that id.
export const copy = (id) => $(id).content.firstElementChild.cloneNode(true);

export const cookie = (name) =>
  document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);

export const pause = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

// ---- The page's own texts, translated by the server: JSON in the element #words
let words = null;

// The text of that name, its `%(…)s` and `%(…)d` filled from `values`.
export function say(name, values = {}) {
  words ??= JSON.parse($("words").textContent);
  return words[name].replace(/%\((\w+)\)[sd]/g, (_all, key) => values[key] ?? "");
}

export function announce(text) {
  if ($("said")) $("said").textContent = text;
}

// ---- Toasts: a success leaves by itself, everything else waits to be dismissed
const toasts = () => $("toasts");

// Let toasts that have come with the page, or with a swap, leave when their time is over.
export function tend() {
  for (const toast of toasts()?.querySelectorAll("[data-fleeting]:not([data-tended])") ?? []) {
    toast.dataset.tended = "";
    let timer;
    const leave = () => {
      timer = setTimeout(() => toast.remove(), 6000);
    };
    toast.addEventListener("pointerenter", () => clearTimeout(timer));
    toast.addEventListener("pointerleave", leave);
    toast.addEventListener("focusin", () => clearTimeout(timer));
    leave();
  }
}

// Show a text, once at a time; `kind` is "ok", "warn" or "bad".
export function toast(text, kind = "ok") {
  for (const shown of [...toasts().children]) {
    if (shown.querySelector(".body")?.textContent === text) shown.remove();
  }
  const box = copy(kind === "ok" ? "toast-ok" : "toast-failed");
  box.className = `toast ${kind}`;
  box.querySelector(".body").textContent = text;
  toasts().append(box);
  tend();
}

// Show the toast of a template, in place of an earlier one of it.
export function toastFrom(template, code = "") {
  const box = copy(template);
  const place = box.querySelector("[data-code]");
  if (place && code) place.textContent = `(${code})`;
  dismiss(template);
  box.dataset.from = template;
  toasts().append(box);
}

export function dismiss(template) {
  toasts().querySelector(`[data-from="${template}"]`)?.remove();
}

// ---- Questions One question, asked in the page's own dialog; `act` names what its button for yes does.
// Resolves to true or false.
export function ask(question, act) {
  const dialog = $("confirm");
  const yes = dialog.querySelector('[value="yes"]');
  yes.dataset.usual ??= yes.textContent;
  yes.textContent = act || yes.dataset.usual;
  dialog.querySelector("h2").textContent = question;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true })
  );
}

// ---- Search
// The search for a category where issues are labelled and interviews coded: a code by its beginning, dots
// left out (c3, C.3.ii); else words, wherever a category is described. The rank of a word is the place where
// it stands plus how it stands there; a category ranks by the sum of its words.
const PLACES = { name: 0, also: 1, includes: 4, definition: 5, examples: 6, excludes: 12 };
const EXACT = 0, BEGINS = 1, INSIDE = 3, MISTYPED = 7;
export const squash = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const tokens = (text) =>
  text.toLowerCase().match(/[\p{L}\p{N}](?:[\p{L}\p{N}._+#-]*[\p{L}\p{N}+#])?/gu) ?? [];
const mistakesIn = (word) => (word.length < 4 ? 0 : word.length < 8 ? 1 : 2);

// How many letters are wrong, missing, too many or swapped with their neighbour between `word` and `token`,
// or a beginning of `token`, because somebody may still be typing. Infinity for more than `most`.
function mistakes(word, token, most) {
  if (token.length < word.length - most) return Infinity;
  const width = Math.min(token.length, word.length + most);
  let [before, last] = [[], Array.from({ length: width + 1 }, (_all, place) => place)];
  for (let row = 1; row <= word.length; row += 1) {
    const line = [row];
    for (let place = 1; place <= width; place += 1) {
      const differs = word[row - 1] !== token[place - 1];
      line[place] = Math.min(last[place] + 1, line[place - 1] + 1, last[place - 1] + differs);
      const isSwapped = row > 1 && place > 1 && word[row - 1] === token[place - 2] &&
        word[row - 2] === token[place - 1];
      if (isSwapped) line[place] = Math.min(line[place], before[place - 2] + 1);
    }
    if (Math.min(...line) > most) return Infinity;
    [before, last] = [last, line];
  }
  // The first letters alone say little: a beginning has to be about as long as what was typed.
  const fewest = Math.min(...last.slice(Math.max(1, word.length - most)));
  return fewest > most ? Infinity : fewest;
}

// `search("memroy leak")` -> the categories that match, best first, as {item, rank, field, token, tokens}.
export function makeSearch(items) {
  const vocabulary = new Map(); // token -> Map(item -> the best field that has it)
  for (const item of items) {
    for (const field of Object.keys(PLACES)) {
      for (const token of new Set(tokens(item[field]))) {
        const places = vocabulary.get(token) ?? new Map();
        if (!places.has(item)) places.set(item, field);
        vocabulary.set(token, places);
      }
    }
  }
  const known = new Map(); // what one typed word finds is asked for again with every letter of the next one

  function find(word) {
    const found = new Map();
    const note = (item, rank, field, token) => {
      if (!found.has(item) || found.get(item).rank > rank) found.set(item, { rank, field, token });
    };
    const all = (token, rank) => {
      for (const [item, field] of vocabulary.get(token)) note(item, PLACES[field] + rank, field, token);
    };
    const code = squash(word);
    for (const item of code ? items : []) if (item.squashed.startsWith(code)) note(item, EXACT, "code", word);
    for (const token of vocabulary.keys()) {
      if (token.includes(word)) all(token, token === word ? EXACT : token.startsWith(word) ? BEGINS : INSIDE);
    }
    const most = mistakesIn(word);
    if (found.size || !most) return found;
    for (const token of vocabulary.keys()) {
      const wrong = mistakes(word, token, most);
      if (wrong <= most) all(token, MISTYPED + wrong);
    }
    return found;
  }

  function byWords(parts) {
    const finds = parts.map((part) => {
      if (!known.has(part)) known.set(part, find(part));
      return known.get(part);
    });
    if (known.size > 200) known.clear();
    return items.filter((item) => finds.every((found) => found.has(item))).map((item) => {
      const hits = finds.map((found) => found.get(item));
      const last = hits.reduce((one, other) => (other.rank > one.rank ? other : one));
      return {
        item,
        rank: hits.reduce((sum, hit) => sum + hit.rank, 0),
        field: last.field,
        token: last.token,
        tokens: hits.map((hit) => hit.token),
      };
    });
  }

  return (query) => {
    const parts = query.toLowerCase().split(/\s+/).map((part) =>
      part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}+#]+$/gu, "")
    ).filter(Boolean);
    const code = squash(query), isOne = parts.length === 1;
    const coded = !isOne ? [] : items.filter((item) => item.squashed.startsWith(code)).map((item) => (
      { item, rank: item.squashed === code ? -2 : -1, field: "code", token: "", tokens: [] }
    ));
    const isCode = coded.length > 0 && (code.length === 1 || /\d/.test(code));
    const listed = new Set(coded.map((hit) => hit.item));
    const hits = [
      ...coded,
      ...(isCode || !parts.length ? [] : byWords(parts).filter((hit) => !listed.has(hit.item))),
    ];
    // Sorting is stable: equals stay in the order of the tree, those at the depth of the round first.
    return hits.sort((one, other) =>
      one.rank - other.rank || (one.rank < 0 ? 0 : other.item.fit - one.item.fit)
    );
  };
}

// ---- What the page does by itself
// Theme: a cookie, so that the server draws the chosen one at first paint.
function switchTheme() {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax${secure}`;
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) {
    const dialog = $(opener.dataset.dialog);
    if (dialog) {
      event.preventDefault();
      dialog.showModal();
    }
  }
  const button = event.target.closest("[data-do]");
  if (button?.dataset.do === "theme") switchTheme();
  if (button?.dataset.do === "dismiss") button.closest(".toast, .note")?.remove();
  if (button?.dataset.do === "close") button.closest("dialog")?.close();
  if (button?.dataset.do === "print") print();
  if (button?.dataset.do === "sheet") {
    const open = document.body.dataset.sheet !== "open";
    document.body.dataset.sheet = open ? "open" : "peek";
    button.setAttribute("aria-expanded", open);
  }
  if (button?.dataset.do === "copy") {
    const text = $(button.dataset.copy)?.textContent.trim() ?? "";
    navigator.clipboard?.writeText(text).then(() => toast(button.dataset.done ?? "✓"));
  }
  if (event.target instanceof HTMLDialogElement) event.target.close(); // a click on the backdrop
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
// A menu that would open beyond the window's right edge opens to the left, if it fits there.
document.addEventListener("toggle", (event) => {
  const menu = event.target;
  if (!menu.matches?.("details.menu[open]")) return;
  menu.classList.remove("over");
  const sheet = menu.querySelector(":scope > .sheet")?.getBoundingClientRect();
  if (!sheet) return;
  const fits = menu.getBoundingClientRect().right - sheet.width >= 0;
  menu.classList.toggle("over", fits && sheet.right > document.documentElement.clientWidth);
}, true);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// What the question of a form is about: its words, and all that would be sent but for what is new each time.
function asked(form) {
  const fields = [...new FormData(form)].filter(([name]) =>
    !["csrfmiddlewaretoken", "form_key"].includes(name)
  );
  return JSON.stringify([form.dataset.confirm, fields]);
}
function sendConfirmed(form, submitter) {
  form.dataset.confirmed = "";
  form.requestSubmit(submitter);
  delete form.dataset.confirmed;
}
// Forms: a fresh token (another tab may have signed in anew), a question first, and no second click.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const token = cookie("csrftoken");
  if (token && form.elements.csrfmiddlewaretoken) form.elements.csrfmiddlewaretoken.value = token;
  if (form.dataset.confirm && !("confirmed" in form.dataset)) {
    event.preventDefault();
    event.stopPropagation();
    const submitter = event.submitter;
    ask(form.dataset.confirm, form.dataset.yes).then((yes) => {
      if (!yes) return;
      if (form.isConnected) return sendConfirmed(form, submitter);
      // Its part of the page was renewed while the question stood. The form in its place is meant; where that
      // asks something else by now it asks again, and where there is none the server says why.
      const fresh = [...document.forms].find((one) =>
        one.action === form.action && one.id === form.id && one.dataset.confirm
      );
      if (fresh && asked(fresh) !== asked(form)) return fresh.requestSubmit();
      if (!fresh) document.body.append(form);
      sendConfirmed(fresh ?? form);
    });
    return;
  }
  if (form.method !== "post" || form.matches("[hx-post], [data-hx-post]")) return;
  if ("sent" in form.dataset) event.preventDefault();
  form.dataset.sent = "";
  setTimeout(() => {
    delete form.dataset.sent;
  }, 4000); // the answer may be a file, and the page stays
}, true);
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
// Ctrl+Enter in a field sends its form, as Enter in a line of text does: by its first button. Scripts that do
// more with it listen on the document, and come first.
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  if (event.defaultPrevented || event.isComposing) return;
  const { form } = event.target;
  if (form?.method !== "post" || !event.target.matches("textarea, select, input:not([type=file])")) return;
  event.preventDefault();
  form.requestSubmit([...form.elements].find((field) => field.type === "submit" && !field.disabled));
});
// A page that takes over a second to come: a bar at the top, and its link is busy. A file that a link leads
// to leaves the page as it is.
const SLOW = 1000, LONGEST = 120_000; // ms
const isFile = ({ pathname, searchParams }) => /\.\w{2,5}$/.test(pathname) || searchParams.has("format");
let slowly = 0;
function showGoing(link) {
  const bar = $("going");
  if (!bar) return;
  bar.hidden = !link;
  bar.firstElementChild.textContent = link ? bar.dataset.text : "";
  for (const busy of document.querySelectorAll("a[aria-busy]")) busy.removeAttribute("aria-busy");
  link?.setAttribute("aria-busy", "true");
  if (link) slowly = setTimeout(showGoing, LONGEST);
}
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) {
    return;
  }
  const to = new URL(link.href);
  const isHere = to.origin === location.origin && to.href.split("#")[0] !== location.href.split("#")[0];
  if (!isHere || link.target || link.hasAttribute("download") || isFile(to)) return;
  clearTimeout(slowly);
  slowly = setTimeout(() => showGoing(link), SLOW);
});
addEventListener("pageshow", () => {
  clearTimeout(slowly);
  showGoing(null);
});
// A filter that acts as soon as it is changed; without script its form has a button.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
});

// Files dropped anywhere on a `.drop` go into its field.
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    const zone = event.target.closest?.(".drop");
    if (!zone) return;
    event.preventDefault();
    zone.classList.toggle("over", name === "dragover");
    const field = zone.querySelector('input[type="file"]');
    if (name !== "drop" || !field || !event.dataTransfer.files.length) return;
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// Relative times move on while the page stays open.
const spans = [[60, 1, "second"], [3600, 60, "minute"], [86400, 3600, "hour"], [2678400, 86400, "day"]];
function refreshTimes() {
  const words = new Intl.RelativeTimeFormat(root.lang || "en", { numeric: "always" });
  for (const time of document.querySelectorAll("time[data-since]")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    const span = spans.find(([limit]) => seconds < limit);
    if (seconds >= 45 && span) {
      time.textContent = words.format(
        -Math.max(1, Math.round(seconds / Math.max(span[1], 60))),
        span[2] === "second" ? "minute" : span[2],
      );
    }
  }
}
setInterval(refreshTimes, 30000);

// What scrolls sideways can be scrolled by keys.
function reachScrollers() {
  const boxes = [...document.querySelectorAll(".scroll-x, .card > .table, .tablewrap, .card > .in")];
  // All are measured before one is changed: the page is laid out once.
  const scrolled = new Set(boxes.filter((box) => box.scrollWidth > box.clientWidth + 1));
  for (const box of boxes) {
    if (scrolled.has(box)) box.tabIndex = 0;
    else if (box.tabIndex === 0) box.removeAttribute("tabindex");
  }
}
addEventListener("resize", reachScrollers);
reachScrollers();

// The row of tabs may be wider than a phone: the current one is in sight.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.parentElement;
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.clientWidth) / 2;
}

// htmx: failures say what happened; the page keeps what was typed, because nothing is swapped.
document.addEventListener("htmx:configRequest", (event) => {
  const token = cookie("csrftoken");
  if (!token) return;
  event.detail.headers["X-CSRFToken"] = token;
  if (event.detail.parameters.csrfmiddlewaretoken) event.detail.parameters.csrfmiddlewaretoken = token;
});
document.addEventListener("htmx:confirm", (event) => {
  if (!event.detail.question) return;
  event.preventDefault();
  ask(event.detail.question).then((yes) => {
    if (yes) event.detail.issueRequest(true);
  });
});
// A refusal that is meant for the toasts is shown, whatever its status.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Retarget") !== "#toasts") return;
  // A choice that was refused is not shown as made.
  event.detail.requestConfig?.elt.closest("form[data-resets]")?.reset();
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});
// What was typed after a preview was asked for is not undone by its answer: it is put back, and asked about
// anew.
document.addEventListener("htmx:beforeSwap", (event) => {
  const sent = event.detail.requestConfig?.formData;
  if (!sent?.has("preview") || !event.detail.shouldSwap) return;
  const typed = [...event.detail.target.querySelectorAll('input[id]:is([type="number"], [type="text"])')]
    .filter((field) => field.value !== (sent.get(field.name) ?? ""));
  if (typed.length === 0) return;
  document.addEventListener("htmx:afterSettle", () => {
    for (const { id, value } of typed) {
      const field = $(id);
      if (!field) continue;
      field.value = value;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }, { once: true });
});
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, () => toastFrom("toast-lost"));
}
document.addEventListener("htmx:responseError", (event) => {
  const polls = event.detail.elt.getAttribute("hx-trigger")?.startsWith("every");
  if (polls) return;
  const { status } = event.detail.xhr;
  // The id by which an administrator finds the error.
  const id = status === 500 && event.detail.xhr.getResponseHeader("X-Request-ID");
  toastFrom("toast-failed", id ? `${status} · ${id}` : status);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) dismiss("toast-lost");
});
document.addEventListener("htmx:afterSettle", () => {
  tend();
  reachScrollers();
});
document.addEventListener("htmx:oobAfterSwap", () => tend());

for (const button of document.querySelectorAll('[data-do="theme"]')) button.hidden = false;
tend();
