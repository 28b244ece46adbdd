"""The tables of the work: phases, their items, the seeds of these, and the budgets that they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from reckon.compute.budget.tally import by_seed
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.kinds import EXTENDED, FINAL, Total

from ..table import MOST_ROWS, As, Bold, Cell, Table, figures, words
from ..view import View


class Work(NamedTuple):
    """A row: what it is (`phase`, `item`, `seed`, `seedless`, `unplanned` or `budget`), its title and its figures."""

    level: str
    title: str
    planned: Figure | None
    actual: Figure | None
    remaining: Figure | None
    complete: Figure | None
    eac: Figure | None
    variance: Figure | None
    forecast: Figure | None
    useful: Figure | None = None
    waste: Figure | None = None

    @property
    def marked(self) -> Cell:
        """The title: what is added up in bold, and a part of the row above after an arrow."""
        if self.level in ("phase", "budget"):
            return Bold(self.title)
        return ("↳ ", self.title) if self.level in ("seed", "seedless") else self.title


def used_share(view: View) -> Figure | None:
    """The share of the budget that is spent: of the final one, or of the extended where all is extension."""
    return view.maybe("performance.used_share") if view.planned else None


def work_table(view: View) -> Table:
    """Planned and actual hours, as far as there is a plan and as there are runs."""
    both = view.planned and view.runs
    columns = [
        words("GPU-hours"),
        figures("Planned", shown=view.planned),
        figures("Actual", shown=view.runs),
        *(figures(heading, shown=both) for heading in ("Remaining", "Complete", "EAC", "Variance")),
        figures("Forecast", shown=view.planned),
    ]
    charged: list[Cell] = [Bold("Actual"), None, As(view.fig("actual.total"), "bare"), *[None] * 5]
    totals = map(_cells, budget_rows(view)) if view.planned else [charged]
    return Table.of(columns, map(_cells, work_rows(view)), totals)


def _cells(row: Work) -> list[Cell]:
    return [row.marked, row.planned, row.actual, row.remaining, row.complete, row.eac, row.variance, row.forecast]


def useful_table(view: View) -> Table:
    """What was charged for phases and items, and how much of it was useful and wasted."""
    rows = [row for row in islice(work_rows(view), MOST_ROWS) if row.level in ("phase", "item")]
    whole = [As(view.fig("actual.total"), "bare"), view.maybe("actual.useful"), view.maybe("actual.waste")]
    columns = [words("GPU-hours"), figures("Actual"), figures("Useful"), figures("Wasted")]
    return Table(columns, [*([row.marked, row.actual, row.useful, row.waste] for row in rows), [Bold("All"), *whole]])


def work_rows(view: View) -> Iterator[Work]:
    """The rows in the order of the plan."""
    for phase_id, phase in view.one.plan.items():
        if phase.items:
            yield _row(view, "phase", str(phase.title), f"phases.{phase_id}", "planned")
            for name, item in phase.items.items():
                yield from _item(view, str(name), item)
    if view.maybe("actual.unplanned"):
        spent = view.fig("actual.unplanned")
        yield Work("unplanned", "Unplanned", None, spent, None, None, spent, None, None)


def _item(view: View, name: str, item: r.Item) -> Iterator[Work]:
    at = f"plan.{name}"
    yield _row(view, "item", str(item.title), at, "total")
    for seed in by_seed(view.one, item):
        yield _row(view, "seed", f"seed {seed}", f"{at}.seeds.{seed}", "bac")
    if view.maybe(f"{at}.no_seed.actual"):
        yield _row(view, "seedless", "no seed named", f"{at}.no_seed", "bac")


def budget_rows(view: View) -> list[Work]:
    """The budgets as a whole: the final one with what the base was charged, the extended one with everything."""
    there = [total for total in (FINAL, EXTENDED) if view.maybe(total.hours)]
    return [_budget(view, total, at) for total, at in zip(there, (FINAL, EXTENDED), strict=False)]


def _budget(view: View, total: Total, at: Total) -> Work:
    """A budget. Its earned value and its forecast stand where those of `at` do: of the final one, if it is alone."""
    earned = (f"{at.earned}.{name}" for name in ("complete_share", "eac", "vac"))
    hours = (total.hours, total.actual, total.remaining)
    return Work("budget", total.title, *map(view.maybe, (*hours, *earned, f"{at.forecast}.p50")))


def _row(view: View, level: str, title: str, at: str, planned: str) -> Work:
    columns = (planned, "actual", "remaining", "complete_share", "eac", "vac", "forecast_p50", "useful", "waste")
    return Work(level, title, *(view.maybe(f"{at}.{name}") for name in columns))
