"""How often the rule of alarms is right: projects of ten equal pieces from the forecast's prior, with its own draws.

    python -m benchmarks.alarms [400]

For the project's own budget and for limits that others set it prints, for each reserve, how many projects are warned
after the first piece, how many of those that end within their limit are warned before, and of how many overruns that is
told by half-way.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from fractions import Fraction
from math import exp, fsum
from typing import NamedTuple

from reckon.compute.budget.alarms import is_alarming
from reckon.compute.budget.simulation import Piece, default_spread, draw, learn, probability

RESERVES = (0, 10, 20)
PIECES, PLAN, SEED = 10, 100.0, 1


class Told(NamedTuple):
    """Parts of all projects, of those that end within their limit, and of those that do not."""

    after_the_first: float
    wrong: float
    by_half_way: float


class Project(NamedTuple):
    """The hours of its pieces, and after how many of them each reserve warns first (0: never)."""

    hours: list[float]
    first: Mapping[int, int]


def chance_after(hours: list[float], limits: list[Fraction]) -> list[Fraction]:
    """The chance of exceeding each limit once the first pieces took so many hours."""
    done = [Piece(PLAN, each, 1) for each in hours]
    waiting = [Piece(PLAN, 0.0, 0.0)] * (PIECES - len(done))
    draws = draw([*done, *waiting], learn(done, default_spread()), 0, "alarms")
    return [probability(draws, limit).use or Fraction(0) for limit in limits]


def limit_of(reserve: int) -> Fraction:
    """The hours of the plan with a reserve in percent."""
    return Fraction(int(PIECES * PLAN) * (100 + reserve), 100)


def simulate(chance: random.Random, planned: Mapping[int, Fraction], is_own: bool) -> Project:
    """A project drawn from the prior, watched until each reserve has warned, is exceeded or all is done."""
    spread = default_spread()
    ratio = chance.gauss(0, spread)
    hours = [PLAN * exp(ratio + spread * chance.gauss(0, 1)) for _ in range(PIECES)]
    first: dict[int, int] = dict.fromkeys(RESERVES, 0)
    open_ = list(RESERVES)
    for number in range(1, PIECES):
        spent = fsum(hours[:number])
        open_ = [reserve for reserve in open_ if not first[reserve] and spent <= limit_of(reserve)]
        if not open_:
            break
        found = chance_after(hours[:number], [limit_of(reserve) for reserve in open_])
        for reserve, now in zip(open_, found, strict=True):
            if is_alarming(now, planned[reserve], is_own):
                first[reserve] = number
    return Project(hours, first)


def told(many: int, is_own: bool) -> dict[int, Told]:
    """What the rule tells in so many projects, by reserve."""
    chance = random.Random(SEED)
    planned = dict(zip(RESERVES, chance_after([], [limit_of(reserve) for reserve in RESERVES]), strict=True))
    projects = [simulate(chance, planned, is_own) for _ in range(many)]
    found = {}
    for reserve in RESERVES:
        over = [each for each in projects if fsum(each.hours) > limit_of(reserve)]
        within = [each for each in projects if fsum(each.hours) <= limit_of(reserve)]
        early = sum(each.first[reserve] == 1 for each in projects) / many
        wrong = sum(each.first[reserve] > 0 for each in within) / max(len(within), 1)
        half = sum(0 < each.first[reserve] <= PIECES // 2 for each in over) / max(len(over), 1)
        found[reserve] = Told(early, wrong, half)
    return found


if __name__ == "__main__":
    for own, words in ((True, "own budget"), (False, "limits of others")):
        for percent, parts in told(int(sys.argv[1]) if len(sys.argv) > 1 else 400, own).items():
            print(
                f"{words}, reserve {percent:>2}%: warned after the first piece {parts.after_the_first:.0%}, of "
                f"those that end within {parts.wrong:.0%}; overruns told by half-way {parts.by_half_way:.0%}"
            )
