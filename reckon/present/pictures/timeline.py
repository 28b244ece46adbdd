"""Runs over time, a lane for each item and seed; where there are too many, lanes by phase and runs by week or month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.tally import USEFUL, by_seed, run_hours
from reckon.language.days import first_day, iso, last_day
from reckon.model import records as r

from ..charts import Lane, Outcome, Span, Timeline
from ..charts.kinds.checks import MOST_MARKS
from ..numbers import decimal
from ..view import View
from .said import hours_text, listed

MOST_LANES = 40
COARSER = (1, 7, 28, 91, 364, 3640)


class Stay(NamedTuple):
    """Runs of one lane and outcome that are shown as one: from, to, how many, and their hours."""

    start: str
    end: str
    runs: int
    hours: Fraction


Key = tuple[Lane, Outcome, str]
"""A lane, an outcome, and the stretch of time that runs are merged in."""


def timeline(view: View) -> Timeline | None:
    """The runs that have dates; None where fewer than two things would be shown."""
    runs = [run for file in view.one.runs for run in file.runs if run.date or run.start or run.end]
    if not runs:
        return None
    lanes = _lanes(view, fine=True)
    if len({_lane(lanes, run) for run in runs}) > MOST_LANES:
        lanes = _lanes(view, fine=False)
    used = {_lane(lanes, run) for run in runs}
    order = [lane for lane in dict.fromkeys((*lanes.values(), UNPLANNED)) if lane in used][:MOST_LANES]
    stays = _merged([(_lane(lanes, run), run) for run in runs if _lane(lanes, run) in order])
    if len(stays) < 2:
        return None
    spans = [Span(order.index(lane), stay.start, stay.end, outcome, _label(lane, outcome, stay))
             for (lane, outcome, _), stay in sorted(stays.items(), key=lambda pair: (pair[1].start, order.index(pair[0][0])))]  # fmt: skip
    return Timeline(f"{view.project.title}: runs over time", tuple(order), tuple(spans), _alt(stays))


UNPLANNED = Lane("Unplanned")


def _lanes(view: View, fine: bool) -> Mapping[tuple[str, str], Lane]:
    """The lane of each item and seed (an empty seed for what names none); by phase where not fine."""
    found: dict[tuple[str, str], Lane] = {}
    for phase in view.one.plan.values():
        for name, item in phase.items.items():
            for seed in ("", *(by_seed(view.one, item))):
                title = f"{item.title}, seed {seed}" if seed else str(item.title)
                found[str(name), seed] = Lane(title, str(phase.title)) if fine else Lane(str(phase.title))
    return found


def _lane(lanes: Mapping[tuple[str, str], Lane], run: r.Run) -> Lane:
    item = str(run.item)
    return lanes.get((item, str(run.seed or "")), lanes.get((item, ""), UNPLANNED))


def _outcome(run: r.Run) -> Outcome:
    if run.status == "running":
        return "running"
    return "completed" if run.status in USEFUL else "wasted"


def _merged(runs: list[tuple[Lane, r.Run]]) -> Mapping[Key, Stay]:
    """Runs with their times as they are, others by day; by week, month and so on where there are too many."""
    exact: dict[Key, Stay] = {}
    for lane, run in runs:
        start, end = _times(run)
        _join(exact, (lane, _outcome(run), f"{start} {end}"), Stay(start, end, 1, run_hours(run)))
    found = exact
    for width in COARSER:
        if len(found) <= MOST_MARKS:
            break
        found = {}
        for (lane, outcome, _), stay in exact.items():
            _join(found, (lane, outcome, str(last_day(stay.start) // width)), stay)
    return found


def _join(stays: dict[Key, Stay], key: Key, stay: Stay) -> None:
    if old := stays.get(key):
        stay = Stay(min(old.start, stay.start), max(old.end, stay.end), old.runs + stay.runs, old.hours + stay.hours)
    stays[key] = stay


def _times(run: r.Run) -> tuple[str, str]:
    """Start and end of a run; a day, month or year of which no times are known is shown from its beginning to its end."""
    if run.start and run.end and "T" in run.start and "T" in run.end:
        return str(run.start), str(run.end)
    first = first_day(str(run.start or run.date or run.end))
    last = max(first, last_day(str(run.end or run.date or run.start)))
    return iso(first), iso(last + 1)


def _label(lane: Lane, outcome: Outcome, stay: Stay) -> str:
    runs = "run" if stay.runs == 1 else "runs"
    return f"{lane.label}: {decimal(Fraction(stay.runs))} {runs}, {outcome}, {hours_text(stay.hours)}"


def _alt(stays: Mapping[Key, Stay]) -> str:
    counts: dict[str, int] = defaultdict(int)
    for (_, outcome, _), stay in stays.items():
        counts[outcome] += stay.runs
    first, last = min(stay.start for stay in stays.values())[:10], max(stay.end for stay in stays.values())[:10]
    said = listed([f"{decimal(Fraction(count))} {outcome}" for outcome, count in counts.items()])
    return f"Runs from {first} to {last} by item and seed: {said}."
