// The taxonomy's page: the chosen category stays marked in the tree, and in view on a narrow screen.

import { $ } from "../core/page.js";

document.addEventListener("click", (event) => {
  const chosen = event.target.closest(".p-tax .tree a.node");
  if (!chosen || event.metaKey || event.ctrlKey) return;
  for (const node of document.querySelectorAll(".p-tax .tree .node[aria-current]")) {
    node.removeAttribute("aria-current");
  }
  chosen.setAttribute("aria-current", "true");
  const field = document.querySelector(".p-tax .tfind [name=category]");
  if (field) field.value = chosen.dataset.code;
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "category" && matchMedia("(max-width: 1000px)").matches) {
    $("category").scrollIntoView({ block: "start" });
  }
});
