"""The clock of a source for an engine: for which times it is how far ahead of UTC, as whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from reckon.language.calendar_days import DAY

FIRST_YEAR, YEAR_AFTER = 1990, 2050
"""Times in the years before the second, from the first on, are for engines; others are seldom, and read elsewhere."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Spell(NamedTuple):
    """From a second on, up to that of the next spell, this counts; None where that is not one thing."""

    since: int
    value: int | None


Spells = Sequence[Spell]


def since_1970(year: int) -> int:
    """The second with which a year begins in UTC."""
    return (datetime(year, 1, 1, tzinfo=UTC) - _EPOCH).days * DAY


def _ahead(zone: tzinfo, second: int) -> int:
    there = (_EPOCH + timedelta(seconds=second)).astimezone(zone).utcoffset() or timedelta()
    return there.days * DAY + there.seconds


@lru_cache(maxsize=64)
def ahead(zone: tzinfo) -> Spells:
    """By how many seconds a clock is ahead of UTC, by the seconds of UTC since 1970."""
    first, after = since_1970(FIRST_YEAR) - DAY, since_1970(YEAR_AFTER) + DAY
    found = [Spell(first, _ahead(zone, first))]
    for day in range(first, after, DAY):
        was, now = found[-1].value, _ahead(zone, day + DAY)
        if was != now:
            low, high = day, day + DAY
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _ahead(zone, middle) == was else (low, middle)
            found.append(Spell(high, now))
    return [Spell(-(1 << 62), None), *found, Spell(after, None)]


@lru_cache(maxsize=64)
def by_clock(zone: tzinfo) -> Spells:
    """The same by the time that the clock shows, as seconds of a clock of UTC since 1970.

    None for what it shows twice, or never, since it was changed then; and for other years.
    """
    known = [spell for spell in ahead(zone) if spell.value is not None]
    found = [Spell(-(1 << 62), None), Spell(since_1970(FIRST_YEAR), known[0].value)]
    for before, after in pairwise(known):
        was, now = before.value or 0, after.value or 0
        found += [Spell(after.since + min(was, now), None), Spell(after.since + max(was, now), now)]
    return [*found, Spell(since_1970(YEAR_AFTER), None)]


def numbered(edges: Iterable[int]) -> Spells:
    """The number of the stretch between edges that a whole number lies in; 0 before the first."""
    return [Spell(-(1 << 62), 0), *(Spell(edge, number + 1) for number, edge in enumerate(edges))]
