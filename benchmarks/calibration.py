"""How often what really happens lies between P10 and P90 of the forecast, on projects that are made up.

    python -m benchmarks.calibration --projects 3000

Each project has pieces of work that have finished, one that has begun and four that have not; all are planned at 100
hours. It has a ratio of its own, as uncertain as a plan without ranges says, and its pieces scatter around that as much
again. Failures take hours by one of three processes:

- `model`: what the forecast assumes, a compound Poisson process of exponential losses, with a rate and a mean size from
  the priors of `reckon.compute.budget.loss_model`;
- `pareto`: the same rate, and losses with a tail so heavy that they have no variance (Pareto, exponent 1.5);
- `bursts`: losses come in clusters of five in the mean, and their sizes are lognormal, with P90 at 60 times P10.

The same count gives the same figures.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial
from math import exp, sqrt
from typing import NamedTuple

from reckon.compute.budget import loss_model
from reckon.compute.budget.random_numbers import DRAWS
from reckon.compute.budget.simulation import Piece, default_spread, draw_with_losses, learn

PLAN, LEFT, WITHIN = 100.0, 5, 1 / 5
FINISHED = (0, 1, 3, 10)
STREAMS = 8
Process = Callable[[random.Random, float, float], list[float]]
"""The losses in so many useful hours of a project with such a rate and mean size."""


class Share(NamedTuple):
    """The shares of projects that end below P10, and above P90."""

    below: float
    above: float

    @property
    def inside(self) -> float:
        """The share between the two."""
        return 1 - self.below - self.above


def number(chance: random.Random, expected: float) -> int:
    """A Poisson number, by the times between events."""
    count, passed = 0, chance.expovariate(1)
    while passed < expected:
        count, passed = count + 1, passed + chance.expovariate(1)
    return count


def model(chance: random.Random, expected: float, size: float) -> list[float]:
    """Losses as the forecast takes them to be."""
    return [chance.expovariate(1 / size) for _ in range(number(chance, expected))]


def pareto(chance: random.Random, expected: float, size: float) -> list[float]:
    """As many losses of the same mean size, with a heavy tail."""
    return [size / 3 * chance.paretovariate(1.5) for _ in range(number(chance, expected))]


def bursts(chance: random.Random, expected: float, size: float) -> list[float]:
    """As many hours in the mean, in clusters."""
    found: list[float] = []
    spread = 1.6
    for _ in range(number(chance, expected / 5)):
        found.append(size * exp(chance.gauss(-(spread**2) / 2, spread)))
        while chance.random() < 0.8:
            found.append(size * exp(chance.gauss(-(spread**2) / 2, spread)))
    return found


PROCESSES: dict[str, Process] = {"model": model, "pareto": pareto, "bursts": bursts}


class MadeUp(NamedTuple):
    """A project: its pieces as they are known, how many losses it had, and the hours that it comes to in the end."""

    pieces: list[Piece]
    seen: int
    outcome: float


def project(chance: random.Random, finished: int, process: Process, spread: float) -> MadeUp:
    """A project with so many finished pieces."""
    own, planned = chance.gauss(0, spread), PLAN * (finished + LEFT)
    rate = chance.gammavariate(loss_model.PRIOR_LOSSES, 1 / (loss_model.PRIOR_PLAN * planned))
    size = loss_model.PRIOR_SIZE * planned / chance.gammavariate(loss_model.PRIOR_SIZES, 1)
    fail = partial(process, chance)
    pieces, seen, outcome = [], 0, 0.0
    for _ in range(finished):
        useful = PLAN * exp(chance.gauss(own, spread))
        lost = fail(rate * useful, size)
        pieces.append(Piece(PLAN, useful + sum(lost), 1, sum(lost)))
        seen, outcome = seen + len(lost), outcome + useful + sum(lost)
    ratio, share = chance.gauss(own, spread), chance.uniform(0.05, 0.9)
    useful = share * PLAN * exp(ratio + chance.gauss(0, spread * sqrt(WITHIN * (1 - share) / share)))
    lost = fail(rate * useful, size)
    pieces.append(Piece(PLAN, useful + sum(lost), share, sum(lost)))
    rest = (1 - share) * PLAN * exp(ratio + chance.gauss(0, spread * sqrt(WITHIN)))
    outcome += useful + sum(lost) + rest + sum(fail(rate * rest, size))
    for _ in range(LEFT - 1):
        useful = PLAN * exp(chance.gauss(own, spread))
        outcome += useful + sum(fail(rate * useful, size))
        pieces.append(Piece(PLAN, 0, 0))
    return MadeUp(pieces, seen + len(lost), outcome)


def coverage(finished: int, process: Process, projects: int, spread: float, seed: int = 11) -> Share:
    """Where the outcomes of so many projects lie, where plans are right within such a spread."""
    chance, below, above = random.Random(seed), 0, 0
    for count in range(projects):
        made = project(chance, finished, process, spread)
        useful, lost = sum(piece.useful for piece in made.pieces), sum(piece.lost for piece in made.pieces)
        taught = loss_model.loss_model(PLAN * len(made.pieces), useful, made.seen, lost)
        drawn = draw_with_losses(tuple(made.pieces), learn(made.pieces, spread), taught, count % STREAMS)
        totals = sorted(drawn.totals)
        below += made.outcome < totals[DRAWS // 10]
        above += made.outcome > totals[DRAWS - DRAWS // 10]
    return Share(below / projects, above / projects)


def main() -> None:
    """Prints the shares as a table."""
    parser = argparse.ArgumentParser(description="How often outcomes lie between P10 and P90.")
    parser.add_argument("--projects", type=int, default=3000)
    parser.add_argument("--spread", type=float, default=default_spread(), help="of the logarithm of actual over plan")
    asked = parser.parse_args()
    projects = asked.projects
    print(f"| failures | finished pieces | projects | below P10 | P10 to P90 | above P90 |\n|{' --- |' * 6}")
    for name, process in PROCESSES.items():
        for finished in FINISHED:
            found = coverage(finished, process, projects, asked.spread)
            shares = (found.below, found.inside, found.above)
            cells = [name, str(finished), f"{projects:,}", *(f"{share:.1%}" for share in shares)]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
