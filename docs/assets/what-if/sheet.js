// Calculates the figures of a model again. It follows compute/sheet/evaluate.py and arithmetic.py step by step: each
// uncertain input enters a figure once, at its low or its high end, however often the formulas use it.
(() => {
  "use strict";

  const { Elsewhere, ONE, Rational, Refusal, ZERO, isExact, least, most, size } = globalThis.budgetWhatIf;

  const MOST_MIXED = 12;
  const MOST_WHOLE = 64n;

  // A number is not known here: an open end, or unknown.
  class Undetermined extends Error {}

  const point = (number) => [number, number, number];
  const leavesOf = (node) => new Map(Object.entries(node.l || {}));

  function power(base, exponent) {
    const whole = exponent.d === 1n;
    const times = size(exponent.n);
    if (whole && times <= MOST_WHOLE && (base.sign() || exponent.n >= 0n)) {
      const raised = new Rational(base.n ** times, base.d ** times);
      return exponent.n < 0n ? ONE.div(raised) : raised;
    }
    if (!base.sign() && exponent.sign() > 0 && exponent.compare(new Rational(MOST_WHOLE)) <= 0) return base;
    if (base.sign() <= 0) throw new Refusal("this power has no value");
    if (whole && times > MOST_WHOLE) throw new Refusal("the number grows beyond all measure");
    throw new Elsewhere();
  }

  const SIGNS = { "+": "add", "-": "sub", "*": "mul", "/": "div" };
  const FUNCTIONS = {
    min: least,
    max: most,
    ceil: ([term]) => term.ceil(),
    floor: ([term]) => term.floor(),
    power: (terms) => power(...terms),
    sum: (terms) => terms.reduce((a, b) => a.add(b), ZERO),
  };

  function bounded(number) {
    if (!number.bounded()) throw new Refusal("the number grows beyond all measure");
    return number;
  }

  // The number of a tree in base units, given the number of each operand.
  function number(tree, value) {
    if (tree === null) throw new Undetermined();
    if (typeof tree === "string") return Rational.of(tree);
    if (typeof tree === "number") return value(tree);
    const [name, ...rest] = tree;
    if (name === "neg") return number(rest[0], value).neg();
    const terms = rest.map((term) => number(term, value));
    const sign = SIGNS[name];
    return bounded(sign ? terms[0][sign](terms[1]) : FUNCTIONS[name](terms));
  }

  function merged(...parts) {
    const moves = new Map();
    for (const [part, sign] of parts)
      for (const [leaf, direction] of part) {
        const turned = direction * sign || 0;
        moves.set(leaf, moves.has(leaf) && moves.get(leaf) !== turned ? 0 : turned);
      }
    return moves;
  }

  const signOf = ({ low, high }) => (low !== null && low.sign() >= 0 ? 1 : high !== null && high.sign() <= 0 ? -1 : 0);
  const negated = ({ low, high, moves }) =>
    ({ low: high && high.neg(), high: low && low.neg(), moves: merged([moves, -1]) });

  // Which way each uncertain input moves a tree, by the product and quotient rules on its bounds.
  function slope(tree, of) {
    if (tree === null) return { low: ZERO, high: ZERO, moves: new Map() };
    if (typeof tree === "string") return { low: Rational.of(tree), high: Rational.of(tree), moves: new Map() };
    if (typeof tree === "number") return of(tree);
    const [name, ...rest] = tree;
    const parts = rest.map((term) => slope(term, of));
    return RULES[name] ? RULES[name](...parts) : raising(FUNCTIONS[name], parts);
  }

  // Of what rises with each of its parts: an end is that of the ends of the parts.
  function raising(calculate, parts) {
    const [low, high] = ["low", "high"].map((end) => {
      const ends = parts.map((part) => part[end]);
      return ends.includes(null) ? null : calculate(ends);
    });
    return { low, high, moves: merged(...parts.map((part) => [part.moves, 1])) };
  }

  const RULES = {
    neg: negated,
    "-": (left, right) => raising(FUNCTIONS.sum, [left, negated(right)]),
    "+": (...parts) => raising(FUNCTIONS.sum, parts),
    "*": multiplied,
    "/": divided,
    power: raised,
  };

  const known = (...ends) => ends.filter((end) => end !== null);
  const spanning = (ends, moves) => ({ low: least(ends), high: most(ends), moves });

  function multiplied(left, right) {
    const moves = merged([left.moves, signOf(right)], [right.moves, signOf(left)]);
    if (signOf(left) === 1 && signOf(right) === 1) {
      const high = left.high === null || right.high === null ? null : left.high.mul(right.high);
      return { low: left.low.mul(right.low), high, moves };
    }
    const some = known(left.low, left.high).flatMap((end) => known(right.low, right.high).map((by) => end.mul(by)));
    return some.length === 4 ? spanning(some, moves) : { low: null, high: null, moves };
  }

  function divided(left, right) {
    const above = right.low !== null && right.low.sign() > 0;
    const below = right.high !== null && right.high.sign() < 0;
    if (right.moves.size && !(above || below)) throw new Refusal("this divides by a range that holds zero");
    const sign = signOf(left);
    const moves = merged([left.moves, signOf(right)], [right.moves, above || below ? -sign : 0]);
    const over = known(left.low, left.high);
    const under = known(right.low, right.high);
    if (over.length + under.length < 4 || !(above || below))
      return { low: sign === 1 && above ? ZERO : null, high: null, moves };
    if (sign === 1 && above) return { low: over[0].div(under[1]), high: over[1].div(under[0]), moves };
    return spanning(over.flatMap((end) => under.map((by) => end.div(by))), moves);
  }

  function raised(base, exponent) {
    const above = base.low !== null && base.low.compare(ONE) >= 0;
    const below = base.high !== null && base.high.compare(ONE) <= 0;
    const moves = merged([base.moves, signOf(exponent)], [exponent.moves, above ? 1 : below ? -1 : 0]);
    if (base.low === null || base.low.sign() <= 0 || known(base.high, exponent.low, exponent.high).length < 3)
      return { low: null, high: null, moves };
    try {
      const corners = [base.low, base.high].flatMap((end) => [power(end, exponent.low), power(end, exponent.high)]);
      return spanning(corners, moves);
    } catch (error) {
      if (error instanceof Refusal) return { low: null, high: null, moves };
      throw error;
    }
  }

  // Every figure of a model; `changed` are the ends of inputs by their nodes, each [low, use, high] in its own unit.
  // What is `left` to the program has no ends here, and `moved` is what follows a change, by formulas.
  class Sheet {
    constructor(model, changed = new Map()) {
      this.model = model;
      this.scales = model.units.map(Rational.of);
      this.changed = new Set([...changed.keys()].map((at) => model.nodes[at].a));
      this.values = [];
      this.leaves = [];
      this.unknown = [];
      this.left = [];
      this.moved = [];
      model.nodes.forEach((node, at) => this.take(node, at, changed.get(at)));
    }

    // A figure, unless it or what it rests on cannot be calculated here.
    take(node, at, change) {
      const below = change ? [] : node.v ? node.d || [] : node.e ? [node.e[0]] : indices(this.tree(at));
      this.moved[at] = Boolean(change || this.isTurned(node)) || below.some((index) => this.moved[index]);
      this.left[at] = node.d ? this.moved[at] : below.some((index) => this.left[index]);
      try {
        if (!this.left[at]) return this.fill(node, at, change);
      } catch (error) {
        if (!(error instanceof Elsewhere)) throw error;
        if (node.p && !this.moved[at]) return this.put(at, node.p.map(Rational.of), leavesOf(node));
        this.left[at] = true;
      }
      return this.put(at, point(null));
    }

    scale(at) {
      return this.scales[this.model.nodes[at].u];
    }

    put(at, value, leaves = new Map(), unknown = false) {
      this.values[at] = value;
      this.leaves[at] = leaves;
      this.unknown[at] = unknown;
    }

    fill(node, at, change) {
      if (change) {
        const unknown = change.every((end) => end === null);
        this.put(at, change, unknown || isExact(change) ? new Map() : new Map([[node.a, 1]]), unknown);
      } else if (node.v) {
        this.put(at, node.v.map(Rational.of), leavesOf(node), Boolean(node.m));
      } else if (node.e) {
        const end = this.values[node.e[0]][["low", "use", "high"].indexOf(node.e[1])];
        this.put(at, point(end), new Map(), this.unknown[node.e[0]] || end === null);
      } else this.derive(this.tree(at), at, Boolean(node.o));
    }

    // Hours are turned into those on another GPU unless hours of their item were changed.
    isTurned({ w }) {
      return w && w[1].some((address) => this.changed.has(address));
    }

    tree(at) {
      const node = this.model.nodes[at];
      return this.isTurned(node) ? node.w[0] : node.f;
    }

    derive(tree, at, own) {
      const below = [...new Set(indices(tree))];
      if (below.some((index) => this.unknown[index]) || (own && this.dividesByNothing(tree)))
        return this.put(at, point(null), new Map(), true);
      if (typeof tree === "number") {
        const value = this.values[tree];
        if ((this.leaves[tree].size || isExact(value)) && this.scale(tree).equals(this.scale(at)))
          return this.put(at, value, this.leaves[tree]);
      }
      if (below.some((index) => this.leaves[index].size)) return this.spread(tree, at, below);
      return this.put(at, point(this.number(tree).div(this.scale(at))));
    }

    dividesByNothing(tree) {
      if (!Array.isArray(tree)) return false;
      const [name, ...rest] = tree;
      if (name === "/" && typeof rest[1] === "number") {
        const [low] = this.values[rest[1]];
        if (low === null || low.sign() <= 0) return true;
      }
      return rest.some((term) => this.dividesByNothing(term));
    }

    number(tree) {
      return number(tree, (index) => {
        const use = this.values[index][1];
        if (use === null) throw new Undetermined();
        return use.mul(this.scale(index));
      });
    }

    use(tree, at) {
      try {
        return this.number(tree).div(this.scale(at));
      } catch (error) {
        if (error instanceof Undetermined) return null;
        throw error;
      }
    }

    spread(tree, at, below) {
      const { low, high, moves } = slope(tree, (index) => {
        const [least, , most] = this.values[index].map((end) => end && end.mul(this.scale(index)));
        return { low: least, high: most, moves: this.leaves[index] };
      });
      const alike = [...moves.values()].every(Boolean)
        && below.every((index) => this.leaves[index].size || isExact(this.values[index]));
      const use = this.use(tree, at);
      if (low !== null && high !== null && low.bounded() && high.bounded() && alike)
        return this.put(at, [low.div(this.scale(at)), use, high.div(this.scale(at))], moves);
      const [lows, highs] = this.tried(at, tree, moves);
      const own = use === null ? [] : [use];
      const value = [lows.includes(null) ? null : least([...lows, ...own]), use,
        highs.includes(null) ? null : most([...highs, ...own])];
      return this.put(at, value, moves);
    }

    // A figure at its low and at its high corners: several where inputs move it both ways.
    tried(at, tree, moves) {
      const mixed = [...moves.keys()].filter((leaf) => moves.get(leaf) === 0).sort();
      if (mixed.length > MOST_MIXED) throw new Refusal(`${mixed.length} ranges both raise and lower the result`);
      return [-1, 1].map((raising) => {
        const fixed = [...moves].filter(([, way]) => way).map(([leaf, way]) => [leaf, raising * way]);
        const corners = [];
        for (let turn = 0; turn < 1 << mixed.length; turn += 1)
          corners.push(new Map([...fixed, ...mixed.map((leaf, bit) => [leaf, (turn >> bit) & 1 ? 1 : -1])]));
        return corners.map((corner) => this.corner(at, tree, corner));
      });
    }

    corner(at, tree, corner) {
      const found = new Map();
      const stack = [[at, false]];
      const treeOf = (index) => (index === at ? tree : this.tree(index));
      while (stack.length) {
        const [index, ready] = stack.pop();
        const side = index === at ? 0 : this.side(index, corner);
        const leaves = index === at || this.leaves[index].size;
        if (ready) found.set(index, number(treeOf(index), (below) => found.get(below)));
        else if (index === at || (leaves && !side)) {
          if (treeOf(index) === undefined) throw new Elsewhere(); // drawn of what moves it both ways
          stack.push([index, true]);
          for (const below of indices(treeOf(index))) if (!found.has(below)) stack.push([below, false]);
        } else {
          const [low, use, high] = this.values[index];
          const end = !leaves ? use : side < 0 ? low : high;
          if (end === null) return null;
          found.set(index, end.mul(this.scale(index)));
        }
      }
      return found.get(at).div(this.scale(at));
    }

    // Which end of a figure a corner stands for; 0 where it is neither end.
    side(index, corner) {
      const sides = new Set([...this.leaves[index]].map(([leaf, way]) => corner.get(leaf) * way));
      return sides.size === 1 ? [...sides][0] : 0;
    }
  }

  function indices(tree) {
    if (typeof tree === "number") return [tree];
    return Array.isArray(tree) ? tree.slice(1).flatMap(indices) : [];
  }

  Object.assign(globalThis.budgetWhatIf, { number, Sheet });
})();
