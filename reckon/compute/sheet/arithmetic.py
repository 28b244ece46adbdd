"""What an expression comes to. All numbers are exact fractions in base units; a tree is walked, never executed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, floor
from operator import add, mul, sub, truediv

from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number
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
            return _bounded(_applied(function, [number(term, value) for term in terms], at), at)
    raise Refusal("a condition stands where a number is expected", "comparisons belong into `when:`", tree.at)


def _operate(operator: str, left: Fraction, right: Fraction, at: int) -> Fraction:
    if operator == "/" and right == 0:
        raise Refusal("this divides by zero", "look at the input below", at)
    return _bounded(_OPERATIONS[operator](left, right), at)


def _applied(function: str, terms: list[Fraction], at: int) -> Fraction:
    try:
        return apply(function, terms)
    except ValueError as error:
        raise Refusal(str(error), "look at the inputs of `power`", at) from None


def _bounded(result: Fraction, at: int) -> Fraction:
    if not in_measure(result):
        raise Refusal("the number grows beyond all measure", "look for an input of the wrong size", at)
    return result


def in_measure(result: Fraction) -> bool:
    """Whether a number is still of a size that can be reckoned with."""
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
    return sum(terms, Fraction(0))


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A number to a power, the one function for powers and roots: exact for whole exponents to 64, else to 40 digits.

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
