"""How far the clock of a zone is ahead of UTC, as steps in time that an engine can look up without a calendar."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from reckon.language.days import DAY

FIRST_YEAR, LAST_YEAR = 2000, 2039
"""Years of which an engine reads clocks: Slurm is not older, and each further year lengthens the expression."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Steps(NamedTuple):
    """A value that changes with time: the first second of each step, and the value before, between and after them."""

    begins: tuple[int, ...]
    values: tuple[int, ...]

    def at(self, second: int) -> int:
        """The value at a second."""
        return self.values[bisect_right(self.begins, second)]


class Offsets(NamedTuple):
    """Seconds that a clock is ahead of UTC: by the time in UTC, and by what the clock shows. Of a time that it shows
    twice `first` and `second`; of one that it leaves out the offset before and after."""

    utc: Steps
    first: Steps
    second: Steps


@lru_cache(maxsize=8)
def offsets_of(zone: tzinfo) -> Offsets:
    """The offsets of a zone over all years that are read, as datetime has them."""
    changes = list(_changes(zone))
    values = (changes[0][1] if changes else _ahead(zone, 0), *(after for _, _, after in changes))
    return Offsets(
        Steps(tuple(at for at, _, _ in changes), values),
        Steps(tuple(at + max(before, after) for at, before, after in changes), values),
        Steps(tuple(at + min(before, after) for at, before, after in changes), values),
    )


def _changes(zone: tzinfo) -> Iterator[tuple[int, int, int]]:
    """Each change of the clock: the first second of it in UTC, and the offsets before and after."""
    first, last = ((datetime(year, 1, 1, tzinfo=UTC) - _EPOCH).days for year in (FIRST_YEAR, LAST_YEAR + 1))
    before = _ahead(zone, (first - 2) * DAY)
    for day in range(first - 1, last + 2):
        after = _ahead(zone, day * DAY)
        if after != before:
            low, high = (day - 1) * DAY, day * DAY
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if _ahead(zone, middle) == after else (middle, high)
            yield high, before, after
            before = after


def _ahead(zone: tzinfo, second: int) -> int:
    ahead = (_EPOCH + timedelta(seconds=second)).astimezone(zone).utcoffset() or timedelta()
    return ahead.days * DAY + ahead.seconds
