"""Needs of memory over what there is: a light bar for the memory of a row, and over it the parts of the need."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import LABEL_LENGTH, VALUE_LENGTH, framed, room
from reckon.present.charts.drawing.lanes import Lanes, headings, lane_y, lanes
from reckon.present.charts.drawing.plane import DAY_LENGTH, DAY_LINE, NARROW
from reckon.present.charts.kinds.amounts import stacked, total
from reckon.present.charts.kinds.memory import Memory, Room
from reckon.present.charts.words import bundled_glyphs, drawable, tidy

if TYPE_CHECKING:
    import altair as alt

LEANING = 0.7
"""The part of the axis from which on the label of a limit stands to the left of its rule."""

HAVE, NEED = 20, 10
"""The heights of the bars of what there is and of what is needed, in pixels."""


def specification(picture: Memory) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    lines = lanes((row.group, row.label) for row in picture.rows)
    ends = _ends(picture, lines)
    bars = [_have(picture, lines), *_limits(picture), _need(picture, lines)]
    padding = room(max(map(len, lines.lines)), max(len(row["end"]) for row in ends))
    layers = alt.layer(headings(lines), *bars, _beside(ends, lines))
    return framed(layers, picture, alt.Step(28 if len(lines.lines) <= 80 else 22), padding)


def _needed(picture: Memory, row: Room) -> float:
    return float(total(part.amount for part in picture.needed(row)))


def _most(picture: Memory) -> float:
    """Return the end of the axis."""
    rows = (max(row.have or 0.0, _needed(picture, row)) for row in picture.rows)
    return max(*rows, *(1.02 * limit.level for limit in picture.limits), 0.0) or 1.0


def _x(picture: Memory) -> "alt.X":
    import altair as alt

    axis = alt.Axis(orient="bottom" if len(picture.rows) <= 30 or picture.limits else "top")
    scale = alt.Scale(domain=[0, _most(picture)], nice=False, zero=True)
    return alt.X("low:Q", title=drawable(picture.unit, bundled_glyphs(), LABEL_LENGTH), axis=axis, scale=scale)


def _have(picture: Memory, lines: Lanes) -> "alt.Chart":
    """Return the layer of what there is; a row whose memory is not known has no bar."""
    import altair as alt

    rows = [
        {"key": key, "low": 0, "high": row.have, "item": _name(row), "amount": tidy(row.value), "verdict": row.verdict}
        for key, row in zip(lines.rows, picture.rows, strict=True)
        if row.have is not None
    ]
    bar = alt.Chart(alt.InlineData(values=rows)).mark_bar(
        height=HAVE, color=palette.LINE.light, stroke=palette.THREAD.light, strokeWidth=1
    )
    told = [alt.Tooltip("item:N"), alt.Tooltip("amount:N"), alt.Tooltip("verdict:N")]
    layer: alt.Chart = bar.encode(x=_x(picture), x2="high", y=lane_y(lines), tooltip=told)
    return layer


def _need(picture: Memory, lines: Lanes) -> "alt.Chart":
    """Return the layer of the parts of each need, end to end; what is nothing is left out."""
    import altair as alt

    rows, glyphs = [], bundled_glyphs()
    called = {name: drawable(name, glyphs, LABEL_LENGTH) for name in picture.names}
    for key, row in zip(lines.rows, picture.rows, strict=True):
        parts = picture.needed(row)
        for part, (low, high) in zip(parts, stacked(part.amount for part in parts), strict=True):
            if part.amount:
                told = {"item": _name(row), "part": called[part.name], "amount": tidy(part.value)}
                rows.append({"key": key, "low": low, "high": high, **told})
    names = list(dict.fromkeys(called.values()))
    fills = alt.Scale(domain=names, range=list(palette.NEEDS[: len(names)]))
    legend = alt.Legend(offset=10 + _above(picture)) if names else None
    fill, stroke = (channel("part:N", title=None, scale=fills, legend=legend) for channel in (alt.Fill, alt.Stroke))
    hover = [alt.Tooltip("item:N"), alt.Tooltip("part:N"), alt.Tooltip("amount:N")]
    # Ends drawn in by a pixel, with a line of a pixel around them, leave a gap of one and keep the smallest visible.
    bar = alt.Chart(alt.InlineData(values=rows)).mark_bar(height=NEED, strokeWidth=1, xOffset=1, x2Offset=-1)
    layer: alt.Chart = bar.encode(x=_x(picture), x2="high", y=lane_y(lines), fill=fill, stroke=stroke, tooltip=hover)
    return layer


def _name(row: Room) -> str:
    return " · ".join(part for part in (tidy(row.group), tidy(row.label)) if part)


def _ends(picture: Memory, lines: Lanes) -> list[dict[str, Any]]:
    """Return what is written beside each row, as rows of data."""
    glyphs = bundled_glyphs()
    return [
        {
            "key": key,
            "end": " – ".join(part for part in (drawable(row.value, glyphs, VALUE_LENGTH), row.verdict) if part),
        }
        for key, row in zip(lines.rows, picture.rows, strict=True)
    ]


def _beside(ends: list[dict[str, Any]], lines: Lanes) -> "alt.Chart":
    import altair as alt

    # In a column of their own, where no rule and no line of the grid goes through them.
    text = alt.Chart(alt.InlineData(values=ends)).mark_text(
        align="left", dx=10, fontSize=12, fontWeight=600, color=palette.TEXT.light
    )
    layer: alt.Chart = text.encode(x=alt.value("width"), y=lane_y(lines), text="end:N")
    return layer


def _labelled(picture: Memory) -> list[dict[str, Any]]:
    """Return the limits as rows of data: a label each, on the side of its rule that has room, and its line above."""
    glyphs, most = bundled_glyphs(), _most(picture)
    rows: list[dict[str, Any]] = []
    for limit in picture.limits:
        words = " ".join(part for part in (tidy(limit.label), tidy(limit.value)) if part)
        place, label = limit.level / most, drawable(words, glyphs, DAY_LENGTH)
        rows.append({"low": limit.level, "label": label, "align": "left" if place < LEANING else "right"})
    # Each label stands above those that it meets and whose rules it reaches over, so that no rule goes through a label.
    rows.sort(key=lambda row: (row["align"], -row["low"] if row["align"] == "left" else row["low"]))
    reached: list[tuple[float, float, int]] = []
    for row in rows:
        place, width = row["low"] / most * NARROW, 12 + 6.4 * len(row["label"])
        left, right = (place, place + width) if row["align"] == "left" else (place - width, place)
        row["line"] = 1 + max((line for low, high, line in reached if left <= high and low <= right), default=-1)
        reached.append((left, right, row["line"]))
    return rows


def _above(picture: Memory) -> int:
    """Return how many pixels the labels of the limits take above the rows."""
    return DAY_LINE * (1 + max((row["line"] for row in _labelled(picture)), default=-1))


def _limits(picture: Memory) -> "list[alt.Chart]":
    """Return the layers of the limits: a dashed rule each through all rows, and its label above them."""
    import altair as alt

    if not picture.limits:
        return []
    ink = palette.TEXT.light
    base = alt.Chart(alt.InlineData(values=_labelled(picture))).encode(x=_x(picture))
    above = alt.value(alt.expr(f"-6 - {DAY_LINE} * datum.line"))
    words = base.mark_text(align=alt.expr("datum.align"), baseline="bottom", fontSize=12, color=ink)
    return [
        base.mark_rule(color=ink, opacity=0.8, strokeDash=[3, 3]).encode(y=above, y2=alt.value("height")),
        words.encode(y=above, text="label:N"),
    ]
