"""Choices as points of time and cost: the frontier joined by steps and named, the dominated small and numbered."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.beside import MOST_NUMBERED, written
from reckon.present.charts.drawing.frame import framed, room
from reckon.present.charts.drawing.ground import HEIGHT, WIDE, Ground
from reckon.present.charts.kinds.frontier import Dot, Frontier, Merit
from reckon.present.charts.words import tidy

if TYPE_CHECKING:
    import altair as alt

NAMED = round(0.8 * WIDE)
"""The width in pixels below which the plane has room for numbers only, whatever was written at its full width."""

CALLED: dict[Merit, str] = {
    "hull": "frontier, on its hull",
    "frontier": "frontier",
    "dominated": "dominated",
}
SHAPES: dict[Merit, str] = {"hull": "diamond", "frontier": "circle", "dominated": "circle"}
SIZES: dict[Merit, int] = {"hull": 110, "frontier": 80, "dominated": 28}

RANGES = "Lines through points are ranges of their cost."


def specification(picture: Frontier) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    ground = Ground.under(picture)
    front = [dot for dot in picture.points if dot.standing != "dominated"]
    front.sort(key=lambda dot: (dot.time, -dot.cost))
    beaten = [dot for dot in picture.points if dot.standing == "dominated"]
    ranged = [*(beaten if len(beaten) <= MOST_NUMBERED else ()), *front]
    layers = [
        *_ranges(ranged, ground),
        *_steps(front, ground),
        _dots([*beaten, *front], ground, picture.reference),
        *_words(written(front, beaten, ground, picture.reference), ground),
    ]
    said = RANGES if any(dot.ends[0] < dot.ends[1] for dot in ranged) else ""
    return framed(alt.layer(*layers), picture, HEIGHT, room(8, 0), unit=said)


def _ranges(dots: Iterable[Dot], ground: Ground) -> "list[alt.Chart]":
    """Return the layer of the ranges of cost: thin lines, those of dominated choices paler."""
    import altair as alt

    rows = [
        {"time": dot.time, "low": low, "high": high, "fade": 0.35 if dot.standing == "dominated" else 0.9}
        for dot in dots
        for low, high in [dot.ends]
        if low < high
    ]
    if not rows:
        return []
    line = alt.Chart(alt.InlineData(values=rows)).mark_rule(color=palette.TEXT.light, opacity=alt.expr("datum.fade"))
    return [line.encode(x=ground.x("time"), y=ground.y("low"), y2="high")]


def _steps(front: Sequence[Dot], ground: Ground) -> "list[alt.Chart]":
    """Return the layer of the line under which no choice lies: the least cost for which a time can be had."""
    import altair as alt

    rows = [{"time": dot.time, "cost": dot.cost} for dot in front]
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(
        interpolate="step-after", strokeWidth=1.5, color=palette.MERITS["frontier"], opacity=0.6
    )
    return [line.encode(x=ground.x("time"), y=ground.y("cost"))] if len(rows) > 1 else []


def _dots(dots: Iterable[Dot], ground: Ground, reference: str) -> "alt.Chart":
    import altair as alt

    rows = [
        {
            "time": dot.time,
            "cost": dot.cost,
            "standing": CALLED[dot.standing],
            "item": f"{dot.number} {tidy(dot.label)}".rstrip() + " (reference)" * (dot.id == reference),
            "amount": tidy(dot.value),
        }
        for dot in dots
    ]
    shown = [name for name in CALLED.values() if any(row["standing"] == name for row in rows)]
    key = alt.Legend(values=shown, symbolOpacity=1) if len(shown) > 1 else None
    # Vega takes a range of one size for none, so the scales hold what is not shown too.
    fills, shapes, sizes = (
        alt.Scale(domain=list(CALLED.values()), range=[of[merit] for merit in CALLED])
        for of in (palette.MERITS, SHAPES, SIZES)
    )
    layer: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, opacity=1)
        .encode(
            x=ground.x("time"),
            y=ground.y("cost"),
            color=alt.Color("standing:N", title=None, scale=fills, legend=key),
            shape=alt.Shape("standing:N", title=None, scale=shapes, legend=key),
            size=alt.Size("standing:N", title=None, scale=sizes, legend=None),
            tooltip=[alt.Tooltip("item:N"), alt.Tooltip("amount:N"), alt.Tooltip("standing:N")],
        )
    )
    return layer


def _words(rows: list[dict[str, Any]], ground: Ground) -> "list[alt.Chart]":
    """Return the layers of the words, and of the lines that lead to those that stand further away."""
    import altair as alt

    base = alt.Chart(alt.InlineData(values=rows)).encode(x=ground.x("time"), y=ground.y("cost"))
    led = base.transform_filter("datum.to_x || datum.to_y")
    # Numbers are small: where they stand for names, they come nearer.
    near = f"(width < {NAMED} && (datum.to_x || datum.to_y) ? 0.4 : 1)"
    to_x, to_y = (f"scale('{x}', datum.{of}) + {near} * datum.to_{x}" for x, of in (("x", "time"), ("y", "cost")))
    lead = led.mark_rule(color=palette.THREAD.light)
    leads = lead.encode(x2=alt.value(alt.expr(to_x)), y2=alt.value(alt.expr(to_y)))
    layers = [leads]
    for field, down in (("words", f"- (datum.figures && width >= {NAMED} ? 7 : 0)"), ("figures", "+ 8")):
        text = base.mark_text(
            align=alt.expr("datum.align"),
            baseline="middle",
            dx=alt.expr(f"{near} * datum.across"),
            dy=alt.expr(f"{near} * datum.down {down}"),
            fontSize=alt.expr("datum.weight == 'bold' ? 12 : 10"),
            fontWeight=alt.expr(f"'{field}' == 'words' ? datum.weight : 'normal'"),
            color=palette.TEXT.light,
        )
        narrow = "datum.number" if field == "words" else "''"
        shown = alt.Text(value=alt.expr(f"width < {NAMED} ? {narrow} : datum.{field}"))
        layers.append(text.encode(text=shown))
    return layers
