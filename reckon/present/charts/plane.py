"""The plane of time and amount that some pictures are drawn on: its axes, marked days, and what the pointer is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import palette
from .frame import HOVER, NUMBERS, Rows, Spec, amount, expr, layer
from .labels import NARROW, RULE_LENGTH, levels
from .time_axis import ends, moment, time_x
from .words import drawable

HEIGHT = 300
"""Of the plane, in pixels."""

TOLD = (
    "{'item': ROW.item, 'day': utcFormat(ROW.at, '%-d %b %Y'), 'amount': ROW.amount || format(ROW.level, "
    "abs(ROW.level) >= 100 ? ',.0f' : abs(ROW.level) >= 0.1 ? ',.1~f' : ',.2~r')}"
).replace("ROW", "(datum.datum || datum)")
"""What the pointer is told, in Vega's language: the amount as printed, or rounded as the pages round.

The pointer is over the area that is nearest to a point, which has the point's row as the datum of its datum.
"""


@dataclass(frozen=True)
class Plane:
    """From the moments `low` to `high` (milliseconds), and from the amounts `floor` to `top`."""

    low: int
    high: int
    floor: float
    top: float

    @classmethod
    def around(cls, dates: Iterable[str], amounts: Iterable[float]) -> Plane:
        """Return the plane that holds `dates` and `amounts`, with a little air around."""
        amounts = [0.0, *amounts]
        air = 0.05 * (max(amounts) - min(amounts)) or 1
        return cls(*ends(dates), min(amounts) - air if min(amounts) < 0 else 0, max(amounts) + air)

    def x(self, field: str) -> Spec:
        """Return the horizontal place of the moments in `field`."""
        return time_x(field, self.low, self.high, grid=False)

    def y(self, field: str) -> Spec:
        """Return the vertical place of the amounts in `field`."""
        axis = {"format": NUMBERS, "tickCount": 5}
        scale = {"domain": [self.floor, self.top], "nice": False}
        # Left to itself, Vega-Lite adds up the amounts of an area that share a moment.
        return amount(field, title=None, axis=axis, scale=scale, stack=None)

    def down(self, level: float) -> float:
        """Return how many pixels the amount `level` is from the top."""
        return (self.top - level) / (self.top - self.floor) * HEIGHT

    def level(self, down: float) -> float:
        """Return the amount that is `down` pixels from the top."""
        return self.top - down / HEIGHT * (self.top - self.floor)

    def along(self, at: int, width: int) -> float:
        """Return how many pixels a moment is from the left, where the plane is `width` wide."""
        return (at - self.low) / (self.high - self.low) * width


def marked_days(days: Sequence[tuple[str, str]], plane: Plane) -> Rows:
    """Return days and their labels as rows for dashed rules.

    Labels lean away from the sides, and stand on lines above each other where they meet.
    """
    rows: Rows = []
    extents = []
    for date, words in days:
        at, label = moment(date), drawable(words, RULE_LENGTH)
        align, before = _align(plane.along(at, 1))
        left = plane.along(at, NARROW) - before * (width := 12 + 6.4 * len(label))
        rows.append({"at": at, "label": label, "align": align})
        extents.append((left, left + width))
    return [{**row, "line": line} for row, line in zip(rows, levels(extents), strict=True)]


def _align(along: float) -> tuple[str, float]:
    """Return how a label is aligned and what part of it stands to the left of its place."""
    return ("left", 0.0) if along < 0.2 else ("right", 1.0) if along > 0.8 else ("center", 0.5)


def hover_points(told: Rows, plane: Plane) -> Spec:
    """Return the layer that answers to the pointer: the nearest of the points `told` shows itself."""
    shown = {"condition": {"param": "near", "value": 1, "empty": False}, "value": 0}
    look = {"filled": True, "size": 70, "color": palette.TEXT.light}
    places = {"x": plane.x("at"), "y": plane.y("level")}
    points = layer("point", look, told, **places, opacity=shown, tooltip={"value": expr(TOLD)})
    return {**points, "name": HOVER}
