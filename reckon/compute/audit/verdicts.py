"""Stated verdicts on setups that their document's own times and costs give, whatever the calculated ones give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from reckon.model.finding import Sentence, say

from ..book import Book
from ..choosing.tradeoff import Point, Tradeoff, dominators, frontier
from ..statements.claims import Check, Worded

_RANKED: Mapping[str, Callable[[Point], tuple[Fraction, ...]]] = {
    "cheapest": lambda point: (point.cost, point.time),
    "fastest": lambda point: (point.time, point.cost),
    "fewest-dollar-hours": lambda point: (point.time * point.cost,)
}
Where = dict[str, tuple[int, int]]
"""By setup, where its stated time and cost stand among the checks."""


def carried_verdict(project_id: str, book: Book, found: Worded, checks: Sequence[Check]) -> tuple[int, ...]:
    """Where the stated times and costs that do not agree stand among the checks, of which a stated verdict is the right
    conclusion; nothing where it is none."""
    for weighed in book.tradeoffs.get(project_id, ()):
        at = f"{project_id}.setups.{weighed.name}."
        if found.address.startswith(at):
            points, where = _stated(weighed, checks, str(found.claim.source or ""))
            decides = _decides(found, found.address.removeprefix(at), points)
            return tuple(place for name in decides for place in where[name] if not checks[place].holds)
    return ()


def of_efficiency(project_id: str, book: Book, found: Worded) -> str:
    """The record of setups of which a stated verdict is the right conclusion once no efficiency is lost among several
    GPUs, and which the calculated times do not give; empty where it is none."""
    for weighed in book.tradeoffs.get(project_id, ()):
        at = f"{project_id}.setups.{weighed.name}"
        front = next((case.front for case in weighed.scenarios if case.ideal), ())
        if front and found.address.startswith(f"{at}."):
            choice, _, what = found.address.removeprefix(f"{at}.").rpartition(".")
            # The frontier goes from the cheapest to the fastest.
            ends = {"cheapest": front[0], "fastest": front[-1]}
            beside = what == "standing" and choice in weighed.points and choice not in front
            if (beside and found.stated.id == "dominated") or (not choice and ends.get(what) == found.stated.id):
                return at
    return ""


def stated_points(weighed: Tradeoff, checks: Sequence[Check], source: str, names: Sequence[str]) -> list[Sentence]:
    """The first time and cost that a document states of some setups, each in words; only of those that have both."""
    _, where = _stated(weighed, checks, source)
    return [say("{hours} for {usd}", hours=checks[where[name][0]].stated, usd=checks[where[name][1]].stated)
            for name in names if name in where]  # fmt: skip


def _stated(weighed: Tradeoff, checks: Sequence[Check], source: str) -> tuple[list[Point], Where]:
    """The first time and cost that a document states of each setup, as points, and where they stand."""
    first: dict[str, int] = {}
    for at, check in enumerate(checks):
        if check.stated.value.exact and str(check.claim.source or "") == source:
            first.setdefault(check.figure.address, at)
    points, where = [], Where()
    for choice in weighed.choices.values():
        pair = [first.get(f"{choice.at}.{key}") for key in ("hours", "usd")]
        hours, usd = pair
        if hours is not None and usd is not None:
            time, cost = checks[hours].stated, checks[usd].stated
            none = Fraction(0)
            points.append(Point(choice.id, time.unit.to_base(time.use or none), cost.unit.to_base(cost.use or none)))
            where[choice.id] = (hours, usd)
    return points, where


def _decides(found: Worded, last: str, points: list[Point]) -> tuple[str, ...]:
    """The setups whose stated figures make a stated verdict; nothing where they give another one."""
    if last in _RANKED:
        best = min(points, key=_RANKED[last], default=None)
        return (best.id,) if best and best.id == found.stated.id else ()
    choice, _, what = last.rpartition(".")
    if what != "standing" or found.stated.id != "dominated":
        return ()
    by = dominators(points, frontier(points)).get(choice)
    return (by, choice) if by else ()
