// Opens the derivation of a figure where the figure stands (derivation.js). Where that cannot be, as without scripts, the
// link leads to the page of derivations. On that page, links open the section that they lead into.
(() => {
  "use strict";

  const { element, load, whenShown } = globalThis.budgetPage;

  const PAGES = /\/(derivations(-\d+)?|catalog)(\/|\/index\.html|\.html)?$/;
  const canOpen = "popover" in HTMLElement.prototype;

  async function open(link) {
    try {
      await load("derivation.js");
    } catch {
      location.href = link.href;
      return;
    }
    globalThis.budgetPage.openDerivation(link.href, link);
  }

  function follow(event) {
    const link = event.target.closest?.("a[href]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!link.closest("article, #figure-derivation") || "whole" in link.dataset || !link.hash) return;
    const elsewhere = link.origin !== location.origin || link.protocol === "file:" || !PAGES.test(link.pathname);
    if (elsewhere || link.pathname === location.pathname) return;
    event.preventDefault();
    open(link);
  }

  // A link into a folded section opens it; so does one to its heading.
  function unfold() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    const next = target.nextElementSibling;
    if (/^H[1-6]$/.test(target.tagName) && next?.matches("details")) next.open = true;
    const fold = () => target.closest("details:not([open])");
    if (!fold()) return;
    while (fold()) fold().open = true;
    target.scrollIntoView();
  }

  // Where a page has many sections, one button opens them all.
  function addOpener() {
    const folds = [...document.querySelectorAll("article > details:not([class])")];
    const heading = document.querySelector("article > h2");
    if (folds.length < 5 || !heading || !PAGES.test(location.pathname) || document.querySelector(".opens-all")) return;
    const onclick = () => {
      const shut = folds.some((fold) => !fold.open);
      for (const fold of folds) fold.open = shut;
      button.textContent = shut ? "Close all sections" : "Open all sections";
    };
    const button = element("button", { type: "button", onclick }, "Open all sections");
    heading.before(element("div", { className: "opens-all" }, button));
  }

  // A sum of runs leads to the page of runs; where another one has them all, with filters, it leads on to that.
  function goToRuns() {
    const all = document.querySelector(".to-all-runs a");
    if (all && location.search) location.replace(`${all.href}#${location.search.slice(1)}`);
  }

  function start() {
    addOpener();
    goToRuns();
    unfold();
  }

  if (canOpen) document.addEventListener("click", follow);
  window.addEventListener("hashchange", unfold);
  whenShown(start);
})();
