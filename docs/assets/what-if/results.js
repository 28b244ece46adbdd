// The table of what becomes of a budget, beside what is planned.
(() => {
  "use strict";

  const { LEFT, ZERO, balanceText, element, figureText, least, most, whole } = globalThis.budgetWhatIf;

  class Results {
    // `home` is the model of the plan, `plan` its sheet without changes.
    constructor(home, plan) {
      this.home = new Map(home.shown.map((shown) => [shown.address, shown]));
      this.plan = plan;
      for (const shown of home.shown) if (shown.limit) shown.text = balanceText(shown, plan.values[shown.node]);
      this.body = element("tbody");
      const head = element("tr", {}, ...["Figure", "What if", "Change", "As planned"].map((title, at) =>
        element("th", { scope: "col", class: at ? "what-if-number" : undefined }, title)));
      const bars = element("span", { class: "what-if-legend", "aria-hidden": "true" }, element("i"), " as planned ",
        element("b"), " what if");
      const caption = element("caption", {}, "The budget as planned, and with these changes. ", bars);
      const table = element("table", { class: "what-if-table" }, caption, element("thead", {}, head), this.body);
      const region = { class: "what-if-results", tabindex: "0", role: "region", "aria-label": "Budget" };
      this.place = element("div", region, table);
    }

    // The rows of what a model shows, in place of those before: each with what is planned, where the plan has it.
    rowsOf(model) {
      const made = [];
      this.body.replaceChildren();
      let group = "";
      for (const shown of model.shown) {
        if (shown.group !== group) {
          group = shown.group;
          const title = element("th", { colspan: "4", scope: "rowgroup" }, group);
          this.body.append(element("tr", { class: "group what-if-group" }, title));
        }
        const cells = [0, 1, 2].map(() => element("td", { class: "what-if-number" }));
        const bar = element("div", { class: "what-if-bar", "aria-hidden": "true" }, element("i"), element("b"));
        const title = element("th", { scope: "row" }, ...whole(shown.title), bar);
        this.body.append(element("tr", shown.total ? { class: "what-if-total" } : {}, title, ...cells));
        const was = this.home.get(shown.address);
        put(cells[2], was ? was.text : "–");
        made.push({ shown, was, cells, bar });
      }
      return made;
    }

    show(rows, sheet) {
      const spans = this.spans(rows, sheet);
      for (const { shown, was, cells, bar } of rows) {
        const [before, after] = [was ? this.plan.values[was.node] : null, sheet.values[shown.node]];
        const text = this.text(shown, sheet);
        put(cells[0], text);
        put(cells[1], was && !sheet.left[shown.node] ? change(shown, before, after) : "");
        cells[0].parentElement.classList.toggle("what-if-changed", !was || text !== was.text);
        const [lowest, highest] = spans.get(shown.unit);
        const length = highest.sub(lowest);
        [before, after].forEach((value, at) => {
          const end = (value && value[1]) || ZERO; // one below zero is drawn from there to the left
          const { style } = bar.children[at];
          style.inlineSize = `${share(end.sign() < 0 ? end.neg() : end, length)}%`;
          style.marginInlineStart = `${share(least([end, ZERO]).sub(lowest), length)}%`;
        });
      }
    }

    // What a sheet says of a figure; what is left to the program stays as planned where nothing moves it.
    text(shown, sheet) {
      const value = sheet.values[shown.node];
      if (sheet.left[shown.node]) return sheet.moved[shown.node] ? LEFT : shown.text;
      const unknown = sheet.unknown[shown.node];
      return shown.limit && !unknown ? balanceText(shown, value) : figureText(shown, value, unknown);
    }

    // Bars of one unit have one scale, whatever they stand under: from the least below zero to the most above it.
    spans(rows, sheet) {
      const found = new Map();
      for (const { shown, was } of rows) {
        const ends = [was && this.plan.values[was.node][1], sheet.values[shown.node][1]].filter(Boolean);
        const all = [...(found.get(shown.unit) || [ZERO, ZERO]), ...ends];
        found.set(shown.unit, [least(all), most(all)]);
      }
      return found;
    }
  }

  // A text of a figure: neither its range nor its unit is broken.
  function put(cell, text) {
    const parts = text.split(/( )/).map((part) => (part === " " || text === LEFT ? part
      : element("span", { class: "what-if-whole" }, part)));
    cell.replaceChildren(...parts);
  }

  const share = (number, of) => (of.n > 0n ? Number((number.n * of.d * 1000n) / (number.d * of.n)) / 10 : 0);

  function change(shown, before, after) {
    if ([...before, ...after].includes(null)) return "";
    const ends = before.map((end, at) => after[at].sub(end));
    if (ends.every((end) => !end.n)) return "–";
    const sorted = ends[0].compare(ends[2]) > 0 ? [ends[2], ends[1], ends[0]] : ends;
    const text = figureText({ ...shown, stated: false }, sorted);
    return ends[1].n > 0n ? `+${text}` : text;
  }

  globalThis.budgetWhatIf.Results = Results;
})();
