// The labelling page: what the form says, turns that are here before they are asked for, and answers that go
// out in the background. picker.js has the categories and the keys, outbox.js what is on its way to the
// server.

import { $, announce, make, parse, say, toast } from "../core/page.js";
import { makeDrafts, makeOutbox, makeSignIn, post } from "./outbox.js";
import { isField, listenToKeys, makeHeldKeys, makePicker } from "./picker.js";

const main = $("main"), form = $("label-form");
const picker = form ? makePicker({ onChange: chose }) : null;
const find = $("find"), tree = $("tree"), summary = $("summary"), unsure = $("unsure"), submit = $("submit");
const misfit = $("misfit"), proposedName = $("proposed_name"), proposedReason = $("proposed_reason");
let isChange = form?.dataset.mode === "change";
const swap = (id, part) => {
  if (part) $(id)?.replaceWith(typeof part === "string" ? parse(part) : part);
};
const swapOwn = (answer) => {
  for (const part of ["pace", "recent", "back"]) swap(part, answer[part]);
};
const hidden = (name) => $("turn").querySelector(`[name="${name}"]`);
const current = () => Number(hidden("issue").value);
const isPhone = () => matchMedia("(max-width: 760px)").matches;
let searched = false; // a search that Enter has not confirmed yet

// ---- What the form says
const isOpenLabel = () => proposedName.value.trim() !== "";
const content = () => ({
  category: picker.chosen()?.id ?? null,
  summary: summary.value,
  unsure: unsure.checked,
  proposed_name: proposedName.value,
  proposed_reason: proposedReason.value,
});
const FIELDS = ["category", "summary", "unsure", "proposed_name", "proposed_reason"];
const same = (one, other) => FIELDS.every((field) => (one[field] || "") === (other[field] || ""));
function inWords(
  { category, summary: text, unsure: isUnsure, proposed_name: name, proposed_reason: reason },
) {
  const code = picker.byId.get(category)?.code;
  const choice = name
    ? say("open_label", { name }) + (code ? ` (${say("nearest", { code })})` : "")
    : code ?? say("no_category");
  return [choice, name ? reason : "", text, isUnsure ? `(${say("unsure")})` : ""].filter(Boolean).join(" · ");
}
function fill(from) {
  picker.select(picker.byId.get(from.category));
  summary.value = from.summary;
  unsure.checked = from.unsure;
  proposedName.value = from.proposed_name ?? "";
  proposedReason.value = from.proposed_reason ?? "";
  misfit.open = isOpenLabel();
  picker.activate(picker.chosen());
  drawForm();
}
function drawForm() {
  const chosen = picker.chosen(), word = isChange ? "change" : "submit";
  submit.firstElementChild.textContent = isOpenLabel()
    ? say(`${word}_open`)
    : chosen
    ? say(`${word}_code`, { code: chosen.code })
    : say(word);
  $("implied").textContent = isOpenLabel() ? "" : picker.implied(chosen);
  $("near").replaceChildren(chosen ? `${chosen.code} ${chosen.name}` : say("near_none"));
  $("no-near").hidden = !chosen;
  const most = summary.value.length > 140 ? 500 : 140;
  $("counter").textContent = say("counter", { n: [...summary.value].length, all: most });
  $("counter").classList.toggle("warn-ink", summary.value.length > 140);
}
function chose(item, isNew) {
  complain("");
  searched = false;
  if (isNew) {
    drawForm();
    drafts.changed();
  }
  announce(
    isOpenLabel()
      ? say("nearest", { code: item.code })
      : [say("chosen", { code: item.code }), picker.implied(item)].join(" "),
  );
}
function complain(text) {
  if (!text) {
    $("refusal").replaceChildren();
    return;
  }
  const note = make("div", "note bad", text);
  note.setAttribute("role", "alert");
  $("refusal").replaceChildren(note);
}
function takeBack() {
  [proposedName.value, proposedReason.value, misfit.open] = ["", "", false];
  drawForm();
  drafts.changed();
  announce(say("taken_back"));
  tree.focus({ preventScroll: true });
}

