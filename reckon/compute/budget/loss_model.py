"""Hours that failures will still take: how often something is lost, and how much each time, from what was seen.

**Method.** Losses come as a compound Poisson process over the useful hours (S. A. Klugman, H. H. Panjer, G. E. Willmot,
*Loss Models*, 4th ed., 2012, ch. 9, aggregate loss models): their number in R useful hours is Poisson with mean rate x
R, and each takes exponential hours of a mean size. Rate and mean size are not known; both have a conjugate prior (A.
Gelman et al., *Bayesian Data Analysis*, 3rd ed., 2013, section 2.6: gamma for the rate of a Poisson number in an
exposure, and for the inverse of an exponential mean, so that the mean is inverse gamma). With n losses of S hours in U
useful hours, of a project that is planned at W hours:

    rate ~ gamma(1/2 + n, W / 4 + U)                    expected: (1/2 + n) / (W / 4 + U)
    mean size ~ inverse gamma(2 + n, 1.5% of W + S)     expected: (1.5% of W + S) / (1 + n)

The prior is that of two losses of 1.5% of the plan each. It is an assumption, and a wide one: what is published lies on
both sides of it (training Llama 3.1 405B was interrupted 466 times in 54 days and used more than 90% of its time,
Grattafiori et al., *The Llama 3 Herd of Models*, 2024, section 3.3.4; OPT-175B was restarted some 90 times and took 56
days in place of 33). A failure before anything useful was done triples the expected rate, and the useful hours that
follow bring it down again; many failures say nearly all of it. Before the first run none are drawn: the ranges of the
plan then stand for all that its work takes.

Given rate and mean size, the sum in R hours is nothing with probability exp(-mean number), else drawn as the gamma
distribution of the same mean and variance; gamma numbers are cubes of normal ones (E. B. Wilson, M. M. Hilferty, PNAS
17, 1931). So a draw takes the same time however many pieces of work and losses there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, sqrt
from typing import NamedTuple

from .random_numbers import NORMAL, normals, uniforms

PRIOR_LOSSES, PRIOR_PLAN = 0.5, 0.25
PRIOR_SIZES, PRIOR_SIZE = 2.0, 0.015
LEAST_SIZE = 0.1
"""The mean size of losses is drawn as at most ten times what is expected of it, as the tails of hours are bounded."""
_SURE = 1 - 1e-12
MOST_LOSSES = 1e6
"""With more than so many losses expected, their sum is as sure as their mean."""


class LossModel(NamedTuple):
    """What is known of losses: shape of the rate and the useful hours it is of; shape of the mean size, and hours."""

    losses: float
    exposure: float
    sizes: float
    hours: float


def loss_model(planned: float, useful: float, losses: float, lost: float) -> LossModel | None:
    """What losses of so many hours in so many useful ones teach in a project planned at so many; None of nothing."""
    exposure, hours = PRIOR_PLAN * planned + useful, PRIOR_SIZE * planned + lost
    if exposure <= 0 or hours <= 0:
        return None
    return LossModel(PRIOR_LOSSES + losses, exposure, PRIOR_SIZES + losses, hours)


@lru_cache(maxsize=64)
def gammas(seed: int, stream: str, shape: float) -> tuple[float, ...]:
    """Gamma numbers of a shape and mean 1."""
    small = 1 / (9 * shape)
    middle, wide = 1 - small, sqrt(small)
    return tuple([max(middle + wide * normal, 0.0) ** 3 for normal in normals(seed, stream)])


def losses_to_come(useful: Sequence[float], model: LossModel, seed: int, stream: str, lane: str = "") -> list[float]:
    """The hours that failures will take in each draw, with so many useful hours to come in it. Lanes of one stream have
    rate and mean size in common."""
    rates = gammas(seed, f"{stream} rate", model.losses)
    sizes = gammas(seed, f"{stream} size", model.sizes)
    rate, size = model.losses / model.exposure, model.hours / model.sizes
    means = [rate * hours * often for hours, often in zip(useful, rates, strict=True)]
    sums = _sums_of_losses(means, uniforms(seed, f"{stream} {lane} losses" if lane else f"{stream} losses"))
    return [added * size / max(large, LEAST_SIZE) if added else 0.0 for added, large in zip(sums, sizes, strict=True)]


def _sums_of_losses(means: Sequence[float], chances: Sequence[float]) -> list[float]:
    """A Poisson number of losses of expected size 1, summed, for each mean number of them: the value that a uniform
    number stands for. All in one loop: this is most of what a forecast takes."""
    found, normal = [], NORMAL.inv_cdf
    for expected, chance in zip(means, chances, strict=True):
        none = exp(-expected)
        if expected > MOST_LOSSES:
            found.append(expected)
        elif chance <= none:
            found.append(0.0)
        else:
            some = 1 - none
            mean = expected / some
            variance = (2 + expected) * mean - mean**2
            small = (variance if variance > 1e-12 else 1e-12) / (9 * mean**2)
            share = (chance - none) / some
            root = 1 - small + sqrt(small) * normal(share if share < _SURE else _SURE)
            found.append(mean * root**3 if root > 0 else 0.0)
    return found
