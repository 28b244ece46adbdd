// The page of all runs: filters by phase, item, seed, card, status and month, and phases that fold. All of it stands in the
// address behind #, so that a link shows the same. Without scripts the page is a plain table.
(() => {
  "use strict";

  const { element, whenShown } = globalThis.budgetPage;

  const words = new Intl.Collator("en", { numeric: true });
  // What each filter looks at: the heading of its column, and what of a cell counts where that is not all. A run counts in
  // the month in which it ended.
  const HEADS = { phase: "Phase", item: "Item", seed: "Seed", card: "Card", status: "Status", month: "When" };
  const PARTS = {
    status: (text) => text.split(",")[0],
    month: (text) => text.match(/\d{4}-\d\d/g)?.pop() ?? "",
  };

  // The rows with what filters ask of them, read once: a page may have thousands.
  function read(table) {
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
    const filters = Object.keys(HEADS).filter((key) => heads.includes(HEADS[key]));
    const phase = heads.indexOf("Phase");
    const rows = [...table.tBodies[0].rows].map((row) => {
      const values = filters.map((key) => {
        const text = row.cells[heads.indexOf(HEADS[key])].textContent.trim();
        return [key, PARTS[key] ? PARTS[key](text) : text];
      });
      return { row, phase: row.cells[phase].textContent.trim(), values: Object.fromEntries(values) };
    });
    for (const row of table.rows) row.cells[phase].hidden = true; // its heading says it
    return { rows, filters, width: heads.length - 1 };
  }

  const told = (runs) => `${runs.toLocaleString("en")} ${runs === 1 ? "run" : "runs"}`;

  // A body of the table for each phase, with a heading that folds it.
  function grouped(table, rows, width, changed) {
    const groups = new Map();
    for (const each of rows) {
      if (!groups.has(each.phase)) {
        const button = element("button", { type: "button", ariaExpanded: "true" }, each.phase);
        const count = element("span", {});
        const head = element("th", { colSpan: width, scope: "rowgroup" }, button, " ", count);
        const body = element("tbody", {}, element("tr", { className: "group" }, head));
        groups.set(each.phase, { name: each.phase, button, count, body, rows: [] });
        button.addEventListener("click", () => {
          button.ariaExpanded = String(button.ariaExpanded !== "true");
          changed();
        });
      }
      groups.get(each.phase).rows.push(each);
      groups.get(each.phase).body.append(each.row);
    }
    table.tBodies[0].replaceWith(...[...groups.values()].map((group) => group.body));
    return [...groups.values()];
  }

  // A select for each filter, by its key.
  function choices(rows, filters, changed) {
    const made = filters.map((key) => {
      const values = [...new Set(rows.map((each) => each.values[key]))].filter(Boolean).sort(words.compare);
      const all = element("option", { value: "" }, "all");
      const options = values.map((value) => element("option", { value }, value));
      return [key, element("select", { onchange: changed }, all, ...options)];
    });
    return Object.fromEntries(made);
  }

  function begin(table) {
    const { rows, filters, width } = read(table);
    const groups = grouped(table, rows, width, changed);
    const count = element("output", {});
    const clear = element("button", { type: "button" }, "Show all");
    const chosen = choices(rows, filters, changed);
    const name = (key) => (key === "month" ? "Month" : HEADS[key]);
    const labels = filters.map((key) => element("label", {}, name(key), chosen[key]));
    const form = element("form", { className: "filters" }, ...labels, clear, count);
    const heads = [...table.tHead.rows[0].cells];
    let own = null; // the address as it was last written here

    function show() {
      const wanted = filters.map((key) => [key, chosen[key].value]).filter(([, value]) => value);
      let shown = 0;
      for (const group of groups) {
        let fit = 0;
        for (const { row, values } of group.rows) {
          const out = wanted.some(([key, value]) => values[key] !== value);
          fit += !out;
          row.classList.toggle("left-out", out);
          row.hidden = out || group.button.ariaExpanded !== "true";
        }
        group.body.hidden = !fit;
        group.count.textContent = told(fit);
        shown += fit;
      }
      count.textContent = `${shown.toLocaleString("en")} of ${told(rows.length)}`;
      return wanted;
    }

    function changed() {
      const state = new URLSearchParams(show());
      for (const group of groups) if (group.button.ariaExpanded !== "true") state.append("folded", group.name);
      const sorted = heads.find((head) => head.ariaSort);
      if (sorted) state.set("sort", `${sorted.textContent.trim()} ${sorted.ariaSort}`);
      own = String(state);
      history.replaceState(history.state, "", own ? `#${own}` : location.pathname + location.search);
    }

    function restore() {
      const asked = location.hash.slice(1);
      if (asked === own) return;
      const state = new URLSearchParams(asked);
      for (const key of filters) {
        const options = [...chosen[key].options].map((option) => option.value);
        chosen[key].value = options.includes(state.get(key)) ? state.get(key) : "";
      }
      for (const group of groups) group.button.ariaExpanded = String(!state.getAll("folded").includes(group.name));
      const [, name, way] = /^(.*) (ascending|descending)$/.exec(state.get("sort") ?? "") ?? [];
      const head = heads.find((each) => each.textContent.trim() === name);
      for (let press = 0; head && head.ariaSort !== way && press < 3; press++) head.querySelector("button")?.click();
      show();
    }

    clear.addEventListener("click", () => {
      form.reset();
      for (const group of groups) group.button.ariaExpanded = "true";
      changed();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    table.addEventListener("sorted", changed);
    window.addEventListener("hashchange", restore);
    table.closest(".all-runs").before(form);
    restore();
    show();
  }

  function start() {
    for (const table of document.querySelectorAll(".all-runs:not([data-begun]) table")) {
      table.closest(".all-runs").dataset.begun = "";
      begin(table);
    }
  }

  whenShown(start);
})();
