// Lets a reader take a table along: a button below each gives its rows as CSV (csv.js). Nothing is sent anywhere.
(() => {
  "use strict";

  const { LARGE_TABLE, element, load, whenShown } = globalThis.budgetPage;
  const TITLE = "Download this table as CSV";

  async function take(table) {
    await load("csv.js");
    await globalThis.budgetPage.take(table);
  }

  function start() {
    for (const table of document.querySelectorAll(`${LARGE_TABLE}:not([data-taken])`)) {
      table.dataset.taken = "";
      const onclick = () => take(table);
      const button = element("button", { type: "button", ariaLabel: TITLE, title: TITLE, onclick }, "CSV");
      (table.closest(".md-typeset__scrollwrap") ?? table).after(element("div", { className: "takes" }, button));
    }
  }

  whenShown(start);
})();
