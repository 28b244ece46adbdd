"""The contingency: what each phase has of it, and what drew on it since when."""

from __future__ import annotations

from typing import NamedTuple

from reckon.compute.budget.drawdown import ContingencyUse
from reckon.model.figure import Figure

from ..printing import counted
from ..table import Bold, Cell, Table, figures, words
from ..view import View

MOST_DRAWS = 200


class Draw(NamedTuple):
    """Something that drew on the contingency: its number in the picture, its phase, and its figures."""

    number: Figure
    source: ContingencyUse
    title: str
    phase: str
    planned: Figure | None
    actual: Figure
    drawn: Figure
    since: Figure | None


def reserve_table(view: View) -> Table:
    """The phases of the base budget that have contingency or draw on it, then all of it; none without contingency."""
    columns = [words("GPU-hours"), *map(figures, ("Planned", "Drawn", "Left", "Share left", "Freed"))]
    whole = view.maybe("budget.contingency")
    if whole is None or view.maybe("contingency.drawn") is None:
        return Table(columns)
    phases = {name: phase for name, phase in view.one.plan.items() if phase.items and not phase.extension}
    rows = [_reserve(view, str(phase.title), f"phases.{name}.contingency") for name, phase in phases.items()]
    if unplanned := view.maybe("actual.unplanned"):
        rows.append(["Unplanned", None, unplanned, None, None, None])
    return Table(columns, [*rows, [Bold("All"), whole, *_reserve(view, "", "contingency")[2:]]])


def _reserve(view: View, title: str, at: str) -> list[Cell]:
    return [title, *(view.maybe(f"{at}.{name}") for name in ("planned", "drawn", "left", "left_share", "freed"))]


def draws_table(view: View) -> Table:
    """What drew on the contingency, with its number in the picture."""
    columns = [words("Work"), words("Phase"), *map(figures, ("Planned", "Actual", "Drawn", "Since"))]
    return Table(columns, [
        [(row.number, " · ", row.title), row.phase or None, row.planned, row.actual, row.drawn, row.since or "no date"]
        for row in draws(view)
    ])  # fmt: skip


def draws(view: View) -> list[Draw]:
    """What drew on the contingency, in the order in which it began to; the two hundred largest of them."""
    if view.maybe("contingency.drawn") is None:
        return []
    extensions = {name for name, phase in view.one.plan.items() if phase.extension}
    sources = [one for one in view.book.histories[view.id].sources if one.phase not in extensions]
    found = [(drawn, source) for source in sources if (drawn := _drawn(view, source))]
    largest = sorted(found, key=lambda pair: -(pair[0].use or 0))[:MOST_DRAWS]
    order = {source.at: place for place, source in enumerate(sources)}
    largest.sort(key=lambda pair: (_since(view, pair[1]), order[pair[1].at]))
    return [_draw(view, number, *pair) for number, pair in enumerate(largest, 1)]


def _since(view: View, source: ContingencyUse) -> int:
    since = view.book.get(f"{source.at}.drawn_since")
    return int(since.use) if since and since.use is not None else 0


def _drawn(view: View, source: ContingencyUse) -> Figure | None:
    """What a source drew: its hours above its plan, or all of them where it has none; None where it drew nothing."""
    at = source.at if source.at.endswith(".unplanned") else f"{source.at}.{'drawn' if source.plan else 'actual'}"
    figure = view.book.get(at)
    return figure if figure and figure.use else None


def _draw(view: View, number: int, drawn: Figure, source: ContingencyUse) -> Draw:
    book, since = view.book, view.book.get(f"{source.at}.drawn_since")
    phase = view.one.plan.get(source.phase)
    return Draw(
        counted(number, ""), source, _title(view, source), str(phase.title) if phase else "",
        book.get(source.plan), drawn if not source.plan else book[f"{source.at}.actual"], drawn,
        since if since and not since.missing else None,
    )  # fmt: skip


def _title(view: View, source: ContingencyUse) -> str:
    inside = source.at.removeprefix(f"{view.id}.plan.")
    item, _, seed = inside.partition(".seeds.")
    if seed:
        return f"{view.one.items[item].title}, seed {seed}"
    if inside.endswith(".no_seed"):
        return f"{view.one.items[inside.removesuffix('.no_seed')].title}, no seed named"
    return str(view.one.items[item].title) if item in view.one.items else "Unplanned runs"
