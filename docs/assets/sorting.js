// Sorts by the column whose heading is pressed; again: backwards; once more: as it was. Sums and groups keep their place.
(() => {
  const { LARGE_TABLE, element, whenShown } = globalThis.budgetPage;
  const K = 1024, per = { ms: 0.001, min: 60, h: 3600, day: 86400, days: 86400, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12,
    KiB: K, MiB: K ** 2, GiB: K ** 3, TiB: K ** 4, kW: 1e3, MW: 1e6, kWh: 1e3, MWh: 1e6, B: 1e9, T: 1e12 };
  const number = /^[~≈≥≤<>$€£¥₹ ]*(−?)[$€£¥₹]?(\d[\d,.]*)(?: × 10([⁻⁰-⁹¹²³]+))?(?:(?:–| to \D*)(\d[\d,.]*))?[ %×]*(\S*)/;
  const power = (text) => +[...text].map((sign) => "0123456789-"["⁰¹²³⁴⁵⁶⁷⁸⁹⁻".indexOf(sign)]).join("");
  const words = new Intl.Collator("en", { numeric: true });

  // Both ends of some days, or of a number in its least unit; NaN for words.
  function ends(text) {
    const days = /^\d{4}-\d\d/.test(text) && text.match(/\d{4}-\d\d(-\d\d)?/g);
    if (days) return [Date.parse(days[0]), Date.parse(days.pop())];
    const [, minus, low, ten, high, unit] = number.exec(text.replace(/^(10[⁻⁰-⁹¹²³])/, "1 × $1")) ?? [];
    const size = (per[unit] ?? 1) * 10 ** power(ten ?? "⁰") * (minus ? -1 : 1);
    return [low, high ?? low].map((end) => (end ?? "x").replaceAll(",", "") * size);
  }

  function sort(table, at, way) {
    for (const body of table.tBodies) {
      let part = 0;
      const rows = [...body.rows].map((row, now) => {
        row.first ??= now;
        const text = (row.cells[at]?.textContent ?? "").replace(/[█░▶]+/, "").trim();
        return { row, text, ends: ends(text), none: /^(–?|unknown)$/.test(text) };
      }).sort((a, b) => a.row.first - b.row.first);
      for (const each of rows) {
        each.stays = each.row.matches(".group, :has(> :first-child > strong:only-child)");
        each.part = each.stays ? (part += 2) : part + 1;
      }
      const plain = rows.some((each) => !each.none && !each.stays && isNaN(each.ends[0]));
      const by = plain ? (a, b) => words.compare(a.text, b.text) : (a, b) => a.ends[0] - b.ends[0] || a.ends[1] - b.ends[1];
      if (way) rows.sort((a, b) => a.part - b.part || a.none - b.none || (a.none ? 0 : way * by(a, b)));
      body.append(...rows.map((each) => each.row));
    }
  }

  function press(event) {
    const head = event.target.closest("th"), was = head.ariaSort, table = head.closest("table");
    for (const each of table.querySelectorAll("th[aria-sort]")) each.removeAttribute("aria-sort");
    if (was !== "descending") head.ariaSort = was ? "descending" : "ascending";
    sort(table, head.cellIndex, !was ? 1 : was === "ascending" ? -1 : 0);
    table.dispatchEvent(new Event("sorted", { bubbles: true }));
  }

  function start() {
    for (const head of document.querySelectorAll(`${LARGE_TABLE} > thead th`)) {
      if (head.querySelector("a, button") || !head.textContent.trim()) continue;
      head.append(element("button", { className: "sorts", onclick: press }, ...head.childNodes));
    }
  }

  whenShown(start);
})();
