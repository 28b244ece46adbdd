"""Amounts that a picture adds up: exactly, and rounded once.

Floats would do for the eye, but not for the bytes: from Python 3.12 on, `sum` adds them up more closely than before.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate, pairwise

Amount = Fraction | float
"""A number of a picture; where it is added to others it is best exact. A float counts as exactly what it is."""


def total(amounts: Iterable[Amount]) -> Fraction:
    """Return the exact sum of some amounts."""
    return sum((Fraction(one) for one in amounts), Fraction(0))


def stacked(amounts: Iterable[Amount]) -> list[tuple[float, float]]:
    """Return where each of some amounts begins and ends when they lie end to end."""
    ends = accumulate((Fraction(one) for one in amounts), initial=Fraction(0))
    return list(pairwise(map(float, ends)))
