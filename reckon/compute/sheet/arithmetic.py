"""What an expression comes to: its number, its bounds, and which way each uncertain input moves it.

All numbers are exact fractions in base units. A tree is walked, never executed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor
from operator import add, mul, sub, truediv
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number
from reckon.language.quantity import ZERO, add_up
from reckon.language.text import Refusal

MOST_BITS = 20_000
MOST_WHOLE = 64
_DIGITS = Context(prec=40)
_OPERATIONS = {"+": add, "-": sub, "*": mul, "/": truediv}


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
            return _check_bounded(_apply_call(function, [number(term, value) for term in terms], at), at)
    raise Refusal("a number is expected here, not a condition", "comparisons belong into `when:`", tree.at)


def _operate(operator: str, left: Fraction, right: Fraction, at: int) -> Fraction:
    if operator == "/" and right == 0:
        raise Refusal("this divides by zero", "look at the input below", at)
    return _check_bounded(_OPERATIONS[operator](left, right), at)


def _apply_call(function: str, terms: list[Fraction], at: int) -> Fraction:
    try:
        return apply(function, terms)
    except ValueError as error:
        raise Refusal(str(error), "look at the inputs of `power`", at) from None


def _check_bounded(result: Fraction, at: int) -> Fraction:
    if not is_bounded(result):
        raise Refusal("the number grows beyond all measure", "look for an input of the wrong size", at)
    return result


def is_bounded(result: Fraction) -> bool:
    """Whether a number is still of a size that can be calculated with: towers of powers would fill the memory."""
    return result.numerator.bit_length() <= MOST_BITS and result.denominator.bit_length() <= MOST_BITS


def apply(function: str, terms: list[Fraction]) -> Fraction:
    """A function of the language on numbers."""
    match function:
        case "min":
            return min(terms)
        case "max":
            return max(terms)
        case "ceil":
            return Fraction(ceil(terms[0]))
        case "floor":
            return Fraction(floor(terms[0]))
        case "power":
            return power(*terms)
    return add_up(terms)


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A number to a power; roots too. Exact for whole exponents up to 64, to 40 digits otherwise.

    Raises ValueError where there is none.
    """
    if exponent.denominator == 1 and abs(exponent) <= MOST_WHOLE and (base or exponent >= 0):
        return base**exponent.numerator
    if not base and 0 < exponent <= MOST_WHOLE:
        return base
    if base <= 0 or abs(exponent) > MOST_WHOLE:
        raise ValueError("this power has no value" if base <= 0 else "the number grows beyond all measure")
    whole = _DIGITS.divide(Decimal(base.numerator), Decimal(base.denominator))
    return Fraction(_DIGITS.power(whole, _DIGITS.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))))


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
    # A fraction compares slowly; the sign of its numerator does not.
    if slope.low is not None and slope.low.numerator >= 0:
        return 1
    return -1 if slope.high is not None and slope.high.numerator <= 0 else 0


def slope(tree: Expression, of: Callable[[str], Slope]) -> Slope:
    """Which way each uncertain input moves an expression, by the product and quotient rules on its bounds."""
    match tree:
        case Number(quantity=quantity):
            number_ = (quantity.value.use or ZERO) * quantity.unit.scale
            return Slope(number_, number_, {})
        case Name(name=name):
            return of(name)
        case Negation(term=term):
            return _negate_slope(slope(term, of))
        case Binary(operator=operator, left=left, right=right):
            return _binary_slope(operator, slope(left, of), slope(right, of), right.at)
        case Call(function=function, terms=terms):
            return _call_slope(function, [slope(term, of) for term in terms])
    raise Refusal("a number is expected here, not a condition", "comparisons belong into `when:`", tree.at)


def _negate_slope(slope: Slope) -> Slope:
    low, high = (None if end is None else -end for end in (slope.high, slope.low))
    return Slope(low, high, _merge((slope.moves, -1)))


def _binary_slope(operator: str, left: Slope, right: Slope, at: int) -> Slope:
    if operator == "-":
        right = _negate_slope(right)
    if operator in "+-":
        low = None if left.low is None or right.low is None else left.low + right.low
        high = None if left.high is None or right.high is None else left.high + right.high
        return Slope(low, high, _merge((left.moves, 1), (right.moves, 1)))
    if operator == "/":
        return _quotient_slope(left, right, at)
    signs = _sign(left), _sign(right)
    moves = _merge((left.moves, signs[1]), (right.moves, signs[0]))
    if signs == (1, 1) and left.low is not None and right.low is not None:
        high = None if left.high is None or right.high is None else left.high * right.high
        return Slope(left.low * right.low, high, moves)
    ends = [end * by for end in left[:2] for by in right[:2] if end is not None and by is not None]
    return Slope(min(ends), max(ends), moves) if len(ends) == 4 else Slope(None, None, moves)


def _quotient_slope(left: Slope, right: Slope, at: int) -> Slope:
    above = right.low is not None and right.low.numerator > 0
    below = right.high is not None and right.high.numerator < 0
    if right.moves and not (above or below):
        raise Refusal("this divides by a range that holds zero", "look for an input whose range reaches zero", at)
    sign = _sign(left)
    moves = _merge((left.moves, _sign(right)), (right.moves, -sign if above or below else 0))
    over = [end for end in left[:2] if end is not None]
    under = [end for end in right[:2] if end is not None]
    if len(over) + len(under) < 4 or not (above or below):
        return Slope(ZERO if sign == 1 and above else None, None, moves)
    ends = [end / by for end in over for by in under]
    return Slope(min(ends), max(ends), moves)


def _power_slope(base: Slope, exponent: Slope) -> Slope:
    """A power rises with its base where the exponent is not negative; with its exponent where the base is above one."""
    direction = 0
    if base.low is not None and base.low >= 1:
        direction = 1
    elif base.high is not None and base.high <= 1:
        direction = -1
    moves = _merge((base.moves, _sign(exponent)), (exponent.moves, direction))
    if base.low is None or base.low <= 0 or None in (base.high, exponent.low, exponent.high):
        return Slope(None, None, moves)
    try:
        corners = product((base.low, base.high), (exponent.low, exponent.high))
        ends = [power(end, to) for end, to in corners if end and to is not None]
    except ValueError:  # told where the number itself is calculated, with the place of the power
        return Slope(None, None, moves)
    return Slope(min(ends), max(ends), moves)


def _call_slope(function: str, parts: list[Slope]) -> Slope:
    if function == "power":
        return _power_slope(*parts)
    moves = _merge(*((part.moves, 1) for part in parts))
    ends = []
    for end in ("low", "high"):
        values = [getattr(part, end) for part in parts]
        ends.append(None if any(value is None for value in values) else apply(function, values))
    return Slope(ends[0], ends[1], moves)
