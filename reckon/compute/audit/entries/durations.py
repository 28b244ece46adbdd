"""How long a run held its GPUs, beside the time and the plan that there were for it."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from reckon.language.calendar_days import HOUR, first_day, last_day
from reckon.language.quantity import ONE, ZERO
from reckon.model.figure import Figure

from .entry import Around, RunEntry

SLACK, MINUTE = Fraction(101, 100), Fraction(1, 60)
"""Clocks and rounding: one percent and a minute. BLOOM's 118 d 5 h 41 min on 118 days are right."""
DATED = 24
"""Hours by which a run may have begun before the day, month or year that dates its end."""
TWO_DAYS, MONTH = 48, 31 * 24
"""Hours that an entry without start and end seldom has; and hours that it hardly ever has."""
HALF, NINE_TENTHS = Fraction(1, 2), Fraction(9, 10)
"""Of the time from its start to its end a run has a half at least, where its hours are in another unit, and nine tenths
where they are GPU-hours: a few GPUs are a small factor, by which anything could be explained."""
OVER, NEAR = 3, Fraction(3, 2)
"""Of a plan: GPU-hours above three times of it are doubtful where half to one and a half of it is near by."""
BEYOND, TWICE = 10, 2
"""Of a plan: hours above ten times of it are in another unit, if in that they are at most twice of it."""
MINUTES, SECONDS = Fraction(60), Fraction(3600)


class HeldEntry(Struct, frozen=True):
    """The hours of a run on the clock, and what they are held against; 0 where it does not say how long it took.

    `room` are the hours that its own dates leave, or those of its project where it has no start and end; `dated` those
    that a single date leaves; `least` those that lie between its start and its end at least. `charged` are its
    GPU-hours by the clock, and `plan` is what is planned for its piece of work, or for one of the runs (`share`) that
    this takes; `expected` are the GPU-hours that it takes at the most by the estimate of that.
    """

    entry: RunEntry
    around: Around
    hours: Fraction
    room: Fraction | None
    dated: Fraction | None
    least: Fraction
    plan: Figure | None
    share: Fraction = ONE
    expected: Fraction | None = None

    @property
    def gpus(self) -> Fraction:
        """GPUs held; 1 where that is not stated."""
        return self.entry.run.gpus or ONE

    @property
    def charged(self) -> Fraction:
        """GPUs times hours."""
        return self.gpus * self.hours

    @property
    def limit(self) -> Fraction | None:
        """The hours that are certain to be too many if there are more: of its dates, or of its single date."""
        return self.room if self.entry.apart else self.dated

    @property
    def too_long(self) -> bool:
        """Whether it is longer than its own dates leave."""
        limit = self.limit
        return limit is not None and self.hours > limit and self.hours > limit * SLACK + MINUTE

    @property
    def most(self) -> Fraction | None:
        """The high end of the plan, or its value where it has none."""
        return (self.plan.value.high or self.plan.use) if self.plan else None

    @property
    def as_estimated(self) -> bool:
        """Whether it takes no more than its estimate says: divided by anything, it would be farther from that."""
        return self.expected is not None and self.charged <= self.expected

    @property
    def factor(self) -> Fraction | None:
        """Why it is longer than the time from its start to its end: 60, 3600 or its GPUs; None where none explains it.

        Only where that time is known well enough: on one day, any of them would do.
        """
        if not self.entry.apart or not self.least or not self.too_long:
            return None
        shares = {MINUTES: HALF, SECONDS: HALF, **({self.gpus: NINE_TENTHS} if self.gpus > 1 else {})}
        return min(
            (factor for factor, share in shares.items() if self._about(self.hours / factor, share)), default=None
        )

    def _about(self, hours: Fraction, share: Fraction) -> bool:
        """Whether hours are at least such a share of the time from start to end, and no more than it."""
        return self.room is not None and self.least * share <= hours + MINUTE and hours <= self.room * SLACK + MINUTE

    @property
    def timed(self) -> bool:
        """Whether it has a start and an end that tell how long it took."""
        return bool(self.entry.apart) and bool(self.least or not self.too_long)

    @property
    def seldom(self) -> bool:
        """Whether it has no start and end that tell how long it took, and more hours than its dates or two days."""
        return not self.timed and self.hours > (self.dated or (self.room if self.entry.apart else None) or TWO_DAYS)

    @property
    def absurd(self) -> bool:
        """Whether these hours are far beyond the dates of the project, or its plan.

        Where the plan is that of one run of many, few hours may be too many: those that in another unit are near it.
        """
        beyond = self.most is not None and self.charged > BEYOND * self.most
        if self.share > 1 and not self.timed and beyond and any(map(self.near, (MINUTES, SECONDS))):
            return True
        if not self.seldom:
            return False
        beyond_dates = self.room is not None and self.hours > self.room and self.hours > MONTH
        return beyond_dates or beyond

    def near(self, factor: Fraction) -> bool:
        """Whether hours so many times less would be half to twice of its plan."""
        return self.most is not None and self.most * HALF <= self.charged / factor <= self.most * TWICE

    def fits(self, factor: Fraction) -> bool:
        """Whether hours so many times less would suit its dates and its plan."""
        hours = self.hours / factor
        in_time = self.room is None or hours <= self.room * SLACK + MINUTE
        return in_time and (self.most is None or self.gpus * hours <= TWICE * self.most)


def held(entry: RunEntry, around: Around) -> HeldEntry:
    """The hours of a run beside what they are held against."""
    least = Fraction(entry.apart[0], HOUR) if entry.apart else ZERO
    took = entry.run.held_hours or ZERO
    plan = around.plan(entry)
    share = around.share(entry)
    return HeldEntry(
        entry, around, took, _room(entry, around), _dated(entry), least, plan, share, around.expected(entry)
    )


def _room(entry: RunEntry, around: Around) -> Fraction | None:
    """The hours from its start to its end; without these, those that the dates of its project leave."""
    if entry.apart:
        return Fraction(entry.apart[1], HOUR)
    start = entry.run.start or ""
    end = entry.run.end or entry.run.date or ""
    first = max(first_day(start), around.first) if start else around.first
    last = last_day(end) if end else around.last
    if last <= first and not end:
        return None
    return Fraction((max(last - first, 0) + 1) * 24 + DATED)


def _dated(entry: RunEntry) -> Fraction | None:
    """The hours that a single date leaves; None where it has another moment, or none."""
    run = entry.run
    if run.date is None or run.start or run.end:
        return None
    day = run.date
    return Fraction((last_day(day) - first_day(day) + 1) * 24 + DATED)