// Both texts, side by side; neither is lost until one is chosen.
function differ(text, stored) {
  const note = $("both").content.firstElementChild.cloneNode(true);
  note.querySelector("[data-said]").textContent = text;
  note.querySelector("[data-there]").textContent = inWords(stored);
  note.querySelector("[data-here]").textContent = inWords(content());
  const settle = (act) => () => {
    hidden("revision").value = stored.revision ?? hidden("revision").value;
    note.remove();
    act();
  };
  note.querySelector("[data-keep]").addEventListener(
    "click",
    settle(() => {
      drafts.changed();
      drafts.save();
    }),
  );
  note.querySelector("[data-take]").addEventListener(
    "click",
    settle(() => {
      fill(stored);
      drafts.reset();
      drafts.forget();
    }),
  );
  $("refusal").replaceChildren(note);
  drafts.state("refused");
}
// Start with what the server sent, or with what this browser kept when the server did not get it.
function begin() {
  const { category, summary: text, unsure: isUnsure, proposedName: name, proposedReason: reason } =
    $("turn").dataset;
  drafts.reset();
  searched = false;
  const sent = {
    category: Number(category) || null,
    summary: text,
    unsure: isUnsure === "1",
    proposed_name: name ?? "",
    proposed_reason: reason ?? "",
  };
  picker.reset(sent.category);
  fill(sent);
  const returned = outbox.returned().find((record) => record.issue === current());
  if (returned) {
    outbox.drop(returned.key);
    complain(returned.refused.said);
  }
  const kept = drafts.read(), revision = Number(hidden("revision").value);
  // A new version of the taxonomy lacks the category, or may have it smaller: then the server keeps the rest
  // without it.
  const isOlder = kept && kept.version !== hidden("version").value;
  if (kept?.category && (!picker.byId.has(kept.category) || (isOlder && !sent.category))) {
    kept.category = null;
  }
  // Saved while this page was on its way.
  if (kept?.saved && kept.revision > revision && drafts.isFresh(kept)) {
    fill(kept);
    hidden("revision").value = kept.revision;
    drafts.wasSaved(kept.saved);
    return;
  }
  if (!kept || kept.saved || same(kept, sent)) {
    drafts.forget();
    return;
  }
  fill(kept);
  // What the server has came from here, then more was typed.
  const isOurs = kept.posted && same(kept.posted, sent);
  if (kept.revision < revision && !isOurs) {
    differ(returned?.refused.said || say("both"), { ...sent, revision });
    return;
  }
  drafts.changed();
  announce(say("restored"));
}

// ---- Turns: the next ones are asked for while this one is read, so that Enter shows the next at once.
const AHEAD = 2;
// `idle` is the answer that the next turn waits for.
const held = [];
let asking = false, isAll = false, idle = null, guideline = 0;
const have = (but = 0) =>
  [
    ...new Set([
      ...(idle ? [] : [current()]),
      ...(aside ? [aside.issue] : []),
      ...held.map((turn) => turn.issue),
      ...outbox.waiting().map((record) => record.issue),
    ]),
  ].filter((issue) => issue !== but);
