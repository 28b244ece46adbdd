"""Columns of stated figures that are another thing than they are called: the quotient of two columns beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import NamedTuple

from reckon.language.units import combine
from reckon.model.figure import planned

from ..statements.claims import Check, Checks
from .common import Span

LEAST_ROWS = 3
MOST_COLUMNS = 12
"""Of a table with more columns, the first are divided by each other."""


class Quotient(NamedTuple):
    """Where the figures of a column stand among the checks, and what they are: one column divided by another."""

    members: tuple[int, ...]
    above: str
    below: str


Column = dict[str, int]
"""The checks of a column, by row."""


def quotients(checks: Checks) -> Iterator[Quotient]:
    """Columns of at least three rows of which none agrees, each being what two columns beside it give when one is
    divided by the other. What is stated so is calculated rightly, under a name that means something else."""
    for columns in _tables(checks).values():
        for title, column in columns.items():
            wrong = all(not checks[at].holds for at in column.values())
            if wrong and len(column) >= LEAST_ROWS and (found := _quotient(checks, columns, title)):
                yield found


def _tables(checks: Checks) -> Mapping[tuple[str, ...], dict[str, Column]]:
    """Stated figures by document and table, in columns by what ends their addresses."""
    found: dict[tuple[str, ...], dict[str, Column]] = defaultdict(dict)
    for at, check in enumerate(checks):
        table, _, row = check.claim.at.rpartition(", ")
        above, _, key = check.figure.address.rpartition(".")
        if table and check.stated.value.exact:
            kind = (check.claim.document, table, above.rpartition(".")[0])
            found[kind].setdefault(key, {}).setdefault(row, at)
    return found


def _quotient(checks: Checks, columns: Mapping[str, Column], title: str) -> Quotient | None:
    column = columns[title]
    others = [key for key in columns if key != title and column.keys() <= columns[key].keys()][:MOST_COLUMNS]
    for above, below in permutations(others, 2):
        rows = [(at, columns[above][row], columns[below][row]) for row, at in column.items()]
        if all(_gives(*(checks[at] for at in row)) for row in rows):
            first = rows[0]
            return Quotient(tuple(column.values()), *(checks[at].figure.title.rpartition(": ")[2] for at in first[1:]))
    return None


def _gives(said: Check, above: Check, below: Check) -> bool:
    """Whether a stated figure is one divided by another, as far as the digits of all three tell."""
    if combine(above.stated.unit.kinds, below.stated.unit.kinds, -1) != said.stated.unit.kinds:
        return False
    quotient = _span(above).over(_span(below))
    return quotient is not None and quotient.meets(_span(said))


def _span(check: Check) -> Span:
    """What a stated number can have been before it was rounded, in base units."""
    base = check.figure.unit.to_base
    use = planned(check.stated)
    return Span(use - base(check.low), use + base(check.high))


# FIX
