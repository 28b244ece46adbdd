"""Statistics of a sample: mean with its t-interval, median, standard deviation. Values are exact but for roots.

The quantile of Student's t (1908) comes from the finite series of its distribution for whole degrees of freedom
(Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4), and beyond 200 of them from the
expansion around the normal quantile (26.7.5), which is then good to nine digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist, variance
from statistics import median as median

from reckon.language.quantity import Value, add_up, point

from ..sheet.arithmetic import power

CONFIDENCE = Fraction(95, 100)
MOST_BY_SERIES = 200
_HALF = Fraction(1, 2)


def mean(sample: Sequence[Fraction]) -> Fraction:
    """The arithmetic mean."""
    return add_up(sample) / len(sample)


def deviation(sample: Sequence[Fraction]) -> Fraction | None:
    """The standard deviation of a sample (with n - 1 below); None where one value is all there is."""
    if len(sample) < 2:
        return None
    squares = variance(sample)
    return power(squares, _HALF) if squares else squares


def interval(sample: Sequence[Fraction]) -> Value:
    """The mean with the ends of its 95% t-interval; the mean alone of one value.

    What is measured is above zero: an interval of few scattered rows that would reach it ends at the least row instead.
    """
    middle, spread = mean(sample), deviation(sample)
    if not spread:
        return point(middle)
    reach = t_quantile(len(sample) - 1) * spread / power(Fraction(len(sample)), _HALF)
    low = middle - reach
    return Value(low if low > 0 else min(sample), middle, middle + reach)


@lru_cache(maxsize=256)
def t_quantile(degrees: int) -> Fraction:
    """How many standard errors the 95% interval reaches on each side, by the degrees of freedom; to nine decimals."""
    inside = float(CONFIDENCE)
    if degrees > MOST_BY_SERIES:
        return _rounded(_expanded(NormalDist().inv_cdf((1 + inside) / 2), degrees))
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _probability_within(middle, degrees) < inside else (low, middle)
    return _rounded(high)


def _rounded(number: float) -> Fraction:
    # Libraries of mathematics differ in the last digit; what is rounded is the same on every machine.
    return Fraction(f"{number:.9f}")


def _probability_within(reach: float, degrees: int) -> float:
    """The probability that Student's t lies between -reach and reach."""
    angle = atan(reach / sqrt(degrees))
    square = cos(angle) ** 2
    odd = degrees % 2
    term = total = (cos(angle) if odd else 1.0) if degrees > 1 else 0.0
    for n in range(3 if odd else 2, degrees - 1, 2):
        term *= square * (n - 1) / n
        total += term
    series = sin(angle) * total
    return (angle + series) * 2 / pi if odd else series


def _expanded(x: float, degrees: int) -> float:
    first = (x**3 + x) / 4
    second = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return x + first / degrees + second / degrees**2 + third / degrees**3
