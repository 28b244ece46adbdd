"""Times and durations as schedulers write them: exactly, in seconds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from functools import lru_cache

from reckon.language.calendar_days import DAY, HOUR
from reckon.language.quantity import add_up
from reckon.language.text import Refusal

NEVER = frozenset({"", "unknown", "none", "n/a", "invalid", "0", "null"})
_DURATION = re.compile(r"(?:(?:([0-9]{1,6})-)?([0-9]{1,7}):)?([0-9]{1,6}):([0-9]{2}(?:\.[0-9]{1,9})?)")
_DAYS_AND_HOURS = re.compile(r"([0-9]{1,6})-([0-9]{1,2})(?::([0-9]{2}))?")
_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")
MOST_OF_A_JOB = 100 * 366 * DAY
"""Seconds that no job takes: its end would leave the calendar."""
Moment = int | None
"""Seconds since 1970; None where no moment is known."""
Zone = tzinfo | None
"""The clock of a source; None where nothing names it."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = 250_246_626_000
"""The last second that a moment can be: in the year 9899, so that the end of any job is in the calendar."""


class Unclear(Refusal):
    """A text is not a time, or it leaves open when that was: what is wrong, and what would be right."""


def seconds_of(text: str) -> Fraction:
    """A duration in seconds: `1-02:03:04`, `02:03:04`, `03:04.5`, `2-12:30`, or a plain number. Raises Unclear."""
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    match = _DURATION.fullmatch(text) or _DAYS_AND_HOURS.fullmatch(text)
    if match is None:
        raise Unclear("is not a duration", "write it as 1-02:03:04")
    return total(match.groups())


def total(parts: Iterable[str | None]) -> Fraction:
    """The seconds of days, hours, minutes and seconds, as digits in this order; None for those that are not stated."""
    units = zip(parts, (DAY, HOUR, 60, 1), strict=False)
    return add_up(Fraction(part or 0) * unit for part, unit in units)


def moment(text: str, zone: Zone, fold: int = 0) -> Moment:
    """A time in seconds since 1970, None for none: `2025-09-12T14:06:12`, with an offset or not, or those seconds.

    A time that a change of the clock lets happen twice is the first of both, and with a `fold` of 1 the second. Raises
    Unclear where it is not a time, or names no offset while no zone is known.
    """
    if text.lower() in NEVER:
        return None
    if text.isdecimal():
        if int(text[:13]) > LAST or len(text) > 12:
            raise Unclear("is not a time", "write it as 2025-09-12T14:06:12, or in seconds since 1970")
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise Unclear("is not a time", "write it as 2025-09-12T14:06:12") from None
    if time.tzinfo is None:
        if zone is None:
            raise Unclear("has no offset from UTC", "add `timezone: UTC` to the source, or the zone of its clock")
        time = time.replace(tzinfo=zone, fold=fold)
    since = time - _EPOCH
    if since.days * DAY > LAST:
        raise Unclear("is not a time", "write it as 2025-09-12T14:06:12")
    return round(since / timedelta(seconds=1))


def possible_moments(text: str, zone: Zone) -> tuple[int, ...]:
    """All moments that a text can mean: two where a change of the clock lets it happen twice."""
    first = moment(text, zone)
    second = moment(text, zone, fold=1)
    if first is None or second is None:
        return ()
    return (first, second) if second > first else (first,)


@lru_cache(maxsize=4096)
def written(second: Moment, zone: Zone) -> str:
    """A moment as a ledger writes it: by the clock of its zone, with the offset from UTC; empty where there is none."""
    if second is None:
        return ""
    local = (_EPOCH + timedelta(seconds=second)).astimezone(zone or UTC)
    return local.isoformat(timespec="seconds").replace("+00:00", "Z")