function hold(turn) {
  if (!turn || have().includes(turn.issue)) return;
  if (String(turn.version) !== hidden("version").value) {
    isAll = true;
    return;
  } // other categories than this page has: it is loaded again
  held.push({ ...turn, node: parse(turn.html) });
  if (idle && !leaving) show(held.shift(), idle.said);
  document.body.dataset.held = held.length;
}
async function askAhead() {
  if (!form.dataset.ahead || isChange || asking || isAll || held.length + outbox.waiting().length >= AHEAD) {
    return; // each answer on its way brings one
  }
  asking = true;
  const { status, answer } = await post(form.dataset.ahead, [
    ["member", form.dataset.member],
    ...have().map((issue) => ["have", issue]),
  ]);
  asking = false;
  if (status !== 200) return;
  isAll = !answer.next;
  hold(answer.next);
  askAhead();
}
function show(turn, said = "") {
  document.body.dataset.held = held.length;
  setMode("label");
  $("issue").replaceWith(turn.node);
  swap("turn", turn.turn);
  swap("skip-turn", turn.skip_turn);
  $("of-label").replaceChildren(...(turn.note ?? []));
  if (guideline && hidden("guideline")) hidden("guideline").value = guideline;
  document.title = turn.title;
  history.replaceState(null, "", form.dataset.next);
  place = location.href;
  idle = null;
  form.inert = false;
  complain("");
  begin();
  main.scrollTop = 0;
  sheet(false);
  if (!document.querySelector("dialog[open]")) main.focus({ preventScroll: true });
  announce(`${said} ${say("next", { title: $("issue").querySelector("h1").textContent })}`.trim());
  setTimeout(askAhead);
}
// Nothing is held: the answer that is on its way brings the next turn. What was on the page can come back.
function wait(record, said = "") {
  announce(said);
  idle = { said, record, issue: $("issue"), content: record.content ?? content() };
  form.inert = true;
  picker.reset(null);
  fill({ category: null, summary: "", unsure: false });
  complain("");
  drafts.reset();
  sheet(false);
  setTimeout(drawIdle, outbox.why() ? 0 : 400);
}
function drawIdle() {
  if (!idle || leaving) return;
  const panel = $("waiting").content.firstElementChild.cloneNode(true);
  for (const part of panel.querySelectorAll("[data-when]")) {
    if (part.dataset.when !== (outbox.why() ? "stopped" : "fetching")) part.remove();
  }
  $("issue").replaceWith(panel);
}
function takeUpAgain(answer) {
  $("issue").replaceWith(idle.issue);
  if (answer.turn) swap("turn", answer.turn);
  const text = idle.content;
  idle = null;
  form.inert = false;
  fill(text);
  drafts.keep();
}

// ---- Answers: into the outbox, the next turn onto the page, the rest when the server has answered.
function send(kind, source, said) {
  const issue = current();
  const fields = [...new FormData(source)].filter(([name]) => name !== "csrfmiddlewaretoken");
  const record = {
    key: hidden("form_key")?.value ?? `${issue}-${Date.now()}`,
    kind,
    issue,
    name: $("turn").dataset.name,
    url: source.action,
    fields,
    content: kind === "submit" ? content() : null,
    at: Date.now(),
  };
  // A draft that comes after its answer would stay behind: no more of them, and the one under way goes first.
  outbox.add(record, drafts.stop());
  drafts.forget();
  answered = { issue, node: $("issue"), title: document.title };
  if (held.length) show(held.shift(), said);
  else wait(record, said);
}
function onSubmit(event) {
  event.preventDefault();
  if (idle || leaving) return;
  const [name, reason] = [proposedName, proposedReason].map((field) => field.value.trim());
  if (!name !== !reason) {
    complain(say("both_needed"));
    misfit.open = true;
    (name ? proposedReason : proposedName).focus();
    return;
  }
  if (!picker.chosen() && !isOpenLabel()) {
    complain(say("choose_first"));
    sheet(true);
    if (!isPhone()) find.focus();
    return;
  }
  if (isChange) {
    change();
    return;
  }
  send("submit", form, isOpenLabel() ? say("sent_open") : say("sent", { code: picker.chosen().code }));
}
async function change() {
  changing = true;
  submit.disabled = true;
  keys.hold(); // the next key is for the issue that comes then
  await drafts.stop();
  drafts.keep();
  // A page that was loaded for a change has no address where the next issue could be submitted.
  const next = aside ?? (submitUrl ? held[0] : undefined);
  const fields = [...new FormData(form), ...(next ? [["stays", "1"]] : [])];
  const { status, answer } = await post(form.action, fields, { redirect: "manual" });
  submit.disabled = changing = false;
  if (status === 303 || answer.go) {
    drafts.forget();
    if (!next) {
      leaveFor(answer.go ?? form.dataset.next);
      return;
    }
    swapOwn(answer);
    toast(answer.said);
    if (!aside) held.shift();
    aside = null;
    show(next);
    keys.release();
    return;
  }
  notTaken(keys.drop());
  drafts.changed();
  if (status === 401) signIn.open();
  else if (status === 0 || status >= 500) complain(say("no_answer"));
  else refuseHere(answer, status);
}
function refuseHere(answer, status) {
  if (answer.turn) swap("turn", answer.turn);
  if (answer.guideline) {
    showChanges(answer, null);
    return;
  }
  const note = $("refused").content.firstElementChild.cloneNode(true);
  note.querySelector("[data-said]").textContent = answer.detail || say("refused_status", { n: status });
  if (answer.stored) note.querySelector("[data-there]").textContent = inWords(answer.stored);
  else note.querySelector(".sides").remove();
  for (const part of note.querySelectorAll("[data-for]")) {
    if (!part.dataset.for.split(" ").includes(answer.code)) part.remove();
  }
  for (const link of note.querySelectorAll("a[data-issue]")) {
    link.href = `${form.dataset.next}?issue=${current()}`;
  }
  $("refusal").replaceChildren(note);
  sheet(true);
}
// The guideline has changed since this form was made: what is new, and Enter submits again.
function showChanges(answer, act) {
  const note = $("new-guideline").content.firstElementChild.cloneNode(true);
  note.querySelector("[data-said]").textContent = answer.detail;
  // Made by this server's one renderer.
  note.querySelector("[data-changes]").innerHTML = answer.guideline.changes;
  guideline = answer.guideline.id;
  if (hidden("guideline")) hidden("guideline").value = guideline;
  const button = note.querySelector("button");
  if (act) {
    button.addEventListener("click", () => {
      note.remove();
      act();
    });
  } else button.remove();
  (act ? $("returned") : $("refusal")).replaceChildren(note);
  if (act) button.focus();
}

