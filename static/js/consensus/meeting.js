// The meeting room: asks once a second for what has changed and swaps those sections; sends what is done
// without leaving the page; keeps what is typed, whatever is swapped or lost; keys. Without it forms post and
// links link.

import { $, announce, cookie, say, toast } from "../core/page.js";
import { complain, refusalOf } from "./refusals.js";
import { swap, TYPES } from "./sections.js";
import { item, kept, place, store } from "./typed.js";

const room = $("room");
const main = $("main"), lost = $("lost");
const SLOWEST = 5000, HIDDEN = 5000, PATIENCE = 8000; // ms
// Of two answers on their way at once, the second leaves out what the page had as it asked: it is not all
// that is new.
let drawn = 0;
function apply(answer, asked, since) {
  if (answer.reload) {
    location.reload();
    return;
  }
  if (asked !== location.search || answer.revision < Number(room.dataset.revision)) return;
  room.dataset.revision = since === drawn ? answer.revision : -1;
  drawn += 1;
  pin(answer.pins);
  const before = item(), isSame = before === answer.item;
  const heard = Object.entries(answer.parts).map(([id, html]) => swap(id, html, isSame)).filter(Boolean);
  if (answer.title) document.title = answer.title;
  if (!isSame) {
    if (getComputedStyle(main).overflowY === "auto") {
      main.scrollTop = 0;
      document.querySelector("#room > aside").scrollTop = 0;
    } else scrollTo(0, 0);
    readOn = false;
    inSight();
  }
  settle();
  if (heard.length) announce(heard.join(" "));
}

// Over days nobody leads: the issue that was chosen for this member stays until they go on.
function pin(id) {
  if (id && !new URLSearchParams(location.search).has("item")) {
    history.replaceState(null, "", `${location.pathname}?item=${id}`);
  }
}

// The issue that is shown stands in sight on the agenda; only its own box is scrolled.
function inSight() {
  const at = document.querySelector("#agenda .it[aria-current]"), box = at?.closest("[data-scroll]");
  if (!box || box.scrollHeight <= box.clientHeight) return;
  const top = at.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  if (top < box.scrollTop || top + 40 > box.scrollTop + box.clientHeight) {
    box.scrollTop = Math.max(0, top - box.clientHeight / 3);
  }
}

// ---- What every fresh section needs
let readOn = false;
function settle() {
  const section = $("issue"), prose = section?.querySelector("article > .prose");
  if (prose) {
    section.classList.remove("long", "read");
    const button = section.querySelector("[data-read]");
    if (prose.scrollHeight > Math.min(innerHeight * .34, 360) + 48 && button) {
      section.classList.add("long");
      section.classList.toggle("read", readOn);
      button.textContent = say(readOn ? "fold" : "read_on");
    }
  }
  matchHow();
  tickTime();
}
function tickTime() {
  for (const time of document.querySelectorAll("time[data-elapsed]")) {
    const minutes = Math.max(0, Math.round((Date.now() - Date.parse(time.dateTime)) / 60000));
    time.textContent = minutes < 60
      ? say("minutes", { n: minutes })
      : say("hours", { h: Math.floor(minutes / 60), m: minutes % 60 });
  }
}
// How a decision is made has to fit its category: what was voted for, or else the chair's word.
function matchHow() {
  const how = $("decide-how"), category = $("decide-category");
  if (!how || !category) return;
  for (const option of how.options) {
    option.dataset.can ??= option.disabled ? "" : "1";
    option.disabled = !option.dataset.can ||
      Boolean(option.dataset.only && option.dataset.only !== category.value);
  }
  if (how.selectedOptions[0]?.disabled) {
    how.value = [...how.options].find((option) => !option.disabled)?.value ?? how.value;
  }
}

