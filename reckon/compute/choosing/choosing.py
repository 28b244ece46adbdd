"""Which setups keep to what is asked of them, in which order, why; and why each other one does not.

Setups are judged by their values to plan with; where the other end of a range, or leaving the parallel efficiency out,
would turn a verdict, the reason says so. Whether one dominates another is judged among those that are asked for: with
one GPU at most, a setup of four dominates nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from reckon.language.quantity import ZERO
from reckon.model.figure import Figures, use_at
from reckon.model.ledger import Ids

from . import pareto
from .memory import NOT
from .pareto import Point, Tradeoff, cost_at
from .setups import Choice


class Request(Struct, frozen=True):
    """What is asked of a setup: hours, dollars, dollars an hour of waiting is worth, cards, GPUs; nothing: no limit."""

    deadline: Fraction | None = None
    budget: Fraction | None = None
    hour_value: Fraction | None = None
    cards: Ids = ()
    most_gpus: int | None = None
    stated: tuple[str, ...] = ()
    """Those of the first three that the ledger states, and nobody asked for."""

    @property
    def order(self) -> str:
        """What comes first: the least `total` of cost and hours, the least `cost`, or the least `time`."""
        if self.hour_value is not None:
            return "total"
        return "time" if self.deadline is None and self.budget is not None else "cost"

    @property
    def limits(self) -> list[tuple[str, str, Fraction]]:
        """Name, key of the figure, and number of each limit that is asked for."""
        every = (("deadline", "hours", self.deadline), ("budget", "usd", self.budget))
        return [(kind, key, limit) for kind, key, limit in every if limit is not None]

    def total(self, point: Point) -> Fraction:
        """Cost, and its hours at what one is worth."""
        return point.cost + (self.hour_value or 0) * point.time

    def ranked(self, points: Iterable[Point]) -> list[Point]:
        """Points in the order that is asked for."""
        if self.order == "time":
            return sorted(points, key=lambda point: (point.time, point.cost, point.id))
        return pareto.best_at(points, self.hour_value or ZERO)

    def over(self, point: Point) -> tuple[bool, bool]:
        """Whether a point is above the deadline, and above the budget."""
        return (
            self.deadline is not None and point.time > self.deadline,
            self.budget is not None and point.cost > self.budget,
        )


class Reason(NamedTuple):
    """Why a setup is worth having, or no choice.

    Of one that qualifies: cheapest, fastest, best (least `total`); at-value (best where an hour is worth `amount` to
    `limit`; None: any), at-no-value; saves (`amount` dollars for each hour less than with `other`); dominated,
    always-dominated or equal (by or to `other`); deadline, budget (exceeded by `amount` at the high end; None: open),
    memory (`other` at the high end). Of one that does not: deadline, budget (`amount` over `limit`), gpus (`amount`,
    at most `limit`), card, memory, short (`amount` GPUs, a run takes `limit`), missing (the input `other`).
    `unless` says what turns it: low or high (that end), ideal (without the efficiency).
    """

    kind: str
    amount: Fraction | None = None
    limit: Fraction | None = None
    other: str = ""
    unless: tuple[str, ...] = ()


class Considered(NamedTuple):
    """A setup, whether it is on the frontier of those that qualify, and all reasons for or against it."""

    choice: Choice
    front: bool
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
    ranked: tuple[Considered, ...]
    rejected: tuple[Considered, ...]
    nearest: tuple[Near, ...]
    turns: tuple[tuple[str, str], ...]
    absent: Ids


def choose(figures: Figures, found: Tradeoff, request: Request) -> Chosen:
    """The setups that qualify, those of the frontier first, and the reasons against all others."""
    chooser = _Chooser(figures, found, request)
    against = {name: tuple(chooser.against(choice)) for name, choice in found.choices.items()}
    points = [point for name, point in found.points.items() if not against[name]]
    front = pareto.frontier(points)
    on = {point.id for point in front}
    ordered = [*request.ranked(front), *request.ranked(point for point in points if point.id not in on)]
    reasons = chooser.reasons(points, front)
    ranked = tuple(Considered(found.choices[name], name in on, tuple(reasons[name])) for name, _, _ in ordered)
    rejected = tuple(Considered(found.choices[name], False, why) for name, why in against.items() if why)
    asked = []
    for name, point in found.points.items():
        kinds = {reason.kind for reason in against[name]}
        if kinds.isdisjoint(("card", "gpus")):
            asked.append(point)
    turns = tuple(chooser.turns(asked, ordered[0].id if ordered else ""))
    cards = {choice.card for choice in found.choices.values()}
    absent = tuple(card for card in request.cards if card not in cards)
    return Chosen(found, request, ranked, rejected, () if ranked else tuple(chooser.nearest(asked)), turns, absent)


class _Chooser(Struct, frozen=True):
    """Holds weighed setups against what is asked of them."""

    figures: Figures
    found: Tradeoff
    request: Request

    def against(self, choice: Choice) -> Iterator[Reason]:
        """Every reason for which a setup does not qualify."""
        request = self.request
        if request.cards and choice.card not in request.cards:
            yield Reason("card", other=choice.card)
        if request.most_gpus is not None and choice.gpus > request.most_gpus:
            yield Reason("gpus", Fraction(choice.gpus), Fraction(request.most_gpus))
        verdict = self.found.verdicts.get(choice.id)
        if verdict and verdict.use == NOT:
            yield Reason("memory", unless=("low",) * (verdict.low != NOT))
        if choice.id in self.found.short:
            yield Reason("short", Fraction(choice.gpus), self.found.short[choice.id])
        for missing in self.found.undecided.get(choice.id, ()):
            yield Reason("missing", other=missing)
        for kind, key, limit in request.limits:
            figure = self.figures[f"{choice.at}.{key}"]
            if figure.use is not None and figure.use > limit:
                turned = {"low": figure.value.low, "ideal": self._ideal(choice, key)}
                unless = tuple(end for end, number in turned.items() if number is not None and number <= limit)
                yield Reason(kind, figure.use - limit, limit, unless=unless)

    def _ideal(self, choice: Choice, key: str) -> Fraction | None:
        """Time or cost of a setup without the parallel efficiency; None where there is none."""
        hours, rate = (use_at(self.figures, f"{choice.at}.{name}") for name in ("ideal_hours", "usd_per_hour"))
        return hours if key == "hours" or hours is None or rate is None else hours * rate

    def _costs(self, points: list[Point], end: str) -> dict[str, Fraction]:
        return {point.id: cost_at(self.figures, self.found.choices[point.id], end) for point in points}

    def reasons(self, points: list[Point], front: list[Point]) -> dict[str, list[Reason]]:
        """What is to be said of each setup that qualifies, among them and at its high ends."""
        said: dict[str, list[Reason]] = {point.id: [] for point in points}
        if front:
            if self.request.hour_value is not None:
                said[self.request.ranked(front)[0].id].append(Reason("best"))
            said[front[0].id].append(Reason("cheapest"))
            said[front[-1].id].append(Reason("fastest"))
        corners = pareto.hull(front)
        best = {point.id for point in corners}
        values = [None, *(pareto.marginal(*pair) for pair in pairwise(corners)), None]
        for point, ends in zip(corners, pairwise(values), strict=False):
            said[point.id].append(Reason("at-value", *ends))
        for slower, point in pairwise(front):
            if point.id not in best:
                said[point.id].append(Reason("at-no-value"))
            said[point.id].append(Reason("saves", pareto.marginal(slower, point), other=slower.id))
        always = pareto.always_dominated(points, self._costs(points, "low"), self._costs(points, "high"))
        for name, by in pareto.dominators(points, front).items():
            alike = self.found.points[by][1:] == self.found.points[name][1:]
            if alike:
                kind = "equal"
            elif always.get(name):
                kind = "always-dominated"
            else:
                kind = "dominated"
            said[name].append(Reason(kind, other=always.get(name, by)))
        for name, reasons in said.items():
            reasons += self._at_the_high_end(name)
        return said

    def _at_the_high_end(self, name: str) -> Iterator[Reason]:
        """What a setup keeps as planned, and not at the high end of its time, its cost or the need of memory."""
        for kind, key, limit in self.request.limits:
            high = self.figures[f"{self.found.choices[name].at}.{key}"].value.high
            if high is None or high > limit:
                yield Reason(kind, None if high is None else high - limit, limit, unless=("high",))
        verdict = self.found.verdicts.get(name)
        if verdict and verdict.high != verdict.use:
            yield Reason("memory", other=verdict.high, unless=("high",))

    def turns(self, asked: list[Point], usual: str) -> Iterator[tuple[str, str]]:
        """What comes first when all prices are at their low or their high end, where that is another than usual."""
        for end in ("low", "high"):
            costs = self._costs(asked, end)
            moved = (Point(point.id, point.time, costs[point.id]) for point in asked)
            kept = self.request.ranked(pareto.frontier(point for point in moved if not any(self.request.over(point))))
            first = kept[0].id if kept else ""
            if first != usual:
                yield end, first

    def nearest(self, asked: list[Point]) -> Iterator[Near]:
        """The cheapest in time, or the fastest there is; the fastest within the budget, or the cheapest there is."""
        front, request = pareto.frontier(asked), self.request
        in_time = [point for point in front if not request.over(point)[0]]
        within = [point for point in front if not request.over(point)[1]]
        near = [*(in_time[:1] or front[-1:])] if request.deadline is not None else []
        near += [*(within[-1:] or front[:1])] if request.budget is not None else []
        for point in dict.fromkeys(near):
            late, dear = request.over(point)
            yield Near(self.found.choices[point.id], point.time if late else None, point.cost if dear else None)
