"""A reserve over time: a surface that goes down in steps, each with its number, and what is overdrawn below zero."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import framed, room
from reckon.present.charts.drawing.labels import merged
from reckon.present.charts.drawing.plane import HEIGHT, Plane, hover_points
from reckon.present.charts.drawing.thinning import thinned, timed
from reckon.present.charts.kinds.drawdown import Drawdown
from reckon.present.charts.kinds.moments import moment
from reckon.present.charts.words import tidy

if TYPE_CHECKING:
    import altair as alt

WIDE = 560
"""The width of the plane on the site, in pixels, about."""


def specification(picture: Drawdown) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    dates = [picture.since, *(step.date for step in picture.steps), picture.end]
    plane = Plane.around(dates, [picture.start, *(step.left for step in picture.steps)])
    steps = [(picture.since, picture.start), *((step.date, step.left) for step in picture.steps)]
    line = thinned(timed([*steps, (picture.end, steps[-1][1])]))
    layers = [*_surface(line, plane), *_numbers(picture, plane), hover_points(_told(picture), plane)]
    return framed(alt.layer(*layers), picture, HEIGHT, room(8, 0), unit=picture.unit)


def _surface(line: list[tuple[int, float]], plane: Plane) -> "list[alt.Chart]":
    """Return the layers of what is left and what is overdrawn, each with its edge, and of zero between them."""
    import altair as alt

    layers = []
    for ink, kept in ((palette.LEFT, max), (palette.OVERDRAWN, min)):
        rows = [{"at": at, "level": kept(left, 0.0)} for at, left in line]
        if any(row["level"] for row in rows):
            surface = alt.Chart(alt.InlineData(values=rows)).mark_area(
                interpolate="step-after", color=ink, opacity=0.3, line={"color": ink, "strokeWidth": 1.5}
            )
            layers.append(surface.encode(x=plane.x("at"), y=plane.y("level")))
    zero = alt.Chart(alt.InlineData(values=[{"level": 0}])).mark_rule(color=palette.TEXT.light, strokeWidth=2)
    return [*layers, zero.encode(y=plane.y("level"))]


def _numbers(picture: Drawdown, plane: Plane) -> "list[alt.Chart]":
    """Return the layers of the steps' numbers, each above the place where its step begins."""
    import altair as alt

    def number(first: int, last: int) -> str:
        one, other = picture.steps[first].number, picture.steps[last].number
        return f"{one}" if first == last else f"{one}–{other}"

    levels = [picture.start, *(step.left for step in picture.steps)]
    places = [plane.along(moment(step.date), WIDE) for step in picture.steps]
    rows = [
        {
            "at": moment(picture.steps[first].date),
            "level": max(0.0, *levels[first : last + 2]),
            "number": number(first, last),
        }
        for first, last in merged(places, lambda first, last: 6 + 7 * len(number(first, last)))
    ]
    words = alt.Chart(alt.InlineData(values=rows)).mark_text(
        align="left", dx=3, dy=-9, fontSize=12, fontWeight=600, color=palette.TEXT.light
    )
    return [words.encode(x=plane.x("at"), y=plane.y("level"), text="number:N")]


def _told(picture: Drawdown) -> list[dict[str, Any]]:
    """Return what the pointer is told, by place."""
    return [
        {
            "at": moment(step.date),
            "level": step.left,
            "item": " ".join(part for part in (f"{step.number}", tidy(step.label)) if part),
            "amount": tidy(step.value),
        }
        for step in picture.steps
    ]
