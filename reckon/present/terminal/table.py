"""The table of `status`: planned, actual, remaining and expected hours by phase, item and seed, and by grant."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.compute.book import Book
from reckon.model.figure import Figure
from reckon.model.kinds import TOTALS
from reckon.model.ledger import ProjectLedger

from ..standing.reaching import ENDED, reach_grant
from ..standing.work import work_rows
from ..view import View
from .bars import cut, use, used_bar

TITLE = 22
MOST_ROWS = 200
COLUMNS = ("planned", "actual", "remaining", "eac")
INDENT = {"item": "  ", "seed": "    "}
Row = tuple[str, list[Figure | None]]


def table(book: Book, one: ProjectLedger, detail: bool) -> Iterator[str]:
    """The rows of a project's phases and limits; in detail, those of items and seeds too."""
    view = View(book, one)
    if not view.planned:
        yield f"  {'GPU-hours':{TITLE + 1}}{'actual':>10}"
        for title, figures in [*_plan(view, True), ("Actual", [None, book[f"{one.id}.actual.total"]])]:
            yield f"  {cut(title, TITLE):{TITLE}}{' ' + use(figures[1]):>11}"
        return
    rows = [*_plan(view, detail), *_totals(book, one)]
    if rows:
        yield f"  {'GPU-hours':{TITLE + 1}}{'planned':>10}{'actual':>10}{'remaining':>10}{'EAC':>10}  hours used"
        yield from (_row(title, figures) for title, figures in rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        yield f"  … and {len(rows) - MOST_ROWS:,} more rows: see `export`"


def _plan(view: View, detail: bool) -> Iterator[Row]:
    for row in work_rows(view):
        if row.level != "seedless" and (detail or row.level not in INDENT):
            yield INDENT.get(row.level, "") + row.title, [row.planned, row.actual, row.remaining, row.eac]


def _totals(book: Book, one: ProjectLedger) -> Iterator[Row]:
    for total in TOTALS.values():
        addresses = (total.hours, total.actual, total.remaining, total.eac)
        figures = [book.get(f"{one.id}.{address}") for address in addresses]
        if figures[0]:
            yield total.title, figures


def _row(title: str, figures: list[Figure | None]) -> str:
    columns = "".join(f"{' ' + use(figure):>10}" for figure in figures)
    room = TITLE + 41 - len(columns) - 1  # long numbers take their place from the title, never from each other
    return f"  {cut(title, room):{room + 1}}{columns}  {used_bar(figures[0], figures[1])}".rstrip()


def grants(book: Book, projects: tuple[str, ...]) -> Iterator[str]:
    """The grants that some projects share: granted, used and left, and how they end."""
    found = {name: grant for name, grant in book.ledger.allocations.items() if set(projects) & set(grant.projects)}
    if found:
        yield f"{'Allocations, GPU-hours':{TITLE + 13}}{'granted':>10}{'used':>10}{'left':>10}  share used"
    for name, grant in found.items():
        at = f"allocations.{name}"
        figures = [book.get(f"{at}.{column}") for column in ("gpu_hours", "used", "left")]
        columns = "".join(f"{' ' + use(figure):>10}" for figure in figures)
        room = TITLE + 43 - len(columns) - 1
        yield f"  {cut(str(grant.title), room - 2):{room - 1}}{columns}  {used_bar(figures[0], figures[1])}".rstrip()
        if ends := _ends(book, name):
            yield f"    {ends}"


def _ends(book: Book, name: str) -> str:
    """When a grant ends or has ended, and what that leaves unused; or when it is used up, or was."""
    near = reach_grant(book, name)
    end, unused = (book.get(f"allocations.{name}.{key}") for key in ("end", "unused"))
    if near and near.passed:
        return f"overdrawn since {use(near.day)}" if near.day else "overdrawn"
    parts = [f"{'ended' if near and near.instead == ENDED else 'ends'} {use(end)}"] if end else []
    if near and near.day:
        parts.append(f"at the present pace used up on {use(near.day)}")
    elif unused and unused.use:
        parts.append(f"{use(unused)} GPU-h {'unused' if near and near.instead == ENDED else 'are left unused'}")
    return "; ".join(parts)
