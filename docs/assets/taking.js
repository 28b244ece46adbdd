// Lets a reader take a table along: a button below each gives its rows as CSV (csv.js). Nothing is sent anywhere.
(() => {
  "use strict";

  const { element, load, whenShown } = globalThis.budgetPage;
  const TITLE = "Download this table as CSV";

  async function take(table) {
    await load("csv.js");
    await globalThis.budgetPage.take(table);
  }

  function start() {
    const tables = "article table:has(> thead th:nth-child(3)):has(tbody tr:nth-child(3)):not([data-taken])";
    for (const table of document.querySelectorAll(tables)) {
      table.dataset.taken = "";
      const button = element("button", { type: "button", ariaLabel: TITLE, title: TITLE }, "CSV");
      button.addEventListener("click", () => take(table));
      (table.closest(".md-typeset__scrollwrap") ?? table).after(element("div", { className: "takes" }, button));
    }
  }

  whenShown(start);
})();
