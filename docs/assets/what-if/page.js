// The page on which a reader changes what a plan rests on. All of it is made here, of what the model says. The state is
// in the address, so that a link says what was looked at. Models come as scripts, which a page of a folder may load
// too: that of the plan with the page, that of each other GPU once it is chosen.
(() => {
  "use strict";

  const { Elsewhere, Fields, Refusal, Results, Sheet, element, marked, read, refusal, same, strange, summary, whole,
    withUnit, written } = globalThis.budgetWhatIf;

  const OWN = document.currentScript.src;

  class WhatIf {
    constructor(place, model, source) {
      this.place = place;
      this.home = model;
      this.source = source; // the address of the script of the model
      this.models = new Map([[model.card, model]]);
      this.waiting = new Map(); // what goes on once the model of a GPU is there, by the GPU
      this.plan = new Sheet(model);
      this.set = new Map(); // what was typed, by address
      this.past = [];
      this.strange = []; // of the address, what says nothing here
      this.make();
      this.turnTo(model);
      this.follow();
      addEventListener("hashchange", () => this.follow());
    }

    // ------------------------------------------------------------------ what is on the page

    make() {
      this.told = element("output", { class: "what-if-told", tabindex: "-1" });
      this.undo = button("Undo", () => this.back());
      this.reset = button("Back to the plan", () => this.change(new Map(), this.home.card));
      this.command = element("code");
      this.copy = button("Copy", () => this.take());
      this.copy.setAttribute("aria-live", "polite");
      this.commandLine = element("div", { class: "what-if-command" }, this.command, this.copy);
      this.assumed = element("ul", { class: "what-if-assumed", "aria-label": "Changes" });
      this.inputs = element("div", { class: "what-if-inputs" });
      this.table = new Results(this.home, this.plan);
      const buttons = element("div", { class: "what-if-buttons" }, this.undo, this.reset);
      const parts = [buttons, this.told, this.assumed, this.commandLine, this.table.place];
      const answer = element("div", { class: "what-if-answer" }, ...parts);
      this.makeCards();
      this.place.replaceChildren(this.inputs, answer);
      this.place.classList.add("what-if-live");
    }

    makeCards() {
      const options = this.home.cards.map(([card, title]) => element("option", { value: card }, title));
      this.cards = element("select", { id: "what-if-card" }, ...options);
      this.cards.addEventListener("change", () => this.choose(this.cards.value));
      const label = element("label", { for: "what-if-card" }, "GPU");
      const row = element("div", { class: "what-if-card" }, label, this.cards);
      this.choice = options.length > 1 ? [row] : [];
    }

    // Makes fields and rows for a GPU; the choice of it stays where it is, and keeps the focus.
    turnTo(model) {
      if (this.model === model) return;
      this.model = model;
      this.before = model === this.home ? this.plan : new Sheet(model);
      const hears = { typed: (input, text) => this.type(input, text, false),
        moved: (input, text) => this.type(input, text, true), letGo: () => this.settle() };
      const made = new Fields(model, this.before.values, hears);
      this.shownFields = made;
      this.fields = made.byAddress;
      if (!this.inputs.children.length) this.inputs.append(...this.choice);
      [...this.inputs.querySelectorAll(":scope > details")].forEach((part) => part.remove());
      this.inputs.append(...made.parts);
      this.results = this.table.rowsOf(model);
      this.after = this.before;
      this.table.show(this.results, this.after);
    }

    async take() {
      try {
        await navigator.clipboard.writeText(this.command.textContent.trim());
      } catch {
        getSelection().selectAllChildren(this.command); // a page without https has no clipboard
        document.execCommand("copy");
      }
      this.copy.textContent = "Copied \u2713";
    }

    // ------------------------------------------------------------------ what is changed

    // Takes what was typed; while a slider moves, all that it passes is one step to undo.
    type(input, text, moving) {
      const next = new Map(this.set);
      const value = written(text, input);
      if (this.same(input, value)) next.delete(input.address);
      else next.set(input.address, value);
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

    same(input, value) {
      try {
        const planned = this.before.values[input.node];
        return read(value, input, this.home.words).every((end, at) => same(end, planned[at]));
      } catch {
        return false;
      }
    }

    // Another GPU takes over what was changed, but not hours of an item: they were meant on the former.
    choose(card) {
      this.ready(card, (model) => {
        const turned = (some) => some.nodes.flatMap((node) => (node.w ? node.w[1] : []));
        const left = new Set([...turned(this.model), ...turned(model)]);
        const known = new Set(model.inputs.map((input) => input.address));
        this.change(new Map([...this.set].filter(([address]) => known.has(address) && !left.has(address))), card);
      });
    }

    change(next, card = this.model.card) {
      this.strange = [];
      this.ready(card, (model) => {
        const from = [this.set, this.model.card];
        if (key(next, card) !== key(...from)) this.past.push(from);
        this.turnTo(model);
        this.show(next);
        const parts = card === this.home.card ? [] : [`card=${card}`];
        for (const [address, value] of this.set)
          parts.push(`set=${encodeURIComponent(this.short(address))}=${encodeURIComponent(value)}`);
        history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
      });
    }

    back() {
      const last = this.past.pop();
      if (!last) return;
      const rest = this.past;
      this.past = [];
      this.change(...last);
      this.past = rest;
      this.undo.disabled = !rest.length;
      if (!rest.length) this.told.focus(); // a button that cannot be pressed keeps no focus
    }

    // What the address of the page says, as `#card=l40s&set=seeds=5&set=contingency=20%25`.
    follow() {
      const parts = location.hash.slice(1).split("&").filter((part) => /^(?:set|card)=/.test(part));
      const card = parts.find((part) => /^card=./.test(part))?.slice(5);
      const known = this.home.cards.some(([each]) => each === card);
      this.ready(known ? card : this.home.card, (model) => {
        this.turnTo(model);
        const next = new Map();
        this.strange = card && !known ? [`card=${safely(card)}`] : [];
        for (const part of parts.filter((each) => each.startsWith("set="))) {
          const [, address, value] = (/^set=([^=]+)=(.+)$/.exec(part) || [part, part.slice(4), ""]).map(safely);
          const full = this.fields.has(address) ? address : `${model.project}.${address}`;
          if (this.fields.has(full) && value) next.set(full, value);
          else this.strange.push(address);
        }
        this.show(next);
      });
    }

    // Goes on with the model of a GPU: at once, or when its script is there. The last that was asked for counts.
    ready(card, goOn) {
      const model = this.models.get(card);
      this.waiting.clear();
      if (model) return goOn(model);
      this.waiting.set(card, goOn);
      const file = this.home.cards.find(([each]) => each === card)[2];
      const script = element("script", { src: new URL(file, this.source).href });
      script.addEventListener("error", () => {
        this.told.textContent = `The figures for ${this.title(card)} could not be loaded.`;
        this.cards.value = this.model.card;
      });
      return document.head.append(script);
    }

    arrived(model) {
      this.models.set(model.card, model);
      const goOn = this.waiting.get(model.card);
      this.waiting.delete(model.card);
      if (goOn) goOn(model);
    }

    // ------------------------------------------------------------------ what is shown

    show(next) {
      this.set = next;
      const changed = new Map();
      let refused = null;
      for (const own of this.fields.values()) {
        const text = next.get(own.input.address);
        this.shownFields.put(own, text);
        if (text === undefined) continue;
        const odd = whyNot(() => {
          const ends = read(text, own.input, this.home.words);
          changed.set(own.input.node, ends);
          this.shownFields.slide(own, ends);
        });
        refused ||= odd;
        if (odd) this.shownFields.refuse(own, odd.message);
      }
      refused ||= whyNot(() => {
        this.after = changed.size ? new Sheet(this.model, changed) : this.before;
      });
      if (!refused) this.table.show(this.results, this.after);
      this.tell(refused);
    }

    tell(refused) {
      const { card } = this.model;
      const moved = card !== this.home.card;
      this.cards.value = card;
      this.refused = refused;
      const said = refused ? refusal(refused, this.after === this.before) : this.summary(moved);
      this.told.replaceChildren(...marked([said, strange(this.strange)].filter(Boolean).join(" ")));
      this.undo.disabled = !this.past.length;
      this.reset.disabled = !this.set.size && !moved;
      this.copy.textContent = "Copy";
      const sets = [...this.set].map(([address, value]) => `--set ${quoted(`${address}=${value}`)} `);
      const turned = moved ? [[`--set ${this.home.project}.gpu=${card} `], ["--convert"]] : [[], []];
      const words = [`budget status ${this.home.project} `, ...turned[0], ...sets, ...turned[1]];
      this.command.replaceChildren(...words.map((word) => element("span", {}, word))); // broken between words alone
      this.commandLine.hidden = this.reset.disabled || refused instanceof Refusal;
      const changes = [...this.set].map(([address, value]) => {
        const { input } = this.fields.get(address);
        const name = [input.group, input.label].filter(Boolean).join(": ");
        return `${name}: ${withUnit(value, input)}, where the plan has ${input.text}`;
      });
      if (moved) changes.unshift(`GPU: ${this.title(card)}, where the plan has ${this.title(this.home.card)}`);
      this.assumed.replaceChildren(...changes.map((line) => element("li", {}, ...whole(line))));
      this.assumed.hidden = !changes.length;
    }

    summary(moved) {
      if (!this.set.size && !moved) return "This is the plan as it stands.";
      const on = (card) => (moved ? ` on ${this.title(card)}` : "");
      return summary(this.home.project, this.results, [this.model.card, this.home.card].map(on));
    }

    title(card) {
      return this.home.cards.find(([each]) => each === card)[1];
    }

    short(address) {
      const home = `${this.home.project}.`;
      return address.startsWith(home) ? address.slice(home.length) : address;
    }
  }

  function button(words, press) {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", press);
    return made;
  }

  // Null, or why something cannot be read or calculated.
  function whyNot(act) {
    try {
      act();
    } catch (error) {
      if (error instanceof Refusal || error instanceof Elsewhere) return error;
      throw error;
    }
    return null;
  }

  const key = (some, card) => JSON.stringify([card, ...[...some].sort()]);
  const quoted = (text) => (/^[A-Za-z0-9._=%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const safely = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return "";
    }
  };
  // A model has come: that of the plan makes the page, the others wait to be asked for.
  function take(model) {
    const place = document.querySelector(".what-if");
    if (place.whatIf) return place.whatIf.arrived(model);
    document.head.append(element("link", { rel: "stylesheet", href: new URL("page.css", OWN).href }));
    place.whatIf = new WhatIf(place, model, document.currentScript.src);
    return place.whatIf;
  }

  globalThis.budgetWhatIf.take = take;
})();
