"""Which setups keep to what is asked of them, in which order, why; and why each other one does not.

Setups are judged by their values to plan with; where the other end of a range, or leaving the parallel efficiency out,
would turn a verdict, the reason says so. Whether one dominates another is judged among those that are asked for: with
one GPU at most, a setup of four dominates nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from reckon.model.figure import Figure

from . import tradeoff
from .memory import NOT
from .setups import Choice
from .tradeoff import Point, Tradeoff, cost_at


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a setup: hours, dollars, dollars an hour of waiting is worth, cards, GPUs; nothing: no limit."""

    deadline: Fraction | None = None
    budget: Fraction | None = None
    hour_value: Fraction | None = None
    cards: tuple[str, ...] = ()
    most_gpus: int | None = None
    stated: tuple[str, ...] = ()
    """Those of the first three that the ledger states, and nobody asked for."""

    @property
    def order(self) -> str:
        """What comes first: the least `total` of cost and hours, the least `cost`, or the least `time`."""
        if self.hour_value is not None:
            return "total"
        return "time" if self.deadline is None and self.budget is not None else "cost"

    def total(self, point: Point) -> Fraction:
        """Cost, and its hours at what one is worth."""
        return point.cost + (self.hour_value or 0) * point.time

    def ranked(self, points: Iterable[Point]) -> list[Point]:
        """Points in the order that is asked for."""
        if self.order == "time":
            return sorted(points, key=lambda point: (point.time, point.cost, point.id))
        return sorted(points, key=lambda point: (self.total(point), point.time, point.id))

    def kept(self, point: Point) -> bool:
        """Whether a point is within deadline and budget."""
        return not (
            (self.deadline is not None and point.time > self.deadline)
            or (self.budget is not None and point.cost > self.budget)
        )


class Reason(NamedTuple):
    """Why a setup is worth having, or no choice.

    Of one that qualifies: cheapest, fastest, best (least `total`); at-value (best where an hour is worth `amount` to
    `limit`; None: any), at-no-value; saves (`amount` dollars for each hour less than with `other`); dominated,
    always-dominated or equal (by or to `other`); deadline, budget (exceeded by `amount` at the high end; None: open),
    memory (`other` at the high end). Of one that does not: deadline, budget (`amount` over `limit`), gpus (`amount`,
    at most `limit`), card, memory, missing (the input `other`). `unless` says what turns it: low or high (that end),
    ideal (without the efficiency).
    """

    kind: str
    amount: Fraction | None = None
    limit: Fraction | None = None
    other: str = ""
    unless: tuple[str, ...] = ()


class Ranked(NamedTuple):
    """A setup that qualifies, whether it is on the frontier of those that do, and why it is worth having or not."""

    choice: Choice
    front: bool
    reasons: tuple[Reason, ...]


class Rejected(NamedTuple):
    """A setup that does not qualify, with every reason."""

    choice: Choice
    reasons: tuple[Reason, ...]


class Near(NamedTuple):
    """Where nothing qualifies: a setup that a later deadline or a larger budget would let in; None: the one asked."""

    choice: Choice
    deadline: Fraction | None
    budget: Fraction | None


class Chosen(NamedTuple):
    """The answer. `turns` has what comes first (empty: nothing) at low and at high prices, where that is another."""

    tradeoff: Tradeoff
    request: Request
    ranked: tuple[Ranked, ...]
    rejected: tuple[Rejected, ...]
    nearest: tuple[Near, ...]
    turns: tuple[tuple[str, str], ...]
    absent: tuple[str, ...]


def choose(figures: Mapping[str, Figure], found: Tradeoff, request: Request) -> Chosen:
    """The setups that qualify, those of the frontier first, and the reasons against all others."""
    against = {name: tuple(_against(figures, found, choice, request)) for name, choice in found.choices.items()}
    points = [point for name, point in found.points.items() if not against[name]]
    front = tradeoff.frontier(points)
    on = {point.id for point in front}
    ordered = [*request.ranked(front), *request.ranked(point for point in points if point.id not in on)]
    reasons = _reasons(figures, found, points, front, request)
    ranked = tuple(Ranked(found.choices[point.id], point.id in on, tuple(reasons[point.id])) for point in ordered)
    rejected = tuple(Rejected(found.choices[name], why) for name, why in against.items() if why)
    asked = [point for name, point in found.points.items() if _asked(found.choices[name], request)]
    turns = tuple(_turns(figures, found, asked, request, ordered[0].id if ordered else ""))
    absent = tuple(card for card in request.cards if card not in {choice.card for choice in found.choices.values()})
    near = () if ranked else tuple(_nearest(found, asked, request))
    return Chosen(found, request, ranked, rejected, near, turns, absent)


def _asked(choice: Choice, request: Request) -> bool:
    wanted = not request.cards or choice.card in request.cards
    return wanted and (request.most_gpus is None or choice.gpus <= request.most_gpus)


