"""A budget formula as a waterfall: items from top to bottom, each bar starting where the one above it ended."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import LABEL_LENGTH, VALUE_LENGTH, framed, room
from reckon.present.charts.kinds.waterfall import Bar, Waterfall
from reckon.present.charts.words import bundled_glyphs, drawable, tidy

if TYPE_CHECKING:
    import altair as alt

SUMS = ("subtotal", "total")
"""The roles whose bars start from zero and whose names are bold."""

NAME = "slice(datum.value, 5)"
"""The part of a row's key that is its name, in Vega's language; see `_row`."""

IS_SUM = "slice(datum.value, 4, 5) == '='"
"""Whether a row's key is that of a subtotal or total, in Vega's language; see `_row`."""


def specification(picture: Waterfall) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    rows = _rows(picture)
    layers = alt.layer(_threads(), _bars(picture), _values(picture), data=alt.InlineData(values=rows))
    step = alt.Step(26 if len(rows) <= 40 else 20 if len(rows) <= 200 else 16)
    return framed(layers, picture, step, _padding(rows))


def _rows(picture: Waterfall) -> list[dict[str, Any]]:
    """Return the bars as rows of data; `next` is the row that a thread leads to, where the two meet."""
    glyphs = bundled_glyphs()
    rows = [_row(number, bar, glyphs) for number, bar in enumerate(picture.bars)]
    for place, (bar, below) in enumerate(zip(picture.bars, picture.bars[1:], strict=False)):
        if bar.end in (below.start, below.end):
            rows[place]["next"] = rows[place + 1]["key"]
    return rows


def _row(number: int, bar: Bar, glyphs: frozenset[int]) -> dict[str, Any]:
    """Return one bar as a row; its key sorts by place, is never shared, and says whether the bar is a sum."""
    mark = "=" if bar.role in SUMS else "+"
    value = tidy(bar.value)
    return {
        "key": f"{number:04}{mark}{drawable(bar.label, glyphs, LABEL_LENGTH)}",
        "low": min(bar.start, bar.end),
        "high": max(bar.start, bar.end),
        "end": bar.end,
        "role": palette.BARS[bar.role].name,
        "value": drawable(bar.value, glyphs, VALUE_LENGTH),
        "item": tidy(bar.label),
        "amount": value,
        "running": tidy(bar.running) or (value if bar.role in SUMS else "–"),
    }


def _padding(rows: list[dict[str, Any]]) -> dict[str, int]:
    return room(*(max(len(row[column]) for row in rows) for column in ("key", "value")))


def _y() -> "alt.Y":
    import altair as alt

    weight = {"condition": {"test": IS_SUM, "value": 600}, "value": 400}
    axis = alt.Axis(labelExpr=NAME, labelFontWeight=weight)
    return alt.Y("key:O", title=None, axis=axis, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.2))


def _threads() -> "alt.Chart":
    import altair as alt

    meeting = alt.Chart().transform_filter("isValid(datum.next)")
    thread: alt.Chart = meeting.mark_rule(color=palette.THREAD.light).encode(x="end:Q", y=_y(), y2="next")
    return thread


def _bars(picture: Waterfall) -> "alt.Chart":
    import altair as alt

    parts = {role: part for role, part in palette.BARS.items() if any(bar.role == role for bar in picture.bars)}
    fills = alt.Scale(domain=[part.name for part in parts.values()], range=[part.fill for part in parts.values()])
    # Sums need no key: they stand out by their bold names.
    keyed = [part.name for role, part in parts.items() if role not in SUMS]
    legend = alt.Legend(values=keyed) if len(keyed) > 1 else None
    fill = alt.Fill("role:N", title=None, scale=fills, legend=legend)
    # A stroke in the colour of the fill keeps an item of next to nothing visible.
    stroke = alt.Stroke("role:N", title=None, scale=fills, legend=legend)
    bar = alt.Chart().mark_bar(strokeWidth=1, strokeJoin="round")
    bars: alt.Chart = bar.encode(x=_x(picture), x2="high", y=_y(), fill=fill, stroke=stroke, tooltip=_hover(picture))
    return bars


def _x(picture: Waterfall) -> "alt.X":
    import altair as alt

    ends = [0.0, *(bar.start for bar in picture.bars), *(bar.end for bar in picture.bars)]
    low, high = min(ends), max(ends)
    axis = alt.Axis(orient="bottom" if len(picture.bars) <= 30 else "top")
    scale = alt.Scale(domain=[low, high if high > low else low + 1], nice=False, zero=True)
    return alt.X("low:Q", title=drawable(picture.unit, bundled_glyphs(), LABEL_LENGTH), axis=axis, scale=scale)


def _hover(picture: Waterfall) -> "list[alt.Tooltip]":
    import altair as alt

    running = [alt.Tooltip("running:N", title="total so far")] if any(tidy(bar.running) for bar in picture.bars) else []
    return [alt.Tooltip("item:N"), alt.Tooltip("amount:N"), alt.Tooltip("role:N", title="part"), *running]


def _values(picture: Waterfall) -> "alt.Chart":
    import altair as alt

    text = alt.Chart().mark_text(align="left", dx=7, fontSize=12, fontWeight=600, color=palette.TEXT.light)
    values: alt.Chart = text.encode(x="high:Q", y=_y(), text="value:N", tooltip=_hover(picture))
    return values
