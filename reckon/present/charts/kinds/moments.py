"""Dates as places on a line: always UTC, so that no picture depends on where it is drawn."""

import re
from calendar import monthrange, timegm

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
"""Milliseconds."""

_DAY = r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
_CLOCK = r"(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:Z|([+-])(\d\d):(\d\d))?)?"
_MOMENT = re.compile(_DAY + _CLOCK, re.ASCII)


def moment(text: str) -> int:
    """Return the milliseconds from 1970 in UTC to `text`, which is written as ledgers write dates.

    That is a day (2025-08-13), a month or a year (their first day), or a day and a time with or without an offset
    (2025-09-03T14:30:00+02:00); a time without one is UTC. Raises ValueError for anything else.
    """
    found = _MOMENT.fullmatch(text)
    if not found:
        raise ValueError(f"{text[:40]!r} is no date: write a day as 2025-08-13, a time as 2025-08-13T14:30")
    year, month, day = (int(part) if part else 1 for part in found.groups()[:3])
    hour, minute, second, _, ahead, aside = (int(part) if part and part.isdigit() else 0 for part in found.groups()[3:])
    if not (
        year and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1] and hour < 24 and max(minute, second) < 60
    ):
        raise ValueError(f"there is no {text}")
    offset = (ahead * HOUR + aside * MINUTE) * (-1 if found[7] == "-" else 1)
    return timegm((year, month, day, hour, minute, second)) * 1000 - offset


def month_start(year: int, month: int) -> int:
    """Return the moment at which a month begins, in milliseconds; the months count from 1."""
    return timegm((year, month, 1, 0, 0, 0)) * 1000
