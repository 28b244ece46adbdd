"""Runs over time, a lane for each item and seed; where there are too many, lanes by phase and runs by week or month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.spending.tally import by_seed
from reckon.language.days import first_day, iso, last_day
from reckon.model import records as r
from reckon.model.sums import USEFUL

from ..charts import Lane, Outcome, Span, Timeline
from ..charts.kinds.checks import MOST_MARKS
from ..charts.kinds.moments import moment
from ..numbers import decimal
from ..view import View
from .said import hours_text, listed

MOST_LANES = 40
COARSER = (1, 7, 28, 364, 3640)  # days; each a whole number of the one before
DAY = len("2025-09-03")


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
    runs = [run for file in view.one.runs for run in file.runs if run.date or run.start or run.end]
    lanes, placed = _placed(view, runs, fine=True)
    if len(set(placed)) > MOST_LANES:
        lanes, placed = _placed(view, runs, fine=False)
    shown = {place: row for row, place in enumerate(sorted(set(placed))[:MOST_LANES])}
    stays = _merged((shown[place], run) for place, run in zip(placed, runs, strict=True) if place in shown)
    if len(stays) < 2:
        return None
    titles = tuple(lanes[place] for place in shown)
    rows = sorted((stay.start, lane, outcome, stay) for (lane, outcome, _), stay in stays.items())
    spans = [Span(lane, stay.start, stay.end, outcome, _label(titles[lane], outcome, stay))
             for _, lane, outcome, stay in rows]  # fmt: skip
    return Timeline(f"{view.project.title}: runs over time", titles, tuple(spans), _alt(stays))


def _placed(view: View, runs: Sequence[r.Run], fine: bool) -> tuple[list[Lane], list[int]]:
    """The lanes, and the place of the lane of each run: by item and seed, or by phase where not fine."""
    lanes, places = _lanes(view, fine)
    lanes.append(Lane("Unplanned"))
    none = len(lanes) - 1
    found = []
    for run in runs:
        place = places.get((run.item, run.seed or ""))
        found.append(places.get((run.item, ""), none) if place is None else place)
    return lanes, found


def _lanes(view: View, fine: bool) -> tuple[list[Lane], Places]:
    lanes: list[Lane] = []
    places: dict[tuple[str, str], int] = {}
    for phase in view.one.plan.values():
        title = str(phase.title)
        lanes += [] if fine else [Lane(title)]
        for name, item in phase.items.items():
            for seed in ("", *by_seed(view.one, item)):
                lanes += [Lane(f"{item.title}, seed {seed}" if seed else str(item.title), title)] if fine else []
                places[str(name), seed] = len(lanes) - 1
    return lanes, places


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
        if len(found) <= MOST_MARKS:
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


def _alt(stays: Mapping[Key, Stay]) -> str:
    counts: dict[str, int] = defaultdict(int)
    for (_, outcome, _), stay in stays.items():
        counts[outcome] += stay.runs
    first, last = min(stay.start for stay in stays.values())[:10], max(stay.end for stay in stays.values())[:10]
    said = listed([f"{decimal(Fraction(count))} {outcome}" for outcome, count in counts.items()])
    return f"Runs from {first} to {last} by item and seed: {said}."
