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
      super("this is not calculated on a page; the command below says it");
    }
  }
  const LEFT = "the command below says it"; // in the place of a figure

  const MOST_BITS = 20000;
  const LIMIT = 1n << BigInt(MOST_BITS);

  function gcd(a, b) {
    while (b) [a, b] = [b, a % b];
    return a;
  }

  const size = (n) => (n < 0n ? -n : n);

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
      if (text === null) return null;
      const [above, below] = text.split("/");
      return new Rational(BigInt(above), below ? BigInt(below) : 1n);
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
      const left = this.n * other.d;
      const right = other.n * this.d;
      return left < right ? -1 : left > right ? 1 : 0;
    }
    equals(other) {
      return this.n === other.n && this.d === other.d;
    }
    sign() {
      return this.n > 0n ? 1 : this.n < 0n ? -1 : 0;
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
  const ten = (power) => 10n ** BigInt(power);

  globalThis.budgetWhatIf = { Elsewhere, HUNDRED, LEFT, ONE, Rational, Refusal, TWO, ZERO, least, most, same, size,
    ten };
})();
