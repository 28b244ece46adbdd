"""Amounts side by side: stacked bars, with thin gaps between their segments, which are named where there is room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reckon.compute.budget.actuals import by_seed
from reckon.language.quantity import ZERO, add_up
from reckon.model import records as r
from reckon.model.figure import OUTSIDE, Figure

from ..budget.status import Standing
from ..render.numbers import figure_text, value_text
from ..table_rows import use_of
from ..view import View
from . import palette
from .axes import GAP, MANY, RANGE, BarPart, Lanes, bars_x, lanes, names_inside, stacked, total, zero_line
from .layout import (
    VALUE_LENGTH,
    Layers,
    Spec,
    amount,
    bold,
    coloured,
    framed,
    layer,
    room,
    shade,
    tooltip_channel,
    word,
)
from .words import UNIT, drawable, hours_text, join_list, joined, tidy, titled

MOST_PHASES, MOST_PARTS = 40, 10
"""The most phases, and the most parts of a bar, that are shown."""

LOST, PLANNED = "lost", "planned (also marked), spent, to come (line: 8 in 10 simulations)"
CHARGED = ("spent", "useful", "lost")
"""The uses of hours that runs have."""

MARK = {"color": palette.TEXT, "size": 26, "thickness": 3, "opacity": 1}
"""The look of a mark across a bar."""

NAME_LENGTH = 24
"""The most characters of a segment's name; more are cut with an ellipsis."""

Parts = dict[str, Fraction]


@dataclass(frozen=True)
class BarRow:
    """A bar: its segments from left to right, what they come to as printed (`value`, written at its end), what was
    `planned`, which is marked, and the `ends` of the range of where it ends, if that is known."""

    label: str
    group: str
    segments: Sequence[BarPart]
    value: str = ""
    planned: float | None = None
    ends: Sequence[float] = ()


@dataclass(frozen=True)
class Bars:
    """Stacked bars, from top to bottom; there is at least one."""

    title: str
    unit: str
    rows: Sequence[BarRow]
    alt: str
    about: str = ""

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines = lanes(self.rows)
        lengths = [float(total(row.segments)) for row in self.rows]
        places = bars_x(0, max(lengths) or 1, self.unit, above=len(self.rows) > MANY)
        ends = [
            {"key": key, "high": length, "value": drawable(row.value, VALUE_LENGTH)}
            for (key, row), length in zip(lines.rows, lengths, strict=True)
        ]
        values = layer("text", bold(dx=7), ends, x=amount("high"), y=lines.y, text=word("value"))
        plans = [{"key": key, "planned": row.planned} for key, row in lines.rows if row.planned]
        ranges = [{"key": key, "low": row.ends[0], "high": row.ends[1]} for key, row in lines.rows if row.ends]
        below = layer("rule", RANGE, ranges, **places, y=lines.y)
        marks = [layer("tick", MARK, plans, x=amount("planned"), y=lines.y), below] if plans else []
        bars, names = _bars(self, lines, places)
        layers = [bars, *marks, names, zero_line(), values, lines.headed()]
        margins = room(lines.longest, max(len(row.value) for row in self.rows))
        step = {"step": 24 if len(lines.lines) <= 80 else 18}
        # Phases with runs, which a click leads to.
        charged = {row.group for row in self.rows for each in row.segments if each.use in CHARGED} - {""}
        phases = {key: tidy(row.group) for key, row in lines.rows if row.group in charged}
        return framed(self, layers, step, margins, asked={"phases": phases} if phases else None)


def planned_and_actual(view: View) -> Bars | None:
    """For each phase what was planned, what was charged, and what it is forecast to take; None before the first run."""
    phases = {phase_id: phase for phase_id, phase in view.ledger.plan.items() if phase.items}
    if not view.runs or not phases or len(phases) > MOST_PHASES or view.fig("actual.total").missing:
        return None
    rows, said = [], []
    for phase_id, phase in phases.items():
        bars = list(_phase_bars(view, phase_id, phase))
        rows += bars
        said.append(f"{phase.title} {join_list([f'{row.label} {row.value}' for row in bars])}")
    for each in OUTSIDE:
        if spent := view.maybe(f"actual.{each.key}"):
            rows.append(_single("spent", each.title, each.key, spent, "spent"))
            said.append(f"{each.key} {value_text(spent)}")
    if sum(len(row.segments) for row in rows) < 2:
        return None
    about = f"{titled(view)}: {PLANNED if view.planned else 'spent'}, by phase; shades tell parts apart"
    return Bars(_say_finding(view, phases), UNIT, rows, f"{UNIT} by phase: {'; '.join(said)}.", about)


def _say_finding(view: View, phases: Mapping[str, r.Phase]) -> str:
    """Which phase goes furthest beyond its plan, or that none does; without a plan which has taken most."""
    over = []
    for name, phase in phases.items():
        planned, actual, end = map(use_of, view.maybe_all(f"phases.{name}", "planned", "actual", "forecast_p50"))
        end = actual if end is None else end
        if planned is None or end is None:
            return _say_most(view, _items(view))
        over.append((end - planned, phase.title))
    hours, title = max(over)
    verb = "is" if view.done else "is forecast"
    return f"{title} {verb} {hours_text(hours)} over plan" if hours > 0 else "All phases are within their plan"


def _items(view: View) -> list[tuple[str, Figure]]:
    """What was spent on each item on which something was."""
    spent = ((item.title, view.maybe(f"plan.{name}.actual")) for name, item in view.ledger.items.items())
    return [(title, figure) for title, figure in spent if figure and figure.use]


def _say_most(view: View, items: Sequence[tuple[str, Figure]]) -> str:
    """Which item took most of all that was spent."""
    whole = figure_text(view.fig("actual.total"))
    if len(items) < 2:
        return f"{whole} are spent"
    title, most = max(items, key=lambda item: item[1].use or ZERO)
    return f"{title} took {value_text(most)} of {whole}"


