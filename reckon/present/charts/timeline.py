"""Runs over time: a bar from start to end in the lane of its work, side by side where several ran at once.

There is a lane for each item and seed; where there are too many, lanes are by phase and runs by week or month.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.budget.tally import by_seed
from reckon.language.days import first_day, iso, last_day
from reckon.model import records as r
from reckon.model.figure import USEFUL

from ..render.numbers import decimal
from ..view import View
from . import palette
from .axes import MANY, Lanes, lanes
from .frame import Rows, Spec, coloured, expr, framed, layer, room, told
from .palette import Outcome
from .time_axis import ends, moment, time_x
from .words import hours_text, listed, tidy

MOST_LANES, MOST_SPANS = 40, 2000
"""The most lanes and bars that are shown."""

COARSER = (1, 7, 28, 364, 3640)
"""The days that runs are taken together by, where there are more; each is a whole number of the one before."""

DAY = len("2025-09-03")
"""The length of a date that has no time."""

MOST_TRACKS = 4
"""The most runs of a lane that are drawn side by side; more lie on each other."""

BAND = 16
"""The height of a lane's bars together, in pixels."""


@dataclass(frozen=True)
class Lane:
    """A line of a timeline. Lanes that follow each other and have the same `group` stand under one heading."""

    label: str
    group: str = ""


@dataclass(frozen=True)
class Span:
    """A run: the place of its lane (from 0), its start and end, and what is said about it on hover."""

    lane: int
    start: str
    end: str
    outcome: Outcome
    label: str


@dataclass(frozen=True)
class Timeline:
    """Runs over time, of which there is at least one; those of a lane that overlap are drawn side by side."""

    title: str
    lanes: tuple[Lane, ...]
    spans: tuple[Span, ...]
    alt: str

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines = lanes((lane.group, lane.label) for lane in self.lanes)
        layers = [lines.headed(), _bars(self, lines)]
        return framed(layers, self.title, self.alt, {"step": 24}, room(lines.longest, 0))


class Stay(NamedTuple):
    """Runs of one lane and outcome that are shown as one: from, to, how many, and their hours."""

    start: str
    end: str
    runs: int
    hours: Fraction


Key = tuple[int, Outcome, str]
"""The place of a lane, an outcome, and the stretch of time that runs are merged in."""

Places = Mapping[tuple[str, str], int]
"""The place of the lane of each item and seed; an empty seed stands for runs that name none."""


def timeline(view: View) -> Timeline | None:
    """The runs that have dates; None where fewer than two things would be shown."""
    runs = [run for file in view.ledger.runs for run in file.runs if run.date or run.start or run.end]
    known, placed = _placed(view, runs, fine=True)
    if len(set(placed)) > MOST_LANES:
        known, placed = _placed(view, runs, fine=False)
    shown = {place: row for row, place in enumerate(sorted(set(placed))[:MOST_LANES])}
    stays = _merged((shown[place], run) for place, run in zip(placed, runs, strict=True) if place in shown)
    if len(stays) < 2:
        return None
    titles = tuple(known[place] for place in shown)
    rows = sorted((stay.start, lane, outcome, stay) for (lane, outcome, _), stay in stays.items())
    spans = [
        Span(lane, stay.start, stay.end, outcome, _label(titles[lane], outcome, stay))
        for _, lane, outcome, stay in rows
    ]
    return Timeline(f"{view.project.title}: runs over time", titles, tuple(spans), _said(stays))


def _placed(view: View, runs: Sequence[r.Run], fine: bool) -> tuple[list[Lane], list[int]]:
    """The lanes, and the place of the lane of each run: by item and seed, or by phase where not fine."""
    known, places = _known_lanes(view, fine)
    known.append(Lane("Unplanned"))
    unplanned = len(known) - 1
    of_item = [places.get((run.item, ""), unplanned) for run in runs]
    return known, [places.get((run.item, run.seed or ""), place) for run, place in zip(runs, of_item, strict=True)]


def _known_lanes(view: View, fine: bool) -> tuple[list[Lane], Places]:
    known: list[Lane] = []
    places: dict[tuple[str, str], int] = {}
    for phase in view.ledger.plan.values():
        title = str(phase.title)
        known += [] if fine else [Lane(title)]
        for item_id, item in phase.items.items():
            for seed in ("", *by_seed(view.ledger, item)):
                known += [Lane(f"{item.title}, seed {seed}" if seed else str(item.title), title)] if fine else []
                places[str(item_id), seed] = len(known) - 1
    return known, places


