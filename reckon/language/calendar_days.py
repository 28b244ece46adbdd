"""Days: the dates of a ledger as whole numbers, and back again. No clock is read."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from reckon.language.lazy import regex

from .units import Unit, key_unit

DAYS = key_unit("days")
DATE = Unit(kinds=(("date", 1),), symbol="date")
"""The unit of a figure that is a date: days counted from 0001-01-01, which is 1. Dates compare, and do not add up."""

LAST, DAY, HOUR = date.max.toordinal(), 86_400, 3600
FIRST_OF_1970 = date(1970, 1, 1).toordinal()


@lru_cache(maxsize=8192)
def last_day(text: str | None) -> int:
    """The day of a date or of a moment, or the last day of the month or year that is named. 0 for none."""
    if not text:
        return 0
    year, month, day = (*(int(part) for part in text[:10].split("-")), 0, 0)[:3]
    month = month or 12
    return date(year, month, day or monthrange(year, month)[1]).toordinal()


@lru_cache(maxsize=8192)
def first_day(text: str | None) -> int:
    """The day of a date, or the first day of the month or year that it names. 0 for none."""
    return date(*(*(int(part) for part in text[:10].split("-")), 1, 1)[:3]).toordinal() if text else 0


def is_day(text: str) -> bool:
    """Whether a day written as 2025-09-03 exists in the calendar."""
    year, month, day = (int(part) for part in text.split("-"))
    return year > 0 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def iso(day: int) -> str:
    """A day as 2025-09-03; the last of the calendar stands for all that come after it."""
    return date.fromordinal(min(day, LAST)).isoformat()


CLOCK = regex(r".{10}[T ](\d\d):(\d\d)(?::(\d\d))?(Z|([+-]\d\d):(\d\d))?")


@lru_cache(maxsize=8192)
def since_1970(text: str) -> int | None:
    """Seconds from the beginning of 1970 to a moment, in UTC if it names its offset, else by the local clock.

    A day, month or year stands for the beginning of its last day. None for no text.
    """
    if not text:
        return None
    clock = clock_of(text)
    return (clock.instant if clock else last_day(text) * DAY) - FIRST_OF_1970 * DAY


def moment_of(second: int) -> datetime:
    """The moment so many seconds after the beginning of 1970."""
    return datetime(1970, 1, 1) + timedelta(seconds=second)


def seconds_between(start: str, end: str) -> tuple[int, int]:
    """The least and the most seconds from one moment to another; both are the same where the times of day are known.

    A day, month or year stands for any moment in it; so does a time that names its offset beside one that does not.
    """
    first = clock_of(start)
    second = clock_of(end)
    if first and second and (first.ahead is None) == (second.ahead is None):
        apart = second.instant - first.instant
        return apart, apart
    alike = not (first and second)
    early, late = (
        (clock.instant,) * 2 if clock and alike else _all_day(text) for clock, text in ((first, start), (second, end))
    )
    return max(late[0] - early[1], 0), max(late[1] - early[0], 0)


def _all_day(text: str) -> tuple[int, int]:
    """The seconds at which a day, month or year begins and ends."""
    return first_day(text) * DAY, (last_day(text) + 1) * DAY


def has_time(text: str) -> bool:
    """Whether a moment names its time of day."""
    return CLOCK.fullmatch(text) is not None


def has_offset(text: str) -> bool:
    """Whether a moment names its time of day and how far that is from UTC."""
    clock = clock_of(text)
    return clock is not None and clock.ahead is not None


def clock_time(second: int) -> str:
    """A second of the calendar as 2025-09-03 14:30."""
    return f"{iso(second // DAY)} {second % DAY // 3600:02}:{second % 3600 // 60:02}"


def seconds(text: str) -> int:
    """Seconds from the beginning of the calendar to a time of day, in UTC where it names its offset.

    Of a day, month or year it is the beginning.
    """
    clock = clock_of(text)
    return clock.instant if clock else first_day(text) * DAY


class Clock(NamedTuple):
    """A moment that names its time of day: its day and the second of that by its own clock, and how many seconds this
    clock is ahead of UTC; None where it names no offset."""

    day: int
    second: int
    ahead: int | None

    @property
    def instant(self) -> int:
        """Seconds from the beginning of the calendar, in UTC where it names its offset."""
        return self.midnight(self.day) + self.second

    @property
    def last(self) -> int:
        """The last day of what ends then: the one before, at midnight."""
        return self.day if self.second else self.day - 1

    def midnight(self, day: int) -> int:
        """The instant at which a day begins by this clock."""
        return day * DAY - (self.ahead or 0)


@lru_cache(maxsize=8192)
def clock_of(text: str) -> Clock | None:
    """A moment by its clock; None where it names no time of day."""
    found = CLOCK.fullmatch(text)
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.group(1, 2, 3))
    return Clock(last_day(text[:10]), (hours * 60 + minutes) * 60 + seconds, _ahead(found) if found[4] else None)


def _ahead(moment: re.Match[str]) -> int:
    """How many seconds the clock of a moment is ahead of UTC; 0 where it does not say."""
    minutes = int(moment[6] or 0) * (-1 if (moment[5] or "").startswith("-") else 1)
    return (int(moment[5] or 0) * 60 + minutes) * 60
