"""Where a project will end, as a distribution of hours: a simulation in floats over exact inputs.

**Method.** Useful hours and losses are drawn apart: a failed run is not a slow one. The losses to come are those of
`loss_model`, over the useful hours to come; what failed attempts have lost is spent, and teaches nothing of useful
hours.

The ratio of useful to planned hours of a piece of work is taken as lognormal, as is usual for the growth of cost (P. R.
Garvey, *Probability Methods for Cost Uncertainty Analysis*, 2000, ch. 4). Its logarithm has a mean and a variance that
are not known; they are learnt from the finished pieces by the normal model with a conjugate prior (A. Gelman et al.,
*Bayesian Data Analysis*, 3rd ed., 2013, section 3.3), and the prior counts as one observation: that the plan is right,
with the spread of the plan's own ranges, read as P10 to P90. With n finished pieces, y their logs:

    mean = sum(y) / (1 + n)
    variance = (spread² + sum((y - their mean)²) + n / (1 + n) x (their mean)²) / (1 + n)

The mean itself is uncertain by variance / (1 + n), for all pieces together. So is the variance once it is learnt: draws
then have the tails of Student's t with 4 + n degrees of freedom (before, the plan's ranges are taken at their word).
Four was chosen so that P10 to P90 holds about 80% of outcomes (benchmarks/calibration.py). One draw takes the mean from
its distribution, then

- finished work at its actual;
- work with progress at what it was charged, and the rest of its plan x a ratio between that of the draw and the one
  that it has shown so far, useful hours / (share x plan). Of the latter's logarithm it takes w, of the former's 1 - w,
  where w = share / (share + (1 - share) / 5): alike at a sixth of the work, as little work says little of its rate.
  That is the posterior mean if the ratio of a part scatters around that of its piece with (1 - share) / (5 share) times
  the variance between pieces; the rest then has 1 - w + 1/5 times that variance;
- work without useful hours at plan x ratio, on top of what was lost on it;
- work begun whose progress is not known, or nothing yet, at plan x ratio, given that it is more than its useful hours.

Sums of lognormals are drawn as one lognormal of the same mean and variance (L. F. Fenton, IRE Transactions on
Communications Systems 8, 1960), so that time does not grow with pieces x draws. The same ledger gives the same draws
(`random_numbers`). Floats are added up by `fsum`, which rounds once: what `sum` makes of them depends on the version of
Python."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, floor, fsum, log, log1p, log10, sqrt
from typing import NamedTuple

from reckon.language.quantity import ONE, ZERO, Value, point

from .loss_model import LossModel, losses_to_come
from .random_numbers import DRAWS, NORMAL, normals

PERCENTS = (10, 50, 90)
DEFAULT_RANGE = Fraction(4, 3)
"""A plan without a range of its own is taken to be right within this factor, P10 to P90."""
MOST = 1e100
"""Hours beyond this are taken as this, below its inverse as nothing: a ledger may hold any number."""
WIDEST, FURTHEST = 2.0, log(1000)
"""The largest standard deviation and mean of log(actual / plan) that are calculated with."""

_Z90 = NORMAL.inv_cdf(0.9)
_WITHIN = 1 / 5
"""The variance of the ratio within a piece of work, over the one between pieces."""


class Piece(NamedTuple):
    """A piece of work: planned and charged hours, the share of it that is done (None: not known), and hours lost."""

    plan: float
    spent: float
    share: float | None
    lost: float = 0.0

    @property
    def useful(self) -> float:
        """The hours that were charged and not lost."""
        return max(self.spent - self.lost, 0.0)


class Learnt(NamedTuple):
    """What finished work says of log(actual / plan): mean and standard deviation, and how many pieces say so."""

    mean: float
    deviation: float
    finished: int


def floated(number: Fraction | None) -> float:
    """An exact number as a float: from zero to what the draws can still square."""
    if number is None or number.numerator <= 0:
        return 0.0
    try:
        found = number.numerator / number.denominator
    except OverflowError:
        return MOST
    return min(found, MOST) if found >= 1 / MOST else 0.0


def spread_of(ranges: Iterable[tuple[float, float, float]]) -> float:
    """The spread of a plan as a standard deviation of logarithms, from (low, high, weight) of its parts."""
    parts = [(log(high / low) / (2 * _Z90), weight) for low, high, weight in ranges]
    whole = fsum(weight for _, weight in parts)
    spread = default_spread()
    if whole > 0:
        squares = fsum(deviation**2 * weight for deviation, weight in parts)
        spread = sqrt(squares / whole)
    return min(max(spread, 1e-6), WIDEST)


def default_spread() -> float:
    """The spread of a plan that states no range."""
    return log(DEFAULT_RANGE) / _Z90


def learn(pieces: Iterable[Piece], spread: float) -> Learnt:
    """The ratio that finished pieces teach, the plan's own spread counting as one observation more."""
    ended = [piece for piece in pieces if piece.share == 1 and piece.plan > 0 and piece.useful > 0]
    logs = [log(piece.useful / piece.plan) for piece in ended]
    count = len(logs)
    mean = fsum(logs) / count if count else 0.0
    scatter = fsum((ratio - mean) ** 2 for ratio in logs)
    squares = spread**2 + scatter + count / (1 + count) * mean**2
    expected = min(max(count * mean / (1 + count), -FURTHEST), FURTHEST)
    return Learnt(expected, min(sqrt(squares / (1 + count)), WIDEST), count)


