"""Which setups are worth having: frontier, domination, rankings, and whether they hold at other prices.

Values are judged unrounded, by their value to plan with. A setup without a price or a throughput is undecided; one
whose memory does not hold the work, or that has fewer GPUs than a run takes, is not a choice. All are named, with the
reason.

One choice dominates another when it is no slower and no dearer, and better in one. The frontier is what no choice
dominates; among choices alike in both, the first by name stands for all. Its hull are the points that some value of an
hour makes best: those from which the price of the next hour saved only rises (its lower convex hull). These are pure
functions on exact numbers, below.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from reckon.language.units import Unit, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Figures, is_known, missing_of, use_at
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..sheet.cells import Addresses, formula_of, picked, read_formula
from ..sheet.evaluate import derive
from ..sheet.sheet import Sheet
from .memory import NOT, Verdict, verdict_on
from .runs import AT_ONCE
from .setups import Choice, title_of

DOLLAR_HOURS = key_unit("usd").times(key_unit("hours")).named("$·h")
PER_HOUR = key_unit("usd_per_hour")


class Scenario(Struct, frozen=True):
    """The frontier under other prices or without the parallel efficiency, and whether it is the same; `ideal` where
    nothing else is changed than that efficiency."""

    title: str
    front: Ids
    same: bool
    ideal: bool = False


class Tradeoff(Struct, frozen=True):
    """What is known of the setups of one record. Ids of choices throughout; `front` goes from cheapest to fastest.

    `short` are those with fewer GPUs than a run takes, with how many it takes.
    """

    name: str
    record: r.Setups
    choices: Mapping[str, Choice]
    titles: Mapping[str, str]
    points: Mapping[str, Point]
    verdicts: Mapping[str, Verdict]
    undecided: Mapping[str, Addresses]
    unfit: Ids
    short: Mapping[str, Fraction]
    front: Ids
    dominated: Mapping[str, str]
    always: Mapping[str, str]
    hull: Ids
    reference: str
    ranks: Mapping[str, str] = {}
    scenarios: tuple[Scenario, ...] = ()


COPIED = ("hours", "usd", "gpu_hours", "usd_per_hour", "gpus")
RANKS: Mapping[str, str] = {
    "cheapest": "Cheapest",
    "fastest": "Fastest",
    "fewest-dollar-hours": "Least cost × time",
    "best-single": "Single GPU of least cost × time",
    "cheapest-single": "Cheapest single GPU",
    "fastest-single": "Fastest single GPU",
    "fastest-within-budget": "Fastest within the budget",
    "cheapest-before-deadline": "Cheapest before the deadline",
    "best-at-hour-value": "Best at the value of an hour",
}


def weigh_all(
    sheet: Sheet, ledger: Ledger, project: ProjectLedger, setups: Mapping[str, tuple[Choice, ...]]
) -> Iterator[Tradeoff]:
    """The setups of each record of a project, weighed against each other on a calculated sheet; nothing of those that
    could not be calculated. Adds to the sheet what it calculates."""
    for name, choices in setups.items():
        if all(f"{choice.at}.usd" in sheet.figures for choice in choices):
            found = _weigh(sheet.figures, ledger, project, name, choices)
            _figures(sheet, f"{project.id}.setups.{name}", found)
            yield found


def _weigh(
    figures: Figures, ledger: Ledger, project: ProjectLedger, name: str, choices: tuple[Choice, ...]
) -> Tradeoff:
    record, known = project.setups[name], {choice.id: choice for choice in choices}
    work_at = f"{project.id}.workloads.{record.workload}"
    need = figures.get(f"{work_at}.need_gb")
    judged = {choice.id: verdict_on(figures, choice.at, choice.card, need) for choice in choices}
    verdicts = {name: verdict for name, verdict in judged.items() if verdict}
    short = {
        choice.id: _use(figures, work_at, "gpus_per_run")
        for choice in choices
        if use_at(figures, f"{choice.at}.{AT_ONCE}") == 0
    }
    decided = (choice for choice in choices if choice.id not in short)
    undecided = {choice.id: missing for choice in decided if (missing := _missing(figures, choice))}
    no_points = {*undecided, *short}
    unfit = tuple(choice for choice, found in verdicts.items() if found.use == NOT and choice not in no_points)
    points = {
        choice.id: Point(choice.id, _use(figures, choice.at, "hours"), _use(figures, choice.at, "usd"))
        for choice in choices
        if choice.id not in no_points and choice.id not in unfit
    }
    front = frontier(points.values())
    ends = []
    for end in ("low", "high"):
        ends.append({choice: cost_at(figures, known[choice], end) for choice in points})
    keys = ["hours"] + ["ideal_hours"] * (project.workloads[record.workload].efficiency is not None)
    return Tradeoff(
        name,
        record,
        known,
        {choice.id: title_of(ledger, choice) for choice in choices},
        points,
        verdicts,
        undecided,
        unfit,
        short,
        tuple(point.id for point in front),
        dominators(points.values(), front),
        always_dominated(points.values(), *ends),
        tuple(point.id for point in hull(front)),
        _find_reference(record, points, front),
        rank(figures, f"{project.id}.setups.{name}", points, known),
        tuple(_scenarios(figures, [known[choice] for choice in points], keys, {point.id for point in front})),
    )


def _find_reference(record: r.Setups, points: Mapping[str, Point], front: Sequence[Point]) -> str:
    """The setup that others are compared with: the one that the record names, else the first of the frontier."""
    named = record.reference or ""
    if named in points:
        return named
    return front[0].id if front else ""


def _missing(figures: Figures, choice: Choice) -> Addresses:
    """The missing inputs because of which time or cost of a setup is not known."""
    found = [figures.get(f"{choice.at}.{key}") for key in ("hours", "usd")]
    open_ = [figure.address for figure in found if is_known(figure) and figure.use is None]
    return missing_of(found) or tuple(open_)


def _use(figures: Figures, at: str, key: str) -> Fraction:
    use = figures[f"{at}.{key}"].use
    assert use is not None
    return use


def cost_at(figures: Figures, choice: Choice, end: str, key: str = "hours") -> Fraction:
    """The cost of a setup at one end of its price, with its time as planned: `low`, `use` or `high`; in dollars."""
    number: Fraction | None = getattr(figures[f"{choice.at}.usd_per_gpu_hour"].value, end)
    price = _use(figures, choice.at, "usd_per_gpu_hour") if number is None else number
    return _use(figures, choice.at, key) * choice.gpus * price


def rank(figures: Figures, at: str, points: Mapping[str, Point], known: Mapping[str, Choice]) -> dict[str, str]:
    """The winners of each ranking that has one."""
    every = sorted(points.values())
    single = [point for point in every if known[point.id].gpus == 1]
    limits = ("budget_usd", "deadline_hours", "usd_per_hour_waited")
    budget, deadline, value = (use_at(figures, f"{at}.{key}") for key in limits)
    affordable = [point for point in every if budget is not None and point.cost <= budget]
    in_time = [point for point in every if deadline is not None and point.time <= deadline]
    cheap, quick, both = attrgetter("cost", "time"), attrgetter("time", "cost"), attrgetter("dollar_hours", "cost")
    found = {}
    for rank, some, order in (
        ("cheapest", every, cheap),
        ("fastest", every, quick),
        ("fewest-dollar-hours", every, both),
        ("best-single", single, both),
        ("cheapest-single", single, cheap),
        ("fastest-single", single, quick),
        ("fastest-within-budget", affordable, quick),
        ("cheapest-before-deadline", in_time, cheap),
    ):
        if some:
            found[rank] = min(some, key=order).id
    if value is not None and every:
        found["best-at-hour-value"] = best_at(every, value)[0].id
    return found


def _scenarios(figures: Figures, choices: Sequence[Choice], keys: Sequence[str], usual: set[str]) -> Iterator[Scenario]:
    """Low, planned and high prices, each with and without the parallel efficiency where there is one."""
    for key in keys:
        # Prices do not change the order of the times, and what is in order already sorts quickly.
        timed = sorted((_use(figures, choice.at, key), choice.id, choice) for choice in choices)
        for end, words in (("low", "low prices"), ("use", "planned prices"), ("high", "high prices")):
            moved = [Point(name, time, cost_at(figures, choice, end, key)) for time, name, choice in timed]
            found = tuple(point.id for point in frontier(moved))
            without = key != "hours"
            yield Scenario(
                words + ", without the efficiency" * without, found, set(found) == usual, without and end == "use"
            )


def _figures(sheet: Sheet, record_at: str, found: Tradeoff) -> None:
    """Dollar-hours, dollars for an hour saved from the reference and along the frontier; winners under their rank."""
    reference = found.points.get(found.reference)
    for choice, point in found.points.items():
        at = found.choices[choice].at
        names = {"usd": f"{at}.usd", "hours": f"{at}.hours"}
        _derived(sheet, f"{at}.usd_hours", f"{found.titles[choice]}: cost × time", "usd * hours", names, DOLLAR_HOURS)
        if reference and point.time < reference.time:
            _saved(sheet, found, choice, found.reference, "usd_per_hour_saved", "dollars for an hour saved")
    for before, after in pairwise(found.front):
        _saved(sheet, found, after, before, "marginal_usd_per_hour_saved", "dollars for each further hour saved")
    for before, after in pairwise(found.hull):
        _saved(sheet, found, after, before, "worth_usd_per_hour", "worth of an hour from which it is the best")
    for rank, choice in found.ranks.items():
        for key in COPIED:
            source = sheet.figures[f"{found.choices[choice].at}.{key}"]
            address, title = f"{record_at}.{rank}.{key}", f"{RANKS[rank]}: {source.title}"
            formula, inputs = formula_of("{}", source.address), {source.address: source}
            sheet.add(derive(formula, inputs, source.unit, address=address, title=title, form=source.form))


def _saved(sheet: Sheet, found: Tradeoff, choice: str, slower: str, key: str, words: str) -> None:
    """What each hour costs that a setup saves against a slower one."""
    at, other = found.choices[choice].at, found.choices[slower].at
    names = {"usd": f"{at}.usd", "hours": f"{at}.hours", "its_usd": f"{other}.usd", "its_hours": f"{other}.hours"}
    title = f"{found.titles[choice]}: {words} against {found.titles[slower]}"
    _derived(sheet, f"{at}.{key}", title, "(usd - its_usd) / (its_hours - hours)", names, PER_HOUR)


def _derived(sheet: Sheet, address: str, title: str, formula: str, names: Mapping[str, str], unit: Unit) -> None:
    """A figure at the values to plan with: a choice is judged by those, ranges are looked at in scenarios."""
    inputs: dict[str, Figure] = {name: picked(sheet.figures[source], "use") for name, source in names.items()}
    sheet.add(derive(read_formula(formula), inputs, unit, address=address, title=title, checked=False))


class Point(NamedTuple):
    """A choice with its time and its cost."""

    id: str
    time: Fraction
    cost: Fraction

    @property
    def dollar_hours(self) -> Fraction:
        """Cost times time."""
        return self.cost * self.time


def dominates(choice: Point, other: Point) -> bool:
    """Whether one choice is no slower and no dearer than another, and better in one of them."""
    return choice[1:] != other[1:] and choice.time <= other.time and choice.cost <= other.cost


def frontier(points: Iterable[Point]) -> list[Point]:
    """The points that no other dominates, from the cheapest to the fastest."""
    found: list[Point] = []
    for point in sorted(points, key=lambda point: (point.time, point.cost, point.id)):
        if not found or point.cost < found[-1].cost:
            found.append(point)
    return found[::-1]


def dominators(points: Iterable[Point], front: Sequence[Point]) -> dict[str, str]:
    """For each point beside the frontier the frontier point that dominates it (or equals it): the cheapest of them."""
    on = {point.id for point in front}
    return {point.id: found.id for point in points if point.id not in on and (found := _cheapest_in(front, point.time))}


def _cheapest_in(front: Sequence[Point], time: Fraction) -> Point | None:
    """The cheapest point of a frontier that takes no longer than a time."""
    # It goes from cheap to fast, so the first that is no slower is the cheapest that is not.
    first = bisect_left(front, -time, key=lambda point: -point.time)
    return front[first] if first < len(front) else None


def hull(front: Sequence[Point]) -> list[Point]:
    """The points of a frontier that are best at some value of an hour, from the cheapest to the fastest."""
    found: list[Point] = []
    for point in front:
        while len(found) > 1 and marginal(found[-2], found[-1]) >= marginal(found[-1], point):
            found.pop()
        found.append(point)
    return found


def marginal(slower: Point, faster: Point) -> Fraction:
    """What each hour saved costs, from one point of a frontier to a faster one."""
    return (faster.cost - slower.cost) / (slower.time - faster.time)


def best_at(points: Iterable[Point], hour_value: Fraction) -> list[Point]:
    """Choices by cost plus the value of the hours waited for them, the best first."""
    return sorted(points, key=lambda point: (point.cost + hour_value * point.time, point.time, point.id))


def always_dominated(
    points: Iterable[Point], low: Mapping[str, Fraction], high: Mapping[str, Fraction]
) -> dict[str, str]:
    """Each choice that another dominates at every price in the ranges of both, and such another: the one that dominates
    it at planned prices, if that is one, since nothing dominates that in its turn; else the cheapest."""
    known = list(points)
    by, usual = {point.id: point for point in known}, dominators(known, frontier(known))
    # Whatever dominates a point, the frontier holds one that does; a choice at its dearest never dominates itself.
    dearest = frontier(Point(point.id, point.time, high[point.id]) for point in known)
    found = {}
    for point in known:
        cheapest, least = _cheapest_in(dearest, point.time), Point(point.id, point.time, low[point.id])
        first = by.get(usual.get(point.id, ""))
        if first and dominates(Point(first.id, first.time, high[first.id]), least):
            found[point.id] = first.id
        elif cheapest and dominates(cheapest, least):
            found[point.id] = cheapest.id
    return found
