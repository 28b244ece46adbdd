"""On made-up projects of a known spread, P10 to P90 holds about 80% of what really happens."""

from __future__ import annotations

import random
from math import exp

import pytest

from reckon.compute.budget.simulation import DRAWS, Piece, default_spread, draw, learn

PROJECTS = 400
LEFT = 5


def held(finished: int, spread: float) -> float:
    """The share of projects that end inside the band.

    Each project has a ratio of its own, as uncertain as the plan says, and its seeds scatter around that as much again.
    """
    chance, inside = random.Random(11), 0
    for number in range(PROJECTS):
        own = chance.gauss(0, spread)
        done = [Piece(100, 100 * exp(chance.gauss(own, spread)), 1) for _ in range(finished)]
        outcome = sum(one.spent for one in done) + sum(100 * exp(chance.gauss(own, spread)) for _ in range(LEFT))
        pieces = [*done, *[Piece(100, 0, 0)] * LEFT]
        draws = sorted(draw(pieces, learn(done, spread), number))
        inside += draws[DRAWS // 10] <= outcome <= draws[DRAWS - DRAWS // 10]
    return inside / PROJECTS


@pytest.mark.parametrize("finished", [0, 1, 3, 10])
def test_the_band_holds_about_four_outcomes_in_five(finished: int) -> None:
    share = held(finished, default_spread())
    print(f"{finished} finished seeds: P10 to P90 holds {share:.0%} of {PROJECTS} projects")
    assert 0.72 <= share <= 0.9
