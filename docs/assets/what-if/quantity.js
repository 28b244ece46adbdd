// Reads quantities as a ledger takes them: language/quantity.py says by which rules, and units.py what a unit is. A
// unit is {per, kinds}: how many base units the lot of it is, and the powers of what it measures, in alphabetical order.
(() => {
  "use strict";

  const { HUNDRED, Rational, Refusal, TWO, ZERO, ten, tens } = globalThis.budgetWhatIf;

  const MOST_DIGITS = 30;
  // What Python takes for space.
  const GAP = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  const NUMBER = "-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";
  const MARK = "(%|x(?![a-z])|[kMBT](?![A-Za-z_]))?";
  const TAIL = "([A-Za-z][A-Za-z_/ -]*)?";
  const PART = `([0-9]+(?:\\.[0-9]+)?)${GAP}*([A-Za-z_]+)`;
  const ALONE = new RegExp(`^(${NUMBER})${GAP}*${MARK}${GAP}*${TAIL}$`);
  const RANGE = new RegExp(`^(${NUMBER})${GAP}*${MARK}${GAP}*-${GAP}*(${NUMBER})${GAP}*${MARK}${GAP}*${TAIL}$`);
  const OPEN = new RegExp(`^(${NUMBER})${GAP}*${MARK}${GAP}*\\+${GAP}*${TAIL}$`);
  const SUM = new RegExp(`^${PART}(?:${GAP}+${PART})+$`);
  const EDGES = new RegExp(`^${GAP}+|${GAP}+$`, "g");
  const NOT_PRINTED = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
  const FACTOR = { k: ten(3), M: ten(6), B: ten(9), T: ten(12) };
  const NO_SUFFIX = ["data", "time", "mass", "month"];

  const strip = (text) => text.replace(EDGES, "");
  const cut = (text) => [...text].slice(0, 40).join("");

  // ------------------------------------------------------------------ units

  function singular(word) {
    if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
    if (/(?:ch|sh|x|ss)es$/.test(word)) return word.slice(0, -2);
    return word.endsWith("s") && !word.endsWith("ss") && word.length > 2 ? word.slice(0, -1) : word;
  }

  function combined(left, right, sign) {
    const powers = new Map(left);
    for (const [name, power] of right) powers.set(name, (powers.get(name) || 0) + sign * power);
    return [...powers].filter(([, power]) => power).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  const alike = (left, right) => JSON.stringify(left) === JSON.stringify(right);
  const countsGpus = ({ kinds }) => kinds.some(([kind, power]) => kind === "gpu" && power === 1);

  function wordUnit(word, words) {
    const one = singular(word);
    const found = Object.hasOwn(words, word) ? words[word] : Object.hasOwn(words, one) && !words[one][2] && words[one];
    return found ? { per: Rational.of(found[0]), kinds: found[1] } : null;
  }

  function wordsUnit(parts, words) {
    const last = wordUnit(parts.at(-1), words);
    const device = parts.at(-2);
    if (!last || !alike(last.kinds, [["time", 1]]) || !["gpu", "node"].includes(device)) return last;
    return { per: last.per, kinds: combined(last.kinds, [[device, 1]], 1) };
  }

  // The unit of words such as `gpu_hours`, `min`, `usd/h`; null for no unit.
  function unitOf(text, words) {
    const [above, ...below] = text.toLowerCase().replace(/[- ]/g, "_").replaceAll("/", "_per_").split("_per_");
    let unit = wordsUnit(above.split("_"), words);
    for (const part of below) {
      const by = wordsUnit(part.split("_"), words);
      if (!unit || !by) return null;
      unit = { per: unit.per.div(by.per), kinds: combined(unit.kinds, by.kinds, -1) };
    }
    return unit;
  }

  function kindWord(kind) {
    const [name, currency] = kind.split(":");
    return currency ? `${name} (${currency.toUpperCase()})` : { gpu: "GPU", flop: "FLOP" }[kind] || kind;
  }

  function kindWords(kinds) {
    const told = (sign) => kinds.filter(([, power]) => power * sign > 0)
      .map(([kind, power]) => kindWord(kind) + (power === sign ? "" : `^${power * sign}`));
    const [above, below] = [told(1).join(" × "), told(-1)];
    return (above || (below.length ? "1" : "a plain number")) + below.map((word) => ` / ${word}`).join("");
  }

  // ------------------------------------------------------------------ numbers

  function exact(digits) {
    const [mantissa, exponent = ""] = digits.toLowerCase().split("e");
    const many = mantissa.replace(/^-/, "").replace(".", "").length > MOST_DIGITS;
    if (many || exponent.length > 3 || Math.abs(Number(exponent)) > 99)
      throw new Refusal(`\`${cut(digits)}\` is too long a number`,
        `write at most ${MOST_DIGITS} digits and an exponent below 100`);
    if (/^-?0[0-9]/.test(mantissa))
      throw new Refusal(`\`${digits}\` begins with a zero`, `write \`${digits.replace(/^(-?)0+(?=[0-9])/, "$1")}\``);
    const [whole, decimals = ""] = mantissa.split(".");
    return tens(BigInt(whole + decimals), Number(exponent) - decimals.length);
  }

  function conversion(tail, unit, words) {
    const written = unitOf(tail, words);
    if (!written)
      throw new Refusal(`\`${tail}\` is not a unit`,
        "write only the number (the key has the unit), or a unit such as h, min, GiB, gpu_hours");
    if (!alike(written.kinds, unit.kinds)) {
      let right = "write only the number, in the unit of the key";
      if (alike(written.kinds, [["time", 1]]) && countsGpus(unit))
        right = "multiply wall-clock hours by the number of GPUs, or use another key";
      if (tail.includes("node"))
        right = "multiply by the GPUs of a node; where a node counts as one GPU, write only the number";
      throw new Refusal(`\`${tail}\` measures ${kindWords(written.kinds)}, the key ${kindWords(unit.kinds)}`, right);
    }
    return written.per.div(unit.per);
  }

  function number([whole, digits, mark, tail], unit, words) {
    let found = exact(digits);
    if (Object.hasOwn(FACTOR, mark || "")) {
      if (!countsGpus(unit) && unit.kinds.some(([kind, power]) => power > 0 && NO_SUFFIX.includes(kind)))
        throw new Refusal(`\`${mark}\` cannot be used with ${kindWords(unit.kinds)}`,
          "write the number in full, or its unit after it");
      found = found.mul(new Rational(FACTOR[mark]));
    }
    if (mark === "%" || mark === "x") {
      if (tail || unit.kinds.length) {
        const right = `the key takes ${kindWords(unit.kinds)}; write a number without \`${mark}\``;
        throw new Refusal(`\`${whole}\` is a ratio`, right.includes(" 1 /") ? `${right}, as 0.05 for 5%` : right);
      }
      return [mark === "%" ? found.div(HUNDRED) : found, mark];
    }
    return [tail ? found.mul(conversion(tail.replace(/ +$/, ""), unit, words)) : found, ""];
  }

  function end(text, unit, words) {
    const found = ALONE.exec(text);
    if (!found) throw whyNot(text);
    return number(found, unit, words);
  }

  function range(text, [, low, mark, high, last, tail], unit, words) {
    const after = tail ? ` ${tail}` : "";
    const [first, form] = end(low + (mark || last || "") + after, unit, words);
    const [second, lastForm] = end(high + (last || "") + after, unit, words);
    if (form !== lastForm || (mark && !last))
      throw new Refusal(`\`${text}\` mixes two ways of writing`,
        `write both ends the same way, such as \`${low}-${high}${last || mark}\``);
    if (first.compare(second) > 0)
      throw new Refusal(`the range \`${text}\` runs backwards`,
        `write \`${high}${last || ""}-${low}${mark || last || ""}\``);
    return { ends: [first, first.add(second).div(TWO), second], form };
  }

  function refuseStrange(text) {
    const strange = NOT_PRINTED.exec(text);
    if (!strange) return;
    const code = strange[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    throw new Refusal(`U+${code} is not allowed in a text`, "remove it");
  }

  // What a text states in a unit: its ends, null where open or unknown; and its form: `%`, `x` or none. Raises Refusal.
  function readQuantity(given, unit, words) {
    if ([...given].length > 100)
      throw new Refusal("the value is too long for a quantity", "write one number or one range");
    const text = strip(given);
    if (text === "unknown") return { ends: [null, null, null], form: "" };
    let found = OPEN.exec(text);
    if (found) {
      const [low, form] = number(found, unit, words);
      return { ends: [low, null, null], form };
    }
    if (text.endsWith("+")) throw whyNot(strip(text.slice(0, -1)));
    if (text.startsWith("<")) {
      const [high, form] = end(strip(text.slice(1)), unit, words);
      if (high.sign() <= 0)
        throw new Refusal(`\`${cut(text)}\` contains no value`, "`<x` starts at zero; write a range, such as `-5-0`");
      return { ends: [ZERO, null, high], form };
    }
    if ((found = ALONE.exec(text))) {
      const [one, form] = number(found, unit, words);
      return { ends: [one, one, one], form };
    }
    if ((found = RANGE.exec(text))) return range(text, found, unit, words);
    if (SUM.test(text)) {
      const parts = [...text.matchAll(new RegExp(PART, "g"))].map(([, digits, tail]) =>
        exact(digits).mul(conversion(tail, unit, words)));
      const sum = parts.reduce((a, b) => a.add(b), ZERO);
      return { ends: [sum, sum, sum], form: "" };
    }
    throw whyNot(text);
  }

  // ------------------------------------------------------------------ why a text is no quantity

  function asTime(text) {
    const [first, minutes] = text.split(":");
    const [days, hours] = first.includes("-") ? first.split("-") : [null, first];
    if (days !== null) return `write \`${BigInt(days)} d ${BigInt(hours)} h ${BigInt(minutes)} min\``;
    return `write hours as a decimal, or \`${hours} h ${minutes} min\``;
  }

  const after = (text) => strip(text.slice(1));
  const HINTS = [
    [/^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$/, "has commas", (text) => `write \`${text.replaceAll(",", "")}\``],
    [/^[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$/, "has its thousands and decimal marks swapped",
      (text) => `write \`${text.replaceAll(".", "").replace(",", ".")}\``],
    [/^[0-9]+,[0-9]+$/, "has a comma", (text) => `write \`${text.replace(",", ".")}\``],
    [/^[0-9]+(_[0-9]+)+$/, "has underscores", (text) => `write \`${text.replaceAll("_", "")}\``],
    [/^([0-9]+-)?[0-9]+:[0-9]+(:[0-9]+)?$/, "looks like a clock time", asTime],
    [/[–—−]/, "has a typographic dash", (text) => `write \`${text.replace(/[–—−]/g, "-")}\``],
    [/^[$€£¥₹][ \t\n\r\f\v]*[0-9]/, "has a currency sign",
      (text) => `remove the sign, the key has the currency: write \`${after(text)}\``],
    [/^[~≈][ \t\n\r\f\v]*[0-9]/, "is marked as approximate",
      (text) => `only \`states:\` of a claim takes \`~\`; write \`${after(text)}\` or a range`],
    [/^[.+-]?(nan|inf|infinity)$/i, "is not a number",
      () => "write `unknown` for an unknown value, or `5+` for an open range"],
    [/^>[ \t\n\r\f\v]*=?[ \t\n\r\f\v]*[0-9]/, "is an open range",
      (text) => `write \`${text.slice(1).replace(/^[= ]+/, "")}+\``],
    [/^\.[0-9]/, "lacks its leading zero", (text) => `write \`0${text}\``],
    [/^[0-9]+\/[0-9]+$/, "is a fraction", (text) => `write \`{formula: ${text.replace("/", " / ")}}\``],
    [/^$/, "is empty", () => "write a number, a range such as `8-10`, or `unknown`; quote a text that has a comma"],
  ];

  function whyNot(text) {
    const hint = HINTS.find(([pattern]) => pattern.test(text));
    if (!hint)
      return new Refusal(`\`${cut(text)}\` is not a number`,
        "write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`");
    return new Refusal(text ? `\`${cut(text)}\` ${hint[1]}` : `the value ${hint[1]}`, hint[2](cut(text)));
  }

  Object.assign(globalThis.budgetWhatIf, { NUMBER, cut, readQuantity, refuseStrange, singular, strip });
})();
