"""Amounts that may be far apart: a point each on one axis, over a line from end to end of its range.

They are the parts of what was measured, and projections from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from reckon.language.units import HOURS
from reckon.model.figure import Figure

from ..measuring import Measured, Projected
from ..render.numbers import figure_text, in_time, planned_finely, planned_text, ranged_text
from ..view import View
from . import palette
from .axes import FAR, Scale, lanes
from .frame import LABEL_LENGTH, VALUE_LENGTH, Rows, Spec, framed, layer, room, told
from .words import drawable, joined, listed, tidy

MOST_PICTURES, MOST_PARTS = 12, 20
"""The most pictures of a kind that a project has, and the most rows of each."""

RANGES = "Lines through points are their ranges."


@dataclass(frozen=True)
class Magnitude:
    """A row: its amount in the picture's unit, and the ends of its range where it has one; nothing is below zero.

    `value` is printed at the end of the row. Rows that follow each other and have the same `group` stand under one
    heading; an empty group has none.
    """

    label: str
    group: str
    amount: float
    value: str
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that the amount may be."""
        low, high = (self.amount if end is None else end for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Magnitudes:
    """Amounts from top to bottom, of `what` in `unit`; there is at least one.

    The axis is logarithmic where the largest amount is more than 20 times the smallest (above zero), and says so.
    """

    title: str
    what: str
    unit: str
    rows: tuple[Magnitude, ...]
    alt: str

    @property
    def scale(self) -> Scale:
        """The axis. Nothing on a logarithmic one is zero: what is, stands at its beginning."""
        far = far_apart(self.rows)
        return Scale.around([end for row in self.rows for end in (row.amount, *row.ends) if end > 0 or not far])

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines, scale = lanes((row.group, row.label) for row in self.rows), self.scale
        rows = [_row(key, row, scale) for key, row in zip(lines.rows, self.rows, strict=True)]
        x = {field: scale.channel(field, drawable(self.what, LABEL_LENGTH), self.unit) for field in ("low", "at")}
        line = {"color": palette.USES["actual"].pale, "strokeWidth": 4, "strokeCap": "round"}
        dot = {"size": 90, "filled": True, "opacity": 1, "color": palette.USES["actual"].deep}
        ranged: Rows = [row for row in rows if row["low"] < row["high"]]
        layers = [
            lines.headed(),
            *([layer("rule", line, ranged, x=x["low"], x2={"field": "high"}, y=lines.y)] if ranged else ()),
            layer("point", dot, rows, x=x["at"], y=lines.y, tooltip=told("item", "amount")),
            lines.beside(rows, "value"),
        ]
        margins = room(lines.longest, max(len(row["value"]) for row in rows))
        return framed(layers, self.title, self.alt, {"step": 30}, margins, unit=RANGES if ranged else "")


def far_apart(rows: tuple[Magnitude, ...]) -> bool:
    """Whether the axis of some rows is logarithmic. Nothing on such an axis is zero, so that zeros do not count."""
    above = [end for row in rows for end in (row.amount, *row.ends) if end > 0]
    return bool(above) and min(above) < max(above) / FAR


def breakdowns(view: View) -> Mapping[str, Magnitudes]:
    """A picture of the parts of each measurement that has several, the first dozen."""
    found = ((f"breakdown-{record}", _breakdown(Measured(view, str(record)))) for record in view.ledger.measurements)
    return dict([(called, picture) for called, picture in found if picture][:MOST_PICTURES])


def _breakdown(measured: Measured) -> Magnitudes | None:
    if len(measured.parts) < 2:
        return None
    record, unit = measured.record, measured.view.fig(f"{measured.at}.{measured.record.total[0]}.mean").unit
    rows, said = [], []
    for part in measured.parts[:MOST_PARTS]:
        mean, share = planned_finely(part.mean, part.places), figure_text(part.share)
        rows.append(_magnitude(part.title, part.mean, unit.scale, f"{share} – {mean}"))
        said.append(f"{part.title.lower()} {mean}, {share}")
    title = f"{record.title}: the parts of a {record.row or 'row'}"
    alt = f"Mean of each part with its 95% interval, {_axis(tuple(rows))}: {listed(said)}."
    return Magnitudes(title, "mean", unit.symbol, tuple(rows), alt)


def compared(view: View) -> Mapping[str, Magnitudes]:
    """A picture of the time in all from each measurement of a projection, the first dozen that have several."""
    found = ((f"projection-{record}", _compared(Projected(view, str(record)))) for record in view.ledger.projections)
    return dict([(called, picture) for called, picture in found if picture][:MOST_PICTURES])


def _compared(projected: Projected) -> Magnitudes | None:
    titles = [str(record.title) for record in projected.measured]
    pairs = zip(titles, projected.row("hours"), strict=True)
    known = [(title, hours) for title, hours in pairs if hours and hours.use is not None and not hours.missing]
    if len(known) < 2:
        return None
    rows, said = [], []
    for title, hours in known[:MOST_PARTS]:
        rows.append(_magnitude(title, hours, HOURS.scale, planned_text(in_time(hours))))
        said.append(f"{title} {ranged_text(in_time(hours))}")
    alt = f"Time in all with its range, {_axis(tuple(rows))}: {listed(said)}."
    return Magnitudes(f"{projected.title}: time in all", "time", HOURS.symbol, tuple(rows), alt)


def _axis(rows: tuple[Magnitude, ...]) -> str:
    return "on a logarithmic axis" if far_apart(rows) else "on one axis"


def _magnitude(title: str, figure: Figure, scale: Fraction, value: str) -> Magnitude:
    ends = (figure.value.low, figure.value.use, figure.value.high)
    low, use, high = (None if end is None else float(figure.unit.to_base(end) / scale) for end in ends)
    return Magnitude(title, "", use or 0.0, value, low, high)


def _row(key: str, row: Magnitude, scale: Scale) -> Spec:
    """Return an amount as a row of data."""
    at, low, high = (max(amount, scale.low) if scale.far else amount for amount in (row.amount, *row.ends))
    return {
        "key": key,
        "at": at,
        "low": low,
        "high": high,
        "item": joined(row.group, row.label),
        "value": drawable(row.value, VALUE_LENGTH),
        "amount": tidy(row.value),
    }
