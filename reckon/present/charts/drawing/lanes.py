"""The rows of a picture from top to bottom, with a heading above each group of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import LABEL_LENGTH
from reckon.present.charts.words import bundled_glyphs, drawable

if TYPE_CHECKING:
    import altair as alt

HEADING_LENGTH = 70
"""The most characters of a heading; more are cut with an ellipsis."""


@dataclass(frozen=True)
class Lanes:
    """Every line of a picture by its key, those of its rows in their order, and the headings as rows of data."""

    lines: list[str]
    rows: list[str]
    headings: list[dict[str, Any]]


def lanes(named: Iterable[tuple[str, str]]) -> Lanes:
    """Return the lines for rows with a group and a label; a key is never shared, and ends in the label."""
    found, glyphs = Lanes([], [], []), bundled_glyphs()
    for group, rows in groupby(named, key=lambda row: row[0]):
        if heading := drawable(group, glyphs, HEADING_LENGTH):
            key = f"{len(found.lines):04}"
            found.lines.append(key)
            found.headings.append({"key": key, "heading": heading})
        for _, label in rows:
            key = f"{len(found.lines):04}{drawable(label, glyphs, LABEL_LENGTH)}"
            found.lines.append(key)
            found.rows.append(key)
    return found


def lane_y(lanes: Lanes) -> "alt.Y":
    """Return the vertical place of a row, with its label at the axis."""
    import altair as alt

    scale = alt.Scale(domain=lanes.lines, paddingInner=0.3, paddingOuter=0.2)
    return alt.Y("key:O", title=None, sort=None, scale=scale, axis=alt.Axis(labelExpr="slice(datum.value, 4)"))


def headings(lanes: Lanes) -> "alt.Chart":
    """Return the layer of headings: each begins where the bars begin, just above the first of its rows."""
    import altair as alt

    words = alt.Chart(alt.InlineData(values=lanes.headings)).mark_text(
        align="left", baseline="middle", dy=4, fontSize=12, fontWeight=600, color=palette.TEXT.light, limit=420
    )
    layer: alt.Chart = words.encode(x=alt.value(0), y=lane_y(lanes), text="heading:N")
    return layer
