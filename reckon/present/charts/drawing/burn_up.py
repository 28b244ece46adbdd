"""A running total over time: a step line, the plan as a dashed one, the forecast as a fan, limits as labelled rules."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import framed, room
from reckon.present.charts.drawing.labels import spread
from reckon.present.charts.drawing.plane import HEIGHT, Plane, day_marks, days_height, hover_points
from reckon.present.charts.drawing.thinning import thinned, timed
from reckon.present.charts.kinds.burn_up import BurnUp, Fan
from reckon.present.charts.kinds.moments import moment
from reckon.present.charts.words import bundled_glyphs, drawable, tidy

if TYPE_CHECKING:
    import altair as alt

LIMIT_LENGTH, LIMIT_GAP = 20, 31
"""The most characters of a limit's name, and how far labels are apart, in pixels: two lines of words each."""

ACTUAL, PLAN, FORECAST = "actual", "plan", "forecast: median, P10 to P90"
DASHES = {ACTUAL: [1, 0], PLAN: [5, 4], FORECAST: [2, 3]}
INKS = {
    ACTUAL: palette.USES["actual"].deep,
    PLAN: palette.USES["planned"].deep,
    FORECAST: palette.USES["forecast"].deep,
}


def specification(picture: BurnUp) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    plane = _plane(picture)
    layers = [
        *(_limits(picture, plane) if picture.limits else ()),
        *(day_marks(picture.days, plane) if picture.days else ()),
        *(_fan(picture.fan, plane) if picture.fan else ()),
        _plan(picture, plane),
        *(_actual(picture, plane) if picture.actual else ()),
        hover_points(_told(picture), plane),
    ]
    longest = max((len(limit.value) for limit in picture.limits), default=0)
    return framed(alt.layer(*layers), picture, HEIGHT, room(8, longest), unit=picture.unit)


def _plane(picture: BurnUp) -> Plane:
    fan = picture.fan
    dates = [date for date, _ in (*picture.actual, *picture.plan, *picture.days)]
    heights = [level for _, level in (*picture.actual, *picture.plan)] + [limit.level for limit in picture.limits]
    if fan:
        dates += [fan.start, fan.end]
        heights += [fan.level, fan.low, fan.high]
    return Plane.around(dates, heights)


def _series(picture: BurnUp, plane: Plane) -> dict[str, Any]:
    """Return the channels that tell the lines apart, with a key where there is more than one."""
    import altair as alt

    shown = {ACTUAL: picture.actual, PLAN: picture.plan, FORECAST: picture.fan}
    names = [name for name, some in shown.items() if some]
    above = 10 + days_height(picture.days, plane)
    lines = alt.Legend(symbolType="stroke", symbolStrokeWidth=2, symbolSize=300, offset=above)
    key = lines if len(names) > 1 else None
    inks, dashes = (alt.Scale(domain=names, range=[of[name] for name in names]) for of in (INKS, DASHES))
    return {
        "color": alt.Color("series:N", title=None, scale=inks, legend=key),
        "strokeDash": alt.StrokeDash("series:N", title=None, scale=dashes, legend=key),
    }


def _plan(picture: BurnUp, plane: Plane) -> "alt.Chart":
    """Return the layer of the lines that are no steps: the plan, and the median of the forecast."""
    import altair as alt

    lines = [{"series": PLAN, "at": at, "level": level} for at, level in thinned(timed(picture.plan))]
    if fan := picture.fan:
        ends = ((fan.start, fan.level), (fan.end, fan.middle))
        lines += [{"series": FORECAST, "at": at, "level": level} for at, level in timed(ends)]
    line = alt.Chart(alt.InlineData(values=lines)).mark_line(strokeWidth=2)
    layer: alt.Chart = line.encode(x=plane.x("at"), y=plane.y("level"), **_series(picture, plane))
    return layer


def _actual(picture: BurnUp, plane: Plane) -> "list[alt.Chart]":
    """Return the layers of what was used: steps, and a dot where they end."""
    import altair as alt

    steps = [{"series": ACTUAL, "at": at, "level": level} for at, level in thinned(timed(picture.actual))]
    line = alt.Chart(alt.InlineData(values=steps)).mark_line(interpolate="step-after", strokeWidth=2.5)
    dot = alt.Chart(alt.InlineData(values=steps[-1:])).mark_point(filled=True, size=50, opacity=1, color=INKS[ACTUAL])
    places = {"x": plane.x("at"), "y": plane.y("level")}
    return [line.encode(**places, **_series(picture, plane)), dot.encode(**places)]


def _fan(fan: Fan, plane: Plane) -> "list[alt.Chart]":
    import altair as alt

    ends = ((fan.start, fan.level, fan.level), (fan.end, fan.low, fan.high))
    rows = [{"at": moment(date), "level": low, "high": high} for date, low, high in ends]
    band = alt.Chart(alt.InlineData(values=rows)).mark_area(color=INKS[FORECAST], opacity=palette.TINTS[1])
    return [band.encode(x=plane.x("at"), y=plane.y("level"), y2="high")]


def _limits(picture: BurnUp, plane: Plane) -> "list[alt.Chart]":
    """Return the layers of the limits: a rule each, and beside its end (led aside where two are near) its name."""
    import altair as alt

    glyphs = bundled_glyphs()
    heights = spread([plane.down(limit.level) for limit in picture.limits], LIMIT_GAP, HEIGHT)
    rows = [
        {
            "level": limit.level,
            "beside": plane.level(down),
            "label": drawable(limit.label, glyphs, LIMIT_LENGTH),
            "value": drawable(limit.value, glyphs, LIMIT_LENGTH),
        }
        for limit, down in zip(picture.limits, heights, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=rows))
    ink, beside = palette.TEXT.light, plane.y("beside")
    right, far, words = (alt.value(alt.expr(f"width + {pixels}")) for pixels in (0, 12, 16))
    text = base.encode(x=words, y=beside)
    return [
        base.mark_rule(color=ink, opacity=0.8).encode(y=plane.y("level")),
        base.mark_rule(color=ink, opacity=0.8).encode(x=right, x2=far, y=plane.y("level"), y2="beside"),
        text.mark_text(align="left", dy=-6, fontSize=12, fontWeight=600, color=ink).encode(text="label:N"),
        text.mark_text(align="left", dy=8, fontSize=12, color=ink).encode(text="value:N"),
    ]


def _told(picture: BurnUp) -> list[dict[str, Any]]:
    """Return what the pointer is told, by place."""
    told = [
        {"at": at, "level": level, "item": name}
        for name, line in ((ACTUAL, picture.actual), (PLAN, picture.plan))
        for at, level in thinned(timed(line))
    ]
    if fan := picture.fan:
        told.append({"at": moment(fan.end), "level": fan.middle, "item": FORECAST, "amount": tidy(fan.value)})
    return told
