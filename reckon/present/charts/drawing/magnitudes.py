"""Amounts far apart: a point each on one axis, over a line from end to end of its range."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import LABEL_LENGTH, VALUE_LENGTH, framed, room
from reckon.present.charts.drawing.lanes import Lanes, headings, lane_y, lanes
from reckon.present.charts.drawing.scales import Scale
from reckon.present.charts.kinds.magnitudes import Magnitude, Magnitudes, far_apart
from reckon.present.charts.words import bundled_glyphs, drawable, tidy

if TYPE_CHECKING:
    import altair as alt

RANGES = "Lines through points are their ranges."


def specification(picture: Magnitudes) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    lines = lanes((row.group, row.label) for row in picture.rows)
    data = _data(picture, lines)
    layers = [headings(lines), *_ranges(data, picture, lines), _points(data, picture, lines), _beside(data, lines)]
    padding = room(max(map(len, lines.lines)), max(len(row["value"]) for row in data))
    said = RANGES if any(row["low"] < row["high"] for row in data) else ""
    return framed(alt.layer(*layers), picture, alt.Step(30), padding, unit=said)


def scale_of(picture: Magnitudes) -> Scale:
    """Return the axis. Nothing on a logarithmic one is zero: what is, stands at its beginning."""
    far = far_apart(picture.rows)
    return Scale.around([end for row in picture.rows for end in (row.amount, *row.ends) if end > 0 or not far])


def _data(picture: Magnitudes, lines: Lanes) -> list[dict[str, Any]]:
    glyphs, scale = bundled_glyphs(), scale_of(picture)

    def kept(amount: float) -> float:
        return max(amount, scale.low) if scale.far else amount

    return [
        {
            "key": key,
            "at": kept(row.amount),
            "low": kept(row.ends[0]),
            "high": kept(row.ends[1]),
            "item": _name(row),
            "value": drawable(row.value, glyphs, VALUE_LENGTH),
            "amount": tidy(row.value),
        }
        for key, row in zip(lines.rows, picture.rows, strict=True)
    ]


def _name(row: Magnitude) -> str:
    return " · ".join(part for part in (tidy(row.group), tidy(row.label)) if part)


def _x(field: str, picture: Magnitudes) -> "alt.X":
    import altair as alt

    what = drawable(picture.what, bundled_glyphs(), LABEL_LENGTH)
    return alt.X(f"{field}:Q", **scale_of(picture).shown(what, picture.unit))


def _ranges(data: list[dict[str, Any]], picture: Magnitudes, lines: Lanes) -> "list[alt.Chart]":
    import altair as alt

    rows = [row for row in data if row["low"] < row["high"]]
    if not rows:
        return []
    line = alt.Chart(alt.InlineData(values=rows)).mark_rule(
        color=palette.USES["actual"].pale, strokeWidth=4, strokeCap="round"
    )
    return [line.encode(x=_x("low", picture), x2="high", y=lane_y(lines))]


def _points(data: list[dict[str, Any]], picture: Magnitudes, lines: Lanes) -> "alt.Chart":
    import altair as alt

    told = [alt.Tooltip("item:N"), alt.Tooltip("amount:N")]
    point = alt.Chart(alt.InlineData(values=data)).mark_point(
        size=90, filled=True, opacity=1, color=palette.USES["actual"].deep
    )
    layer: alt.Chart = point.encode(x=_x("at", picture), y=lane_y(lines), tooltip=told)
    return layer


def _beside(data: list[dict[str, Any]], lines: Lanes) -> "alt.Chart":
    import altair as alt

    # In a column of their own, where no line of the grid goes through them.
    text = alt.Chart(alt.InlineData(values=data)).mark_text(
        align="left", dx=10, fontSize=12, fontWeight=600, color=palette.TEXT.light
    )
    layer: alt.Chart = text.encode(x=alt.value("width"), y=lane_y(lines), text="value:N")
    return layer
