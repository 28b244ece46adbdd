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
    "hull": "frontier, best for some price of an hour",
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
    front = sorted((dot for dot in picture.points if dot.standing != "dominated"), key=lambda dot: (dot.time, -dot.cost))
    beaten = [dot for dot in picture.points if dot.standing == "dominated"]
    shown = [*beaten[:MOST_NUMBERED], *front]
    layers = [
        *_ranges(shown, ground),
        *_steps(front, ground),
        _dots([*beaten, *front], ground, picture.reference),
        *_words(written(front, beaten, ground, picture.reference), ground),
    ]
    said = RANGES if any(dot.ends[0] < dot.ends[1] for dot in shown) else ""
    return framed(alt.layer(*layers), picture, HEIGHT, room(8, 0), unit=said)


def _ranges(dots: Iterable[Dot], ground: Ground) -> "list[alt.Chart]":
    """Return the layer of the ranges of cost: thin lines, those of dominated choices paler."""
    import altair as alt

    rows = [
        {"time": dot.time, "low": dot.ends[0], "high": dot.ends[1], "fade": 0.35 if dot.standing == "dominated" else 0.9}
        for dot in dots
        if dot.ends[0] < dot.ends[1]
    ]
    if not rows:
        return []
    line = alt.Chart(alt.InlineData(values=rows)).mark_rule(color=palette.TEXT.light, opacity=alt.expr("datum.fade"))
    return [line.encode(x=ground.x("time"), y=ground.y("low"), y2="high")]


def _steps(front: Sequence[Dot], ground: Ground) -> "list[alt.Chart]":
    """Return the layer of the line under which no choice lies: at each time, the cost of the cheapest that is as fast."""
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
    shown = [merit for merit in CALLED if any(row["standing"] == CALLED[merit] for row in rows)]
    names = [CALLED[merit] for merit in shown]
    key = alt.Legend(symbolOpacity=1) if len(shown) > 1 else None
    fills, shapes, sizes = (
        alt.Scale(domain=names, range=[of[merit] for merit in shown]) for of in (palette.MERITS, SHAPES, SIZES)
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
    ends = {"x2": "scale('x', datum.time) + datum.to_x", "y2": "scale('y', datum.cost) + datum.to_y"}
    leads = led.mark_rule(color=palette.THREAD.light).encode(**{at: alt.value(alt.expr(end)) for at, end in ends.items()})
    layers = [leads]
    for field, down in (("words", "- (datum.figures ? 7 : 0)"), ("figures", "+ 8")):
        text = base.mark_text(
            align=alt.expr("datum.align"),
            baseline="middle",
            dx=alt.expr("datum.across"),
            dy=alt.expr(f"datum.down {down}"),
            fontSize=alt.expr("datum.weight == 'bold' ? 12 : 10"),
            fontWeight=alt.expr(f"'{field}' == 'words' ? datum.weight : 'normal'"),
            color=palette.TEXT.light,
        )
        narrow = "datum.number" if field == "words" else "''"
        shown = alt.Text(value=alt.expr(f"width < {NAMED} ? {narrow} : datum.{field}"))
        layers.append(text.encode(text=shown))
    return layers
