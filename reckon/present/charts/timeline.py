"""Runs over time: a bar from start to end in the lane of its work, side by side where several ran at once.

Those that failed lie below the others.

There is a lane for each item and seed; where there are too many, lanes are by phase and runs by week or month.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from reckon.compute.budget.actuals import by_seed
from reckon.language.calendar_days import first_day, iso, last_day
from reckon.model.figure import OUTSIDE, USEFUL
from reckon.model.runs import AllRuns

from ..view import View
from . import palette
from .axes import MANY, Lanes, ends, lanes, moment, time_x
from .layout import Rows, Spec, coloured, framed, layer, room, tooltip_channel
from .time_plane import levels
from .words import hours_text, join_list, tidy, titled

MOST_LANES, MOST_SPANS = 40, 2000
"""The most lanes and bars that are shown."""

COARSER = (1, 7, 28, 364, 3640)
"""The days that runs are taken together by, where there are more; each is a whole number of the one before."""

DAY = len("2025-09-03")
"""The length of a date that has no time."""

TRACK = 3
"""The least height of runs that are drawn side by side, in pixels; where each has less, they lie on each other."""

NOTHING = (0, 0)
"""No run, and no hours."""

BAND = 18
STRIPS = ((False, 0, 11), (True, 11, 7))
"""The height of a lane's bars together, and of what of it runs that did not fail and failed ones have: whether they
failed, where it begins, and how high it is, in pixels."""

WIDER = "datum.outcome === 'failed' ? max(0, 5 - scale('x', datum.end) + scale('x', datum.start)) : 0"
"""How much longer a bar is drawn, in Vega's language: failed runs are all wide enough to be seen."""


@dataclass(frozen=True)
class Lane:
    """A line of a timeline."""

    label: str
    group: str = ""


@dataclass(frozen=True)
class Span:
    """A run, or several `runs`: the place of its lane (from 0), start and end, and what is said about it on hover."""

    lane: int
    start: str
    end: str
    outcome: str
    label: str
    runs: int = 1


@dataclass(frozen=True)
class Timeline:
    """Runs over time, of which there is at least one; those of a lane that overlap are drawn side by side."""

    title: str
    lanes: Sequence[Lane]
    spans: Sequence[Span]
    alt: str
    about: str = ""

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines = lanes(self.lanes)
        shown = ends(date for span in self.spans for date in (span.start, span.end))
        layers = [_bars(self, lines, *shown), lines.headed(), lines.beside(_failed(self, lines), "failed")]
        phases = {key: tidy(lane.group or lane.label) for key, lane in lines.rows}
        asked = {"time": list(shown), "phases": phases}
        return framed(self, layers, {"step": 26}, room(lines.longest, len("99 failed")), asked=asked)


class Stay(NamedTuple):
    """Runs of one outcome in a lane (by its place) that are shown as one: from, to, how many, and their hours, in parts
    of an hour that are the same for all of a picture."""

    start: str
    lane: int
    outcome: str
    end: str
    runs: int
    hours: Any


class ShownRun(NamedTuple):
    """What a picture of time has of a run beside its hours; many have the same of several."""

    item: str
    seed: str | None
    unassigned: bool
    start: str | None
    end: str | None
    date: str | None
    status: str
    jobs: int | None


SAID = ("completed", "failed", "running")
"""The order in which outcomes are told, whichever of them was first."""
Several = dict[ShownRun, tuple[int, Any]]
"""How many runs say the same, and their hours in parts of an hour, in the order of the first of each."""