def _outcome(run: r.Run) -> Outcome:
    if run.status == "running":
        return "running"
    return "completed" if run.status in USEFUL else "wasted"


def _merged(runs: Iterable[tuple[int, r.Run]]) -> Mapping[Key, Stay]:
    """Runs with their times as they are, others by day; by week, month and so on where there are too many."""
    found: dict[Key, Stay] = {}
    for lane, run in runs:
        start, end = _times(run)
        _join(found, (lane, _outcome(run), f"{start} {end}"), Stay(start, end, 1, run.charged_hours))
    for width in COARSER:
        if len(found) <= MOST_SPANS:
            break
        coarser: dict[Key, Stay] = {}
        for (lane, outcome, _), stay in found.items():
            _join(coarser, (lane, outcome, str(last_day(stay.start) // width)), _by_day(stay))
        found = coarser
    return found


def _join(stays: dict[Key, Stay], key: Key, stay: Stay) -> None:
    if old := stays.get(key):
        stay = Stay(min(old.start, stay.start), max(old.end, stay.end), old.runs + stay.runs, old.hours + stay.hours)
    stays[key] = stay


def _times(run: r.Run) -> tuple[str, str]:
    """Start and end of a run; what is known to the day, month or year is shown from its beginning to its end."""
    if run.start and run.end and len(run.start) > DAY and len(run.end) > DAY and moment(run.start) <= moment(run.end):
        return str(run.start), str(run.end)
    first = first_day(str(run.start or run.date or run.end))
    last = max(first, last_day(str(run.end or run.date or run.start)))
    return iso(first), iso(last + 1)


def _by_day(stay: Stay) -> Stay:
    """The days of a stay, so that it can be joined with others."""
    if len(stay.start) == DAY:
        return stay
    return stay._replace(start=stay.start[:DAY], end=iso(last_day(stay.end) + 1))


def _label(lane: Lane, outcome: Outcome, stay: Stay) -> str:
    runs = "run" if stay.runs == 1 else "runs"
    return f"{lane.label}: {decimal(Fraction(stay.runs))} {runs}, {outcome}, {hours_text(stay.hours)}"


def _said(stays: Mapping[Key, Stay]) -> str:
    counts: dict[str, int] = defaultdict(int)
    for (_, outcome, _), stay in stays.items():
        counts[outcome] += stay.runs
    first, last = min(stay.start for stay in stays.values())[:DAY], max(stay.end for stay in stays.values())[:DAY]
    said = listed([f"{decimal(Fraction(count))} {outcome}" for outcome, count in counts.items()])
    return f"Runs from {first} to {last} by item and seed: {said}."


def _bars(picture: Timeline, lines: Lanes) -> Spec:
    shown = {span.outcome for span in picture.spans}
    colours = coloured({outcome: look for outcome, look in palette.OUTCOMES.items() if outcome in shown})
    low, high = ends(date for span in picture.spans for date in (span.start, span.end))
    x = time_x("start", low, high, orient="top" if len(picture.lanes) > MANY else "bottom", grid=True)
    # The line around it keeps a run of minutes visible among years.
    look = {"strokeWidth": 1, "height": expr("datum.height"), "yOffset": expr("datum.aside")}
    hover = told("run", "from", "to", "outcome")
    return layer("bar", look, _rows(picture, lines), x=x, x2={"field": "end"}, y=lines.y, tooltip=hover, **colours)


def _rows(picture: Timeline, lines: Lanes) -> Rows:
    """Return the runs as rows of data, the longest first so that no short one is hidden."""
    rows: Rows = []
    for lane, key in enumerate(lines.rows):
        spans = sorted((span for span in picture.spans if span.lane == lane), key=lambda span: moment(span.start))
        for meeting in _meetings(spans):
            tracks = _tracks(meeting)
            width = BAND / (1 + max(tracks))
            for span, track in zip(meeting, tracks, strict=True):
                aside = (track + 0.5) * width - BAND / 2
                rows.append({"key": key, "height": width - 1.5, "aside": aside, **_row(span)})
    return sorted(rows, key=lambda row: row["start"] - row["end"])


def _row(span: Span) -> Spec:
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
