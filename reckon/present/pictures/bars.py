"""Bars: planned beside actual for each phase, stacked by seed or item; and the waste by its causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.spending.tally import by_seed
from reckon.model import records as r

from ..charts import Bars, Row, Segment, Use
from ..numbers import figure_text, value_text
from ..standing import Standing
from ..view import View
from .said import UNIT, hours_text, listed

MOST_PHASES, MOST_PARTS = 40, 10
Parts = dict[str, Fraction]


def planned_and_actual(view: View) -> Bars | None:
    """For each phase what was planned, what was charged, and what it is forecast to take; None before the first run."""
    phases = {name: phase for name, phase in view.one.plan.items() if phase.items}
    if not view.runs or not phases or len(phases) > MOST_PHASES or view.fig("actual.total").missing:
        return None
    rows, said = [], []
    for name, phase in phases.items():
        mine = list(_phase(view, str(name), phase))
        rows += mine
        said.append(f"{phase.title} {listed([f'{row.label} {row.value}' for row in mine])}")
    if unplanned := view.maybe("actual.unplanned"):
        hours = Segment("unplanned", "actual", unplanned.use or Fraction(0), figure_text(unplanned))
        rows.append(Row("actual", "Unplanned", (hours,), value_text(unplanned)))
        said.append(f"unplanned {value_text(unplanned)}")
    if sum(len(row.segments) for row in rows) < 2:
        return None
    title = f"{view.project.title}: planned and actual by phase" if view.planned else f"{view.project.title}: by phase"
    return Bars(title, UNIT, tuple(rows), f"{UNIT} by phase: {'; '.join(said)}.")


def _phase(view: View, name: str, phase: r.Phase) -> Iterator[Row]:
    at, title = f"phases.{name}", str(phase.title)
    planned, actual, forecast = (view.maybe(f"{at}.{one}") for one in ("planned", "actual", "forecast_p50"))
    done = view.maybe(f"{at}.complete_share")
    if planned and planned.use is not None:
        parts = _folded(_parts(view, phase, "bac"))
        yield Row("planned", title, _segments(parts, "planned"), value_text(planned))
    if actual and actual.use is not None:
        wasted = {"wasted": view.fig(f"{at}.waste").use or Fraction(0)}
        segments = (*_segments(_folded(_parts(view, phase, "useful")), "actual"), *_segments(wasted, "wasted"))
        yield Row("actual", title, segments, value_text(actual))
    if view.planned and forecast and forecast.use is not None and not (done and done.use == 1):
        segments = _segments({"forecast": forecast.use}, "forecast")
        yield Row("forecast", title, segments, value_text(forecast))


def _parts(view: View, phase: r.Phase, column: str) -> Parts:
    """The hours of a phase by seed, if any of its items is per seed; else by item."""
    found: Parts = defaultdict(Fraction)
    seeded = any(by_seed(view.one, item) for item in phase.items.values())
    for name, item in phase.items.items():
        seeds = by_seed(view.one, item)
        for seed in seeds:
            found[f"seed {seed}"] += _hours(view, f"plan.{name}.seeds.{seed}.{column}")
        if seeds:
            found["no seed"] += _hours(view, f"plan.{name}.no_seed.{column}")
        else:
            found["all seeds" if seeded else str(item.title)] += _hours(view, f"plan.{name}.{column}")
    return found


def _hours(view: View, address: str) -> Fraction:
    figure = view.maybe(address)
    return (figure and figure.use) or Fraction(0)


def _folded(parts: Parts) -> Parts:
    """The first parts by name, and the rest of many as one."""
    names = list(parts)
    if len(names) <= MOST_PARTS:
        return parts
    rest = sum((parts[name] for name in names[MOST_PARTS - 1 :]), Fraction(0))
    return {**{name: parts[name] for name in names[: MOST_PARTS - 1]}, "others": rest}


def _segments(parts: Parts, use: Use) -> tuple[Segment, ...]:
    return tuple(Segment(name, use, hours, hours_text(hours)) for name, hours in parts.items() if hours > 0)


def waste(standing: Standing) -> Bars | None:
    """One bar a cause, the largest first; None where there is only one."""
    causes = [(row.title, row.figure, row.figure.use) for row in standing.causes if row.figure and row.figure.use]
    if len(causes) < 2:
        return None
    rows = [Row(title, "", (Segment(title, "wasted", hours, figure_text(figure)),), value_text(figure))
            for title, figure, hours in causes]  # fmt: skip
    said = listed([f"{title} {value_text(figure)}" for title, figure, _ in causes])
    alt = f"{figure_text(standing.view.fig('actual.waste'))} were wasted: {said}."
    return Bars(f"{standing.view.project.title}: waste by cause", UNIT, tuple(rows), alt)
