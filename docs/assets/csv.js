// Gives a reader the rows of a table as CSV, in the order and with the filters that are shown. Numbers are as programs read
// them, and unrounded where the figures of the project are to be had. No cell is a formula to a spreadsheet, as in the
// exports. It is loaded when a table is taken along (taking.js).
(() => {
  "use strict";

  const { element } = globalThis.budgetPage;
  const FORMULA = /^(?=[=+\-@＝＋－＠\t\r\n])/;
  const NUMBER = /^-?\d+(\.\d+)?%?$/;
  const PART = "↳ ";

  // A number without marks of thousands, with the minus of keyboards; any other text as it is.
  function plain(text) {
    const number = text.replace("−", "-").replace(/(?<=\d),(?=\d{3})/g, "");
    return NUMBER.test(number) ? number : text;
  }

  // The value of a figure in place of its rounded one, which has to be what is shown, as it is or in per cent.
  function exact(number, figure) {
    const [shown, digits] = [Number.parseFloat(number), number.match(/\.(\d+)/)?.[1].length ?? 0];
    const value = Number(figure?.use) * (number.endsWith("%") ? 100 : 1);
    const isIt = figure?.use != null && Math.abs(value - shown) <= 0.501 * 10 ** -digits;
    return isIt ? `${Number(value.toPrecision(12))}${number.endsWith("%") ? "%" : ""}` : number;
  }

  function quoted(text) {
    return `"${(NUMBER.test(text) ? text : text.replace(FORMULA, "'")).replaceAll('"', '""')}"`;
  }

  // The figures of the projects that a table has links to, by address; none where they cannot be loaded.
  async function figures(table) {
    const links = [...table.querySelectorAll("a[href*='#']")].map((link) => link.href.split("#")[0]);
    const files = new Set(links.map((page) => new URL(page.endsWith("/") ? "../figures.json" : "figures.json", page).href));
    const loaded = [...files].map((file) => fetch(file).then((answer) => answer.json()).catch(() => ({})));
    const every = (await Promise.all(loaded)).flatMap((answer) => answer.figures ?? []);
    return new Map(every.map((figure) => [figure.address, figure]));
  }

  // The rows of a phase that is folded are left out only if a filter leaves them out; a part is named after its whole.
  async function csv(table) {
    const known = await figures(table);
    const rows = [...table.tHead.rows, ...[...table.tBodies].flatMap((body) => [...body.rows])];
    const lines = [];
    let whole = "";
    for (const row of rows.filter((row) => !row.matches(".group, .left-out"))) {
      const texts = [...row.cells].map((cell) => {
        const text = plain(cell.innerText.trim().replace(/\s*\n\s*/g, "\n"));
        const links = cell.querySelectorAll("a[href*='#']");
        if (links.length !== 1 || !NUMBER.test(text)) return text;
        return exact(text, known.get(decodeURIComponent(links[0].hash.slice(1))));
      });
      if (!texts[0].startsWith(PART)) whole = texts[0];
      else texts[0] = `${whole}, ${texts[0].slice(PART.length)}`;
      lines.push(texts.map(quoted).join(",") + "\r\n");
    }
    return lines.join("");
  }

  function name(table) {
    const heads = [...document.querySelectorAll("article :is(h1, h2, h3, h4)[id]")];
    const above = heads.filter((head) => head.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
    const page = location.pathname.replace(/(index)?\.html$|\/$/, "").split("/").slice(-2);
    return [...page, above?.id].filter(Boolean).join("-").replace(/[^\p{L}\p{N}.-]+/gu, "-") + ".csv";
  }

  async function take(table) {
    const text = await csv(table);
    // With a mark of its encoding, which spreadsheets look for.
    const href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
    element("a", { href, download: name(table) }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  globalThis.budgetPage.take = take;
})();