def _against(figures: Mapping[str, Figure], found: Tradeoff, choice: Choice, request: Request) -> Iterator[Reason]:
    """Every reason for which a setup does not qualify."""
    if request.cards and choice.card not in request.cards:
        yield Reason("card", other=choice.card)
    if request.most_gpus is not None and choice.gpus > request.most_gpus:
        yield Reason("gpus", Fraction(choice.gpus), Fraction(request.most_gpus))
    verdict = found.verdicts.get(choice.id)
    if verdict and verdict.use == NOT:
        yield Reason("memory", unless=("low",) * (verdict.low != NOT))
    for missing in found.undecided.get(choice.id, ()):
        yield Reason("missing", other=missing)
    for kind, key, limit in _limits(request):
        figure = figures[f"{choice.at}.{key}"]
        if figure.use is not None and figure.use > limit:
            low, ideal = figure.value.low, _ideal(figures, choice, key)
            within = {"low": low is not None and low <= limit, "ideal": ideal is not None and ideal <= limit}
            yield Reason(kind, figure.use - limit, limit, unless=tuple(end for end, holds in within.items() if holds))


def _limits(request: Request) -> list[tuple[str, str, Fraction]]:
    every = (("deadline", "hours", request.deadline), ("budget", "usd", request.budget))
    return [(kind, key, limit) for kind, key, limit in every if limit is not None]


def _ideal(figures: Mapping[str, Figure], choice: Choice, key: str) -> Fraction | None:
    """Time or cost of a setup without the parallel efficiency."""
    hours, rate = (figures[f"{choice.at}.{name}"].use for name in ("ideal_hours", "usd_per_hour"))
    if key == "hours" or hours is None or rate is None:
        return hours
    return hours * rate


def _reasons(figures: Mapping[str, Figure], found: Tradeoff, points: list[Point], front: list[Point],
             request: Request) -> dict[str, list[Reason]]:  # fmt: skip
    """What is to be said of each setup that qualifies, among them and at its high ends."""
    said: dict[str, list[Reason]] = {point.id: [] for point in points}
    if front:
        if request.hour_value is not None:
            first = request.ranked(front)[0]
            said[first.id].append(Reason("best"))
        said[front[0].id].append(Reason("cheapest"))
        said[front[-1].id].append(Reason("fastest"))
    corners = tradeoff.hull(front)
    best = {point.id for point in corners}
    values = [None, *(tradeoff.marginal(*pair) for pair in pairwise(corners)), None]
    for number, point in enumerate(corners):
        said[point.id].append(Reason("at-value", values[number], values[number + 1]))
    for slower, point in pairwise(front):
        if point.id not in best:
            said[point.id].append(Reason("at-no-value"))
        said[point.id].append(Reason("saves", tradeoff.marginal(slower, point), other=slower.id))
    ends = [{point.id: cost_at(figures, found.choices[point.id], end) for point in points} for end in ("low", "high")]
    always = tradeoff.always_dominated(points, *ends)
    for name, by in tradeoff.dominators(points, front).items():
        alike = found.points[by][1:] == found.points[name][1:]
        kind = "equal" if alike else "always-dominated" if always.get(name) else "dominated"
        said[name].append(Reason(kind, other=always.get(name, by)))
    for point in points:
        said[point.id] += _at_the_high_end(figures, found, point.id, request)
    return said


def _at_the_high_end(figures: Mapping[str, Figure], found: Tradeoff, name: str, request: Request) -> Iterator[Reason]:
    """What a setup keeps as planned, and not at the high end of its time, its cost or the need of memory."""
    for kind, key, limit in _limits(request):
        high = figures[f"{found.choices[name].at}.{key}"].value.high
        if high is None or high > limit:
            yield Reason(kind, None if high is None else high - limit, limit, unless=("high",))
    verdict = found.verdicts.get(name)
    if verdict and verdict.high != verdict.use:
        yield Reason("memory", other=verdict.high, unless=("high",))


def _turns(figures: Mapping[str, Figure], found: Tradeoff, asked: list[Point], request: Request,
           usual: str) -> Iterator[tuple[str, str]]:  # fmt: skip
    """What comes first when all prices are at their low or their high end, where that is another than usual."""
    for end in ("low", "high"):
        moved = (Point(point.id, point.time, cost_at(figures, found.choices[point.id], end)) for point in asked)
        kept = request.ranked(tradeoff.frontier(point for point in moved if request.kept(point)))
        first = kept[0].id if kept else ""
        if first != usual:
            yield end, first


def _nearest(found: Tradeoff, asked: list[Point], request: Request) -> Iterator[Near]:
    """The cheapest in time, or the fastest there is; the fastest within the budget, or the cheapest there is."""
    front = tradeoff.frontier(asked)
    in_time = [point for point in front if request.deadline is None or point.time <= request.deadline]
    within = [point for point in front if request.budget is None or point.cost <= request.budget]
    near = [*(in_time[:1] or front[-1:])] if request.deadline is not None else []
    near += [*(within[-1:] or front[:1])] if request.budget is not None else []
    for point in dict.fromkeys(near):
        late = request.deadline is not None and point.time > request.deadline
        dear = request.budget is not None and point.cost > request.budget
        yield Near(found.choices[point.id], point.time if late else None, point.cost if dear else None)
