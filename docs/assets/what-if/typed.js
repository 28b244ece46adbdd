// What a reader types for an input, as fractions and as the command line takes it. What the field of a record allows of
// a quantity is said in model/amounts.py and model/values.py, and here by the rule of an input.
(() => {
  "use strict";

  const { Elsewhere, HUNDRED, NUMBER, ONE, Refusal, cut, most, readQuantity, refuseStrange, size, strip, ten } =
    globalThis.budgetWhatIf;

  const UNMARKED = new RegExp(`^${NUMBER}(?: *- *${NUMBER})?$`);
  const MOST_SEEDS = 1000;

  // A stated text without its percent sign or factor.
  const bare = (text, input) => (input.form ? text.replaceAll(input.form, "") : text);

  // A number of an input as it is typed: hundredths, where it is a percentage.
  const inForm = (number, input) => (input.form === "%" ? number.mul(HUNDRED) : number);

  // A number as a decimal, or null where that would not end.
  function plain(number) {
    let places = 0;
    while (ten(places) % number.d && places < 12) places += 1;
    if (ten(places) % number.d) return null;
    const sign = number.n < 0n ? "-" : "";
    const digits = `${size(number.n) * ten(places) / number.d}`.padStart(places + 1, "0");
    return sign + (places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits);
  }

  // What was typed, as `--set` takes it: numbers alone are in the form that the ledger has there.
  function written(text, input) {
    const typed = strip(text);
    if (!input.form || !UNMARKED.test(typed)) return typed;
    return typed.replace(new RegExp(NUMBER.slice(2), "g"), `$&${input.form}`);
  }

  // A value as it is told to people.
  const withUnit = (value, input) => (UNMARKED.test(value) && input.unit ? `${value} ${input.unit}` : value);

  // The ends of a value for an input, in its own unit. Raises Refusal, with what the command would say.
  function read(value, input, words) {
    refuseStrange(value);
    const text = cut(value);
    if (input.rule === "seeds") refuseSeeds(value, text, input);
    if (input.rule === "runs") refuseRuns(value, text);
    const { ends, form } = readQuantity(value, input.scale, words);
    const typed = strip(value);
    if (input.rule === "price" && ends.every((end) => end === null))
      throw new Elsewhere(); // money without it is put otherwise
    if (input.rule === "ratio" && !form) refuseUnmarked(typed, ends);
    if (input.added && !form && !ends.every((end) => end === null))
      throw new Refusal(`\`${input.added}\` is added to a bare number`, "write its value with `%` (10%) or `x` (1.1x)");
    if (input.rule !== "any" && ends[0] !== null && ends[0].sign() < 0)
      throw new Refusal(`\`${typed}\` is negative`, "write zero or more");
    return ends;
  }

  function refuseSeeds(typed, text, input) {
    if (typed.startsWith("["))
      throw new Refusal(`\`${text}\` is a text, not a list of seeds`,
        "write their number; put a list in project.yaml, without quotes");
    refuseGrouped(typed, text);
    if (!/^[1-9][0-9]{0,3}$/.test(typed) || Number(typed) > MOST_SEEDS)
      throw new Refusal(`\`${text}\` is not a number of seeds`,
        `write a whole number from 1 to ${MOST_SEEDS}, or a list \`[0, 1, 2]\``);
    if (Number(typed) < (input.least || 1))
      throw new Refusal(`\`${input.least}\` is not a seed of this project`, "runs of it are recorded");
  }

  function refuseGrouped(typed, text) {
    if (/^[0-9]{1,3}(,[0-9]{3})+$/.test(typed))
      throw new Refusal(`\`${text}\` has commas`, `write \`${text.replaceAll(",", "")}\``);
  }

  function refuseRuns(typed, text) {
    refuseGrouped(typed, text);
    if (/^[1-9][0-9]{6,}$/.test(typed))
      throw new Refusal(`\`${text}\` is too large`, "write at most six digits");
    if (!/^[0-9]{1,6}$/.test(typed) || Number(typed) < 1)
      throw new Refusal(`\`${text}\` is not a whole number of at least 1`, "write digits, such as `28`");
  }

  function refuseUnmarked(typed, ends) {
    const some = ends.filter((end) => end !== null && end.sign());
    if (!some.length) return;
    const largest = most(some);
    const right = largest.compare(ONE) >= 0 || largest.compare(ONE.neg()) <= 0
      ? `write \`${typed}%\`, or \`x\` after it if it is a factor`
      : `write it in hundredths, such as \`${short(largest.mul(HUNDRED))}%\`; or \`${typed}%\` if you mean that`;
    throw new Refusal(`\`${typed}\` lacks its percent sign`, right);
  }

  // A number in six digits, as Python's `g` writes it.
  function short(number) {
    const value = number.about();
    const [mantissa, power] = value.toExponential(5).split("e");
    if (Number(power) >= -4 && Number(power) < 6) return `${Number(value.toPrecision(6))}`;
    return `${Number(mantissa)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  }

  Object.assign(globalThis.budgetWhatIf, { bare, inForm, plain, read, withUnit, written });
})();
