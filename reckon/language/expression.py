"""The tree of the one expression language: formulas, conditions, policies. Trees are data; nothing executes them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from .quantity import Quantity


class Number(Struct, frozen=True):
    """A literal: `2`, `15%`, `1.3x`, `20 usd`; `at` counts characters into the text of the expression."""

    quantity: Quantity
    at: int


class Name(Struct, frozen=True):
    """A name: an input beside the formula, a field further out, or an address."""

    name: str
    at: int


class Negation(Struct, frozen=True):
    """A minus sign before a term."""

    term: Expression
    at: int


class Binary(Struct, frozen=True):
    """Arithmetic on two terms: `+ - * /`."""

    operator: str
    left: Expression
    right: Expression
    at: int


class Call(Struct, frozen=True):
    """A function of the language applied to terms: min, max, ceil, floor, sum, power."""

    function: str
    terms: tuple[Expression, ...]
    at: int


class Comparison(Struct, frozen=True):
    """Two terms compared: `< <= > >= is inside`."""

    operator: str
    left: Expression
    right: Expression
    at: int


class Logic(Struct, frozen=True):
    """Conditions joined by `and` or `or`, or one condition negated by `not`."""

    operator: str
    terms: tuple[Expression, ...]
    at: int


Expression = Number | Name | Negation | Binary | Call | Comparison | Logic


class Formula(Struct, frozen=True):
    """An expression with the text that it was read from."""

    text: str
    tree: Expression


def terms_of(tree: Expression) -> tuple[Expression, ...]:
    """The terms right below the sign or the function of an expression, from left to right."""
    match tree:
        case Negation(term=term):
            return (term,)
        case Binary(left=left, right=right) | Comparison(left=left, right=right):
            return left, right
        case Call(terms=terms) | Logic(terms=terms):
            return terms
    return ()


def names(tree: Expression) -> Iterator[Name]:
    """Every name in an expression, from left to right."""
    if isinstance(tree, Name):
        yield tree
    for term in terms_of(tree):
        yield from names(term)
