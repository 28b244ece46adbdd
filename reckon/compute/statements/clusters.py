"""Stated figures that are told together: those of one table and column, of one statement, or of one figure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from ..sheet.cells import base_of
from ..statements.claims import Check


def cluster(places: Sequence[int], keys: Callable[[int], Iterable[Hashable]]) -> list[list[int]]:
    """Places in groups, each in order: two that have a key in common are in one group, and so are their groups."""
    parent = {place: place for place in places}

    def top(place: int) -> int:
        while parent[place] != place:
            place = parent[place]
        return place

    first: dict[Hashable, int] = {}
    for place in places:
        for key in keys(place):
            low, high = sorted((top(first.setdefault(key, place)), top(place)))
            parent[high] = low
    found: dict[int, list[int]] = {}
    for place in places:
        found.setdefault(top(place), []).append(place)
    return list(found.values())


def column_of(check: Check) -> Hashable:
    """The document, the table, and the kind of record and last word of the address of a stated figure: its column.
    What stands in no table is a column by itself."""
    table, _, _ = check.claim.at.rpartition(", ")
    _, kind, *_, key = base_of(check.figure.address).split(".")
    return check.claim.document, table or check.claim.at, kind, key if table else check.figure.address


def statement_of(check: Check) -> Hashable:
    """What is stated, and where: by one statement a document may be held against several figures."""
    claim = check.claim
    return claim.document, claim.at, str(claim.states).strip(" ~≈"), check.stated.unit.kinds


def figure_of(check: Check) -> Hashable:
    """The document and the figure that is stated, whichever end of it."""
    return check.claim.document, base_of(check.figure.address)