// ---- Going back: the last issue is shown at once. Until its label is stored, and can be changed here, keys
// wait; then they act on that issue. The issue that was left comes again afterwards.
let aside = null; // the turn that was left
let leaving = null; // what the page showed when the member went back
let answered = null; // the issue that was answered last
let changing = false; // a change is on its way, and the issue after it comes with its answer
let place = location.href;
const keys = form && makeHeldKeys({ onEscape: stay });
const submitUrl = isChange ? null : form?.action;
function setMode(mode, action = submitUrl) {
  form.dataset.mode = mode;
  form.action = action ?? form.action;
  isChange = mode === "change";
  if ($("skip-button")) $("skip-button").hidden = isChange;
}
async function goBack() {
  if (leaving || changing) return;
  if (outbox.why()) {
    complain(say("back_waits"));
    outbox.flush();
    return;
  }
  const waits = outbox.waiting(), link = $("back");
  if (!waits.length && !link.href) return;
  keys.hold();
  form.inert = true;
  leaving = { node: $("issue"), title: document.title };
  const comes = waits.length
    ? waits.findLast((record) => record.kind === "submit")?.issue
    : Number(new URL(link.href).searchParams.get("issue"));
  if (answered && answered.issue === comes) {
    $("issue").replaceWith(answered.node);
    document.title = answered.title;
    main.scrollTop = 0;
  }
  announce(say("going_back"));
  const isSaved = await drafts.settled();
  if (!leaving) return;
  drafts.state("going_back");
  await outbox.flush();
  if (!leaving) return;
  const url = $("back").href;
  if (outbox.waiting().length || !url) {
    stay();
    if (outbox.waiting().length) complain(say("back_waits"));
    return;
  }
  const page = await ownLabel(url);
  if (!leaving) return;
  if (page === undefined) {
    stay();
    complain(say("no_answer"));
  } else if (page) showAgain(page, url, isSaved);
  else leaveFor(url, comes); // others can see it, or it has other categories: another page
}
// The page of one of the member's labels; null if it has not the form of this page, undefined without an
// answer.
async function ownLabel(url) {
  try {
    const response = await fetch(url, { headers: { Accept: "text/html" } });
    if (response.status >= 500) return undefined;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const version = page.querySelector("#turn [name=version]")?.value;
    const isHere = response.ok && page.getElementById("label-form")?.dataset.mode === "change";
    return isHere && version === hidden("version").value ? page : null;
  } catch {
    return undefined;
  }
}
function showAgain(page, url, isSaved) {
  if (!isChange && !idle) {
    const turn = $("turn"), { category, summary: text, unsure: isUnsure, ...proposed } = content();
    if (isSaved) {
      Object.assign(turn.dataset, {
        category: category ?? "",
        summary: text,
        unsure: isUnsure ? "1" : "",
        proposedName: proposed.proposed_name,
        proposedReason: proposed.proposed_reason,
      });
    }
    aside = {
      ...leaving,
      issue: current(),
      turn,
      skip_turn: $("skip-turn"),
      note: [...$("of-label").childNodes],
    };
  }
  leaving = null;
  idle = null;
  const its = page.getElementById("label-form");
  for (const part of ["issue", "turn", "pace", "recent", "back", "of-label"]) {
    swap(part, page.getElementById(part));
  }
  setMode("change", its.getAttribute("action"));
  if (guideline && hidden("guideline")) hidden("guideline").value = guideline;
  document.title = page.title;
  history.pushState(null, "", url);
  place = location.href;
  form.inert = false;
  complain("");
  begin();
  main.scrollTop = 0;
  main.focus({ preventScroll: true });
  announce($("issue").querySelector("h1").textContent);
  keys.release();
}
// Not gone back: the page is as it was, and the keys that waited are for nothing.
function stay() {
  if (!leaving) return false;
  notTaken(keys.drop());
  $("issue").replaceWith(leaving.node);
  document.title = leaving.title;
  leaving = null;
  form.inert = idle !== null;
  drafts.state("");
  if (idle && held.length) show(held.shift(), idle.said);
  else if (idle && !outbox.waiting().length) leaveFor(form.dataset.next);
  return true;
}
// The browser loads another page. Keys that come meanwhile are meant for the issue of that page, and act
// there; `issue` is the one that it must have, if only one is meant. Keys that nobody can take are said.
const CARRIED = "keys", SOON = 20000; // ms for which they are carried
let carries = null;
function leaveFor(url, issue = null) {
  keys.hold();
  carries = { issue, store: form.dataset.store };
  location.assign(url);
}
addEventListener("pagehide", () => {
  const typed = carries && keys.waiting();
  if (!typed?.length) return;
  try {
    sessionStorage.setItem(CARRIED, JSON.stringify({ ...carries, typed, at: Date.now() }));
  } catch { /* no storage: they are lost */ }
});
addEventListener("pageshow", (event) => {
  if (!event.persisted || !carries) return;
  carries = null;
  keys.drop();
});
function takeCarried() {
  let carried = null;
  try {
    carried = JSON.parse(sessionStorage.getItem(CARRIED));
    sessionStorage.removeItem(CARRIED);
  } catch { /* nothing was carried */ }
  if (!carried || Date.now() - carried.at > SOON) return;
  const issue = form && !idle ? current() : 0;
  // No label that was opened since.
  const isNext = carried.issue === null ? !isChange : carried.issue === issue;
  const isMeant = issue && carried.store === form.dataset.store && isNext;
  const held = keys || makeHeldKeys({ onEscape: () => false });
  held.add(carried.typed);
  if (isMeant && !document.querySelector("dialog[open]")) held.release();
  else notTaken(held.drop());
}
function notTaken(typed) {
  if (typed) toast(say("keys_not_taken", { keys: typed }), "warn");
}
addEventListener("popstate", () => {
  if (location.href.split("#")[0] !== place.split("#")[0]) location.reload();
});

