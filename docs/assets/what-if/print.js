// Prints a figure as pages do: render/numbers.py says by which rules, and why.
(() => {
  "use strict";

  const { HUNDRED, ONE, Rational, isExact, singular, size, ten, tens } = globalThis.budgetWhatIf;

  const TAILS = { "%": "%", x: "×" };
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const MONEY = "$€£¥₹";

  const first = (from, to, fits, last) => {
    for (let at = from; at < to; at += 1) if (fits(at)) return at;
    return last;
  };

  // In units of the last decimal, half to even.
  function rounded(number, places) {
    const above = number.n * ten(places);
    let whole = above / number.d;
    let rest = above % number.d;
    if (rest < 0n) [whole, rest] = [whole - 1n, rest + number.d];
    const up = 2n * rest > number.d || (2n * rest === number.d && whole % 2n !== 0n);
    return whole + (up ? 1n : 0n);
  }

  const grouped = (digits) => digits.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");

  function decimal(number, given = null) {
    let places = given;
    if (places === null) places = first(0, 13, (most) => ten(most) % number.d === 0n, null);
    if (places === null) places = first(2, 12, (most) => size(number.n) * ten(most) >= 1000n * number.d, 12);
    const last = rounded(number, places);
    const sign = last < 0n ? "−" : "";
    const whole = grouped(`${size(last) / ten(places)}`);
    return places ? `${sign}${whole}.${`${size(last) % ten(places)}`.padStart(places, "0")}` : `${sign}${whole}`;
  }

  function placesOf({ n, d }) {
    if (d === 1n || size(n) >= 100n * d) return 0;
    if (size(n) * 10n >= d) return 1;
    return first(2, 12, (places) => size(n) * ten(places) >= 10n * d, 12);
  }

  const isUsual = ({ n, d }, most, finest = 1000n) => d <= size(n) * finest && size(n) < most * d;
  const isWhole = (number, whole) => number.d === 1n && number.n === whole;

  function sharePlaces(share, places) {
    if (isWhole(share, 0n) || isWhole(share, 100n)) return places;
    const hides = (more) => [0n, ten(more + 2)].includes(rounded(share, more));
    return first(places, 12, (more) => !hides(more), 12);
  }

  const tidy = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

  function large(number) {
    const whole = size(number.n) / number.d;
    if (whole >= ten(9) && size(number.n) < ten(15) * number.d) {
      const [power, letter] = whole >= ten(12) ? [12, "T"] : [9, "B"];
      return tidy(decimal(number.div(new Rational(ten(power))), 3)) + letter;
    }
    let exponent = whole >= 1n ? `${whole}`.length - 1 : -1;
    const positive = new Rational(size(number.n), number.d);
    while (positive.compare(tens(1n, exponent)) < 0) exponent -= 1;
    const mantissa = tidy(decimal(number.div(tens(1n, exponent)), 3));
    const shown = `10${[...`${exponent}`].map((digit) => SUPERSCRIPT[digit] ?? "⁻").join("")}`;
    return mantissa === "1" ? shown : `${mantissa} × ${shown}`;
  }

  function money(number, exact) {
    if (!exact) return decimal(number, Math.max(2, placesOf(number)));
    const stated = decimal(number);
    return /\.\d$/.test(stated) ? decimal(number, 2) : stated;
  }

  function numberText(number, exact, isMoney = false, finest) {
    if (number.n && !isUsual(number, ten(9), finest)) return large(number);
    if (isMoney && number.n && isUsual(number, 100n)) return money(number, exact);
    return exact ? decimal(number) : tidy(decimal(number, placesOf(number)));
  }

  const isMoney = (figure) => Boolean(figure.unit) && MONEY.includes(figure.unit[0]);

  function endText(figure, end, exact, decimals) {
    const percent = figure.form === "%";
    const shown = percent ? end.mul(HUNDRED) : end;
    if (decimals !== null && isUsual(shown, ten(9))) return decimal(shown, decimals);
    if (figure.converted && !exact && end.n > 0n && isUsual(end, 100n)) return tidy(decimal(end, 3));
    if (!percent) return numberText(end, exact, isMoney(figure), figure.unit === "GPU-h" ? ten(6) : undefined);
    if (exact || !(shown.d <= size(shown.n) * ten(6)) || size(shown.n) >= 100n * shown.d)
      return numberText(shown, exact);
    return tidy(decimal(shown, sharePlaces(shown, placesOf(shown))));
  }

  function uneven(figure, low, high) {
    const plain = figure.decimals === undefined && figure.form !== "%" && !isMoney(figure);
    if (!plain || low === null || high === null) return false;
    const tenth = new Rational(1n, 10n);
    return low.compare(new Rational(1n, 1000n)) >= 0 && low.compare(tenth) < 0
      && tenth.compare(high) <= 0 && high.compare(ONE) < 0;
  }

  function valueText(figure, [low, use, high], unknown) {
    if (unknown) return "unknown";
    const full = Boolean(figure.stated);
    const tail = TAILS[figure.form] || "";
    let decimals = figure.decimals ?? null;
    const text = (end) => (end === null ? null : endText(figure, end, full, decimals));
    if (isExact([low, use, high])) return text(use) + tail;
    if (!full && uneven(figure, low, high)) decimals = placesOf(low);
    const [from, middle, to] = [low, use, high].map(text);
    if (from === null && to === null) return middle === null ? "unknown" : middle + tail;
    if (from === null || to === null) return (from === null ? `≤ ${to}` : `≥ ${from}`) + tail;
    const between = from.startsWith("−") ? " to " : "–"; // a dash beside a minus could not be read
    return (from === to ? from : from + between + to) + tail;
  }

  const single = (symbol) => {
    const [above, ...below] = symbol.split("/");
    const plural = above === "GPUs" || (above.length > 2 && /^[a-z]+$/.test(above));
    return [plural ? singular(above) : above, ...below].join("/");
  };

  function priced(text, sign) {
    if (/^[≥≤] /.test(text)) return text.slice(0, 2) + priced(text.slice(2), sign);
    if (!text.startsWith("−")) return sign + text;
    return text.split(" to ").map((end) => (end.startsWith("−") ? `−${sign}${end.slice(1)}` : sign + end)).join(" to ");
  }

  // The value of a figure with its unit, as `figure_text`: `1,335 GPU-h`, `$5`, `8–10 h/epoch`.
  function figureText(figure, value, unknown = false) {
    const text = valueText(figure, value, unknown);
    if (!figure.unit || figure.form === "%" || figure.form === "x" || text === "unknown") return text;
    if (isMoney(figure)) return priced(text, figure.unit[0]) + figure.unit.slice(1);
    return `${text} ${text === "1" ? single(figure.unit) : figure.unit}`;
  }

  // What is left of a limit; below zero it is short by that.
  function balanceText(figure, [low, use, high]) {
    const text = (...ends) => figureText({ ...figure, stated: false }, ends.map((end) => end && end.neg()));
    if ((low || use || new Rational(-1n)).sign() >= 0) return `left ${figureText(figure, [low, use, high])}`;
    if (low === null) return "short by an open amount";
    return `short by ${high === null || high.sign() >= 0 ? `up to ${text(low, low, low)}` : text(high, use, low)}`;
  }

  Object.assign(globalThis.budgetWhatIf, { balanceText, figureText });
})();
