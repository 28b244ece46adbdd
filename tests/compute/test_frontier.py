"""The frontier of time and cost: what it is for all sets of choices, and how much work it takes for many."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.compute.choosing import pareto as f
from reckon.compute.choosing.pareto import Point

# Small numbers, so that equal times, equal costs and equal choices are common.
NUMBERS = st.integers(1, 9).map(Fraction)
CHOICES = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=14).map(
    lambda pairs: [Point(f"c{number}", *pair) for number, pair in enumerate(pairs)]
)


@given(CHOICES)
def test_no_point_of_the_frontier_is_dominated(points: list[Point]) -> None:
    front = f.frontier(points)
    assert front
    assert not [one for one in front for other in points if f.dominates(other, one)]


@given(CHOICES)
def test_whatever_nothing_dominates_is_on_the_frontier_or_equals_one_that_is(points: list[Point]) -> None:
    best = {(one.time, one.cost) for one in points if not any(f.dominates(other, one) for other in points)}
    assert {(one.time, one.cost) for one in f.frontier(points)} == best


@given(CHOICES)
def test_every_other_point_has_a_dominator_on_the_frontier_the_cheapest_there_is(points: list[Point]) -> None:
    front = f.frontier(points)
    named, known = f.dominators(points, front), {one.id: one for one in points}
    assert named.keys() == known.keys() - {one.id for one in front}
    for one, by in named.items():
        others = [other for other in front if f.dominates(other, known[one]) or other[1:] == known[one][1:]]
        assert known[by] == min(others, key=lambda other: other.cost)


@given(CHOICES, st.data())
def test_a_dominated_choice_more_changes_nothing(points: list[Point], data: st.DataObject) -> None:
    worse = data.draw(st.sampled_from(points))
    late, dear = data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any))
    more = Point("more", worse.time + late, worse.cost + dear)
    assert f.frontier([*points, more]) == f.frontier(points)
    assert f.hull(f.frontier([*points, more])) == f.hull(f.frontier(points))


@given(CHOICES, st.randoms(use_true_random=False))
def test_the_order_of_the_ledger_does_not_matter(points: list[Point], random: object) -> None:
    mixed = list(points)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    front = f.frontier(points)
    assert f.frontier(mixed) == front
    assert f.dominators(mixed, front) == f.dominators(points, front)
    assert f.best_at(mixed, Fraction(2)) == f.best_at(points, Fraction(2))


@given(CHOICES)
def test_the_hull_is_what_some_value_of_an_hour_makes_best(points: list[Point]) -> None:
    """Held against every value of an hour at which the best can change, and values between, below and above them."""
    front = f.frontier(points)
    turns = sorted({f.marginal(one, two) for one in front for two in front if two.time < one.time} | {Fraction(0)})
    values = [(one + two) / 2 for one, two in zip(turns, [*turns[1:], turns[-1] + 2], strict=True)]
    hull = f.hull(front)
    assert [one for one in front if one in hull] == hull
    assert {f.best_at(points, value)[0][1:] for value in values} == {one[1:] for one in hull}


@given(CHOICES, st.data())
def test_always_dominated_means_at_the_others_dearest_and_its_own_cheapest(
    points: list[Point], data: st.DataObject
) -> None:
    low = {one.id: one.cost - data.draw(st.integers(0, 2)) for one in points}
    high = {one.id: one.cost + data.draw(st.integers(0, 2)) for one in points}

    def by(one: Point) -> set[str]:
        return {
            other.id
            for other in points
            if other is not one
            and f.dominates(Point(other.id, other.time, high[other.id]), Point(one.id, one.time, low[one.id]))
        }

    found = f.always_dominated(points, low, high)
    assert {one.id for one in points if by(one)} == found.keys()
    assert all(found[one.id] in by(one) for one in points if one.id in found)


def test_a_dear_one_on_the_frontier_does_not_hide_one_beside_it_that_always_dominates() -> None:
    """a is best as planned, but its price is open; b, beside the frontier, is below c at every price."""
    points = [
        Point("a", Fraction(1), Fraction(1)),
        Point("b", Fraction(1), Fraction(2)),
        Point("c", Fraction(1), Fraction(4)),
    ]
    low = {"a": Fraction(1), "b": Fraction(2), "c": Fraction(3)}
    high = {"a": Fraction(100), "b": Fraction(2), "c": Fraction(5)}
    assert f.always_dominated(points, low, high) == {"c": "b"}


class Counted(Fraction):
    """A number that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: object) -> bool:
        Counted.compared += 1
        return super().__lt__(other)  # type: ignore[operator]

    def __le__(self, other: object) -> bool:
        Counted.compared += 1
        return super().__le__(other)  # type: ignore[operator]

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return super().__eq__(other)

    def __neg__(self) -> Counted:
        return Counted(super().__neg__())

    __hash__ = Fraction.__hash__


def many(kind: str) -> Iterator[Point]:
    for number in range(2000):
        cost = 10**6 // (number + 1) if kind == "frontier" else number + 1
        yield Point(f"c{number}", Counted(number + 1), Counted(cost if kind != "half" else 2001 - number % 1000))


@pytest.mark.parametrize("kind", ["frontier", "line", "half"])
def test_two_thousand_choices_take_few_comparisons(kind: str) -> None:
    """A few for each choice and its place in the order: all pairs would be four millions."""
    points = list(many(kind))
    ends = {one.id: one.cost for one in points}
    Counted.compared = 0
    front = f.frontier(points)
    f.dominators(points, front)
    f.always_dominated(points, ends, ends)
    assert 2000 < Counted.compared < 2000 * 11 * 12