def timeline(view: View) -> Timeline | None:
    """The runs that have dates; None where fewer than two things would be shown."""
    runs, per = _runs(view.ledger.rows)
    placed = _placed(view, runs, fine=True)
    if len(set(placed)) > MOST_LANES:
        placed = _placed(view, runs, fine=False)
    shown = {place: row for row, place in enumerate(sorted(set(placed))[:MOST_LANES])}
    told = zip(placed, runs.items(), strict=True)
    stays = _merged(_stay(shown[place], run, *some) for place, (run, some) in told if place in shown)
    if len(stays) < 2:
        return None
    titles = [Lane(label, group) for _, label, group in shown]
    spans = [_span(titles[stay.lane].label, stay, per) for stay in sorted(stays)]
    title, alt = _describe_stays(stays)
    return Timeline(title, titles, spans, alt, f"{titled(view)}: runs over time; failures lie at the foot of a row")


def _runs(rows: AllRuns) -> tuple[Several, int]:
    """The runs with dates, and how many parts make an hour."""
    charged, per = rows.charged
    found: dict[Any, tuple[int, Any]] = {}
    for said, hours in zip(rows.columns(*ShownRun._fields), charged, strict=True):
        count, so_far = found.get(said, NOTHING)
        found[said] = count + 1, so_far + hours
    runs = {ShownRun(*said): some for said, some in found.items()}
    return {run: some for run, some in runs.items() if run.date or run.start or run.end}, per


def _placed(view: View, runs: Collection[ShownRun], fine: bool) -> list[tuple[int, str, str]]:
    """The lane of each run: its place in the plan, label and group; by item and seed, or by phase where not fine."""
    known: dict[tuple[str, str], tuple[int, str, str]] = {}
    for number, phase in enumerate(view.ledger.plan.values()):
        for item_id, item in phase.items.items():
            for seed in ("", *by_seed(view.ledger, item)):  # an empty seed stands for runs that name none
                label = f"{item.title}, seed {seed}" if seed else item.title
                lane = (len(known), label, phase.title) if fine else (number, phase.title, "")
                known[item_id, seed] = lane
    last = len(known) + len(view.ledger.plan)
    unplanned, unassigned = ((last + number, each.title, "") for number, each in enumerate(OUTSIDE))
    lanes = []
    for run in runs:
        of_item = known.get((run.item, ""), unplanned)
        lanes.append(unassigned if run.unassigned else known.get((run.item, run.seed or ""), of_item))
    return lanes


def _merged(stays: Iterable[Stay]) -> list[Stay]:
    """Runs with their times as they are, others by day; by week, month and so on where there are too many."""
    found = _joined(stays)
    for width in COARSER:
        if len(found) <= MOST_SPANS:
            break
        found = _joined(map(_by_day, found), width)
    return found


