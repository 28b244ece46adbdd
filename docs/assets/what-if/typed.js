// What a reader types for an input, as fractions and as the command line takes it.

import { ONE, Rational, Refusal } from "./rational.js";

const HUNDRED = new Rational(100n);
const TWO = new Rational(2n);
const SEEDS = "write a whole number from 1 to 1000";

// A stated text without its percent sign or factor.
export const bare = (text, input) => (input.form ? text.replaceAll(input.form, "") : text);

// A number of an input as it is typed: hundredths, where it is a percentage.
export const inForm = (number, input) => (input.form === "%" ? number.mul(HUNDRED) : number);

const END = "(-?[0-9]{1,30}(?:\\.[0-9]{1,12})?)";
const TYPED = new RegExp(`^${END}(?:\\s*-\\s*${END})?$`);

// One number, or the two ends of a range; null for anything else.
function ends(text, input) {
  const found = TYPED.exec(bare(text.trim().replace(/[–—]/g, "-").replace("−", "-"), input));
  return found && found.slice(1).filter((end) => end !== undefined);
}

const decimal = (text) => {
  const [whole, places = ""] = text.split(".");
  return new Rational(BigInt(whole + places), 10n ** BigInt(places.length));
};
export const plain = (number) => {
  let [n, places] = [number.n, 0];
  while ((10n ** BigInt(places)) % number.d && places < 12) places += 1;
  n = (number.n * 10n ** BigInt(places)) / number.d;
  const digits = `${n}`.padStart(places + 1, "0");
  return places ? `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "") : digits;
};

// The ends of what was typed for an input, in its own unit. Raises Refusal, which says what would be right.
export function read(text, input) {
  const typed = ends(text, input);
  if (input.rule === "seeds") return seeds(typed, input);
  if (!typed) throw new Refusal("write one number, or a range as 4-6");
  if (typed.some((end) => /^-?0[0-9]/.test(end))) throw new Refusal("write it without zeros in front");
  const by = input.form === "%" ? HUNDRED : ONE;
  const [low, high = low] = typed.map((end) => decimal(end).div(by));
  if (low.compare(high) > 0) throw new Refusal("the range runs backwards");
  if (input.rule === "positive" && low.n < 0n) throw new Refusal("write zero or more");
  return low.equals(high) ? [low, low, low] : [low, low.add(high).div(TWO), high];
}

function seeds(typed, input) {
  if (!typed || typed.length > 1 || !/^[1-9][0-9]{0,3}$/.test(typed[0]) || Number(typed[0]) > 1000) throw new Refusal(SEEDS);
  if (Number(typed[0]) < (input.least || 1)) throw new Refusal(`runs of seed ${input.least} are recorded`);
  const number = decimal(typed[0]);
  return [number, number, number];
}

// What was typed, as `--set` takes it.
export function written(text, input) {
  const typed = ends(text, input);
  return typed ? typed.map((end) => end + input.form).join("-") : text.trim();
}
