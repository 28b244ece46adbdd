// What a reader types for an input, as fractions and as the command line takes it.

import { ONE, Rational, Refusal } from "./rational.js";

const HUNDRED = new Rational(100n);
const TWO = new Rational(2n);
const SEEDS = "write a whole number from 1 to 1000";

// A stated text without its percent sign or factor.
export const bare = (text, input) => (input.form ? text.replaceAll(input.form, "") : text);

// A number of an input as it is typed: hundredths, where it is a percentage.
export const inForm = (number, input) => (input.form === "%" ? number.mul(HUNDRED) : number);

const tidy = (text, input) => bare(text.trim().replace(/[–—]/g, "-"), input).replace(/\s*-\s*/, "-");

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
  const typed = tidy(text, input);
  const found = /^([0-9]{1,30}(?:\.[0-9]{1,12})?)(?:-([0-9]{1,30}(?:\.[0-9]{1,12})?))?$/.exec(typed);
  const seeds = input.rule === "seeds";
  if (!found && seeds) throw new Refusal(SEEDS);
  if (!found) throw new Refusal(typed.startsWith("-") ? "write zero or more" : "write one number, or a range as 4-6");
  if (/^0[0-9]/.test(found[1]) || /^0[0-9]/.test(found[2] || "")) throw new Refusal("write it without zeros in front");
  const by = input.form === "%" ? HUNDRED : ONE;
  const [low, high] = [found[1], found[2] || found[1]].map((end) => decimal(end).div(by));
  if (seeds && (found[2] || low.d !== 1n || low.n < 1n || low.n > 1000n))
    throw new Refusal(SEEDS);
  if (seeds && low.n < BigInt(input.least || 0)) throw new Refusal(`runs of seed ${input.least} are recorded`);
  if (low.compare(high) > 0) throw new Refusal("the range runs backwards");
  return low.equals(high) ? [low, low, low] : [low, low.add(high).div(TWO), high];
}

// What was typed, as `--set` takes it.
export function written(text, input) {
  return tidy(text, input).split("-").map((end) => end + input.form).join("-");
}

