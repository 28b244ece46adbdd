"""All budgets of a tree on a common scale: what is spent of each and where it is forecast to end, in per cent of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reckon.model.kinds import BEST_CASE

from ..budget.budget_shares import Ending, ending
from ..portfolio import Portfolio
from ..render.numbers import decimal, number_text
from ..view import View
from . import palette
from .axes import GAP, MANY, Lanes, bars_x, lanes
from .layout import LABEL_LENGTH, VALUE_LENGTH, Layers, Spec, amount, coloured, framed, layer, room, tooltip_channel
from .words import drawable, join_list, joined, tidy

MOST_BUDGETS = 40
"""The most budgets that are shown: those that end highest."""

FARTHEST = 200
"""In per cent: a bar that would be longer ends there, with a mark that it goes on."""

STROKE = "The upright stroke is the budget"
RANGES = "the thin line where the end lies eight times in ten"


@dataclass(frozen=True)
class AcrossRow:
    """A budget, in per cent of it: `spent`, and of its forecast the tenth percentile, the median and the ninetieth;
    `value` is what its row says at the end."""

    label: str
    group: str
    spent: Fraction
    value: str
    forecast: Sequence[Fraction] | None = None

    @property
    def most(self) -> Fraction:
        """How far its row reaches."""
        return max(self.spent, *(self.forecast or (self.spent,)))


@dataclass(frozen=True)
class Across:
    """Budgets from top to bottom, of which there are at least two."""

    title: str
    rows: Sequence[AcrossRow]
    alt: str

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines = lanes(self.rows)
        far = max(row.most for row in self.rows)
        end = float(min(max(far, Fraction(100)), Fraction(FARTHEST))) * 1.04
        places = bars_x(0, end, "per cent of each budget", above=len(self.rows) > MANY)
        marks = [
            {"key": key, "at": 100, "over": row.spent > 100, "value": drawable(row.value, VALUE_LENGTH)}
            for key, row in lines.rows
        ]
        bars = [bar for key, row in lines.rows for bar in _bars(key, row)]
        shades = coloured(palette.USES, {bar["use"] for bar in bars} | {"actual"})
        hover = tooltip_channel("item", "amount")
        shown = layer("bar", GAP, bars, **places, y=lines.y, tooltip=hover, **shades)
        stroke = {"thickness": 2, "size": 20, "orient": "vertical"}
        ink = {"condition": {"test": "datum.over", "value": palette.ON_DEEP}, "value": palette.TEXT}
        ranges = _ranges(lines)
        layers = [
            lines.headed(),
            shown,
            *ranges,
            layer("tick", stroke, marks, x=amount("at"), y=lines.y, color=ink),
            *_beyond(lines),
            lines.beside(marks, "value"),
        ]
        margins = room(lines.longest, max(len(row.value) for row in self.rows))
        said = f"{STROKE}, {RANGES}." if ranges else f"{STROKE}."
        return framed(self, layers, {"step": 28}, margins, unit=said)


def across(portfolio: Portfolio) -> Across | None:
    """The budgets of a portfolio by whose they are, those that end highest first; None where fewer than two
    are known."""
    shelves = portfolio.shelves
    found = []
    for shelf in shelves:
        heading = shelf.heading if len(shelves) > 1 else ""
        known = [(heading, each.view, how) for each in shelf.standings if (how := ending(each.view))]
        found += sorted(known, key=lambda budget: -budget[2].most)
    if len(found) < 2:
        return None
    rows = [_make_row(view, how, group) for group, view, how in found[:MOST_BUDGETS]]
    more = f" {len(found) - MOST_BUDGETS} more are not shown." if len(found) > MOST_BUDGETS else ""
    said = join_list([f"{row.label} {_describe_row(row)}" for row in rows])
    title = "Budgets: spent and forecast" if any(row.forecast for row in rows) else "Budgets: what is spent"
    return Across(title, rows, f"Per cent of each budget: {said}.{more}")


def _make_row(view: View, how: Ending, group: str) -> AcrossRow:
    ahead = how.forecast and [100 * end for end in how.forecast]
    value = _percent(100 * how.spent) + (f" → {_percent(ahead[1])}" if ahead else "")
    label = f"{view.project.title}, {BEST_CASE.lower()}" if view.project.plan_is else view.project.title
    return AcrossRow(_name(label), group, 100 * how.spent, value, ahead)


def _percent(number: Fraction) -> str:
    """A whole number of per cent; one with more digits where that would hide whether the budget is exceeded."""
    whole = decimal(number, 0)
    return f"{number_text(number, exact=False) if whole == '100' and number != 100 else whole}%"


def _name(title: str) -> str:
    """A title that has room: names that are long and alike often differ at their end, so the middle is left out."""
    text = tidy(title)
    if len(text) <= LABEL_LENGTH:
        return text
    return f"{text[: LABEL_LENGTH - 17].rsplit(' ', 1)[0]} … {text[-15:].split(' ', 1)[-1]}"


def _describe_row(row: AcrossRow) -> str:
    """What a row shows, in words."""
    spent = f"{_percent(row.spent)} spent"
    if not row.forecast:
        return spent
    low, middle, high = map(_percent, row.forecast)
    return f"{spent} and {middle} forecast ({low} to {high})"


def _clip(number: Fraction) -> float:
    return float(min(number, Fraction(FARTHEST)))


def _bars(key: str, row: AcrossRow) -> Iterator[Spec]:
    """Yield what is spent as a surface, and what is still to come by the median as an outline."""
    said = {"item": joined(row.group, row.label), "amount": tidy(_describe_row(row))}
    if row.spent:
        yield {"key": key, "low": 0, "high": _clip(row.spent), "shade": "actual", "use": "actual", **said}
    if row.forecast and _clip(row.forecast[1]) > _clip(row.spent):
        ends = {"low": _clip(row.spent), "high": _clip(row.forecast[1])}
        yield {"key": key, **ends, "shade": "forecast", "use": "forecast", **said}


def _ranges(lines: Lanes) -> Layers:
    """Return the layer of the lines from the tenth to the ninetieth percentile, where there are any."""
    rows = [
        {"key": key, "low": _clip(row.forecast[0]), "high": _clip(row.forecast[2])}
        for key, row in lines.rows
        if row.forecast
    ]
    look = {"color": palette.USES["forecast"].deep, "strokeWidth": 3, "strokeCap": "round"}
    return [layer("rule", look, rows, x=amount("low"), x2={"field": "high"}, y=lines.y)] if rows else []


def _beyond(lines: Lanes) -> Layers:
    """Return the layer of the marks on bars that go on beyond the axis, where there are any."""
    rows = [{"key": key, "at": FARTHEST} for key, row in lines.rows if row.most > FARTHEST]
    look = {"shape": "triangle-right", "filled": True, "opacity": 1, "size": 110, "color": palette.TEXT}
    return [layer("point", look, rows, x=amount("at"), y=lines.y)] if rows else []