const signIn = form && makeSignIn(() => {
  drafts.save();
  outbox.flush();
  askAhead();
});
const drafts = form && makeDrafts(form, {
  content,
  issue: current,
  revision: () => hidden("revision"),
  version: () => hidden("version").value,
  isIdle: () => idle !== null,
  differ,
  signIn: () => signIn.open(),
  refused: (answer, status) => complain(answer.detail || say("refused_status", { n: status })),
});
const outbox = form && makeOutbox(`${form.dataset.store}outbox`, {
  have,
  change: drawOutbox,
  signedOut() {
    if (!isField(document.activeElement)) signIn.open();
  },
  stored(_record, answer) {
    swapOwn(answer);
    suggestPause();
    if (answer.saved) picker.countOneMore(answer.saved.category);
    signIn.close();
    isAll = false;
    hold(answer.next);
    if (leaving) return;
    if (!idle) {
      askAhead();
      return;
    }
    if (answer.go || !outbox.waiting().length) leaveFor(answer.go ?? form.dataset.next);
  },
  newGuideline(record, answer) {
    stay();
    if (idle?.record.key !== record.key) {
      showChanges(answer, () => outbox.setGuideline(guideline));
      return;
    }
    takeUpAgain(answer);
    outbox.drop(record.key);
    showChanges(answer, null);
    drafts.changed();
  },
  refused(record, answer, status) {
    stay();
    announce(""); // what was said when the answer was sent is not so; the refusal is an alert
    swapOwn(answer);
    const detail = answer.detail || say("refused_status", { n: status });
    if (idle?.record.key === record.key) {
      takeUpAgain(answer);
      refuseHere({ ...answer, detail }, status);
      if (!answer.kept) drafts.changed();
      return true;
    }
    // The text goes back to its issue: opening it shows what was typed beside what stands there.
    answer.detail = detail;
    if (record.content) {
      drafts.put(record.issue, {
        ...record.content,
        revision: -1,
        posted: null,
        saved: 0,
        version: new Map(record.fields).get("version"),
      });
    }
    return false;
  },
});
let slow = 0;
function drawOutbox() {
  if (!outbox) return;
  const waits = outbox.waiting(), why = outbox.why(), box = $("outbox");
  if (why && leaving) {
    stay();
    complain(say("back_waits"));
  }
  document.body.dataset.outbox = waits.length;
  clearTimeout(slow);
  const draw = () => {
    const words = waits.length === 1 ? "one" : "some";
    const text = !waits.length
      ? ""
      : say(why ? `${why}_${words}` : `sending_${words}`, { n: waits.length, email: form.dataset.email });
    if (box.querySelector(".text").textContent !== text) box.querySelector(".text").textContent = text;
    box.hidden = !text;
    for (const part of box.querySelectorAll("[data-when]")) part.hidden = part.dataset.when !== why;
  };
  if (why || !waits.length) draw();
  else slow = setTimeout(draw, 1500); // an ordinary answer is there before it is worth a line
  const notes = outbox.returned().map((record) => {
    const note = $("came-back").content.firstElementChild.cloneNode(true);
    note.querySelector("[data-said]").textContent = say("not_stored", {
      issue: record.name,
      why: record.refused.said,
    });
    note.querySelector("[data-text]").textContent = record.content ? inWords(record.content) : "";
    note.querySelector("a").href = `${form.dataset.next}?issue=${record.issue}`;
    note.querySelector("button").addEventListener("click", () => {
      outbox.drop(record.key);
      drafts.forget(record.issue);
    });
    return note;
  });
  if (why !== "guideline") $("returned").replaceChildren(...notes);
  if (idle && why) drawIdle();
}

