"""What changed runs were charged: their hours in those of the project's GPU, by the ratios that each side has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.quantity import ONE, ZERO

from ..book import Book
from ..sheet.inputs import ratio_address
from .change import Change, RunGroup, RunSum


def add_charges(changes: Iterable[Change], old: Book, new: Book) -> Iterator[Change]:
    """The changes, those of runs with what these were charged before and after."""
    for change in changes:
        yield replace(change, runs=_charge_group(change.runs, change.scope, (old, new))) if change.runs else change


def _charge_group(group: RunGroup, project_id: str, books: tuple[Book, Book]) -> RunGroup:
    old, new = books
    sums = _sum(group.sums[0], old, project_id), _sum(group.sums[1], new, project_id)
    statuses = ((name, _sum(was, old, project_id), _sum(now, new, project_id)) for name, was, now in group.statuses)
    return replace(group, sums=sums, statuses=tuple(statuses))


def _sum(runs: RunSum, book: Book, project_id: str) -> RunSum:
    """A sum with what it was charged by the book of its side; the value to plan with of a ratio counts."""
    target, total = book.projects[project_id].gpu, ZERO
    for card, hours in runs.cards:
        ratio = ONE if card == target else _ratio(book, card, target)
        if ratio is None:
            return runs
        total += hours * ratio
    return runs._replace(charged=total)


def _ratio(book: Book, card: str, target: str) -> Fraction | None:
    """What an hour on a kind of GPU counts as; None where that is not known."""
    figure = book.get(ratio_address(card, target))
    return None if figure is None or figure.missing else figure.use
