"""Days: the dates of a ledger as whole numbers that can be counted with, and back. No clock is read."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from functools import lru_cache

from .units import Unit, key_unit

DAYS = key_unit("days")
DATE = Unit(kinds=(("date", 1),), symbol="date")
"""The unit of a figure that is a date: days counted from 0001-01-01, which is 1. Dates compare, and do not add up."""

LAST = date.max.toordinal()


@lru_cache(maxsize=8192)
def last_day(text: str) -> int:
    """The day of a date, or the last of the month or year that it names; of a time of day, its day. 0 for no text."""
    if not text:
        return 0
    year, month, day = (*(int(part) for part in text[:10].split("-")), 0, 0)[:3]
    month = month or 12
    return date(year, month, day or monthrange(year, month)[1]).toordinal()


@lru_cache(maxsize=8192)
def first_day(text: str) -> int:
    """The day of a date, or the first of the month or year that it names. 0 for no text."""
    return date(*(*(int(part) for part in text[:10].split("-")), 1, 1)[:3]).toordinal() if text else 0


def is_day(text: str) -> bool:
    """Whether a day that is written as 2025-09-03 is in the calendar."""
    year, month, day = (int(part) for part in text.split("-"))
    return year > 0 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def iso(day: int) -> str:
    """A day as 2025-09-03; the last of the calendar stands for all that come after it."""
    return date.fromordinal(min(day, LAST)).isoformat()
