// What the page says in sentences: what a change does to the totals and to the ceiling, and why a value is refused.
// Texts of a ledger are put in as text, never as markup.
(() => {
  "use strict";

  const { LEFT, cut, figureText } = globalThis.budgetWhatIf;

  // Of each of these the first that moved is told; of the budget also that it did not.
  const TOTALS = [["budget.final", "budget.extended"], ["money.final", "money.extended"],
    ["estimates.final", "estimates.extended"]];
  const MOST_WHOLE = 28; // letters of what is not broken

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // What the changes of a sheet do. `rows` are those of the table, `on` says after a figure on which GPU it is, here
  // and in the plan.
  function summary(project, rows, sheet, on) {
    const byName = new Map(rows.map((row) => [row.shown.address.replace(`${project}.`, ""), row]));
    const found = TOTALS.map((names) => names.map((name) => byName.get(name)).filter((row) => row && row.was));
    const [budget, money, estimates] = found.map((some) => some.find(moves));
    const told = [budget, money].filter(Boolean);
    if (!told.length && estimates) told.push(estimates);
    const first = told.length ? [] : rows.filter(moves).slice(0, 1);
    const said = [...told, ...first].map((row) => sentence(row, on));
    const stays = found[0][0];
    if (stays && !moves(stays)) said.unshift(`${stays.shown.title}: ${stays.was.text}, as planned.`);
    if (!told.length && !first.length) said.push("No figure of this page moves.");
    const ceiling = byName.get("budget.below_ceiling");
    if (stays && ceiling && !sheet.left[ceiling.shown.node])
      said.splice(1, 0, above(ceiling.shown, sheet.values[ceiling.shown.node])); // the first is of the final budget
    return said.filter(Boolean).join(" ");
  }

  const moves = ({ was, cells }) => !was || cells[0].textContent !== was.text;

  function sentence({ shown, was, cells }, [here, there]) {
    const text = cells[0].textContent;
    if (text === LEFT) return `${shown.title}: ${LEFT}.`;
    return was ? `${shown.title}: ${text}${here}, where ${was.text}${there} are planned.` : `${shown.title}: ${text}.`;
  }

  // How far a budget is above its ceiling, by what is left below it; nothing for one that is not.
  function above(shown, [low, use, high]) {
    const over = (...ends) => figureText({ ...shown, stated: false }, ends.map((end) => end && end.neg()));
    if (low === null) return use === null || use.n < 0n ? "It is open how far it is above the ceiling." : "";
    if (low.n >= 0n) return "";
    if (high === null || high.n >= 0n) return `It is up to ${over(low, low, low)} above the ceiling.`;
    return `It is ${over(high, use, low)} above the ceiling.`;
  }

  function refusal(error, isPlan) {
    return `Not calculated: ${error.message}. The figures are those ${isPlan ? "of the plan" : "before it"}.`;
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
    return text.split(/((?:[^ ]*[0-9] )?[^ ]*[-–][^ ]*)/).filter(Boolean).map((part) => (/[-–]/.test(part)
      && part.length <= MOST_WHOLE ? element("span", { class: "what-if-whole" }, part) : part));
  }

  Object.assign(globalThis.budgetWhatIf, { element, marked, refusal, strange, summary, whole });
})();
