"""What was measured: the parts of a row, which may differ by orders of magnitude; and projections over devices."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.language.units import HOURS
from reckon.model.figure import Figure

from ..charts import Magnitude, Magnitudes
from ..charts.kinds.magnitudes import far_apart
from ..decimals import planned_finely
from ..measured import Measured, Projected
from ..measured.measurement import Part
from ..numbers import figure_text, in_time, planned_text, ranged_text
from ..view import View
from .said import listed

MOST_PICTURES = 12
MOST_PARTS = 20


def breakdowns(view: View) -> Mapping[str, Magnitudes]:
    """A picture of the parts of each measurement that has several, the first dozen."""
    found = ((f"breakdown-{name}", _breakdown(Measured(view, str(name)))) for name in view.one.measurements)
    shown = [(name, picture) for name, picture in found if picture]
    return dict(shown[:MOST_PICTURES])


def _breakdown(one: Measured) -> Magnitudes | None:
    if len(one.parts) < 2:
        return None
    parts = one.parts[:MOST_PARTS]
    unit = one.view.fig(f"{one.at}.{one.record.total[0]}.mean").unit
    rows = tuple(_row(part.title, part.mean, unit.scale, _beside(part)) for part in parts)
    said = listed([f"{part.title.lower()} {_mean(part)}, {figure_text(part.share)}" for part in parts])
    title = f"{one.record.title}: the parts of a {one.record.row or 'row'}"
    alt = f"Mean of each part with its 95% interval, {_axis(rows)}: {said}."
    return Magnitudes(title, "mean", unit.symbol, rows, alt)


def _beside(part: Part) -> str:
    return f"{figure_text(part.share)} – {_mean(part)}"


def _mean(part: Part) -> str:
    return planned_finely(part.mean, part.places)


def _axis(rows: tuple[Magnitude, ...]) -> str:
    return "on a logarithmic axis" if far_apart(rows) else "on one axis"


def compared(view: View) -> Mapping[str, Magnitudes]:
    """A picture of the time in all from each measurement of a projection, the first dozen that have several."""
    found = ((f"projection-{name}", _compared(Projected(view, str(name)))) for name in view.one.projections)
    shown = [(name, picture) for name, picture in found if picture]
    return dict(shown[:MOST_PICTURES])


def _compared(one: Projected) -> Magnitudes | None:
    pairs = [(str(record.title), hours) for record, hours in zip(one.measured, one.row("hours"), strict=True)]
    known = [(title, hours) for title, hours in pairs if hours and hours.use is not None and not hours.missing]
    if len(known) < 2:
        return None
    rows = tuple(_row(title, hours, HOURS.scale, planned_text(in_time(hours))) for title, hours in known[:MOST_PARTS])
    said = listed([f"{title} {ranged_text(in_time(hours))}" for title, hours in known[:MOST_PARTS]])
    alt = f"Time in all with its range, {_axis(rows)}: {said}."
    return Magnitudes(f"{one.title}: time in all", "time", HOURS.symbol, rows, alt)


def _row(title: str, figure: Figure, scale: Fraction, value: str) -> Magnitude:
    low, use, high = (_in(figure, end, scale) for end in (figure.value.low, figure.value.use, figure.value.high))
    return Magnitude(title, "", use or 0.0, value, low, high)


def _in(figure: Figure, end: Fraction | None, scale: Fraction) -> float | None:
    return None if end is None else float(figure.unit.to_base(end) / scale)
