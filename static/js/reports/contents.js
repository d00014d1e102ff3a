// The contents of a long report: a link to each part that is there, and the part in sight marked.

import { $, make } from "../core/page.js";

const contents = $("contents");
const parts = [...document.querySelectorAll("main .card")].filter((card) =>
  card.querySelector("h2:not(.sr)")
);
const links = new Map(parts.map((part, nth) => {
  const head = part.querySelector("h2:not(.sr)");
  head.id ||= `part-${nth}`;
  const link = make("a", "", head.textContent.trim());
  link.href = `#${head.id}`;
  return [part, link];
}));

contents.append(...links.values());
contents.hidden = links.size < 3;

const inSight = new Set();
let chosen; // Parts stand side by side: the one whose link was pressed, until it is out of sight.

// The part that is read is the chosen one, or else the first in sight.
function mark() {
  const read = inSight.has(chosen) ? chosen : parts.find((part) => inSight.has(part));
  for (const [part, link] of links) {
    if (part !== read) {
      link.removeAttribute("aria-current");
    } else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "true");
      contents.scrollTo({ left: link.offsetLeft - contents.offsetLeft - 40 });
    }
  }
}

function follow(entries) {
  for (const entry of entries) {
    if (entry.isIntersecting) inSight.add(entry.target);
    else inSight.delete(entry.target);
  }
  if (chosen && !inSight.has(chosen)) chosen = undefined;
  mark();
}

contents.addEventListener("click", (event) => {
  const pressed = parts.find((part) => links.get(part) === event.target);
  if (!pressed) return;
  chosen = pressed;
  inSight.add(pressed);
  mark();
});

const watcher = new IntersectionObserver(follow, { rootMargin: "-96px 0px -40% 0px" });
for (const part of parts) watcher.observe(part);
