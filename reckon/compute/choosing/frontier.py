"""The frontier of time and cost, as pure functions on exact numbers.

One choice dominates another when it is no slower and no dearer, and better in one. The frontier is what no choice
dominates; among choices alike in both, the first by name stands for all. Its hull are the points that some value of an
hour makes best: those from which the price of the next hour saved only rises (its lower convex hull).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple


class Point(NamedTuple):
    """A choice with its time and its cost."""

    id: str
    time: Fraction
    cost: Fraction


def dominates(one: Point, other: Point) -> bool:
    """Whether one choice is no slower and no dearer than another, and better in one of them."""
    return one.time <= other.time and one.cost <= other.cost and (one.time, one.cost) != (other.time, other.cost)


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


def marginal(one: Point, faster: Point) -> Fraction:
    """What each hour saved costs, from one point of a frontier to a faster one."""
    return (faster.cost - one.cost) / (one.time - faster.time)


def best_at(points: Iterable[Point], hour_value: Fraction) -> list[Point]:
    """Choices by cost plus the value of the hours waited for them, the best first."""
    return sorted(points, key=lambda point: (point.cost + hour_value * point.time, point.time, point.id))


def always_dominated(
    points: Iterable[Point], low: Mapping[str, Fraction], high: Mapping[str, Fraction]
) -> dict[str, str]:
    """Each choice that another dominates at every price in the ranges of both, and the cheapest such other."""
    known = list(points)
    # Whatever dominates a point, the frontier holds one that does; a choice at its dearest never dominates itself.
    dearest = frontier(Point(one.id, one.time, high[one.id]) for one in known)
    found = {}
    for one in known:
        other = _cheapest_in(dearest, one.time)
        if other and dominates(other, Point(one.id, one.time, low[one.id])):
            found[one.id] = other.id
    return found