// ---- The guideline: fetched when it is asked for; what is new in it until its reader has said so.
async function openGuideline() {
  const dialog = $("guideline");
  if (!dialog) return;
  dialog.showModal();
  const box = dialog.querySelector(".in");
  if (box.dataset.loaded) return;
  try {
    const response = await fetch(dialog.dataset.url, {
      headers: { "HX-Request": "true", "HX-Target": "text" },
    });
    if (!response.ok || response.redirected || response.headers.has("HX-Retarget")) {
      throw new Error(String(response.status));
    }
    box.innerHTML = await response.text();
    box.dataset.loaded = "1";
  } catch {
    box.textContent = say("guideline_lost");
  }
}
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-guideline]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openGuideline();
});
$("news")?.querySelector("form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { status } = await post(event.target.action, new FormData(event.target), { redirect: "manual" });
  if (status >= 200 && status < 400) {
    $("news").remove();
    main.focus({ preventScroll: true });
    announce(say("guideline_read"));
  } else complain(say("no_answer"));
});

// A long stretch without a pause: said once in half an hour, gently.
let rested = 0;
function suggestPause() {
  const minutes = Number($("pace").dataset.stretch ?? 0);
  if (!minutes) rested = 0;
  if (!minutes || minutes < rested) return;
  rested = minutes + 30;
  const note = $("pause").content.firstElementChild.cloneNode(true);
  note.querySelector("[data-minutes]").textContent = say("minutes", { n: minutes });
  $("care").replaceChildren(note);
}

