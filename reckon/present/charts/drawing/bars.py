"""Stacked bars: segments side by side with thin gaps between them, named where there is room."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import LABEL_LENGTH, VALUE_LENGTH, framed, room
from reckon.present.charts.drawing.lanes import Lanes, headings, lane_y, lanes
from reckon.present.charts.drawing.shades import coloured, shade
from reckon.present.charts.kinds.amounts import stacked, total
from reckon.present.charts.kinds.bars import Bars, Row, Use
from reckon.present.charts.words import bundled_glyphs, drawable, tidy

if TYPE_CHECKING:
    import altair as alt

NAME_LENGTH = 24
"""The most characters of a segment's name; more are cut with an ellipsis."""

HAS_ROOM = "scale('x', datum.high) - scale('x', datum.low) > 10 + 6.6 * length(datum.inside)"
"""Whether a segment is wide enough for its name, in Vega's language; asked anew at every width."""


def specification(picture: Bars) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    lines = lanes((row.group, row.label) for row in picture.rows)
    segments = _segments(picture, lines)
    data = alt.InlineData(values=segments)
    layers = alt.layer(headings(lines), _bars(picture, lines, data), _names(lines, data), _values(picture, lines))
    longest = max(len(key) for key in lines.lines)
    padding = room(longest, max(len(row.value) for row in picture.rows))
    return framed(layers, picture, alt.Step(24 if len(lines.lines) <= 80 else 18), padding)


def _segments(picture: Bars, lines: Lanes) -> list[dict[str, Any]]:
    """Return the segments as rows of data; a name has the same shade in every bar. What is nothing is left out."""
    names = list(dict.fromkeys(segment.name for row in picture.rows for segment in row.segments))
    odd = {name: bool(place % 2) for place, name in enumerate(names)}
    called = picture.called()
    return [one for key, row in zip(lines.rows, picture.rows, strict=True) for one in _row(key, row, odd, called)]


def _row(key: str, row: Row, odd: Mapping[str, bool], called: Mapping[Use, str]) -> list[dict[str, Any]]:
    glyphs, rows = bundled_glyphs(), []
    ends = stacked(segment.amount for segment in row.segments)
    for segment, (low, high) in zip(row.segments, ends, strict=True):
        if segment.amount:
            look = palette.USES[segment.use]
            rows.append(
                {
                    "key": key,
                    "low": low,
                    "high": high,
                    "shade": shade(called[segment.use], odd[segment.name]),
                    "on": ("pale" if odd[segment.name] else "deep") if look.solid else "page",
                    "inside": drawable(segment.name, glyphs, NAME_LENGTH),
                    "item": " · ".join(part for part in (tidy(row.group), tidy(row.label), tidy(segment.name)) if part),
                    "amount": tidy(segment.value),
                    "use": called[segment.use],
                }
            )
    return rows


def _length(row: Row) -> float:
    return float(total(segment.amount for segment in row.segments))


def _x(picture: Bars) -> "alt.X":
    import altair as alt

    most = max(map(_length, picture.rows))
    axis = alt.Axis(orient="bottom" if len(picture.rows) <= 30 else "top")
    scale = alt.Scale(domain=[0, most or 1], nice=False, zero=True)
    return alt.X("low:Q", title=drawable(picture.unit, bundled_glyphs(), LABEL_LENGTH), axis=axis, scale=scale)


def _bars(picture: Bars, lines: Lanes, data: "alt.InlineData") -> "alt.Chart":
    import altair as alt

    # Ends drawn in by a pixel, with a line of a pixel around them, leave a gap of one and keep the smallest visible.
    bar = alt.Chart(data).mark_bar(strokeWidth=1, xOffset=1, x2Offset=-1)
    colours = coloured(picture.called(), palette.USES)
    bars: alt.Chart = bar.encode(x=_x(picture), x2="high", y=lane_y(lines), tooltip=_hover(), **colours)
    return bars


def _hover() -> "list[alt.Tooltip]":
    import altair as alt

    return [alt.Tooltip("item:N"), alt.Tooltip("amount:N"), alt.Tooltip("use:N")]


def _names(lines: Lanes, data: "alt.InlineData") -> "alt.Chart":
    """Return the layer of the names inside segments."""
    import altair as alt

    inks = {"deep": palette.ON_DEEP, "pale": palette.ON_PALE}
    ink = alt.Color(
        condition=[{"test": f"datum.on == '{on}'", "value": ink} for on, ink in inks.items()],
        value=palette.TEXT.light,
    )
    middle = alt.Chart(data).transform_calculate(middle="(datum.low + datum.high) / 2")
    fitting = alt.condition(HAS_ROOM, alt.Text("inside:N"), alt.value(""))
    words = middle.mark_text(fontSize=11)
    names: alt.Chart = words.encode(x="middle:Q", y=lane_y(lines), text=fitting, color=ink, tooltip=_hover())
    return names


def _values(picture: Bars, lines: Lanes) -> "alt.Chart":
    import altair as alt

    glyphs = bundled_glyphs()
    ends = [
        {"key": key, "high": _length(row), "value": drawable(row.value, glyphs, VALUE_LENGTH)}
        for key, row in zip(lines.rows, picture.rows, strict=True)
    ]
    text = alt.Chart(alt.InlineData(values=ends)).mark_text(
        align="left", dx=7, fontSize=12, fontWeight=600, color=palette.TEXT.light
    )
    values: alt.Chart = text.encode(x="high:Q", y=lane_y(lines), text="value:N")
    return values