def _joined(stays: Iterable[Stay], width: int = 0) -> list[Stay]:
    """Stays of a lane and outcome as one: those of the same times, or begun in the same stretch of `width` days."""
    found: dict[object, list[Any]] = {}
    for start, lane, outcome, end, runs, hours in stays:
        key = (lane, outcome, last_day(start) // width) if width else (lane, outcome, start, end)
        so_far = found.get(key)
        if so_far is None:
            found[key] = [start, lane, outcome, end, runs, hours]
            continue
        so_far[0], so_far[3] = min(so_far[0], start), max(so_far[3], end)
        so_far[4] += runs
        so_far[5] += hours
    return [Stay(*each) for each in found.values()]


def _stay(lane: int, run: ShownRun, runs: int, hours: Any) -> Stay:
    """Runs that say the same, shown as one."""
    outcome = "completed" if run.status in USEFUL else "failed"
    start, end = _times(run.start, run.end, run.date)
    many = runs if run.jobs is None else runs * run.jobs
    return Stay(start, lane, "running" if run.status == "running" else outcome, end, many, hours)


@lru_cache(maxsize=8192)
def _times(begun: str | None, ended: str | None, date: str | None) -> tuple[str, str]:
    """From when to when a run is shown: where its times are known to the day, month or year, whole ones of these."""
    start, end = str(begun or ""), str(ended or "")
    if min(len(start), len(end)) <= DAY or moment(start) > moment(end):
        first = first_day(start or str(date or end))
        last = max(first, last_day(end or str(date or start)))
        start, end = iso(first), iso(last + 1)
    return start, end


def _by_day(stay: Stay) -> Stay:
    """The days of a stay, so that it can be joined with others."""
    if len(stay.start) == DAY:
        return stay
    return stay._replace(start=stay.start[:DAY], end=iso(last_day(stay.end) + 1))


def _span(label: str, stay: Stay, per: int) -> Span:
    runs, hours = "run" if stay.runs == 1 else "runs", hours_text(Fraction(stay.hours, per))
    said = f"{label}: {stay.runs:,} {runs}, {stay.outcome}, {hours}"
    return Span(stay.lane, stay.start, stay.end, stay.outcome, said, stay.runs)


def _describe_stays(stays: Sequence[Stay]) -> tuple[str, str]:
    """How many runs failed, and the picture in a sentence with its numbers."""
    counts = Counter[str]()
    for stay in stays:
        counts[stay.outcome] += stay.runs
    first, end = min(stay.start for stay in stays)[:DAY], max(stay.end for stay in stays)
    last = iso(last_day(end) - 1) if len(end) == DAY else end[:DAY]  # a day alone is the one behind the last
    said = join_list([f"{counts[outcome]:,} {outcome}" for outcome in SAID if outcome in counts])
    title = f"{counts['failed']:,} of {counts.total():,} runs failed"
    return title, f"Runs from {first} to {last} by item and seed: {said}."


def _failed(picture: Timeline, lines: Lanes) -> Rows:
    """Return how many runs of each lane failed, if any did: bars of short ones are too thin to be counted."""
    failed = [span for span in picture.spans if span.outcome == "failed"]
    counts = {key: sum(span.runs for span in failed if span.lane == lane) for lane, (key, _) in enumerate(lines.rows)}
    return [{"key": key, "failed": f"{count:,} failed"} for key, count in counts.items() if count]


def _bars(picture: Timeline, lines: Lanes, low: int, high: int) -> Spec:
    colours = coloured(palette.OUTCOMES, {span.outcome for span in picture.spans})
    x = time_x("start", low, high, orient="top" if len(picture.lanes) > MANY else "bottom", grid=True)
    look = {
        "strokeWidth": 1,  # keeps a run of minutes visible among years
        "height": {"expr": "datum.height"},
        "yOffset": {"expr": "datum.aside"},
        "x2Offset": {"expr": WIDER},
    }
    hover = tooltip_channel("run", "from", "to", "outcome")
    return layer("bar", look, _run_rows(picture, lines), x=x, x2={"field": "end"}, y=lines.y, tooltip=hover, **colours)


def _run_rows(picture: Timeline, lines: Lanes) -> Rows:
    """Return the runs as rows of data, the longest first so that no short one is hidden."""
    rows = []
    for (lane, (key, _)), (failed, top, height) in product(enumerate(lines.rows), STRIPS):
        shown = (span for span in picture.spans if span.lane == lane and (span.outcome == "failed") is failed)
        spans = sorted((_run_row(key, span) for span in shown), key=lambda row: row["start"])
        # Each lies on the first track that is free, or on the one that is free the soonest.
        tracks = levels([(row["start"], place, row["end"]) for place, row in enumerate(spans)], height // TRACK)
        width = height / (1 + max(tracks, default=0))
        for row, track in zip(spans, tracks, strict=True):
            rows.append({**row, "height": width - 1.5, "aside": top + (track + 0.5) * width - BAND / 2})
    return sorted(rows, key=lambda row: row["start"] - row["end"])


def _run_row(key: str, span: Span) -> Spec:
    said = {"run": tidy(span.label), "from": tidy(span.start), "to": tidy(span.end), "outcome": span.outcome}
    times = {"start": moment(span.start), "end": moment(span.end)}
    return {"key": key, **times, "runs": span.runs, "shade": span.outcome, **said}
