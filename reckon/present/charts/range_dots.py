"""Amounts that may be far apart: a point each on one axis, over a line from end to end of its range.

They are the parts of what was measured, and projections from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from reckon.language.units import HOURS
from reckon.model.figure import Figure

from ..measuring import Measured, Projected
from ..render.numbers import figure_text, in_time, planned_finely, planned_text, ranged_text
from ..table_rows import use_of
from ..view import View
from . import palette
from .axes import Scale, lanes
from .layout import LABEL_LENGTH, VALUE_LENGTH, Spec, framed, layer, room, tooltip_channel
from .words import drawable, join_list, joined, tidy

MOST_PICTURES, MOST_PARTS = 12, 20
"""The most pictures of a kind that a project has, and the most rows of each."""

RANGES = "Lines through points are their ranges."
INTERVALS = "Lines through points are 95% intervals of the mean."


@dataclass(frozen=True)
class Magnitude:
    """A row: its amount in the picture's unit, and the ends of its range where it has one; nothing is below zero.

    `value` is printed at the end of the row.
    """

    label: str
    group: str
    amount: float
    value: str
    low: float | None = None
    high: float | None = None

    @property
    def points(self) -> tuple[float, float, float]:
        """The amount, and the least and the most that it may be."""
        low, high = (self.amount if end is None else end for end in (self.low, self.high))
        return self.amount, low, high


@dataclass(frozen=True)
class Magnitudes:
    """Amounts from top to bottom, of `what` in `unit`; there is at least one.

    The axis is logarithmic where the largest amount is more than 20 times the smallest (above zero), and says so. That
    of the `parts` of a whole begins at zero, so that their shares can be seen.
    """

    title: str
    what: str
    unit: str
    rows: Sequence[Magnitude]
    alt: str
    about: str = ""
    parts: bool = False

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines, scale = lanes(self.rows), scale_of(self.rows, self.parts)
        rows = [_amount_row(key, row, scale) for key, row in lines.rows]
        x = {field: scale.channel(field, drawable(self.what, LABEL_LENGTH), self.unit) for field in ("low", "at")}
        line = {"color": palette.TEXT, "opacity": 0.7, "strokeWidth": 2}
        dot = {"size": 90, "filled": True, "opacity": 1, "color": palette.TEXT}
        points = layer("point", dot, rows, x=x["at"], y=lines.y, tooltip=tooltip_channel("item", "amount"))
        layers = [points, lines.beside(rows, "value"), lines.headed()]
        if ranged := [row for row in rows if row["low"] < row["high"]]:
            layers.insert(0, layer("rule", line, ranged, x=x["low"], x2={"field": "high"}, y=lines.y))
        margins = room(lines.longest, max(len(row["value"]) for row in rows))
        return framed(self, layers, {"step": 30}, margins, unit=(INTERVALS if self.parts else RANGES) if ranged else "")


def of_measurements(view: View) -> Mapping[str, Magnitudes]:
    """A picture of the parts of each measurement that has several, and one of the time in all from each measurement of
    each projection that has several; of either the first dozen."""
    parts = ((f"breakdown-{record}", _breakdown(Measured(view, record))) for record in view.ledger.measurements)
    times = ((f"projection-{record}", _compared(Projected(view, record))) for record in view.ledger.projections)
    found: dict[str, Magnitudes] = {}
    for named in (parts, times):
        found.update(islice(((name, picture) for name, picture in named if picture), MOST_PICTURES))
    return found


def _breakdown(measured: Measured) -> Magnitudes | None:
    if len(measured.parts) < 2:
        return None
    record = measured.record
    unit = measured.fig(f"{record.total[0]}.mean").unit
    rows, said = [], []
    for part in measured.parts[:MOST_PARTS]:
        mean, share = planned_finely(part.mean, part.places), figure_text(part.share)
        rows.append(_magnitude(part.title, part.mean, unit.scale, f"{share}, {mean}"))
        said.append(f"{part.title.lower()} {mean}, {share}")
    row = record.row or "row"
    largest = max(measured.parts, key=lambda part: part.mean.use or 0)
    title = f"{largest.title} takes {figure_text(largest.share)} of a {row}"
    about = f"{record.title}: the parts of a {row}"
    alt = f"Mean of each part with its 95% interval, on one axis: {join_list(said)}."
    return Magnitudes(title, "mean", unit.symbol, rows, alt, about, parts=True)


def _compared(projected: Projected) -> Magnitudes | None:
    pairs = zip(projected.measured, projected.row("hours"), strict=True)
    known = [(record.title, hours) for record, hours in pairs if hours and use_of(hours) is not None]
    if len(known) < 2:
        return None
    shown = sorted(known, key=lambda row: -(use_of(row[1]) or 0))[:MOST_PARTS]
    rows = [_magnitude(title, hours, HOURS.scale, planned_text(in_time(hours))) for title, hours in shown]
    said = [f"{title} {ranged_text(in_time(hours))}" for title, hours in shown]
    axis = "a logarithmic axis" if scale_of(rows).far else "one axis"
    alt = f"Time in all with its range, on {axis}: {join_list(said)}."
    slowest, second, *_ = rows
    others = "the other" if len(rows) == 2 else "all others at most"
    title = f"{slowest.label} would take {slowest.value}, {others} {second.value}"
    return Magnitudes(title, "time", HOURS.symbol, rows, alt, about=f"{projected.title}: total time")


def scale_of(rows: Sequence[Magnitude], parts: bool = False) -> Scale:
    """Return the axis of some rows. Nothing on a logarithmic one is zero: what is, stands at its beginning."""
    amounts = [amount for row in rows for amount in row.points]
    if parts:
        return Scale.around([0.0, *amounts])
    scale = Scale.around([amount for amount in amounts if amount > 0] or amounts)
    return scale if scale.far else Scale.around(amounts)


def _magnitude(title: str, figure: Figure, scale: Fraction, value: str) -> Magnitude:
    ends = figure.value.ends
    low, use, high = (None if end is None else float(figure.unit.to_base(end) / scale) for end in ends)
    return Magnitude(title, "", use or 0.0, value, low, high)


def _amount_row(key: str, row: Magnitude, scale: Scale) -> Spec:
    """Return an amount as a row of data."""
    at, low, high = (max(amount, scale.low) if scale.far else amount for amount in row.points)
    said = {"item": joined(row.group, row.label), "value": drawable(row.value, VALUE_LENGTH), "amount": tidy(row.value)}
    return {"key": key, "at": at, "low": low, "high": high, **said}
