"""What runs say of time: hours as a series of days, from which pace, dates and pictures are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from reckon.language.days import iso

Days = Mapping[int, Fraction]


class DayParts(Days):
    """Hours by day, kept as whole numbers of a part of an hour, `per` of which make one."""

    def __init__(self, parts: Mapping[int, Any], per: int) -> None:
        self.parts, self.per = parts, per

    def __getitem__(self, day: int) -> Fraction:
        return Fraction(self.parts[day], self.per)

    def __iter__(self) -> Iterator[int]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


class DailyHours:
    """Hours by day, kept as those of `DayParts`. `undated` are those of no known day (0), taken as charged before all
    others."""

    def __init__(self, parts: Mapping[int, Any], per: int = 1) -> None:
        self._dated, self._per = sorted(part for part in parts.items() if part[0]), per
        self._undated = parts.get(0, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DailyHours) and (self.days, self.undated) == (other.days, other.undated)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def days(self) -> tuple[tuple[int, Fraction], ...]:
        """Each day with its hours, in order."""
        return tuple((day, Fraction(hours, self._per)) for day, hours in self._dated)

    @property
    def undated(self) -> Fraction:
        """The hours of no known day."""
        return Fraction(self._undated, self._per)

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
        return Fraction(self._undated + sum(hours for _, hours in self._dated), self._per)

    def between(self, first: int, last: int) -> Fraction:
        """The hours of some days, both ends included."""
        return Fraction(sum(hours for day, hours in self._dated if first <= day <= last), self._per)

    def so_far(self) -> Iterator[tuple[int, Fraction]]:
        """Each day with all hours up to its end."""
        return ((day, Fraction(hours, self._per)) for day, hours in self._sums())

    def _sums(self) -> Iterator[tuple[int, Any]]:
        sums = accumulate((hours for _, hours in self._dated), initial=self._undated)
        next(sums)
        return zip((day for day, _ in self._dated), sums, strict=True)

    def exceeded(self, limit: Fraction) -> int:
        """The first day at whose end the hours are above a limit; 0 where that has no day."""
        most = limit * self._per
        return next((day for day, hours in self._sums() if hours > most), 0) if self._undated <= most else 0

    def months(self) -> dict[str, Fraction]:
        """Hours by month (2025-09), in order."""
        found: dict[str, Any] = defaultdict(int)
        for day, hours in self._dated:
            found[iso(day)[:7]] += hours
        return {month: Fraction(hours, self._per) for month, hours in found.items()}


def daily_hours(parts: Iterable[Days]) -> DailyHours:
    """Several maps of hours by day as one series."""
    by_size: dict[int, dict[int, Any]] = defaultdict(lambda: defaultdict(int))
    for part in parts:
        per, numbers = (part.per, part.parts) if isinstance(part, DayParts) else (1, part)
        sums = by_size[per]
        for day, hours in numbers.items():
            sums[day] += hours
    if len(by_size) == 1:
        ((per, sums),) = by_size.items()
        return DailyHours(sums, per)
    whole: dict[int, Fraction] = defaultdict(Fraction)
    for per, sums in by_size.items():
        for day, hours in sums.items():
            whole[day] += Fraction(hours, per)
    return DailyHours(whole)
