// What the page says in sentences: what a change does to the totals, which limits are short, and why a value is refused.
// Texts of a ledger are put in as text, never as markup.
(() => {
  "use strict";

  const { LEFT, cut } = globalThis.budgetWhatIf;

  // Of each of these the first that moved is told; of the budget also that it did not.
  const TOTALS = [["budget.final", "budget.extended"], ["money.final", "money.extended"],
    ["estimates.final", "estimates.extended"]];
  // What changes do to limits, with what of a limit is said in the plan and with them.
  const KINDS = [["Newly broken", /^(?!short)/, /^short/], ["Broken before too", /^short/, /^short/],
    ["Fixed", /^short/, /^left/]];
  const MOST_WHOLE = 28; // letters of what is not broken

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // What changes do. `rows` are those of the table, `on` says after a figure on which GPU it is, here and in the plan.
  function summary(project, rows, on) {
    const byName = new Map(rows.map((row) => [row.shown.address.replace(`${project}.`, ""), row]));
    const found = TOTALS.map((names) => names.map((name) => byName.get(name)).filter((row) => row && row.was));
    const [budget, money, estimates] = found.map((some) => some.find(moves));
    const told = [budget, money].filter(Boolean);
    if (!told.length && estimates) told.push(estimates);
    const first = told.length ? [] : rows.filter(moves).slice(0, 1);
    const said = [...told, ...first].map((row) => sentence(row, on));
    const stays = found[0][0];
    if (stays && !moves(stays)) said.unshift(`${stays.shown.title}: ${stays.was.text}, as planned.`);
    if (!told.length && !first.length) said.push("No figure on this page changes.");
    return [said.join(" "), ...limits(rows)].join("\n");
  }

  // A line for each of KINDS; a limit is in one of them. What is left of a limit, the table says.
  function limits(rows) {
    const told = new Set();
    return KINDS.map(([word, before, after]) => {
      const found = rows.filter(({ shown, was, cells }) => {
        const fits = shown.limit && !told.has(shown.limit) && before.test(was?.text) && after.test(cells[0].textContent);
        return fits && told.add(shown.limit);
      });
      const list = found.map(({ shown, cells }) => `${shown.title} (${cells[0].textContent})`).join(", ");
      return list && `${word}: ${list}.`;
    }).filter(Boolean);
  }

  const moves = ({ was, cells }) => !was || cells[0].textContent !== was.text;

  function sentence({ shown, was, cells }, [here, there]) {
    const text = cells[0].textContent;
    if (text === LEFT) return `${shown.title}: ${LEFT}.`;
    return was ? `${shown.title}: ${text}${here}, where ${was.text}${there} are planned.` : `${shown.title}: ${text}.`;
  }

  function refusal(error, isPlan) {
    return `Not calculated: ${error.message}. The figures show ${isPlan ? "the plan" : "the last valid values"}.`;
  }

  // Of parts of an address that say nothing here.
  function strange(parts) {
    if (!parts.length) return "";
    const some = parts.slice(0, 3).map((part) => `\`${cut(part)}\``);
    if (parts.length > some.length) some.push(`${parts.length - some.length} more`);
    const list = some.length > 1 ? `${some.slice(0, -1).join(", ")} and ${some.at(-1)}` : some[0];
    return `The address of this page also has ${list}, which cannot be changed here.`;
  }

  // A text as it is shown: what stands between backticks as code, and no figure broken at a dash or from its unit.
  function marked(text) {
    return text.split("`").flatMap((part, at) => (at % 2 ? [element("code", {}, part)] : whole(part)));
  }

  function whole(text) {
    return text.split(/((?:\S*[0-9] )?\S*[-–]\S*)/).filter(Boolean).map((part) => (/[-–]/.test(part)
      && part.length <= MOST_WHOLE ? element("span", { class: "what-if-whole" }, part) : part));
  }

  Object.assign(globalThis.budgetWhatIf, { element, marked, refusal, strange, summary, whole });
})();