// ---- Asking and sending
async function post(url, body, method = "POST") {
  const token = cookie("csrftoken") ?? body.get("csrfmiddlewaretoken") ?? "";
  if (method === "POST") body.set("csrfmiddlewaretoken", token);
  body.set("revision", room.dataset.revision);
  if ("planned" in room.dataset) body.set("planned", "1");
  for (const part of document.querySelectorAll("[data-hash]")) {
    body.append("have", `${part.id}:${part.dataset.hash}`);
  }
  const since = drawn;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const isPost = method === "POST";
    const response = await fetch(isPost ? url : `${url}${url.includes("?") ? "&" : "?"}${body}`, {
      method,
      body: isPost ? body : undefined,
      signal: stop.signal,
      headers: { Accept: "application/json", "X-CSRFToken": token },
    });
    const answer = response.headers.get("content-type")?.includes("json") ? await response.json() : {};
    return { status: answer.code === "csrf" ? 401 : response.status, answer, since };
  } catch {
    return { status: 0, answer: {}, since };
  } finally {
    clearTimeout(timer);
  }
}
const isAway = (status) => status === 0 || status === 429 || (status >= 500 && status !== 507);
function show(why) {
  lost.hidden = !why;
  for (const text of lost.querySelectorAll("[data-why]")) text.hidden = text.dataset.why !== why;
  lost.querySelector("[data-sign-in]").hidden = why !== "signed_out";
}

// A study that is read-only, and a full disk, take no signs of life: the page asks without one for a while.
const READS = 30000; // ms
let readsUntil = 0, refused = "";
async function signOfLife(url) {
  if (!isOver && Date.now() >= readsUntil) {
    const told = await post(url, new URLSearchParams());
    const isRefused = told.status === 507 || told.answer.code === "StudyIsReadOnly";
    refused = isRefused ? told.answer.detail : "";
    if (!isRefused) return told;
    readsUntil = Date.now() + READS;
    lost.querySelector("[data-why=refused]").textContent = refused;
  }
  return await post(url, new URLSearchParams(), "GET");
}

let timer = 0, running = false, again = false, tries = 0, isOver = Boolean($("bar")?.matches("[data-over]"));
function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(ask, wait);
}
async function ask() {
  if (running) {
    again = true;
    return;
  }
  clearTimeout(timer);
  running = true;
  again = false;
  const asked = location.search;
  const { status, answer, since } = await signOfLife(room.dataset.here + asked);
  running = false;
  if (status === 200) apply(answer, asked, since);
  if (status === 200 || status === 204) {
    if (tries) {
      announce(say("back"));
      for (const note of document.querySelectorAll("[data-unsent]")) note.textContent = say("send_now");
    }
    tries = 0;
    show(refused ? "refused" : "");
    isOver = Boolean($("bar")?.matches("[data-over]"));
    if (again) {
      ask();
      return;
    }
    if (!isOver) later(document.hidden ? HIDDEN : Number(room.dataset.every));
    return;
  }
  if (status === 403 || status === 404) {
    show("gone");
    return;
  }
  tries += 1;
  show(status === 401 ? "signed_out" : "offline");
  later(Math.min(SLOWEST, 500 * 2 ** tries));
}

let turning = 0; // turns under way: until the next issue is here no key acts on the one before
const typedIn = (form) => kept(form).map((name) => form.elements[name].value).filter(Boolean);

async function send(form, submitter) {
  const act = form.dataset.act,
    name = form.id || (act === "ballot" || act === "reveal" || act === "vote" ? "vote" : "");
  if ((act === "turn" || act === "take-off") && new URLSearchParams(location.search).has("item")) {
    history.pushState(null, "", location.pathname);
  }
  const asked = location.search, of = item();
  const body = new URLSearchParams(new FormData(form));
  if (submitter?.name) body.set(submitter.name, submitter.value);
  const texts = typedIn(form);
  form.dataset.sending = "";
  complain(name, []);
  const url = new URL(form.action);
  turning += act === "turn";
  const { status, answer, since } = await post(url.pathname + asked, body);
  turning -= act === "turn";
  delete form.dataset.sending;
  delete form.dataset.sent;
  if (status === 200) {
    if (form.isConnected) {
      try {
        sessionStorage.removeItem(place(form, of));
      } catch { /* nothing was kept */ }
      // The keys act again: nobody types on.
      if (form.contains(document.activeElement)) {
        if (act === "comment") main.focus({ preventScroll: true });
        else document.activeElement.blur();
      }
      form.reset();
      for (const field of form.querySelectorAll("[data-keeps-not]")) field.value = "";
      const fold = form.closest("details");
      if (fold) fold.open = false;
    }
    if (name) complain(name, []);
    apply(answer, asked, since);
    if (answer.said) toast(answer.said);
    later(Number(room.dataset.every));
    return;
  }
  if (isAway(status)) {
    complain(name, [say("unsent")], { unsent: true });
    later(1000);
    return;
  }
  if (status === 401) {
    complain(name, [say("signed_out")], { unsent: true });
    later(0);
    return;
  }
  await new Promise((done) => {
    const wait = () => (running ? setTimeout(wait, 20) : done());
    wait();
  });
  await ask();
  // What was typed stays in its form; where that form is gone, it is shown in the refusal.
  const there = $(form.id);
  complain(name, [
    answer.detail ?? say("refused", { n: status }),
    ...(form.id && !there && texts.length && refusalOf(name)
      ? [say("typed", { text: texts.join(" · ") })]
      : []),
  ]);
  const wrong = Object.keys(answer.errors ?? {})[0];
  if (wrong) there?.elements[wrong]?.focus?.();
}
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.act || event.defaultPrevented) return;
  event.preventDefault();
  if ((event.submitter ?? form.querySelector("[type=submit]"))?.getAttribute("aria-disabled") === "true") {
    delete form.dataset.sent;
    complain(form.id, [say("not_yet")]);
    return;
  }
  send(form, event.submitter);
});

