"""Which inputs a formula adds to a bare number: what is typed there needs its `%` or `x`, or the ledger refuses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reckon.compute.sheet.evaluate import measure
from reckon.language.expression import Binary, Call, Expression, Name, terms_of
from reckon.model.figure import Calculated

NONE: frozenset[str] = frozenset()


def added_to_bare(origin: Calculated) -> Iterator[tuple[str, str]]:
    """The names that a formula adds to a bare number, each with the address that it leads to."""
    units = {name: (figure.unit, "x") for name, figure in origin.operands.items()}
    for terms in _sums(origin.formula.tree):
        if any(measure(term, units, NONE).bare for term in terms):
            for term in terms:
                if isinstance(term, Name) and not units[term.name][0].kinds:
                    yield term.name, _behind(origin, term.name)


def _sums(tree: Expression) -> Iterator[Sequence[Expression]]:
    """The terms of each sum and difference in a formula."""
    stack: list[Expression] = [tree]
    while stack:
        part = stack.pop()
        terms = terms_of(part)
        stack += terms
        if (isinstance(part, Binary) and part.operator in "+-") or (isinstance(part, Call) and part.function == "sum"):
            yield terms


def _behind(origin: Calculated, name: str) -> str:
    """The address of what a name leads to, through those that are other names for it."""
    figure = origin.operands[name]
    while isinstance(figure.origin, Calculated) and isinstance(figure.origin.formula.tree, Name):
        figure = figure.origin.operands[figure.origin.formula.tree.name]
    return figure.address