def width(learnt: Learnt) -> float:
    """The logarithm of the factor between the median and P90 of the ratio of a piece of work not begun."""
    return _Z90 * learnt.deviation * sqrt(1 + 1 / (1 + learnt.finished))


class DrawnParts(NamedTuple):
    """A set of pieces, made ready to be drawn: hours that are sure, and (log mean, log deviation) of three sums.

    `follows` is how far begun work follows the ratio of a draw, and not the one that it has shown: from 0 to 1.
    """

    sure: float
    begun: tuple[float, float] | None
    waiting: tuple[float, float] | None
    blind: tuple[float, float] | None
    follows: float = 0.0


def prepare(pieces: Iterable[Piece], learnt: Learnt) -> DrawnParts:
    """Sorts pieces by what is known of them, and adds up those of a kind."""
    spent, begun, waiting, blind = [], [], [], []
    growth = exp(learnt.deviation**2 / 2)
    variance = growth**2 * expm1(learnt.deviation**2)
    for piece in pieces:
        spent.append(piece.spent)
        if not piece.share and piece.useful > 0:
            blind.append(_beyond(piece, learnt))
        elif not piece.share:
            waiting.append((piece.plan * growth, piece.plan**2 * variance))
        elif piece.share < 1:
            begun.append(_rest(piece, learnt))
    rest = fsum(mean for mean, _, _ in begun)
    follows = fsum(mean / rest * weight for mean, _, weight in begun) if rest > 0 else 0.0
    sums = (_lognormal([part[:2] for part in begun]), _lognormal(waiting), _lognormal(blind))
    return DrawnParts(fsum(spent), *sums, follows)


def _rest(piece: Piece, learnt: Learnt) -> tuple[float, float, float]:
    """Mean and variance of the hours to come of begun work, before the ratio of a draw; and how far it follows that."""
    share = piece.share or 0.0
    left, seen = piece.plan * (1 - share), piece.plan * share
    weight = share / (share + (1 - share) * _WITHIN) if piece.useful > 0 and seen > 0 else 0.0
    shown = min(max(log(piece.useful) - log(seen), -FURTHEST), FURTHEST) if weight else 0.0
    spread = learnt.deviation**2 * (1 - weight + _WITHIN)
    middle = min(left * exp(weight * shown), MOST)
    mean = middle * exp(spread / 2)
    return mean, mean**2 * expm1(spread), 1 - weight


