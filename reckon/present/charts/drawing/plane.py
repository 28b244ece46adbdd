"""The plane of time and amount that some pictures are drawn on: its axes, marked days, and what the pointer is told."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import HOVER
from reckon.present.charts.drawing.labels import levels
from reckon.present.charts.drawing.looks import NUMBERS
from reckon.present.charts.drawing.time_axis import ends, time_x
from reckon.present.charts.kinds.moments import moment
from reckon.present.charts.words import bundled_glyphs, drawable

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 300
"""Of the plane, in pixels."""

NARROW = 170
"""The width in pixels for which labels are kept apart: that of the plane on a small screen."""

DAY_LENGTH, DAY_LINE = 24, 15
"""The most characters of a marked day's label, and the height of its line in pixels."""

AMOUNT = (
    "isValid(datum.amount) ? datum.amount : "
    "format(datum.level, abs(datum.level) >= 100 ? ',.0f' : abs(datum.level) >= 0.1 ? ',.1~f' : ',.2~r')"
)
"""The amount at a point, as printed or rounded as the pages round, in Vega's language."""


@dataclass(frozen=True)
class Plane:
    """From the moments `low` to `high` (milliseconds), and from the amounts `floor` to `top`."""

    low: int
    high: int
    floor: float
    top: float

    @classmethod
    def around(cls, dates: Iterable[str], amounts: Iterable[float]) -> "Plane":
        """Return the plane that holds `dates` and `amounts`, with a little air around."""
        amounts = [0.0, *amounts]
        air = 0.05 * (max(amounts) - min(amounts)) or 1
        return cls(*ends(dates), min(amounts) - air if min(amounts) < 0 else 0, max(amounts) + air)

    def x(self, field: str) -> "alt.X":
        """Return the horizontal place of the moments in `field`."""
        return time_x(field, self.low, self.high, grid=False)

    def y(self, field: str) -> "alt.Y":
        """Return the vertical place of the amounts in `field`."""
        import altair as alt

        axis = alt.Axis(format=NUMBERS, tickCount=5)
        return alt.Y(f"{field}:Q", title=None, axis=axis, scale=alt.Scale(domain=[self.floor, self.top], nice=False))

    def down(self, amount: float) -> float:
        """Return how many pixels `amount` is from the top."""
        return (self.top - amount) / (self.top - self.floor) * HEIGHT

    def level(self, down: float) -> float:
        """Return the amount that is `down` pixels from the top."""
        return self.top - down / HEIGHT * (self.top - self.floor)

    def along(self, at: int, width: int) -> float:
        """Return how many pixels a moment is from the left, where the plane is `width` wide."""
        return (at - self.low) / (self.high - self.low) * width


def day_marks(days: Sequence[tuple[str, str]], plane: Plane) -> "list[alt.Chart]":
    """Return the layers of marked days: a dashed rule each, and its label above the plane."""
    import altair as alt

    rows = _labelled(days, plane)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=plane.x("at"))
    ink = palette.TEXT.light
    above = alt.value(alt.expr(f"-6 - {DAY_LINE} * datum.line"))
    words = base.mark_text(align=alt.expr("datum.align"), baseline="bottom", fontSize=12, color=ink)
    return [
        base.mark_rule(color=ink, opacity=0.8, strokeDash=[3, 3]).encode(y=above, y2=alt.value("height")),
        words.encode(y=above, text="label:N"),
    ]


def _labelled(days: Sequence[tuple[str, str]], plane: Plane) -> list[dict[str, Any]]:
    """Return the days as rows of data; labels lean away from the sides, and stand on lines where they meet."""
    rows: list[dict[str, Any]] = []
    extents = []
    for date, words in days:
        at, label = moment(date), drawable(words, bundled_glyphs(), DAY_LENGTH)
        align, before = _align(plane.along(at, 1))
        left = plane.along(at, NARROW) - before * (width := 12 + 6.4 * len(label))
        rows.append({"at": at, "label": label, "align": align})
        extents.append((left, left + width))
    return [{**row, "line": line} for row, line in zip(rows, levels(extents), strict=True)]


def days_height(days: Sequence[tuple[str, str]], plane: Plane) -> int:
    """Return how many pixels the labels of marked days take above the plane."""
    return DAY_LINE * (1 + max((row["line"] for row in _labelled(days, plane)), default=-1))


def _align(along: float) -> tuple[str, float]:
    """Return how a label is aligned and what part of it stands to the left of its place."""
    return ("left", 0.0) if along < 0.2 else ("right", 1.0) if along > 0.8 else ("center", 0.5)


def hover_points(told: list[dict[str, Any]], plane: Plane) -> "alt.Chart":
    """Return the layer that answers to the pointer: the nearest of the points `told` shows itself."""
    import altair as alt

    near = alt.selection_point(name="near", nearest=True, on="pointerover", clear="pointerout")
    points = alt.Chart(alt.InlineData(values=told), name=HOVER).mark_point(
        filled=True, size=70, color=palette.TEXT.light
    )
    told_points = points.transform_calculate(amount=AMOUNT, day="utcFormat(datum.at, '%-d %b %Y')").encode(
        x=plane.x("at"),
        y=plane.y("level"),
        opacity=alt.condition(near, alt.value(1), alt.value(0), empty=False),
        tooltip=[alt.Tooltip("item:N"), alt.Tooltip("day:N"), alt.Tooltip("amount:N")],
    )
    layer: alt.Chart = told_points.add_params(near)
    return layer
