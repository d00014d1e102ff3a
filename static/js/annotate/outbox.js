// What is on its way to the server: drafts that save themselves, answers that are sent once, and signing in
// again.

import { $, announce, cookie, make, pause, say } from "../core/page.js";

// ---- Posting
// Post a form for JSON. `status` is 0 without a connection, 401 for a session that has ended.
export async function post(url, fields, { keepalive = false, redirect = "follow" } = {}) {
  const body = new URLSearchParams(fields);
  const token = cookie("csrftoken") ?? body.get("csrfmiddlewaretoken");
  body.set("csrfmiddlewaretoken", token);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      keepalive,
      redirect,
      headers: { Accept: "application/json", "X-CSRFToken": token },
    });
    if (response.type === "opaqueredirect") return { status: 303, answer: {} };
    const isJson = response.headers.get("content-type")?.includes("json");
    const answer = isJson ? await response.json() : {};
    // Without its cookie a form is refused before anybody is asked who sent it.
    return { status: answer.code === "csrf" ? 401 : response.status, answer };
  } catch {
    return { status: 0, answer: {} };
  }
}

// ---- Drafts
// Drafts of the issue on the page: saved a moment after each change; until the server has one, a copy stays
// in this browser.
// `page` says what the form holds, and takes what stands elsewhere (differ) and why one was refused.
export function makeDrafts(form, page) {
  const FRESH = 10; // s for which a page that was asked for before the last save may show less than was saved
  const SOON = 800; // ms after the last change
  let timer = 0, saving = null, dirty = false, isRefused = false, savedAt = 0, tries = 0, posted = null;
  const key = (issue) => form.dataset.store + issue;
  const drafts = {
    state,
    changed,
    save,
    wasSaved,
    // Save what is not saved yet, also what was typed while a draft was under way. Is all of it saved?
    async settled() {
      for (let n = 0; n < 2; n += 1) {
        save();
        await saving;
      }
      return !dirty && !isRefused;
    },
    // The page shows another issue, or nothing that could be saved.
    reset() {
      clearTimeout(timer);
      [dirty, isRefused, savedAt, tries, posted] = [false, false, 0, 0, null];
      state("");
    },
    // No more drafts of this issue: its answer comes. Returns the one that is under way.
    stop() {
      clearTimeout(timer);
      dirty = false;
      return saving;
    },
    isFresh: (kept) => Date.now() - kept.saved < FRESH * 1000,
    keep(saved = 0) {
      drafts.put(page.issue(), {
        ...page.content(),
        revision: Number(page.revision().value),
        version: page.version(),
        posted,
        saved,
      });
    },
    put(issue, text) {
      try {
        localStorage.setItem(key(issue), JSON.stringify(text));
      } catch { /* no storage: the server has all but the last second */ }
    },
    read() {
      try {
        return JSON.parse(localStorage.getItem(key(page.issue())));
      } catch {
        return null;
      }
    },
    forget(issue = page.issue()) {
      try {
        localStorage.removeItem(key(issue));
      } catch { /* nothing was kept */ }
    },
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
    if (seconds > FRESH) drafts.forget();
    state(seconds < 2 ? "saved_now" : seconds < 60 ? "saved_seconds" : "saved_minutes", {
      n: seconds < 60 ? seconds : Math.round(seconds / 60),
    }, { good: true });
  }
  function wasSaved(at) {
    savedAt = at;
    tick();
  }
  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  }
  function changed() {
    dirty = true;
    savedAt = 0;
    drafts.keep();
    state("unsaved");
    later(SOON);
  }
  function save({ keepalive = false } = {}) {
    clearTimeout(timer);
    if (!dirty || saving || page.isIdle()) return; // what comes meanwhile is saved after it, or from the copy
    dirty = isRefused = false;
    posted = page.content();
    drafts.keep();
    const issue = page.issue();
    state("saving");
    saving = post(form.dataset.draft, new FormData(form), { keepalive }).then(({ status, answer }) => {
      saving = null;
      // The page has moved on, and the answer takes the draft along.
      if (page.isIdle() || page.issue() !== issue) return;
      isRefused = status < 200 || status >= 300;
      if (status >= 200 && status < 300) {
        page.revision().value = answer.revision;
        tries = 0;
        if (dirty) later(SOON);
        else {
          drafts.keep(Date.now());
          wasSaved(Date.now());
        }
      } else if (answer.stored) page.differ(answer.detail, answer.stored);
      else if (status === 401) {
        dirty = true;
        const again = make("button", "linkish", say("sign_in"));
        again.type = "button";
        again.addEventListener("click", page.signIn);
        state("signed_out", {}, { link: again });
        later(5000);
      } else if (status === 0 || status === 429 || status >= 500) {
        dirty = true;
        tries += 1;
        state("offline");
        later(Math.min(30000, 1000 * 2 ** tries));
      } else {
        state(answer.kept ? "saved_now" : "refused");
        page.refused(answer, status);
      }
    });
  }
  setInterval(tick, 1000);
  addEventListener("pagehide", () => save({ keepalive: true }));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) save({ keepalive: true });
  });
  addEventListener("online", () => save());
  return drafts;
}

