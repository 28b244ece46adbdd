"""How far the clock of a zone is ahead of UTC, as steps in time that an engine can look up without a calendar."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from reckon.language.calendar_days import DAY

FIRST_YEAR, LAST_YEAR = 2000, 2039
"""Years of which an engine reads clocks: Slurm is not older, and each further year lengthens the expression."""


class Steps(NamedTuple):
    """A value that changes with time: the first second of each step, and the value before, between and after them."""

    begins: Sequence[int]
    values: Sequence[int]


class Offsets(NamedTuple):
    """Seconds that a clock is ahead of UTC: by the time in UTC, and by what the clock shows. Of a time that it shows
    twice `first` and `second`; of one that it leaves out the offset before and after."""

    utc: Steps
    first: Steps
    second: Steps


def since_1970(year: int) -> int:
    """The second with which a year begins in UTC."""
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp())


def _ahead(zone: tzinfo, second: int) -> int:
    there = datetime.fromtimestamp(second, zone).utcoffset() or timedelta()
    return int(there.total_seconds())


@lru_cache(maxsize=8)
def offsets_of(zone: tzinfo) -> Offsets:
    """The offsets of a zone over all years that are read, as datetime has them."""
    first = since_1970(FIRST_YEAR) - DAY
    after = since_1970(LAST_YEAR + 1) + DAY
    values = [_ahead(zone, first)]
    begins: tuple[list[int], ...] = ([], [], [])
    utc, earlier, later = begins
    for day in range(first, after, DAY):
        was = values[-1]
        now = _ahead(zone, day + DAY)
        if was == now:
            continue
        seconds = range(day, day + DAY)
        change = day + bisect_left(seconds, True, key=lambda second: _ahead(zone, second) != was)
        values.append(now)
        utc.append(change)
        earlier.append(change + max(was, now))
        later.append(change + min(was, now))
    return Offsets(*(Steps(tuple(each), tuple(values)) for each in begins))
