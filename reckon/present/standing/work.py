"""The table of the work: phases, their items, the seeds of these, and the budgets that they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reckon.compute.spending.tally import by_seed
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.kinds import EXTENDED, FINAL, Total

from ..view import View


class Work(NamedTuple):
    """A row: what it is (`phase`, `item`, `seed`, `unplanned` or `budget`), its title, and the figures that it has."""

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
        yield _row(view, "seed", "no seed named", f"{at}.no_seed", "bac")


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