// ---- Signing in
// Signing in again without leaving the page.
// `then` goes on with what waited.
export function makeSignIn(then) {
  const dialog = $("sign-in"), said = $("sign-in-said");
  dialog.querySelector("form.again")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const { status, answer } = await post(form.action, new FormData(form));
    if (status === 200) {
      form.reset();
      said.textContent = "";
      dialog.close();
      announce(say("signed_in"));
      then();
      return;
    }
    const errors = answer.form
      ? [...answer.form.errors, ...Object.values(answer.form.fields).flatMap((field) => field.errors)]
      : [];
    said.textContent = errors.join(" ") ||
      say(status === 429 ? "too_often" : status === 0 ? "no_answer" : "refused_status", { n: status });
    form.elements.password.select();
  });
  return {
    open() {
      if (!document.querySelector("dialog[open]")) dialog.showModal();
      dialog.querySelector("input[type=password]")?.focus();
    },
    close() {
      dialog.close();
    },
  };
}

// ---- The outbox
// Answers are kept in this browser until they are stored, and sent in order. One outbox per round and member,
// in localStorage: it outlives the page, and a member's answers are never sent for somebody else (the server
// compares the `member` of each form as well). Each answer carries the key of its form, so that the server
// stores it once, however often it arrives. Several tabs share the outbox; one at a time sends.
// `on` is told: change(outbox) whenever what waits, or why, is another; stored(record, answer);
// refused(record, answer, status) where the server said no: true takes the record back into the form, else it
// is kept as returned.
export function makeOutbox(name, on) {
  const SLOWEST = 30000; // ms between two tries
  let unstored = null; // where localStorage is closed or full: in memory, better than not at all
  let why = "", tries = 0, timer = 0, running = null;
  const settled = new Map(); // form key -> what has to arrive before it

  function read() {
    if (unstored) return unstored;
    try {
      return JSON.parse(localStorage.getItem(name)) ?? [];
    } catch {
      return [];
    }
  }
  function write(records) {
    try {
      if (records.length) localStorage.setItem(name, JSON.stringify(records));
      else localStorage.removeItem(name);
      unstored = null;
    } catch {
      unstored = records;
    }
  }
  const update = (change) => {
    write(change(read()));
    on.change(outbox);
  };
  const waiting = () => read().filter((record) => !record.refused);
  const drop = (key) => update((records) => records.filter((record) => record.key !== key));
  function hold(reason) {
    why = reason;
    on.change(outbox);
  }

  // Only one tab sends at a time, where the browser has locks (a page over plain http has none; the form keys
  // hold there).
  const alone = (act) => (navigator.locks ? navigator.locks.request(name, act) : act());

  async function sendFirst() {
    const record = waiting()[0];
    if (!record) return false;
    await Promise.race([settled.get(record.key), pause(5000)]);
    const have = on.have(record.issue).map((issue) => ["have", issue]);
    const { status, answer } = await post(record.url, [...record.fields, ...have]);
    if (status >= 200 && status < 400) {
      tries = 0;
      why = "";
      settled.delete(record.key);
      drop(record.key);
      on.stored(record, answer);
      return true;
    }
    if (status === 0 || status === 429 || status >= 500) {
      tries += 1;
      clearTimeout(timer);
      timer = setTimeout(flush, Math.min(SLOWEST, 1000 * 2 ** (tries - 1)));
      hold(status === 0 ? "offline" : "busy");
      return false;
    }
    if (status === 401) {
      hold("signed_out");
      on.signedOut();
      return false;
    }
    if (answer.code === "SomebodyElse") {
      hold("somebody_else");
      return false;
    }
    if (answer.code === "StaleGuideline" && answer.guideline) {
      hold("guideline");
      on.newGuideline(record, answer);
      return false;
    }
    tries = 0;
    why = "";
    if (on.refused(record, answer, status)) drop(record.key);
    else {update((records) =>
        records.map((
          one,
        ) => (one.key === record.key
          ? { ...one, refused: { said: answer.detail ?? "", stored: answer.stored ?? null } }
          : one)
        )
      );}
    return true;
  }
  function flush() {
    clearTimeout(timer);
    running ??= alone(async () => {
      while (await sendFirst());
    }).finally(() => {
      running = null;
      if (!why && waiting().length) flush(); // added while the last one was being left
    });
    return running;
  }

  const outbox = {
    flush,
    drop,
    waiting,
    returned: () => read().filter((record) => record.refused),
    why: () => why,
    has: (issue) => read().some((record) => record.issue === issue && !record.refused),
    // Keep an answer and send it as soon as `after` (the draft that is under way) has arrived.
    add(record, after) {
      settled.set(record.key, after);
      update((records) => [...records.filter((one) => one.key !== record.key), record]);
      if (!why || navigator.onLine) flush();
    },
    // Go on with another guideline than the answers were made under: their author has read it now.
    setGuideline(id) {
      why = "";
      update((records) =>
        records.map((record) => ({
          ...record,
          fields: record.fields.map(([field, value]) => [field, field === "guideline" ? String(id) : value]),
        }))
      );
      return flush();
    },
    isSending: () => running !== null,
  };
  addEventListener("online", flush);
  addEventListener("offline", () => hold("offline"));
  // Somebody may have signed in again, or sent the rest, in another tab.
  addEventListener("focus", () => {
    if (waiting().length) flush();
  });
  addEventListener("storage", (event) => {
    if (event.key === name) on.change(outbox);
  });
  return outbox;
}
