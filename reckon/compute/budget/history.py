"""What runs say of time: hours as a series of days, from which pace, dates and pictures are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

from reckon.language.days import iso
from reckon.language.lean import dataclass

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


@dataclass(frozen=True, slots=True)
class DailyHours:
    """Hours by day, in order of days; `undated` are those of no known day, taken as charged before all others."""

    days: tuple[tuple[int, Fraction], ...]
    undated: Fraction

    @property
    def first(self) -> int:
        """The first day, 0 where there is none."""
        return self.days[0][0] if self.days else 0

    @property
    def last(self) -> int:
        """The last day, 0 where there is none."""
        return self.days[-1][0] if self.days else 0

    @property
    def total(self) -> Fraction:
        """All hours."""
        return self.undated + sum((hours for _, hours in self.days), Fraction(0))

    def between(self, first: int, last: int) -> Fraction:
        """The hours of some days, both ends included."""
        return sum((hours for day, hours in self.days if first <= day <= last), Fraction(0))

    def so_far(self) -> Iterator[tuple[int, Fraction]]:
        """Each day with all hours up to its end."""
        sums = accumulate((hours for _, hours in self.days), initial=self.undated)
        next(sums)
        yield from zip((day for day, _ in self.days), sums, strict=True)

    def exceeded(self, limit: Fraction) -> int:
        """The first day at whose end the hours are above a limit; 0 where that has no day."""
        return next((day for day, hours in self.so_far() if hours > limit), 0) if self.undated <= limit else 0

    def months(self) -> dict[str, Fraction]:
        """Hours by month (2025-09), in order."""
        found: dict[str, Fraction] = defaultdict(Fraction)
        for day, hours in self.days:
            found[iso(day)[:7]] += hours
        return dict(found)


def daily_hours(parts: Iterable[Days]) -> DailyHours:
    """Several maps of hours by day as one series."""
    by_size: dict[int, dict[int, Any]] = defaultdict(lambda: defaultdict(int))
    for part in parts:
        per, numbers = (part.per, part.parts) if isinstance(part, DayParts) else (1, part)
        sums = by_size[per]
        for day, hours in numbers.items():
            sums[day] += hours
    whole: dict[int, Fraction] = defaultdict(Fraction)
    for per, sums in by_size.items():
        for day, hours in sums.items():
            whole[day] += Fraction(hours, per)
    undated = whole.pop(0, Fraction(0))
    return DailyHours(tuple(sorted(whole.items())), undated)
