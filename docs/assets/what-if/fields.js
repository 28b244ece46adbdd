// The fields and sliders of the inputs of a model, by the parts of the page.
(() => {
  "use strict";

  const { Rational, bare, element, inForm, marked, plain, same, whole } = globalThis.budgetWhatIf;

  const STEPS = 100; // of a slider
  const WIDE = 720; // pixels from which on the items of a plan are unfolded
  const PARTS = ["The whole plan", "Items of the plan", "Inputs of the estimates"];

  class Fields {
    // `planned` are the values of the model without changes; `hears` is told what is typed: (input, text, moving), and
    // when a slider is let go.
    constructor(model, planned, hears) {
      this.planned = planned;
      this.hears = hears;
      this.byAddress = new Map();
      const inputs = (part) => model.inputs.filter((each) => each.part === part);
      this.parts = PARTS.flatMap((title, part) => this.makePart(title, part, inputs(part)));
    }

    makePart(title, part, inputs) {
      if (!inputs.length) return [];
      const open = part === 0 || (part === 1 && innerWidth >= WIDE) ? { open: "" } : {};
      const parent = element("details", open, element("summary", {}, title));
      let [group, holder] = ["", parent];
      for (const input of inputs) {
        if (input.group !== group) {
          group = input.group;
          holder = element("fieldset", {}, element("legend", {}, group));
          parent.append(holder);
        }
        holder.append(this.makeInput(input));
      }
      return [parent];
    }

    makeInput(input) {
      const id = `what-if-${input.node}`;
      input.scale = { per: Rational.of(input.per), kinds: input.kinds };
      const label = element("label", { for: id }, input.label);
      const [of, ...per] = (input.form === "%" ? "%" : input.unit).split(/(?<=\/)/); // GPU-h/configuration, in two lines
      const unit = element("span", { class: "what-if-unit", id: `${id}-unit` }, ...whole(of),
        ...per.flatMap((part) => [element("wbr"), part]));
      const why = element("span", { class: "what-if-why", id: `${id}-why`, "aria-live": "polite" });
      const field = element("input", { id, type: "text", autocomplete: "off", spellcheck: "false", size: "8",
        "aria-describedby": `${id}-unit ${id}-was ${id}-why` });
      const slider = this.makeSlider(input);
      field.addEventListener("change", () => this.hears.typed(input, field.value));
      const was = element("span", { class: "what-if-was", id: `${id}-was` });
      const row = element("div", { class: "what-if-input" }, label, field, unit);
      this.byAddress.set(input.address, { input, field, slider, why, was, row });
      if (slider) row.append(slider);
      row.append(was, why);
      return row;
    }

    // Of one number; a range is typed.
    makeSlider(input) {
      const [low, use, high] = this.planned[input.node];
      if (low === null || !same(low, high)) return null;
      const [least, most, step] = span(input, inForm(use, input));
      const slider = element("input", { type: "range", min: least, max: most, step, "aria-label": input.title });
      this.slide({ input, slider }, this.planned[input.node]);
      slider.addEventListener("input", () => this.hears.moved(input, slider.value));
      slider.addEventListener("change", () => this.hears.letGo());
      return slider;
    }

    // What is planned for an input, as it would be typed: one number or a range, in its own unit.
    text(input) {
      const [low, , high] = this.planned[input.node];
      const ends = low === null || high === null ? [null] : [low, high].map((end) => plain(inForm(end, input)));
      if (ends.includes(null)) return bare(input.stated, input).replaceAll(",", "").replaceAll("–", "-");
      return ends[0] === ends[1] ? ends[0] : ends.join("-");
    }

    // What stands in a field and on its slider: what was typed, or what is planned.
    put({ input, field, slider, why, was, row }, text) {
      const shown = text === undefined ? this.text(input) : bare(text, input);
      if (document.activeElement !== field || text === undefined) field.value = shown;
      if (slider && text === undefined) this.slide({ input, slider }, this.planned[input.node]);
      was.replaceChildren(...(text === undefined ? [] : whole(`As planned: ${input.text}`)));
      row.classList.toggle("what-if-set", text !== undefined);
      why.textContent = "";
      field.removeAttribute("aria-invalid");
    }

    // A range stands at the value to plan with; an open one leaves the slider where it is.
    slide({ input, slider }, [, use]) {
      if (!slider || use === null) return;
      const shown = inForm(use, input);
      slider.value = shown.about();
      slider.setAttribute("aria-valuetext", [slider.value, input.form || input.unit].join(input.form ? "" : " "));
    }

    refuse({ field, why }, reason) {
      why.replaceChildren(...marked(reason));
      field.setAttribute("aria-invalid", "true");
    }
  }

  // From nothing to twice what is planned, in steps that a person would take.
  function span(input, shown) {
    const number = shown.about();
    if (["seeds", "runs"].includes(input.rule)) return [input.least || 1, Math.max(10, 2 * number), 1];
    const most = number > 0 ? 2 * number : 10;
    const power = 10 ** Math.floor(Math.log10(most / STEPS));
    return [0, most, shown.d === 1n && most <= STEPS ? 1 : Number(power.toPrecision(1))];
  }

  globalThis.budgetWhatIf.Fields = Fields;
})();