// ---- Looking at another issue, unfolding a group, reading on
function go(href) {
  history.pushState(null, "", href);
  room.dataset.revision = -1;
  ask();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-look], a[data-back], a[data-group]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    go(link.href);
    return;
  }
  if (event.target.closest("[data-read]")) {
    readOn = !readOn;
    settle();
  }
});
addEventListener("popstate", () => {
  room.dataset.revision = -1;
  ask();
});
document.addEventListener("change", (event) => {
  if (event.target.id === "decide-category") matchHow();
  if (event.target.id === "vote-other" && event.target.value) {
    event.target.form.requestSubmit(event.target.form.querySelector('[value="other"]'));
  }
});

// ---- Keys
const isSeen = (element) => element.getClientRects().length > 0;
function press(key) {
  const target = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].find(isSeen);
  if (!target) return;
  target.click();
  if (target.matches("summary") && target.parentElement.open) {
    target.parentElement.querySelector("input:not([type=hidden]), textarea")?.focus();
  }
}
function focusOn(id) {
  const field = $(id);
  for (let fold = field?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
  field?.focus();
  field?.scrollIntoView({ block: "nearest" });
}
document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.key === "Enter" && target.form?.dataset.act && !event.isComposing) {
    if (event.ctrlKey || event.metaKey || (target.id === "say-text" && !event.shiftKey)) {
      event.preventDefault();
      if (!("sending" in target.form.dataset)) target.form.requestSubmit();
      return;
    }
  }
  if (
    event.ctrlKey || event.metaKey || event.altKey || event.isComposing ||
    document.querySelector("dialog[open]")
  ) return;
  if (event.key === "Escape") {
    if (target.matches(TYPES)) target.blur();
    return;
  }
  if (target.matches(TYPES) || (event.repeat && !"jk".includes(event.key))) return;
  if (event.key === "j" || event.key === "k") {
    const box = getComputedStyle(main).overflowY === "auto" ? main : document.scrollingElement;
    box.scrollBy(0, event.key === "j" ? 120 : -120);
  } else if (event.key === "r") {
    event.preventDefault();
    focusOn("decide-rationale");
  } else if (event.key === "c") {
    event.preventDefault();
    focusOn("say-text");
  } else if (event.key === "o") $("original")?.click();
  else if (event.key === "?") $("keys")?.showModal();
  else if (/^[0-9npalv]$/.test(event.key)) {
    event.preventDefault();
    if (turning) toast(say("too_soon", { key: event.key }), "warn");
    else press(event.key);
  }
});

// ---- Presence and connection
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !isOver) ask();
});
addEventListener("online", () => {
  if (!isOver) ask();
});
addEventListener("offline", () => {
  tries += 1;
  show("offline");
});
addEventListener("focus", () => {
  if (tries) ask();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) {
    room.dataset.revision = -1;
    ask();
  }
});
addEventListener("pagehide", () => {
  if (!room.dataset.away || isOver) return;
  navigator.sendBeacon(
    room.dataset.away,
    new URLSearchParams({ csrfmiddlewaretoken: cookie("csrftoken") ?? "" }),
  );
});
setInterval(tickTime, 10000);
for (const form of document.querySelectorAll("form[data-keeps]")) store.restore(form);
inSight();
pin(room.dataset.pins);
settle();
if (!isOver) later(0);
