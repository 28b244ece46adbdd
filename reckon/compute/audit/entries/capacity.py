"""More GPUs at one time, or more hours in a month, than a project or a grant can have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import mul

from msgspec import Struct

from reckon.language.calendar_days import (
    HOUR,
    LAST,
    clock_time,
    first_day,
    has_offset,
    has_time,
    iso,
    last_day,
    seconds,
)
from reckon.language.groups import group_by
from reckon.language.quantity import ZERO, add_up
from reckon.language.text import Place
from reckon.language.units import GPU_HOURS, HOURS
from reckon.model.day_split import by_day, days_of, spread
from reckon.model.figure import Figure
from reckon.model.finding import Correction, Finding, Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import HeldPeak

from ...book import Book
from ..common import counted
from .duplicates import CLOCKS
from .entry import SLACK, RunEntry, bounds_of
from .hours import GPUS
from .implausible import MOST_PLACES

DAY_LENGTH = len("2025-09-03")


class Shared(Struct, frozen=True):
    """What is shared at one time: a project, or a grant; its capacity, and the entries of runs that hold GPUs of it.

    `counted` are the most GPUs that jobs of its which are counted together held at one time, source by source.
    """

    at: str
    title: str
    capacity: Figure
    entries: Sequence[RunEntry]
    counted: Sequence[HeldPeak] = ()

    @property
    def most(self) -> Fraction:
        """The most GPUs that it may have."""
        return bounds_of(self.capacity)[1]

    def doubt(
        self, told: Sentence, entries: Sequence[RunEntry], beyond: Iterable[Correction] = (), *places: Place
    ) -> Finding:
        """That more GPUs of it are held than there are."""
        return make_finding(
            "more-than-the-capacity",
            self.at,
            "",
            told + say("; {title} has {capacity}", title=self.title, capacity=self.capacity),
            places=(*places, *(entry.run.place for entry in entries[:MOST_PLACES])),
            evidence="gpus",
            corrections=tuple(beyond),
        )


def shared_by(
    project: ProjectLedger, book: Book, own: Sequence[RunEntry], others: Mapping[str, Sequence[RunEntry]]
) -> Iterator[Shared]:
    """The project, and the grants that it draws on, where their capacity is stated; `others` are entries by project."""
    capacity = book.find(project, "gpus")
    if capacity and capacity.use:
        yield Shared(f"{project.id}.gpus", project.project.title, capacity, own, [*_counted([project], None)])
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}.gpus"
        capacity = book.get(at)
        if not capacity or not capacity.use:
            continue
        first = first_day(grant.since)
        last = last_day(grant.until) or LAST
        drawn = (entry for other in grant.projects for entry in others[other])
        its = [entry for entry in drawn if grant.gpu in (None, entry.card) and _is_within(entry, first, last)]
        peaks = _counted(map(book.projects.__getitem__, grant.projects), grant.gpu)
        inside = [peak for peak in peaks if first <= first_day(peak.at) and last_day(peak.at) <= last]
        yield Shared(at, grant.title, capacity, its, inside)


def _is_within(entry: RunEntry, first: int, last: int) -> bool:
    days = days_of(entry.run)
    return days[0] >= first and days[-1] <= last


def _counted(projects: Iterable[ProjectLedger], card: str | None) -> Iterator[HeldPeak]:
    """The most GPUs of a card (None: of all) that jobs of some projects held which are counted together."""
    for project in projects:
        months = (month for lock in project.locks.values() for month in lock.counted.values())
        yield from (peak for month in months for peak in month.held if peak.card == card)


def more_gpus(shared: Shared) -> Findings:
    """Runs that hold more GPUs than there are: one of them alone, or several at one time."""
    alone = [entry for entry in shared.entries if (entry.run.gpus or 0) > shared.most]
    peak = None if alone else _peak(shared.entries)
    more = [each for each in shared.counted if each.gpus > shared.most]
    if alone:
        text = "{many} run holds {gpus}" if len(alone) == 1 else "{many} runs hold up to {gpus} each"
        largest = max(entry.run.gpus or ZERO for entry in alone)
        beyond = [each for entry in alone for each in _beyond(shared, [entry])]
        yield shared.doubt(say(text, many=counted(len(alone)), gpus=counted(largest, GPUS)), alone, beyond)
    elif peak and peak[0] > shared.most:
        gpus, second, offset = peak
        times = _intervals(shared.entries)
        held = [entry for entry, begins, ends, own in times if own == offset and begins <= second < ends]
        moment = clock_time(second) + (" UTC" if offset else "")
        text = "at {moment} {many} runs hold {gpus}"
        told = say(text, moment=moment, many=counted(len(held)), gpus=counted(gpus, GPUS))
        yield shared.doubt(told, held, _beyond(shared, held))
    elif more:
        worst = max(more, key=lambda each: each.gpus)
        moment = worst.at[:16].replace("T", " ")
        text = "at {moment} jobs that are counted together hold {gpus}"
        yield shared.doubt(say(text, moment=moment, gpus=counted(worst.gpus, GPUS)), [], [], worst.place)


def _intervals(entries: Iterable[RunEntry]) -> Iterator[tuple[RunEntry, int, int, bool]]:
    """The runs that hold GPUs at known times, with the seconds of the calendar from which to which they do, by their
    times or by one of them and their hours, and whether these are in UTC."""
    for entry in entries:
        run = entry.run
        took = run.held_hours
        timed = [moment for moment in (run.start, run.end) if moment and has_time(moment)]
        # Of an imported run that was suspended nobody knows when: another job may have had its GPUs.
        apart = entry.apart[1] if entry.apart and run.imported else 0
        was_suspended = took is not None and apart > took * HOUR + CLOCKS
        is_known = entry.exact or (len(timed) == 1 and took is not None)
        if run.gpus and is_known and not was_suspended:
            length = int((took or ZERO) * HOUR)
            begins = seconds(timed[0]) - (0 if timed[0] == run.start else length)
            ends = entry.ends if entry.exact else begins + length
            yield entry, begins, ends - CLOCKS, has_offset(timed[0])


def _beyond(shared: Shared, held: Iterable[RunEntry]) -> Iterator[Correction]:
    """What runs that hold GPUs at one time would be charged of those that there are: the first take them first."""
    free = shared.most
    for entry in held:
        run = entry.run
        gpus = run.gpus or ZERO
        taken = min(gpus, free)
        free -= taken
        if taken < gpus:
            yield Correction(run.place, run.charged_hours, run.charged_hours * taken / gpus)


def _peak(entries: Iterable[RunEntry]) -> tuple[Fraction, int, bool] | None:
    """The most GPUs that are held at one time, the first second at which they are, and whether that is in UTC; a sweep
    over the times at which that changes.

    Times with an offset and those without do not compare: each kind has a sweep of its own.
    """
    changes = []
    for entry, begins, ends, offset in _intervals(entries):
        if ends > begins:
            gpus = entry.run.gpus or ZERO
            changes += [(offset, begins, 1, gpus), (offset, ends, 0, -gpus)]
    held = ZERO  # all that is held is given back before the other kind of times begins
    moments = []
    for offset, second, _, change in sorted(changes):
        held += change
        moments.append((held, second, offset))
    return max(moments, key=lambda moment: moment[0], default=None)


def more_on_a_day(shared: Shared) -> Findings:
    """Runs that end on one day and held more than there is of it and of the time before, as the longest began then; of
    longer ones than a day only the last day counts."""
    held = [entry for entry in shared.entries if entry.run.gpus and entry.run.held_hours and not entry.run.jobs]
    by_end = group_by(held, lambda entry: (entry.run.end or entry.run.date or "")[:DAY_LENGTH])
    for day, entries in sorted(by_end.items()):
        hours = [min(entry.run.held_hours or ZERO, Fraction(24)) for entry in entries]
        gpus = [entry.run.gpus or ZERO for entry in entries]
        whole = add_up(map(mul, hours, gpus))
        room = shared.most * (24 + max(hours))
        if len(day) == DAY_LENGTH and whole > room * SLACK:
            told = say(
                "{many} runs that end on {day} held {held}, in {time} there are {room}",
                many=counted(len(entries)),
                day=day,
                held=counted(whole, GPU_HOURS),
                time=counted(24 + max(hours), HOURS),
                room=counted(room, GPU_HOURS),
            )
            yield shared.doubt(told, entries)


def more_hours(shared: Shared) -> Findings:
    """Months of which more hours are charged than its GPUs could be held: all of them, day and night."""
    spans: dict[range, Fraction] = defaultdict(Fraction)
    for entry in shared.entries:
        for days, part in spread(entry.run, entry.run.charged_hours):
            if days[0]:
                spans[days] += part
    months: dict[str, Fraction] = defaultdict(Fraction)
    for day, charged in sorted(by_day(spans).items()):
        months[iso(day)[:7]] += charged
    lengths = {month: last_day(month) - first_day(month) + 1 for month in months}
    rooms = {month: shared.most * 24 * length for month, length in lengths.items()}
    over = [month for month, charged in months.items() if charged > rooms[month] * SLACK]
    if not over:
        return
    month = max(over, key=lambda each: months[each] / rooms[each])
    told = say(
        "in {month} its runs are charged {charged}; {capacity} × 24 h × {days} days are {room}",
        month=month,
        charged=counted(months[month], GPU_HOURS),
        capacity=shared.capacity,
        days=counted(lengths[month]),
        room=counted(rooms[month], GPU_HOURS),
    )
    if len(over) > 1:
        told += say("; so it is in {many} months", many=counted(len(over)))
    its = [entry for entry in shared.entries if _is_in(entry, month)]
    its.sort(key=lambda entry: -entry.run.charged_hours)
    lines = [entry.run.place for entry in its[:MOST_PLACES]]
    yield make_finding("more-than-the-capacity", shared.at, "", told, places=lines, evidence="hours")


def _is_in(entry: RunEntry, month: str) -> bool:
    """Whether a run was charged in a month."""
    days = days_of(entry.run)
    return days[0] <= last_day(month) and days[-1] >= first_day(month)
