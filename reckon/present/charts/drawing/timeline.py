"""Runs over time: a bar from start to end in the lane of its work, side by side where several ran at once."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.frame import framed, room
from reckon.present.charts.drawing.lanes import Lanes, headings, lane_y, lanes
from reckon.present.charts.drawing.shades import coloured
from reckon.present.charts.drawing.time_axis import ends, time_x
from reckon.present.charts.kinds.moments import moment
from reckon.present.charts.kinds.timeline import Span, Timeline
from reckon.present.charts.words import tidy

if TYPE_CHECKING:
    import altair as alt

MOST_TRACKS = 4
"""The most runs of a lane that are drawn side by side; more lie on each other."""

BAND = 16
"""The height of a lane's bars together, in pixels."""


def specification(picture: Timeline) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, its data inside, with nothing to be fetched."""
    import altair as alt

    lines = lanes((lane.group, lane.label) for lane in picture.lanes)
    layers = alt.layer(headings(lines), _bars(picture, lines))
    return framed(layers, picture, alt.Step(24), room(max(len(key) for key in lines.lines), 0))


def _bars(picture: Timeline, lines: Lanes) -> "alt.Chart":
    import altair as alt

    shown = {span.outcome for span in picture.spans}
    called = {outcome: str(outcome) for outcome in palette.OUTCOMES if outcome in shown}
    low, high = ends(date for span in picture.spans for date in (span.start, span.end))
    orient = "bottom" if len(picture.lanes) <= 30 else "top"
    # The line around it keeps a run of minutes visible among years.
    bar = alt.Chart(alt.InlineData(values=_rows(picture, lines))).mark_bar(
        strokeWidth=1, height=alt.expr("datum.height"), yOffset=alt.expr("datum.aside")
    )
    hover = [alt.Tooltip(f"{name}:N") for name in ("run", "from", "to", "outcome")]
    x = time_x("start", low, high, orient=orient, grid=True)
    bars: alt.Chart = bar.encode(x=x, x2="end", y=lane_y(lines), tooltip=hover, **coloured(called, palette.OUTCOMES))
    return bars


def _rows(picture: Timeline, lines: Lanes) -> list[dict[str, Any]]:
    """Return the runs as rows of data, the longest first so that no short one is hidden."""
    rows = []
    for lane, key in enumerate(lines.rows):
        spans = sorted((span for span in picture.spans if span.lane == lane), key=lambda span: moment(span.start))
        for meeting in _meetings(spans):
            tracks = _tracks(meeting)
            each = BAND / (1 + max(tracks))
            for span, track in zip(meeting, tracks, strict=True):
                aside = (track + 0.5) * each - BAND / 2
                rows.append({"key": key, "height": each - 1.5, "aside": aside, **_row(span)})
    return sorted(rows, key=lambda row: row["start"] - row["end"])


def _row(span: Span) -> dict[str, Any]:
    return {
        "start": moment(span.start),
        "end": moment(span.end),
        "shade": span.outcome,
        "run": tidy(span.label),
        "from": tidy(span.start),
        "to": tidy(span.end),
        "outcome": span.outcome,
    }


def _meetings(spans: list[Span]) -> list[list[Span]]:
    """Return the runs of a lane (by start) in groups, where no run of a group overlaps one of another."""
    found: list[list[Span]] = []
    until = 0
    for span in spans:
        if found and moment(span.start) < until:
            found[-1].append(span)
            until = max(until, moment(span.end))
        else:
            found.append([span])
            until = moment(span.end)
    return found


def _tracks(spans: list[Span]) -> list[int]:
    """Return the track of each run (by start): the first that is free, or the one that is free the soonest."""
    free: list[int] = []
    found = []
    for span in spans:
        track = next((track for track, end in enumerate(free) if end <= moment(span.start)), len(free))
        if track == MOST_TRACKS:
            track = free.index(min(free))
        free[track : track + 1] = [max([moment(span.end), *free[track : track + 1]])]
        found.append(track)
    return found
