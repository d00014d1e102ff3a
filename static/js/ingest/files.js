// Files that are dropped or chosen, one after another, also folders with all that is in them: they
// gather in the form's one field for files. A browser sends names without folders: the paths go along in
// a field of their own.
import { say } from "../core/page.js";

const SHOWN = 8;
const LEFT = 200;
const units = ["byte", "kilobyte", "megabyte", "gigabyte"];

for (const chooser of document.querySelectorAll(".chooser")) tend(chooser);

function tend(chooser) {
  const zone = chooser.querySelector(".drop");
  const field = zone.querySelector('input[type="file"]:not([webkitdirectory])');
  const folder = zone.querySelector("input[webkitdirectory]");
  const { paths, left } = field.form.elements;
  const most = Number(chooser.dataset.most) || Infinity;
  const kinds = field.accept.split(",");
  let chosen = new Map(); // path to file
  let others = new Set(); // paths of what is not sent

  function add(found) {
    for (const [path, file] of found) {
      const name = path.split("/").at(-1).toLowerCase();
      if (path.split("/").some((step) => step.startsWith("."))) continue;
      if (kinds.some((kind) => name.endsWith(kind))) chosen.set(path, file);
      else others.add(path);
    }
    show();
  }

  function show() {
    const held = new DataTransfer();
    for (const file of chosen.values()) held.items.add(file);
    field.files = held.files;
    if (folder) folder.value = "";
    if (paths) paths.value = JSON.stringify([...chosen.keys()]);
    if (left) left.value = JSON.stringify([...others].slice(0, LEFT));
    field.setCustomValidity(chosen.size > most ? say("most", { n: most }) : "");
    const box = chooser.querySelector(".chosen");
    box.replaceChildren();
    if (!chosen.size && !others.size) return;
    box.append(chooser.querySelector("template").content.cloneNode(true));
    const size = [...chosen.values()].reduce((sum, file) => sum + file.size, 0);
    box.querySelector("b").textContent = say("chosen", { n: chosen.size, size: readable(size) });
    const lines = [...chosen.keys()].slice(0, SHOWN);
    if (chosen.size > SHOWN) lines.push(say("more", { n: chosen.size - SHOWN }));
    if (others.size) lines.push(say("left", { n: others.size, names: [...others].slice(0, 3).join(", ") }));
    if (chosen.size > most) lines.unshift(say("most", { n: most }));
    for (const line of lines) {
      const item = document.createElement("li");
      item.textContent = line;
      box.querySelector("ul").append(item);
    }
    box.querySelector("button").addEventListener("click", () => {
      chosen = new Map();
      others = new Set();
      show();
      field.focus();
    });
  }

  field.addEventListener("change", () => add([...field.files].map((file) => [file.name, file])));
  folder?.addEventListener(
    "change",
    () => add([...folder.files].map((file) => [file.webkitRelativePath || file.name, file])),
  );
  // Before the page's own handler, which knows no folders.
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.remove("over");
    // Entries can be asked for only now, before anything is awaited.
    const dropped = [...event.dataTransfer.items]
      .filter((item) => item.kind === "file")
      .map((item) => [item.webkitGetAsEntry?.(), item.getAsFile()]);
    const found = [];
    for (const [entry, file] of dropped) {
      if (entry) await walk(entry, "", found);
      else if (file) found.push([file.name, file]);
    }
    add(found);
  });
  addEventListener("pageshow", () => {
    if (field.files.length && !chosen.size) add([...field.files].map((file) => [file.name, file]));
  });
}

// All files of an entry, with their paths from what was dropped.
async function walk(entry, above, found) {
  const path = above + entry.name;
  if (entry.isFile) {
    found.push([path, await new Promise((done, failed) => entry.file(done, failed))]);
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const one of some) await walk(one, `${path}/`, found);
  }
}

// A size as people read it: "3.4 MB".
function readable(size) {
  const step = Math.min(units.length - 1, Math.floor(Math.log(Math.max(size, 1)) / Math.log(1000)));
  const language = document.documentElement.lang || "en";
  return new Intl.NumberFormat(language, { style: "unit", unit: units[step], maximumFractionDigits: 1 })
    .format(size / 1000 ** step);
}
