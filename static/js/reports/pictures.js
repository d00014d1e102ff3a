// Pictures of the agreement page: specifications from the server, drawn by Vega-Lite when they come into
// view. The page has fetched the scripts by then, and the specifications are asked for at once: nobody waits
// for either. Expressions are interpreted (`ast`), so that the page's policy needs no `unsafe-eval`.

import { $ } from "../core/page.js";

const section = $("pictures");
const PHONE = 480;
const MARKS = ".dots_marks [aria-label], .cells_marks [aria-label], .bars_marks [aria-label]";
let scripts;

function load(address) {
  return new Promise((loaded, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.async = false; // all are fetched at once, and run in their order
    script.onload = loaded;
    script.onerror = () => failed(new Error(address));
    document.head.append(script);
  });
}
const loadAll = () => Promise.all(section.dataset.scripts.split(" ").map(load));

async function ask(width) {
  const answer = await fetch(`${section.dataset.pictures}&width=${width}`);
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

const font = getComputedStyle(document.body).fontFamily;
const figures = [...section.querySelectorAll("[data-picture]")];
const specs = ask(figures[0]?.clientWidth < PHONE ? "phone" : "screen");
specs.catch(() => {}); // each picture says so

// Print colours become tokens of the page: the browser resolves them anew when the theme changes.
function dress(spec, width) {
  const ink = "var(--ink-2)";
  spec.background = "transparent";
  spec.width = width;
  spec.autosize = { type: "fit-x", contains: "padding" };
  spec.config.font = font;
  Object.assign(spec.config.axis, { labelColor: ink, titleColor: ink, gridColor: "var(--line)" });
  spec.config.rule = { color: "var(--ink-3)" };
  for (const { name, mark, encoding } of spec.layer) {
    const scale = encoding.color?.scale;
    if (name === "dots" || name === "whiskers" || name === "besides") {
      scale.range = ["a", "b", "c", "ink", "ink"].map((hue) => `var(--${hue})`);
    }
    if (name === "cells") {
      scale.range = scale.domain.map((step) => `var(--h${step})`);
      mark.stroke = "var(--surface)";
    }
    if (name === "bars") scale.range = ["var(--h6)", "var(--h3)"];
    if (name === "numbers") scale.range = scale.domain.map((step) => `var(--h${step}-ink)`);
  }
  return spec;
}

// Cells keep room for their numbers: a heat map with many is scrolled.
function least(spec) {
  const cells = spec.layer.find(({ name }) => name === "cells");
  if (!cells) return 0;
  const { x, y } = cells.encoding;
  const longest = Math.max(...Object.values(spec.datasets).flat().map(({ text }) => text.length));
  return y.axis.labelLimit + x.scale.domain.length * Math.max(24, 7 * longest + 8);
}

// Arrow keys go from mark to mark; what a mark says stands below the picture, and is read out.
function guide(plot, told) {
  let at = -1;
  const marks = () => [...plot.querySelectorAll(MARKS)];
  const show = (index) => {
    at = index;
    marks().forEach((mark, place) => mark.classList.toggle("on", place === at));
    told.textContent = marks()[at]?.getAttribute("aria-label") ?? "";
  };
  plot.addEventListener("keydown", (event) => {
    const last = marks().length - 1;
    const next = {
      ArrowRight: Math.min(at + 1, last),
      ArrowDown: Math.min(at + 1, last),
      ArrowLeft: Math.max(at - 1, 0),
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: last,
      Escape: -1,
    }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(next);
    marks()[at]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  plot.addEventListener("focus", () => {
    told.textContent = section.dataset.keys;
  });
  plot.addEventListener("blur", () => show(-1));
  return (_handler, _event, _item, value) => {
    if (value) told.textContent = value;
    else if (at < 0) told.textContent = "";
  };
}

// A picture is as wide as its place. It is asked once for all that come into view, before the first is drawn:
// each that asked after another was drawn would lay out the whole page.
const widths = new Map();
const watched = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const { view, width } = widths.get(target) ?? {};
    if (!view || !contentRect.width || Math.abs(contentRect.width - width) < 1) continue;
    widths.set(target, { view, width: contentRect.width });
    view.width(contentRect.width).runAsync();
  }
});

async function draw(figure) {
  const plot = figure.querySelector(".plot"), told = figure.querySelector(".told");
  try {
    scripts ??= loadAll();
    const spec = (await specs)[figure.dataset.picture];
    await scripts;
    const width = Math.max(plot.clientWidth, least(spec));
    await Promise.resolve();
    dress(spec, width);
    const canvas = plot.appendChild(document.createElement("div"));
    canvas.className = "canvas";
    canvas.style.minWidth = `${least(spec)}px`;
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-labelledby", figure.getAttribute("aria-labelledby"));
    const { view } = await vegaEmbed(canvas, spec, {
      actions: false,
      ast: true,
      defaultStyle: false,
      logLevel: vega.Error,
      renderer: "svg",
      tooltip: guide(plot, told),
    });
    figure.dataset.drawn = "";
    widths.set(canvas, { view, width });
    watched.observe(canvas);
  } catch {
    plot.hidden = true;
    told.textContent = section.dataset.failed;
  }
}

const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    target.querySelector(".told").hidden = target.querySelector(".plot").hidden = false;
    draw(target);
  }
}, { rootMargin: "200px" });
for (const figure of figures) watcher.observe(figure);
