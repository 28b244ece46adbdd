// The page on which a reader changes what a plan rests on. All of it is made here, of what the model says; texts of a
// ledger are put in as text, never as markup. The state is in the address, so that a link says what was looked at.

import { figureText } from "./print.js";
import { Refusal } from "./rational.js";
import { Elsewhere, Sheet } from "./sheet.js";
import { bare, inForm, plain, read, written } from "./typed.js";

const STEPS = 100; // of a slider
const WIDE = 720; // pixels from which on the items of a plan are unfolded

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

class WhatIf {
  constructor(place, model) {
    this.place = place;
    this.model = model;
    this.before = new Sheet(model);
    this.set = new Map(); // what was typed, by address
    this.past = [];
    this.fields = new Map();
    this.results = [];
    this.make();
    this.follow();
    addEventListener("hashchange", () => this.follow());
  }

  // ------------------------------------------------------------------ what is on the page

  make() {
    this.told = element("p", { class: "what-if-told", role: "status", "aria-live": "polite" });
    this.undo = element("button", { type: "button" }, "Undo");
    this.reset = element("button", { type: "button" }, "Back to the plan");
    this.undo.addEventListener("click", () => this.back());
    this.reset.addEventListener("click", () => this.change(new Map()));
    const said = element("div", { class: "what-if-command" });
    this.command = element("code");
    this.copy = element("button", { type: "button" }, "Copy");
    this.copy.addEventListener("click", () => navigator.clipboard.writeText(this.command.textContent));
    said.append(this.command, this.copy);
    this.commandLine = said;
    const buttons = element("div", { class: "what-if-buttons" }, this.undo, this.reset);
    const answer = element("div", { class: "what-if-answer" }, buttons, this.told, this.makeResults(), said);
    this.place.replaceChildren(this.makeInputs(), answer);
    this.place.classList.add("what-if-live");
  }

  makeInputs() {
    const made = element("div", { class: "what-if-inputs" });
    ["The whole plan", "Items of the plan", "What the estimates rest on"].forEach((title, part) => {
      const some = this.model.inputs.filter((input) => input.part === part);
      const open = part === 0 || (part === 1 && innerWidth >= WIDE) ? { open: "" } : {};
      const parent = element("details", open, element("summary", {}, title));
      let [group, holder] = ["", parent];
      for (const input of some) {
        if (input.group !== group) {
          group = input.group;
          holder = element("fieldset", {}, element("legend", {}, group));
          parent.append(holder);
        }
        holder.append(this.makeInput(input));
      }
      if (some.length) made.append(parent);
    });
    return made;
  }

