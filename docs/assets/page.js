// The script of every page: what the other scripts share, and which of them this page has a use for. The others stand
// beside it, and are loaded where they have something to do; a page is whole without any of them.
(() => {
  "use strict";

  // The tables that readers may sort and take along.
  const LARGE_TABLE = "article table:has(> thead th:nth-child(3)):has(tbody tr:nth-child(3))";
  // What a page has to hold for each script, in the order in which they begin.
  const USED = {
    "charts.js": "figure.chart[data-spec]",
    "adding.js": "a[href*='date%3A%20YYYY-MM-DD']",
    "tables.js": "article :is(table, pre, figure.chart), .md-search",
    "sorting.js": LARGE_TABLE,
    "taking.js": LARGE_TABLE,
    "filtering.js": ".all-runs",
    "tracing.js": "article :is(details, a[href*='#'], .to-all-runs)",
    "printing.js": "article",
    "aging.js": "article time[datetime]",
  };
  const here = document.currentScript.src;
  const loaded = new Map(); // a promise for each script, by its name

  // Starts a script once a page is there: Material says when through document$, also where it swaps pages without loading
  // them.
  function whenShown(start) {
    if (window.document$) window.document$.subscribe(start);
    else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  }

  // A part of a page with some properties, and what is in it.
  function element(name, properties, ...inside) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  }

  // A script that stands beside this one, loaded once. An element, as a page that is opened from a folder can import nothing.
  function load(name) {
    if (!loaded.has(name)) {
      const script = new Promise((resolve, reject) => {
        const src = new URL(name, here).href;
        const onerror = () => reject(new Error(`${src} cannot be loaded`));
        document.head.append(element("script", { src, async: false, onload: resolve, onerror }));
      });
      loaded.set(name, script);
    }
    return loaded.get(name);
  }

  function start() {
    for (const [name, used] of Object.entries(USED)) {
      if (document.querySelector(used)) load(name).catch((error) => console.warn(error.message));
    }
  }

  globalThis.budgetPage = { LARGE_TABLE, element, load, whenShown };
  whenShown(start);
})();
