"""The grants that a project draws on: what is used and left of each, and what is not known of them."""

from __future__ import annotations

from reckon.compute.audit.common import is_above, shared_grants_of
from reckon.compute.audit.limits import used_for_certain
from reckon.compute.budget.payers import join_titles
from reckon.model.figure import Figure
from reckon.model.finding import Sentence, say

from ..render.numbers import format_sentence
from ..table import As, Cell, ShareBar, Table, below, figures, known, words
from ..view import View
from .limits import NOT_KNOWN, WITH_EXTENSIONS, Reach, chance_columns, day_cell, odds_cells, reach_grant


def overdrawn_grant(view: View) -> Sentence:
    """What is used of the first grant that is overdrawn, or of grants that are so together; empty where none is."""
    book = view.book
    grants: list[tuple[str, str, tuple[str, ...]]] = []
    for name in view.allocations:
        grants.append((used_for_certain(book, name), f"allocations.{name}.gpu_hours", (name,)))
    for group in shared_grants_of(view.ledger, book):
        at = f"allocations.{group.names[0]}.together"
        grants.append((f"{at}.used", f"{at}.granted", group.names))
    for spent, limit, names in grants:
        used, granted = book.get(spent), book.get(limit)
        if used and granted and is_above(used, granted):
            titles = join_titles(book.ledger, names, "and")
            return say("{used} of {granted} are used of {titles}", used=used, granted=granted, titles=titles)
    return ()


def unknown_of_grants(view: View) -> list[Sentence]:
    """Why it is not known what grants of the project were charged, or will be, each reason once."""
    found: dict[str | tuple[str, ...], Sentence] = {}
    for name in view.allocations:
        near, group = reach_grant(view.book, name), view.book.shared_grants.get(name)
        if near and (why := near.unknown or near.unknown_extended):
            # Of hours that the same grants could be charged for, one of them is enough to tell.
            found.setdefault(group.rivals[name] if group else format_sentence(why), why)
    return list(found.values())


def grants_table(view: View) -> Table:
    """The grants that a project draws on: what is used and left of each, its end and what that leaves."""
    found = [(name, near) for name in view.allocations if (near := reach_grant(view.book, name))]
    columns = [words("Allocation"), *chance_columns(any(near.extended for _, near in found))]
    columns += map(figures, ("Left", "Used up on", "Last day", "GPU-hours used", "Unused then", "Pace needed"))
    return Table(columns, [_grant(view, name, near) for name, near in found])


def _grant(view: View, name: str, near: Reach) -> list[Cell]:
    book, title = view.book, str(view.book.ledger.allocations[name].title)
    keys = ("used_share", "end", "used", "left", "unused", "pace_to_use_up")
    share, end, used, left, unused, needed = (book.get(f"allocations.{name}.{key}") for key in keys)
    hours = As(book[f"allocations.{name}.gpu_hours"], "bare")
    bar = ShareBar(share) if share and not share.missing else None
    last = end or "none"
    spent: Cell = (_known_bare(used), " of ", hours)
    if near.unknown:
        return [title, *odds_cells(view, near), known(left) or NOT_KNOWN, NOT_KNOWN, last, spent, NOT_KNOWN, None]
    day = below(near.day, WITH_EXTENSIONS) if near.beyond else day_cell(near, "overdrawn since")
    return [below(title, bar), *odds_cells(view, near), left, day, last, spent, unused, needed]


def _known_bare(figure: Figure | None) -> Cell:
    """A figure without its unit, or that it is not known; a dash where there is none."""
    if figure is None:
        return "–"
    return NOT_KNOWN if figure.missing else As(figure, "bare")