  makeInput(input) {
    const id = `what-if-${input.node}`;
    const label = element("label", { for: id }, input.label);
    const field = element("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", size: "8",
      "aria-describedby": `${id}-why` });
    const unit = element("span", { class: "what-if-unit" }, input.form === "%" ? "%" : input.unit);
    const why = element("span", { class: "what-if-why", id: `${id}-why`, "aria-live": "polite" });
    const [low, use, high] = this.before.values[input.node];
    let slider = null;
    if (low !== null && high !== null && low.equals(high)) {
      const shown = inForm(use, input);
      const [least, most, step] = this.span(input, shown);
      slider = element("input", { type: "range", min: least, max: most, step, "aria-label": input.title });
      slider.addEventListener("input", () => this.type(input, slider.value, true));
      slider.addEventListener("change", () => this.settle());
    }
    field.addEventListener("change", () => this.type(input, field.value, false));
    this.fields.set(input.address, { input, field, slider, why });
    const row = element("div", { class: "what-if-input" }, label, field, unit);
    if (slider) row.append(slider);
    row.append(why);
    return row;
  }

  // From nothing to twice what is planned, in steps that a person would take.
  span(input, shown) {
    const number = Number(shown.n) / Number(shown.d);
    if (input.rule === "seeds") return [Math.max(1, input.least || 1), Math.max(10, 2 * number), 1];
    const most = number > 0 ? 2 * number : 10;
    const power = 10 ** Math.floor(Math.log10(most / STEPS));
    return [0, most, shown.d === 1n && most <= STEPS ? 1 : Number(power.toPrecision(1))];
  }

  makeResults() {
    const head = element("tr", {}, ...["Figure", "What if", "Change", "As planned"].map((title, at) =>
      element("th", { scope: "col", class: at ? "what-if-number" : undefined }, title)));
    const body = element("tbody");
    let group = "";
    for (const shown of this.model.shown) {
      if (shown.group !== group) {
        group = shown.group;
        body.append(element("tr", { class: "what-if-group" }, element("th", { colspan: "4", scope: "rowgroup" }, group)));
      }
      const cells = [0, 1, 2].map(() => element("td", { class: "what-if-number" }));
      const bar = element("div", { class: "what-if-bar", "aria-hidden": "true" }, element("i"), element("b"));
      const title = element("th", { scope: "row" }, shown.title, bar);
      body.append(element("tr", shown.total ? { class: "what-if-total" } : {}, title, ...cells));
      cells[2].textContent = shown.text;
      this.results.push({ shown, cells, bar });
    }
    const table = element("table", { class: "what-if-table" }, element("caption", {}, "The budget as planned, and with these changes"),
      element("thead", {}, head), body);
    return element("div", { class: "what-if-results", tabindex: "0", role: "region", "aria-label": "Budget" }, table);
  }

  // ------------------------------------------------------------------ what is changed

  // Takes what was typed; while a slider moves, all that it passes is one step to undo.
  type(input, text, moving) {
    const next = new Map(this.set);
    const stated = this.same(input, text);
    if (stated) next.delete(input.address);
    else next.set(input.address, written(text, input));
    if (!moving) return this.change(next);
    if (!this.held) this.held = this.set;
    return this.show(next);
  }

  settle() {
    if (!this.held) return;
    const [from, to] = [this.held, this.set];
    this.held = null;
    this.set = from;
    this.change(to);
  }

  same(input, text) {
    try {
      const typed = read(text, input);
      return typed.every((end, at) => end.equals(this.before.values[input.node][at] ?? end) &&
        this.before.values[input.node][at] !== null);
    } catch {
      return false;
    }
  }

  change(next) {
    if (key(next) !== key(this.set)) this.past.push(this.set);
    this.show(next);
    const hash = [...this.set].map(([address, value]) => `set=${encodeURIComponent(this.short(address))}=${encodeURIComponent(value)}`);
    history.replaceState(null, "", hash.length ? `#${hash.join("&")}` : location.pathname + location.search);
  }

  back() {
    const last = this.past.pop();
    if (!last) return;
    const rest = this.past;
    this.past = [];
    this.change(last);
    this.past = rest;
    this.undo.disabled = !this.past.length;
  }

  // What the address of the page says, as `#set=seeds=5&set=contingency=20%25`.
  follow() {
    const next = new Map();
    for (const part of location.hash.slice(1).split("&")) {
      const found = /^set=([^=]+)=(.+)$/.exec(part);
      if (!found) continue;
      const [address, value] = found.slice(1).map(safely);
      const whole = this.fields.has(address) ? address : `${this.model.project}.${address}`;
      if (this.fields.has(whole)) next.set(whole, value);
    }
    this.show(next);
  }

  // What is stated of an input, as it would be typed: one number or a range, in its own unit.
  planned(input) {
    const [low, , high] = this.before.values[input.node];
    if (low === null || high === null) return bare(input.stated, input);
    const ends = [low, high].map((end) => plain(inForm(end, input)));
    return ends[0] === ends[1] ? ends[0] : ends.join("-");
  }

  short(address) {
    const home = `${this.model.project}.`;
    return address.startsWith(home) ? address.slice(home.length) : address;
  }

  // ------------------------------------------------------------------ what is shown

  show(next) {
    this.set = next;
    const changed = new Map();
    let refused = "";
    for (const { input, field, slider, why } of this.fields.values()) {
      const text = next.get(input.address);
      if (document.activeElement !== field || text === undefined)
        field.value = text === undefined ? this.planned(input) : bare(text, input);
      why.textContent = "";
      field.removeAttribute("aria-invalid");
      if (text === undefined) {
        if (slider) slider.value = this.planned(input);
        continue;
      }
      try {
        const ends = read(text, input);
        changed.set(input.node, ends);
        if (slider && ends[0].equals(ends[2])) slider.value = plain(inForm(ends[1], input));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused = error.message;
        why.textContent = error.message;
        field.setAttribute("aria-invalid", "true");
      }
    }
    if (!refused) refused = this.calculate(changed);
    this.told.textContent = refused ? `Not calculated: ${refused}. The figures are those before it.` : this.summary();
    this.undo.disabled = !this.past.length;
    this.reset.disabled = !next.size;
    const sets = [...next].map(([address, value]) => ` --set ${quoted(`${address}=${value}`)}`);
    this.command.textContent = `budget status ${this.model.project}${sets.join("")}`;
    this.commandLine.hidden = !next.size || Boolean(refused);
  }

  // Nothing, or why it cannot be calculated.
  calculate(changed) {
    let sheet;
    try {
      sheet = new Sheet(this.model, changed);
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      if (error instanceof Elsewhere) return "this is not calculated on a page; the command below says it";
      throw error;
    }
    this.after = sheet;
    const longest = this.longest(sheet);
    for (const { shown, cells, bar } of this.results) {
      const [before, after] = [this.before.values[shown.node], sheet.values[shown.node]];
      const text = figureText(shown, after, sheet.unknown[shown.node]);
      cells[0].textContent = text;
      cells[1].textContent = change(shown, before, after);
      cells[0].parentElement.classList.toggle("what-if-changed", text !== shown.text);
      const end = (value) => (value[1] === null ? 0 : Math.max(0, share(value[1], longest.get(`${shown.group} ${shown.unit}`))));
      bar.children[0].style.inlineSize = `${end(before)}%`;
      bar.children[1].style.inlineSize = `${end(after)}%`;
    }
    return "";
  }

  longest(sheet) {
    const found = new Map();
    for (const { shown } of this.results) {
      const name = `${shown.group} ${shown.unit}`;
      const ends = [this.before, sheet].map((each) => each.values[shown.node][1]).filter((end) => end !== null);
      found.set(name, ends.reduce((a, b) => (a && a.compare(b) > 0 ? a : b), found.get(name)));
    }
    return found;
  }

  summary() {
    const final = this.results.find(({ shown }) => shown.address === `${this.model.project}.budget.final`);
    if (!final || !this.set.size) return "This is the plan as it stands.";
    const { shown, cells } = final;
    const ceiling = this.results.find(({ shown: { address } }) => address.endsWith(".budget.below_ceiling"));
    const [left] = ceiling ? this.after.values[ceiling.shown.node] : [null];
    const above = left && left.n < 0n ? " It is above the ceiling." : "";
    return `${shown.title}: ${cells[0].textContent}, where ${shown.text} are planned.${above}`;
  }
}

const key = (some) => JSON.stringify([...some].sort());
const quoted = (text) => (/^[A-Za-z0-9._=%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const safely = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
};
const share = (number, of) => (of && of.n > 0n ? Number((number.n * of.d * 1000n) / (number.d * of.n)) / 10 : 0);

function change(shown, before, after) {
  if ([...before, ...after].includes(null)) return "";
  const ends = before.map((end, at) => after[at].sub(end));
  if (ends.every((end) => !end.n)) return "–";
  const sorted = ends[0].compare(ends[2]) > 0 ? [ends[2], ends[1], ends[0]] : ends;
  const text = figureText({ ...shown, stated: false }, sorted);
  return ends[1].n > 0n ? `+${text}` : text;
}

async function begin(place) {
  const style = new URL("page.css", import.meta.url);
  document.head.append(element("link", { rel: "stylesheet", href: style.href }));
  const model = await (await fetch(place.dataset.model)).json();
  if (model.format !== 1) return;
  place.whatIf = new WhatIf(place, model);
}

if (typeof document !== "undefined") for (const place of document.querySelectorAll(".what-if[data-model]")) begin(place);