def _lognormal(moments: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Log mean and log deviation of the lognormal that has the mean and the variance of a sum; None for nothing."""
    mean, variance = fsum(mean for mean, _ in moments), fsum(variance for _, variance in moments)
    if mean <= 0:
        return None
    square = log1p(variance / mean**2)
    return log(mean) - square / 2, sqrt(square)


def _beyond(piece: Piece, learnt: Learnt) -> tuple[float, float]:
    """Mean and variance of plan x ratio - useful, given that it is above zero (moments of a truncated lognormal)."""
    if piece.plan <= 0:
        return 0.0, 0.0
    mean = log(piece.plan) + learnt.mean
    deviation = learnt.deviation * sqrt(1 + 1 / (1 + learnt.finished))
    # Far beyond its plan nothing is left to say: from four deviations on it is taken to be nearly done.
    at = min((log(piece.useful) - mean) / deviation, 4.0) if deviation else 4.0
    useful = exp(mean + at * deviation)
    above = NORMAL.cdf(-at)
    first = exp(mean + deviation**2 / 2) * NORMAL.cdf(deviation - at) / above
    tail = NORMAL.cdf(2 * deviation - at)
    second = exp(2 * mean + 2 * deviation**2) * tail / above
    return max(first - useful, 0.0), max(second - first**2, 0.0)


@lru_cache(maxsize=64)
def tails(seed: int, stream: str, count: int) -> tuple[float, ...]:
    """What turns normal numbers into Student's t with 4 + count degrees of freedom; ones where nothing was learnt.

    Chi-square by the cube of a normal (E. B. Wilson, M. M. Hilferty, PNAS 17, 1931); at most five times the normal.
    """
    if not count:
        return (1.0,) * DRAWS
    small = 2 / (9 * (4 + count))
    middle, wide = 1 - small, sqrt(small)
    cubes = [(middle + wide * normal) ** 3 for normal in normals(seed, f"{stream} spread")]
    return tuple([1 / sqrt(max(cube, 0.04)) for cube in cubes])


@lru_cache(maxsize=64)
def _lognormals(mean: float, deviation: float, learnt: Learnt, seed: int, stream: str, name: str) -> list[float]:
    """Lognormal numbers of a stream of their own, with the tails of what was learnt."""
    own = zip(tails(seed, stream, learnt.finished), normals(seed, f"{stream} {name}"), strict=True)
    return [exp(mean + deviation * tail * normal) for tail, normal in own]


def draw(pieces: Sequence[Piece], learnt: Learnt, seed: int, stream: str = "", lane: str = "") -> list[float]:
    """The hours that some pieces come to without further losses, in each draw; never below what is spent.

    Lanes of one stream have its ratio and its tails in common; each has noise of its own.
    """
    parts = prepare(pieces, learnt)
    totals = [parts.sure] * DRAWS
    if parts.begun is parts.waiting is parts.blind is None:
        return totals
    ratios = _lognormals(learnt.mean, learnt.deviation / sqrt(1 + learnt.finished), learnt, seed, stream, "ratio")
    for name, lognormal in (("begun", parts.begun), ("waiting", parts.waiting), ("blind", parts.blind)):
        if lognormal:
            hours = _lognormals(*lognormal, learnt, seed, stream, f"{lane} {name}" if lane else name)
            if name == "waiting":
                hours = [planned * ratio for planned, ratio in zip(hours, ratios, strict=True)]
            elif name == "begun":
                power = parts.follows
                hours = [planned * ratio**power for planned, ratio in zip(hours, ratios, strict=True)]
            totals = add_draws(totals, hours)
    return totals


def add_draws(totals: Sequence[float], more: Sequence[float], rate: float = 1.0) -> list[float]:
    """The sums of two series of draws, the second times a rate."""
    return [so_far + its * rate for so_far, its in zip(totals, more, strict=True)]


class Drawn(NamedTuple):
    """The hours that some pieces come to in each draw, and how many of them failures have taken or will take."""

    totals: list[float]
    lost: list[float]


@lru_cache(maxsize=64)
def draw_with_losses(
    pieces: tuple[Piece, ...], learnt: Learnt, losses: LossModel | None, seed: int, stream: str = "", lane: str = ""
) -> Drawn:
    """The same with the losses to come. Made once for each set of pieces: several figures are read off the same."""
    hours = draw(pieces, learnt, seed, stream, lane)
    spent, lost = fsum(piece.spent for piece in pieces), fsum(piece.lost for piece in pieces)
    if losses is None:
        return Drawn(hours, [lost] * DRAWS)
    more = losses_to_come([max(total - spent, 0.0) for total in hours], losses, seed, stream, lane)
    return Drawn(add_draws(hours, more), [lost + extra for extra in more])


def quantile(draws: Sequence[float], percent: int, least: Fraction) -> Value:
    """The hours that so many percent of draws stay below, as precise as the number of draws supports.

    The standard error of the rank, sqrt(p (1 - p) draws), gives the hours around it, and they the last certain digit.
    `least` is what is spent: rounding goes not below it.
    """
    ordered, share = sorted(draws), percent / 100
    rank, error = share * len(ordered), sqrt(share * (1 - share) * len(ordered))
    last = len(ordered) - 1
    low = ordered[min(max(round(rank - error), 0), last)]
    high = ordered[min(max(round(rank + error), 0), last)]
    return point(max(_rounded(ordered[round(rank)], high - low), least))


def probability(draws: Sequence[float], limit: Fraction) -> Value:
    """The share of draws above a limit, in whole percent; where none or all are, an open end of one percent is left."""
    above = len(draws) - bisect_right(sorted(draws), limit)
    if draws[0] == max(draws) == min(draws):
        return point(int(above > 0))
    hundredth = Fraction(1, 100)
    near = Fraction(floor(100 * above / len(draws) + 0.5), 100)
    if near == 0:
        return Value(ZERO, ZERO, hundredth)
    return Value(1 - hundredth, ONE, ONE) if near == 1 else point(near)


def _rounded(number: float, width: float) -> Fraction:
    """The only way by which a float becomes a figure again: rounded to the power of ten nearest to a width."""
    if width <= 0:
        return Fraction(number).limit_denominator(10**9)
    unit = Fraction(10) ** floor(log10(width) + 0.5)
    return round(Fraction(number) / unit) * unit


def factor(logarithm: float) -> Fraction:
    """A ratio that was learnt, from its logarithm, in whole percent."""
    # Libraries of mathematics differ in the last digit, which would decide where it is midway between two.
    return Fraction(ceil(round(100 * exp(logarithm), 9) - 0.5), 100)
