"""What runs say of time: hours as a series of days, from which pace, dates and pictures are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from reckon.language.calendar_days import iso
from reckon.language.quantity import ZERO

Days = Mapping[int, Fraction]


class DailyHours(Days):
    """Hours by day, kept as whole numbers of a part of an hour, `per` of which make one. Those of no known day are at
    day 0, and taken as charged before all others."""

    def __init__(self, parts: Mapping[int, Any], per: int = 1) -> None:
        self.parts, self.per = parts, per

    def __getitem__(self, day: int) -> Fraction:
        return Fraction(self.parts[day], self.per)

    def __iter__(self) -> Iterator[int]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @cached_property
    def _dated(self) -> list[tuple[int, Any]]:
        return sorted(part for part in self.parts.items() if part[0])

    @property
    def dated(self) -> bool:
        """Whether any hours have a day."""
        return any(self.parts)

    @cached_property
    def days(self) -> tuple[tuple[int, Fraction], ...]:
        """Each day with its hours, in order."""
        return tuple((day, Fraction(hours, self.per)) for day, hours in self._dated)

    @property
    def undated(self) -> Fraction:
        """The hours of no known day."""
        return self.get(0, ZERO)

    @property
    def first(self) -> int:
        """The first day, 0 where there is none."""
        return self._dated[0][0] if self._dated else 0

    @property
    def last(self) -> int:
        """The last day, 0 where there is none."""
        return self._dated[-1][0] if self._dated else 0

    @property
    def total(self) -> Fraction:
        """All hours."""
        return Fraction(sum(self.parts.values()), self.per)

    def between(self, first: int, last: int) -> Fraction:
        """The hours of some days, both ends included."""
        return Fraction(sum(hours for day, hours in self._dated if first <= day <= last), self.per)

    def so_far(self) -> Iterator[tuple[int, Fraction]]:
        """Each day with all hours up to its end."""
        total = self.parts.get(0, 0)
        for day, hours in self._dated:
            total += hours
            yield day, Fraction(total, self.per)

    def exceeded(self, limit: Fraction) -> int:
        """The first day at whose end the hours are above a limit; 0 where that has no day."""
        if self.undated > limit:
            return 0
        return next((day for day, hours in self.so_far() if hours > limit), 0)

    def months(self) -> dict[str, Fraction]:
        """Hours by month (2025-09), in order."""
        found: dict[str, Any] = defaultdict(int)
        for day, hours in self._dated:
            found[iso(day)[:7]] += hours
        return {month: Fraction(hours, self.per) for month, hours in found.items()}


def daily_hours(parts: Iterable[DailyHours]) -> DailyHours:
    """Several series of hours by day as one."""
    found = list(parts)
    per = lcm(*(part.per for part in found))
    whole: dict[int, Any] = defaultdict(int)
    for part in found:
        for day, hours in part.parts.items():
            whole[day] += hours * (per // part.per)
    return DailyHours(whole, per)
