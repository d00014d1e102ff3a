// Changes of quotes on their way to the server: kept in this browser until they are stored, and sent one
// after the other, each with a key of its own, so that the server stores it once however often it arrives.

import { cookie } from "../core/page.js";

const SLOWEST = 30000; // ms between two tries

// 32 hexadecimal digits; randomUUID() is there on secure pages only.
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// `on` is told: change(how many wait, why they wait), and refused(record, answer, status).
export function makeQueue(url, name, on) {
  let unstored = null, why = "", tries = 0, timer = 0, running = null;

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
    } catch { // no storage, or full: in memory, better than not at all
      unstored = records;
    }
    on.change(records.length, why);
  }

  async function post(record) {
    const token = cookie("csrftoken") ?? document.querySelector("[name=csrfmiddlewaretoken]").value;
    const body = new URLSearchParams([...record.fields, ["form_key", record.key]]);
    body.set("csrfmiddlewaretoken", token);
    try {
      const response = await fetch(url, {
        method: "POST",
        body,
        headers: { Accept: "application/json", "X-CSRFToken": token },
      });
      const isJson = response.headers.get("content-type")?.includes("json");
      return { status: response.status, answer: isJson ? await response.json() : {} };
    } catch {
      return { status: 0, answer: {} };
    }
  }
  async function sendFirst() {
    const record = read()[0];
    if (!record) return false;
    const { status, answer } = await post(record);
    if (status === 401 || answer.code === "csrf" || status === 0 || status === 429 || status >= 500) {
      why = status === 401 || answer.code === "csrf" ? "signed_out" : "offline";
      tries += 1;
      clearTimeout(timer);
      timer = setTimeout(flush, Math.min(SLOWEST, 1000 * 2 ** (tries - 1)));
      on.change(read().length, why);
      return false;
    }
    [tries, why] = [0, ""];
    const isStored = status >= 200 && status < 300;
    // What was built on a refused change of the same quote goes with it.
    write(read().filter((one) => one.key !== record.key && (isStored || one.place !== record.place)));
    if (!isStored) on.refused(record, answer, status);
    return true;
  }
  // One tab sends at a time, where the browser has locks; elsewhere the keys hold.
  const alone = (act) => (navigator.locks ? navigator.locks.request(name, act) : act());
  function flush() {
    clearTimeout(timer);
    running ??= alone(async () => {
      while (await sendFirst());
    }).finally(() => {
      running = null;
      if (!why && read().length) flush(); // added while the last one was being left
    });
    return running;
  }
  addEventListener("online", flush);
  addEventListener("focus", () => {
    if (read().length) flush();
  });

  return {
    flush,
    waiting: read,
    add(place, fields) {
      write([...read(), { key: newKey(), place, fields }]);
      if (why !== "offline" || navigator.onLine) flush();
    },
  };
}
