"""What is left of the contingency over time; its numbers are those of the page's table of what drew on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from reckon.language.days import iso
from reckon.model.figure import Figure

from ..charts import Drawdown, Step
from ..charts.kinds.checks import MOST_MARKS
from ..numbers import figure_text
from ..standing import Standing
from .said import UNIT, hours_text, listed

COARSER = (1, 7, 28, 91, 364, 3640)

Drawn = tuple[int, int, Fraction]
"""The day, the number of what drew, and how much."""


def contingency(standing: Standing) -> Drawdown | None:
    """The contingency going down; None where nothing drew on it, or where no day is known."""
    view = standing.view
    history, start = view.book.histories.get(view.id), view.maybe("budget.contingency")
    if not standing.draws or not history or history.missing or not history.whole.days or not start or start.use is None:
        return None
    drawn, first = list(_drawn(standing)), history.whole.first
    left, steps = start.use, []
    titles = {number: row.title for number, row in enumerate(standing.draws, 1)}
    for day, number, hours in _merged(drawn):
        left -= hours
        day = max(day, first)
        steps.append(Step(iso(day), float(left), number, hours_text(left), f"{titles[number]}: {hours_text(hours)}"))
    if not steps:
        return None
    title = f"{view.project.title}: contingency left"
    return Drawdown(title, UNIT, iso(first), float(start.use), tuple(steps), iso(history.whole.last),
                    _alt(standing, start))  # fmt: skip


def _drawn(standing: Standing) -> Iterator[Drawn]:
    """What each source drew, day by day: what its running total rose above its plan."""
    for number, row in enumerate(standing.draws, 1):
        plan = row.planned.use if row.planned and row.planned.use is not None else Fraction(0)
        before = max(row.source.spent.undated - plan, Fraction(0))
        if before:
            yield 0, number, before
        for day, so_far in row.source.spent.so_far():
            above = max(so_far - plan, Fraction(0))
            if above > before:
                yield day, number, above - before
            before = above


def _merged(drawn: Sequence[Drawn]) -> list[Drawn]:
    """In order of days; by week, month and so on where there is more than a picture holds."""
    for width in COARSER:
        found: dict[tuple[int, int], tuple[int, Fraction]] = defaultdict(lambda: (0, Fraction(0)))
        for day, number, hours in drawn:
            last, sum_ = found[day // width, number]
            found[day // width, number] = (max(day, last), sum_ + hours)
        if len(found) <= MOST_MARKS:
            break
    return sorted((day, number, hours) for (_, number), (day, hours) in found.items())[:MOST_MARKS]


def _alt(standing: Standing, start: Figure) -> str:
    left = standing.view.fig("contingency.left")
    said = listed([f"{row.title} {figure_text(row.drawn)}" for row in standing.draws])
    return f"Of {figure_text(start)} of contingency, {figure_text(left)} are left; drawn by {said}."
