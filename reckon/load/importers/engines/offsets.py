"""How far the clock of a zone is ahead of UTC, as steps in time that an engine can look up without a calendar."""

from __future__ import annotations

from bisect import bisect_right
from datetime import tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from reckon.language.calendar_days import DAY

from .spells import ahead, since_1970

FIRST_YEAR, LAST_YEAR = 2000, 2039
"""Years of which an engine reads clocks: Slurm is not older, and each further year lengthens the expression."""


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
    first, after = since_1970(FIRST_YEAR) - DAY, since_1970(LAST_YEAR + 1) + DAY
    known = [(spell.since, spell.value) for spell in ahead(zone) if spell.value is not None]
    changes = [(at, was, now) for (_, was), (at, now) in pairwise(known) if first < at <= after]
    values = (next(value for at, value in reversed(known) if at <= first), *(now for _, _, now in changes))
    return Offsets(
        Steps(tuple(at for at, _, _ in changes), values),
        Steps(tuple(at + max(was, now) for at, was, now in changes), values),
        Steps(tuple(at + min(was, now) for at, was, now in changes), values),
    )
