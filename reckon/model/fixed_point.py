"""Columns of numbers as whole numbers of a part of their unit, which are added up and compared without fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Any, NamedTuple

MOST_PARTS = 10**24
"""The smallest part of an hour in which hours are whole numbers; beyond it they are fractions."""
Number = int | Fraction


class Amounts(NamedTuple):
    """Amounts as whole numbers of a part of their unit: each is `values[n] / per`. None where a run states none.

    Where no part is large enough they are fractions, and `per` is 1.
    """

    values: Sequence[Any]
    per: int

    def scaled(self, per: int) -> Sequence[Any]:
        """The values as whole numbers of another part, of which this one is a multiple."""
        times = per // self.per
        return [None if value is None else value * times for value in self.values]

    def exact(self) -> list[Fraction | None]:
        """The amounts themselves."""
        return [None if value is None else Fraction(value, self.per) for value in self.values]


def amounts(values: Sequence[Fraction | None]) -> Amounts:
    """Amounts as whole numbers of the largest part of their unit in which they are whole."""
    per = 1
    for below in {value.denominator for value in values if value is not None}:
        if (per := lcm(per, below)) > MOST_PARTS:
            return Amounts(values, 1)
    return Amounts([None if value is None else value.numerator * (per // value.denominator) for value in values], per)


def joined(parts: Sequence[Amounts]) -> Amounts:
    """The amounts of several files, as parts of one size."""
    per = lcm(1, *(part.per for part in parts))
    if per > MOST_PARTS:
        return Amounts([*chain.from_iterable(part.exact() for part in parts)], 1)
    return Amounts([*chain.from_iterable(part.scaled(per) for part in parts)], per)


def summed(of: Sequence[int], values: Sequence[Any], size: int) -> list[Any]:
    """The sums of some values by their groups; None is nothing."""
    found: list[Any] = [0] * size
    for group, value in zip(of, values, strict=True):
        found[group] += value or 0
    return found