// ---- Keys
function onEnter(event) {
  event.preventDefault();
  if (!form) {
    $("next")?.click();
    return;
  } // in a training the right label stands here
  if (event.repeat || idle) return; // a key held down must not submit what it has just chosen
  const active = picker.active(), isIn = event.target === find;
  if (event.ctrlKey) {
    if (isField(event.target) && !isIn) form.requestSubmit(submit);
    else if (!active || picker.choose(active)) form.requestSubmit(submit);
    return;
  }
  if (searched && !active) {
    announce(say("nothing_found"));
    return;
  }
  // What was searched for is confirmed first, even if it is what was chosen before.
  if (active && (active !== picker.chosen() || searched)) {
    picker.choose(active);
    tree.focus({ preventScroll: true });
  } else form.requestSubmit(submit);
}
function startFinding(text) {
  if (idle) return;
  find.focus();
  find.value = text;
  searched = text !== "";
  picker.look();
}
const fold = (open) => {
  for (const part of $("issue").querySelectorAll("details.fold")) part.open = open;
};
const scroll = (by) =>
  main.scrollBy({
    top: by,
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth",
  });
const working = (act) => () => {
  if (!idle) act();
};
listenToKeys(picker, {
  b: () => (form ? goBack() : $("back")?.click()),
  o: () => $("original")?.click(),
  g: openGuideline,
  j: () => scroll(140),
  k: () => scroll(-140),
  "[": () => fold(false),
  "]": () => fold(true),
  "?": () => $("keys").showModal(),
  ...(form && {
    "/": working(() => {
      find.focus();
      find.select();
    }),
    s: working(() => {
      sheet(true);
      summary.focus();
    }),
    p: working(() => {
      sheet(true);
      misfit.open = true;
      proposedName.focus();
    }),
    x: working(() => isChange || $("skip-button")?.click()),
    u: working(() => {
      unsure.checked = !unsure.checked;
      drafts.changed();
      announce(say(unsure.checked ? "unsure" : "sure"));
    }),
  }),
}, { onEnter, startFinding, isHeld: (event) => Boolean(keys?.takes(event)) });

function sheet(open) {
  document.body.dataset.sheet = open ? "open" : "peek";
  document.querySelector(".grab")?.setAttribute("aria-expanded", open);
}
if (form) {
  begin();
  drawOutbox();
  suggestPause();
  const before = outbox.waiting().find((record) => record.issue === current());
  if (before) wait(before); // answered, and the page was loaded again before the answer had arrived
  if (outbox.waiting().length) outbox.flush();
  addEventListener("load", () => setTimeout(askAhead));
  form.addEventListener("submit", onSubmit);
  $("skip")?.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (idle) return;
    const source = event.target;
    $("skip").close();
    send("skip", source, say("skipped", { issue: $("turn").dataset.name }));
    source.reset();
  });
  for (const field of [summary, proposedName, proposedReason]) {
    field.addEventListener("input", () => {
      drawForm();
      drafts.changed();
    });
  }
  unsure.addEventListener("change", () => drafts.changed());
  find.addEventListener("input", () => {
    searched = find.value.trim() !== "";
    picker.look();
  });
  find.addEventListener("focus", () => sheet(true));
  misfit.addEventListener("toggle", () => {
    if (misfit.open) sheet(true);
  });
  $("take-back").addEventListener("click", takeBack);
  $("no-near").addEventListener("click", () => {
    picker.select(null);
    picker.activate(null);
    drawForm();
    drafts.changed();
  });
  $("try-now").addEventListener("click", () => outbox.flush());
  $("sign-in-now").addEventListener("click", signIn.open);
  document.addEventListener("click", (event) => {
    if (event.target.closest("a#back") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      goBack();
    }
    const pick = event.target.closest("[data-pick]");
    if (!pick) return;
    find.value = "";
    picker.look();
    picker.choose(picker.byId.get(Number(pick.dataset.pick)));
    if (!isPhone()) tree.focus({ preventScroll: true });
  });
  addEventListener("online", askAhead);
}
takeCarried();
