"""The tree of the one expression language: formulas, conditions, policies. Trees are data; nothing executes them."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.lean import dataclass

from .quantity import Quantity


@dataclass(frozen=True, slots=True)
class Number:
    """A literal: `2`, `15%`, `1.3x`, `20 usd`; `at` counts characters into the text of the expression."""

    quantity: Quantity
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """A name: an input beside the formula, a field further out, or an address."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Negation:
    """A minus sign before a term."""

    term: Expression
    at: int


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic on two terms: `+ - * /`."""

    operator: str
    left: Expression
    right: Expression
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the language applied to terms: min, max, ceil, floor, sum, power."""

    function: str
    terms: tuple[Expression, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two terms compared: `< <= > >= is inside`."""

    operator: str
    left: Expression
    right: Expression
    at: int


@dataclass(frozen=True, slots=True)
class Logic:
    """Conditions joined by `and` or `or`, or one condition negated by `not`."""

    operator: str
    terms: tuple[Expression, ...]
    at: int


Expression = Number | Name | Negation | Binary | Call | Comparison | Logic


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression with the text that it was read from."""

    text: str
    tree: Expression


def names(tree: Expression) -> Iterator[Name]:
    """Every name in an expression, from left to right."""
    match tree:
        case Name():
            yield tree
        case Negation(term=term):
            yield from names(term)
        case Binary(left=left, right=right) | Comparison(left=left, right=right):
            yield from names(left)
            yield from names(right)
        case Call(terms=terms) | Logic(terms=terms):
            for term in terms:
                yield from names(term)
        case Number():
            return
