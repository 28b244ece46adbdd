"""What an expression comes to: its number, its unit, and which way each operand moves it.

All numbers are exact fractions in base units. An expression is walked, never executed as code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Comparison, Expression, Logic, Name, Negation, Number
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, Powers, Unit, carries, combine, kind_words

MOST_BITS = 20_000


class Undetermined(Exception):
    """An operand has no number here: an open end or an unknown."""


def number(tree: Expression, value: Callable[[str], Fraction]) -> Fraction:
    """The number of an arithmetic expression, given the number of each name. Raises Refusal for a division by zero."""
    match tree:
        case Number(quantity=quantity):
            if quantity.value.use is None:
                raise Undetermined
            return quantity.value.use * quantity.unit.scale
        case Name(name=name):
            return value(name)
        case Negation(term=term):
            return -number(term, value)
        case Binary(operator=operator, left=left, right=right, at=at):
            return _operate(operator, number(left, value), number(right, value), at)
        case Call(function=function, terms=terms, at=at):
            return _bounded(_call(function, [number(term, value) for term in terms]), at)
    raise Refusal("a condition stands where a number is expected", "comparisons belong into `when:` and policies", tree.at)


def _operate(operator: str, left: Fraction, right: Fraction, at: int) -> Fraction:
    if operator == "/" and right == 0:
        raise Refusal("this divides by zero", "look at the input below", at)
    result = {"+": left.__add__, "-": left.__sub__, "*": left.__mul__, "/": left.__truediv__}[operator](right)
    return _bounded(result, at)


def _bounded(result: Fraction, at: int) -> Fraction:
    if result.numerator.bit_length() > MOST_BITS or result.denominator.bit_length() > MOST_BITS:
        raise Refusal("the number grows beyond all measure", "look for an input of the wrong size", at)
    return result


def _call(function: str, terms: list[Fraction]) -> Fraction:
    match function:
        case "min":
            return min(terms)
        case "max":
            return max(terms)
        case "ceil":
            return Fraction(ceil(terms[0]))
        case "floor":
            return Fraction(floor(terms[0]))
    return sum(terms, Fraction(0))


class Measure(NamedTuple):
    """What an expression measures: strict kinds and counts; `bare` where it is a plain number without `%` or `x`."""

    kinds: Powers
    counts: Powers
    bare: bool = False


def measure(tree: Expression, units: Mapping[str, tuple[Unit, str]], counted: frozenset[str], literal: bool = False) -> Measure:
    """The kinds and counts of an expression; `units` gives unit and form of each name, `counted` the counts in play.

    Raises Refusal where unlike things are added, or a plain input is added to a bare number without `%` or `x`.
    """
    match tree:
        case Number(quantity=quantity):
            return Measure(quantity.unit.kinds, (), not quantity.unit.kinds and not quantity.form)
        case Name(name=name):
            unit, form = units[name]
            carried = tuple((count, 1) for count in sorted(counted) if carries(name, count))
            return Measure(unit.kinds, combine(unit.counts, carried), False)
        case Negation(term=term):
            return measure(term, units, counted)
        case Binary(operator="*" | "/" as operator, left=left, right=right):
            one, two = measure(left, units, counted), measure(right, units, counted)
            sign = 1 if operator == "*" else -1
            return Measure(combine(one.kinds, two.kinds, sign), combine(one.counts, two.counts, sign), one.bare and two.bare)
        case Binary(left=left, right=right, at=at):
            _ratio_written(left, right, units)
            return _alike([measure(left, units, counted), measure(right, units, counted)], at)
        case Call(terms=terms, at=at):
            return _alike([measure(term, units, counted) for term in terms], at)
    raise Refusal("a condition stands where a number is expected", "comparisons belong into `when:` and policies", tree.at)


def _ratio_written(left: Expression, right: Expression, units: Mapping[str, tuple[Unit, str]]) -> None:
    """`1 + x` means a share: an input there is written with its `%` or `x`, so that 10 is never taken for 10%."""
    for bare, other in ((left, right), (right, left)):
        if isinstance(bare, Number) and not bare.quantity.form and not bare.quantity.unit.kinds and isinstance(other, Name):
            unit, form = units[other.name]
            if not unit.kinds and form not in ("%", "x"):
                raise Refusal(f"`{other.name}` is added to a bare number", "write its value with `%` (10%) or `x` (1.1x)", other.at)


def _alike(parts: list[Measure], at: int) -> Measure:
    first = parts[0]
    for part in parts[1:]:
        if part.kinds != first.kinds:
            wrong = f"{kind_words(first.kinds)} and {kind_words(part.kinds)} are put together"
            raise Refusal(wrong, "both sides must measure the same", at)
    shared = {count: min(dict(part.counts).get(count, 0) for part in parts) for part in parts for count, _ in part.counts}
    return Measure(first.kinds, combine((), tuple(shared.items())), all(part.bare for part in parts))


def check_target(found: Measure, target: Unit, at: int = 0) -> None:
    """Refuses a result that does not measure what its key says, or that leaves a count below."""
    if found.kinds != target.kinds:
        gpu_missing = combine(target.kinds, found.kinds, -1) == (("gpu", 1),)
        right = "multiply by the number of GPUs" if gpu_missing else "look for a factor that is missing or too many"
        raise Refusal(f"this gives {kind_words(found.kinds)}, its key asks for {kind_words(target.kinds)}", right, at)
    wanted = dict(target.counts)
    for count, exponent in found.counts:
        if exponent < min(wanted.get(count, 0), 0):
            raise Refusal(f"`per {count}` is left over", f"multiply by a number of {count}s, or look for a misspelt `_per_{count}`", at)
    for count, exponent in wanted.items():
        if dict(found.counts).get(count, 0) != exponent:
            raise Refusal(f"its key says per {count}, the formula does not", f"divide by a number of {count}s, or rename the key", at)


def counted_words(units: Mapping[str, tuple[Unit, str]], target: Unit = PLAIN) -> frozenset[str]:
    """The words that stand after `per` in an expression: names that end in one of them count it."""
    below = [count for unit, _ in units.values() for count, exponent in unit.counts if exponent < 0]
    return frozenset(below + [count for count, _ in target.counts])


class Slope(NamedTuple):
    """Bounds of an expression (None: unbounded) and the direction in which each uncertain input moves it (0: both)."""

    low: Fraction | None
    high: Fraction | None
    moves: Mapping[str, int]


def _merge(*parts: tuple[Mapping[str, int], int]) -> dict[str, int]:
    moves: dict[str, int] = {}
    for part, sign in parts:
        for leaf, direction in part.items():
            turned = direction * sign
            moves[leaf] = turned if moves.get(leaf, turned) == turned else 0
    return moves


def _sign(slope: Slope) -> int:
    if slope.low is not None and slope.low >= 0:
        return 1
    return -1 if slope.high is not None and slope.high <= 0 else 0


def slope(tree: Expression, of: Callable[[str], Slope]) -> Slope:
    """Which way each uncertain input moves an expression, by the product and quotient rules on its bounds."""
    match tree:
        case Number(quantity=quantity):
            number_ = (quantity.value.use or Fraction(0)) * quantity.unit.scale
            return Slope(number_, number_, {})
        case Name(name=name):
            return of(name)
        case Negation(term=term):
            inner = slope(term, of)
            return Slope(_negative(inner.high), _negative(inner.low), _merge((inner.moves, -1)))
        case Binary(operator=operator, left=left, right=right):
            return _binary_slope(operator, slope(left, of), slope(right, of))
        case Call(function=function, terms=terms):
            return _call_slope(function, [slope(term, of) for term in terms])
    raise Refusal("a condition stands where a number is expected", "comparisons belong into `when:` and policies", tree.at)


def _negative(end: Fraction | None) -> Fraction | None:
    return None if end is None else -end


def _binary_slope(operator: str, one: Slope, two: Slope) -> Slope:
    if operator == "-":
        two = Slope(_negative(two.high), _negative(two.low), _merge((two.moves, -1)))
    if operator in "+-":
        low = None if one.low is None or two.low is None else one.low + two.low
        high = None if one.high is None or two.high is None else one.high + two.high
        return Slope(low, high, _merge((one.moves, 1), (two.moves, 1)))
    if operator == "/":
        return _quotient_slope(one, two)
    ends = [a * b for a in (one.low, one.high) for b in (two.low, two.high) if a is not None and b is not None]
    bounded = len(ends) == 4
    positive = _sign(one) == _sign(two) == 1
    low = min(ends) if bounded else Fraction(0) if positive else None
    return Slope(low, max(ends) if bounded else None, _merge((one.moves, _sign(two)), (two.moves, _sign(one))))


def _quotient_slope(one: Slope, two: Slope) -> Slope:
    signs = (two.low is not None and two.low > 0, two.high is not None and two.high < 0)
    moves = _merge((one.moves, _sign(two)), (two.moves, -_sign(one) if any(signs) else 0))
    ends = [a / b for a in (one.low, one.high) for b in (two.low, two.high) if a is not None and b]
    if any(signs) and len(ends) == 4:
        return Slope(min(ends), max(ends), moves)
    return Slope(Fraction(0) if _sign(one) == 1 and signs[0] else None, None, moves)


def _call_slope(function: str, parts: list[Slope]) -> Slope:
    moves = _merge(*((part.moves, 1) for part in parts))
    ends = []
    for end in ("low", "high"):
        values = [getattr(part, end) for part in parts]
        ends.append(None if any(value is None for value in values) else _call(function, values))
    return Slope(ends[0], ends[1], moves)
