"""When hours were charged: the days of a run, and its hours by these, exactly or in whole seconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from reckon.language.calendar_days import DAY, Clock, clock_of, first_day, last_day

from .records import Run

MOST_DAYS = 3660
# What takes longer than a month has a start and an end; a slip in the unit would else reach back for years.
MOST_OF_A_MOMENT = 31
CHANGED_BY = 3 * 3600
"""The second of a day by which a clock that is changed on it has been."""


def days_of(run: Run | Times) -> range:
    """The days over which a run was charged: from start to end where both are known, else what its one moment says.

    A month or a year means all of its days. A run that held its GPUs for longer than a day is charged from the day of
    its start, or up to that of its end or date, over as many days as that takes. One that says nothing has day 0.
    """
    clocks = clocks_of(run)
    if clocks is None:
        return days_named(run)
    start, end = clocks
    return range(start.day, max(start.day, end.last) + 1)


class Times(NamedTuple):
    """What a run says of its time, as `spread` asks for it; `imported` is whatever says that it was."""

    start: str | None
    end: str | None
    date: str | None
    held_hours: Fraction | None
    imported: object


def spread(run: Run | Times, hours: Fraction) -> Iterable[tuple[range, Fraction]]:
    """Hours of a run by the days over which they were charged, in each of these ranges evenly.

    Where it is known to the minute when it ran, each day has its part of that time: the first, the last, and all
    between. Parts are exact, or where the time is not that for which it held its GPUs, whole seconds of one of these;
    their sum is always all hours.
    """
    clocks = clocks_of(run)
    if clocks is None:
        return ((days_named(run), hours),)
    start, end = clocks
    apart, last = end.instant - start.instant, end.last
    if last <= start.day:
        return ((range(start.day, start.day + 1), hours),)
    begins, ends = _midnights(start, end, last)
    took = run.held_hours
    exact = took is not None and took.numerator * 3600 == apart * took.denominator
    first, final = (_part(hours, part, apart, exact) for part in (begins - start.instant, end.instant - ends))
    edges = ((range(start.day, start.day + 1), first), (range(last, last + 1), final))
    if last == start.day + 1:
        return (edges[0], (edges[1][0], hours - first))
    return (*edges, (range(start.day + 1, last), hours - first - final))


def _part(hours: Fraction, part: int, whole: int, exact: bool) -> Fraction:
    """The hours that go with a part of a time, in seconds. Parts of many odd times would have no common divisor."""
    above, below = hours.numerator * part, hours.denominator * whole
    return Fraction(above, below) if exact else Fraction((7200 * above + below) // (2 * below), 3600)


def _midnights(start: Clock, end: Clock, last: int) -> tuple[int, int]:
    """The instants at which the first day ends and the last one begins, by the clocks of start and end.

    These differ where the clock was changed in between. Clocks are changed early in the morning: of one midnight that
    is both, it was after it, unless the run began before such an hour.
    """
    begins, ends = start.midnight(start.day + 1), end.midnight(last)
    if last == start.day + 1:
        begins = ends = begins if start.second >= CHANGED_BY else ends
    return begins, ends


def clocks_of(run: Run | Times) -> tuple[Clock, Clock] | None:
    """When a run began and ended, where both are known to the minute; the end by how long it took, if that is not
    stated. None where that is longer than one slip in the unit lets any run be."""
    start = clock_of(run.start) if run.start else None
    if start is None:
        return None
    if run.end:
        end = clock_of(run.end)
        found = end if end and (end.ahead is None) == (start.ahead is None) else None
    else:
        found = None if run.date else _after(start, run.held_hours, MOST_DAYS if run.imported else MOST_OF_A_MOMENT)
    if found is None or not 0 < found.instant - start.instant <= MOST_DAYS * DAY or found.day < start.day:
        return None
    return start, found


def _after(start: Clock, hours: Fraction | None, most: int) -> Clock | None:
    """The moment at which a run ended that took so long, by the clock of its start; None for more days than that."""
    if not hours or hours > 24 * most:
        return None
    days, second = divmod(start.second + round(hours * 3600), DAY)
    return Clock(start.day + days, second, start.ahead)


def days_named(run: Run | Times) -> range:
    """The days that are named by a run which does not say at which time of day it began and ended."""
    if run.start and run.end:
        first, last = last_day(run.start), last_day(run.end)
        return range(max(min(first, last), last - MOST_DAYS), last + 1)
    moment = str(run.end or run.date or run.start or "")
    first, last = first_day(moment), last_day(moment)
    if first != last or not moment:
        return range(first, last + 1)
    more = _days_more(run.held_hours)
    return range(first, last + more + 1) if moment == run.start else range(max(first - more, 1), last + 1)


def _days_more(hours: Fraction | None) -> int:
    """How many days beside its own a run takes that has a single moment."""
    if hours is None or hours.numerator <= 24 * hours.denominator:
        return 0
    return min(-(-hours.numerator // (24 * hours.denominator)), MOST_OF_A_MOMENT) - 1


def by_day(spans: Mapping[range, Any]) -> dict[int, Any]:
    """Hours by day, from hours by the days over which they were charged evenly."""
    found: dict[int, Any] = defaultdict(int)
    for days, hours in spans.items():
        share = Fraction(hours, len(days)) if len(days) > 1 else hours
        for day in days:
            found[day] += share
    return dict(found)
