// Exact fractions of whole numbers without bounds, always in lowest terms, with the sign above the line.
(() => {
  "use strict";

  // What is wrong, and what would be right where that is known.
  class Refusal extends Error {
    constructor(wrong, right = "") {
      super(right ? `${wrong}; ${right}` : wrong);
    }
  }

  // What a page cannot say is left to the program: a number that is not exact in fractions, such as a root, and what
  // would follow by other formulas than those that the page has.
  class Elsewhere extends Error {
    constructor() {
      super("this page cannot calculate it; run the command below");
    }
  }
  const LEFT = "run the command below"; // in the place of a figure

  const LIMIT = 1n << 20000n;

  function gcd(a, b) {
    while (b) [a, b] = [b, a % b];
    return a;
  }

  const size = (n) => (n < 0n ? -n : n);
  const signOf = (n) => (n > 0n ? 1 : n < 0n ? -1 : 0);

  class Rational {
    constructor(n, d = 1n) {
      if (d === 0n) throw new Refusal("this divides by zero");
      if (d < 0n) [n, d] = [-n, -d];
      const by = d === 1n ? 1n : gcd(size(n), d);
      this.n = by === 1n ? n : n / by;
      this.d = by === 1n ? d : d / by;
    }

    // What a model states: "3", "-1/3"; null for an open end.
    static of(text) {
      return text === null ? null : new Rational(...text.split("/").map(BigInt));
    }

    add(other) {
      return new Rational(this.n * other.d + other.n * this.d, this.d * other.d);
    }
    sub(other) {
      return new Rational(this.n * other.d - other.n * this.d, this.d * other.d);
    }
    mul(other) {
      return new Rational(this.n * other.n, this.d * other.d);
    }
    div(other) {
      return new Rational(this.n * other.d, this.d * other.n);
    }
    neg() {
      return new Rational(-this.n, this.d);
    }
    compare(other) {
      return signOf(this.n * other.d - other.n * this.d);
    }
    equals(other) {
      return this.n === other.n && this.d === other.d;
    }
    sign() {
      return signOf(this.n);
    }
    floor() {
      const whole = this.n / this.d;
      return new Rational(this.n < 0n && this.n % this.d ? whole - 1n : whole);
    }
    ceil() {
      return this.neg().floor().neg();
    }
    // Whether it is still of a size that can be calculated with.
    bounded() {
      return size(this.n) < LIMIT && this.d < LIMIT;
    }
    // About as a number of JavaScript.
    about() {
      return Number(this.n) / Number(this.d);
    }
    toString() {
      return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`;
    }
  }

  const ZERO = new Rational(0n);
  const ONE = new Rational(1n);
  const TWO = new Rational(2n);
  const least = (some) => some.reduce((a, b) => (b.compare(a) < 0 ? b : a));
  const HUNDRED = new Rational(100n);
  const most = (some) => some.reduce((a, b) => (b.compare(a) > 0 ? b : a));
  // Whether two ends are one, open ones too.
  const same = (a, b) => a === b || (a !== null && b !== null && a.equals(b));
  const isExact = ([low, use, high]) => use !== null && same(low, use) && same(use, high);
  const ten = (power) => 10n ** BigInt(power);
  const tens = (n, power) => (power < 0 ? new Rational(n, ten(-power)) : new Rational(n * ten(power)));

  globalThis.budgetWhatIf = { Elsewhere, HUNDRED, LEFT, ONE, Rational, Refusal, TWO, ZERO, isExact, least, most, same,
    size, ten, tens };
})();
