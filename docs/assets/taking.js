// Lets a reader take a table along: a button below each gives its rows as CSV, in the order and with the filters that
// are shown. Nothing is sent anywhere. No cell is a formula to a spreadsheet, as in the exports.
(() => {
  "use strict";

  const FORMULA = /^(?=[=+\-@＝＋－＠\t\r\n])/;
  const PLAIN = /^-?\d+(\.\d+)?$/;

  function quoted(cell) {
    const text = cell.innerText.trim().replace(/\s*\n\s*/g, "\n");
    return `"${(PLAIN.test(text) ? text : text.replace(FORMULA, "'")).replaceAll('"', '""')}"`;
  }

  // The rows of a phase that is folded are left out only if a filter leaves them out.
  function csv(table) {
    const rows = [...table.tHead.rows, ...[...table.tBodies].flatMap((body) => [...body.rows])];
    const shown = rows.filter((row) => !row.matches(".group, .left-out"));
    return shown.map((row) => [...row.cells].map(quoted).join(",") + "\r\n").join("");
  }

  function name(table) {
    const heads = [...document.querySelectorAll("article :is(h1, h2, h3, h4)[id]")];
    const above = heads.filter((head) => head.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
    const page = location.pathname.replace(/(index)?\.html$|\/$/, "").split("/").slice(-2);
    return [...page, above?.id].filter(Boolean).join("-").replace(/[^\p{L}\p{N}.-]+/gu, "-") + ".csv";
  }

  function take(table) {
    // With a mark of its encoding, which spreadsheets look for.
    const address = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv;charset=utf-8" }));
    const link = Object.assign(document.createElement("a"), { href: address, download: name(table) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  function start() {
    const tables = "article table:has(> thead th:nth-child(3)):has(tbody tr:nth-child(3)):not([data-taken])";
    for (const table of document.querySelectorAll(tables)) {
      table.dataset.taken = "";
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: "CSV" });
      button.ariaLabel = "Download this table as CSV";
      button.title = button.ariaLabel;
      button.addEventListener("click", () => take(table));
      const place = document.createElement("div");
      place.className = "takes";
      place.append(button);
      (table.closest(".md-typeset__scrollwrap") ?? table).after(place);
    }
  }

  if (window.document$) window.document$.subscribe(start);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