def by_item(view: View) -> Bars | None:
    """What was charged to each item, a named bar each: for paper, where segments without room have no name. None for
    fewer than two."""
    found = _items(view)
    if not 1 < len(found) <= MOST_PHASES:
        return None
    rows = [_single(title, "", "", figure, "spent") for title, figure in found]
    said = join_list([f"{title} {figure_text(figure)}" for title, figure in found])
    about = f"{titled(view)}: hours spent, by item"
    return Bars(_say_most(view, found), UNIT, rows, f"Spent, by item: {said}.", about)


def _single(label: str, group: str, name: str, figure: Figure, use: str) -> BarRow:
    """A bar of one segment."""
    segment = BarPart(name, figure.use or ZERO, figure_text(figure), use)
    return BarRow(label, group, (segment,), value_text(figure))


def _phase_bars(view: View, phase_id: str, phase: r.Phase) -> Iterator[BarRow]:
    at, title = f"phases.{phase_id}", phase.title
    planned, actual, forecast = (view.known(f"{at}.{key}") for key in ("planned", "actual", "forecast_p50"))
    plan = float(planned.use or 0) if planned else None
    if planned:
        yield BarRow("planned", title, _of_use(_phase_parts(view, phase, "bac"), "planned"), value_text(planned))
    useful = _of_use(_phase_parts(view, phase, "useful"), "useful") if actual else []
    parts = [*useful, *_of_use({LOST: _hours(view, f"{at}.waste")}, LOST)] if actual else []
    if view.planned and forecast and use_of(view.maybe(f"{at}.complete_share")) != 1:
        parts += _of_use({"to come": (forecast.use or ZERO) - ((actual and actual.use) or ZERO)}, "to come")
        spent = f" ({value_text(actual)} spent)" if actual else ""
        ends = [float(end or 0) for end in map(use_of, view.maybe_all(at, "forecast_p10", "forecast_p90"))]
        yield BarRow("forecast", title, parts, f"{value_text(forecast)}{spent}", plan, ends)
    elif actual:
        yield BarRow("spent", title, parts, value_text(actual), plan)


def _phase_parts(view: View, phase: r.Phase, column: str) -> Parts:
    """The hours of a phase by seed, if any of its items is per seed; else by item. The rest of many is one part."""
    found: Parts = defaultdict(Fraction)
    seeded = any(by_seed(view.ledger, item) for item in phase.items.values())
    for item_id, item in phase.items.items():
        seeds = by_seed(view.ledger, item)
        for seed in seeds:
            found[f"seed {seed}"] += _hours(view, f"plan.{item_id}.seeds.{seed}.{column}")
        if seeds:
            rest = "no seed"
        elif seeded:
            rest = "not by seed"
        else:
            rest = item.title
        found[rest] += _hours(view, f"plan.{item_id}.{'no_seed.' if seeds else ''}{column}")
    if len(found) <= MOST_PARTS:
        return found
    first = dict(list(found.items())[: MOST_PARTS - 1])
    return {**first, "others": add_up(list(found.values())[MOST_PARTS - 1 :])}


def _hours(view: View, address: str) -> Fraction:
    return use_of(view.maybe(address)) or ZERO


def _of_use(parts: Parts, use: str) -> list[BarPart]:
    return [BarPart(part, hours, hours_text(hours), use) for part, hours in parts.items() if hours > 0]


def waste(standing: Standing) -> Bars | None:
    """One bar a cause, the largest first; None where there is only one."""
    causes = [(row.title, row.figure) for row in standing.causes if row.figure and row.figure.use]
    if len(causes) < 2:
        return None
    rows = [_single(title, "", title, figure, LOST) for title, figure in causes]
    said = join_list([f"{row.label} {row.value}" for row in rows])
    lost = figure_text(standing.view.fig("actual.waste"))
    title = f"Largest loss: {rows[0].label}, {rows[0].value} of {lost}"
    about = f"{titled(standing.view)}: hours lost, by cause"
    return Bars(title, UNIT, rows, f"{lost} are lost: {said}.", about)


def _bars(picture: Bars, lines: Lanes, places: Spec) -> Layers:
    """Return the layers of the segments and of the names inside them."""
    rows = list(_segments(picture, lines))
    colours = coloured(palette.USES, {segment.use for row in picture.rows for segment in row.segments})
    shared = {"y": lines.y, "tooltip": tooltip_channel("item", "amount", "use")}
    names = names_inside(rows, {"deep": palette.ON_DEEP, "pale": palette.ON_PALE}, **shared)
    bars = layer("bar", GAP, rows, **places, **shared, **colours)
    return [bars, names]


def _segments(picture: Bars, lines: Lanes) -> Iterator[Spec]:
    """Yield the segments as rows of data; a name has the same shade in every bar, and all have one where none meet.
    What is nothing is left out."""
    names = dict.fromkeys(segment.name for row in picture.rows for segment in row.segments)
    meet = any(len(row.segments) > 1 for row in picture.rows)
    odd = {name: meet and bool(place % 2) for place, name in enumerate(names)}
    for key, row in lines.rows:
        for segment, ends in stacked(row.segments):
            pale = odd[segment.name]
            on = ("pale" if pale else "deep") if palette.USES[segment.use].solid else "page"
            said = {"item": joined(row.group, row.label, segment.name), "amount": tidy(segment.value)}
            inside = "" if segment.name == row.label else drawable(segment.name, NAME_LENGTH)  # it is beside it already
            look = {"shade": shade(segment.use, pale), "on": on, "inside": inside, "line": row.planned}
            yield {"key": key, **ends, **look, **said, "use": segment.use}
