"""More GPUs at one time, or more hours in a month, than a project or a grant can have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from reckon.language.calendar_days import HOUR, clock_time, first_day, has_offset, has_time, iso, last_day, seconds
from reckon.language.quantity import ZERO, add_up
from reckon.language.text import Place
from reckon.language.units import GPU_HOURS, HOURS, key_unit
from reckon.model.day_split import by_day, days_of, spread
from reckon.model.figure import Figure
from reckon.model.finding import Correction, Finding, Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import HeldPeak

from ..common import counted
from .entry import SLACK, Around, RunEntry, bounds_of
from .implausible import MOST_PLACES

CLOCKS = 60
"""Seconds by which a run may begin before another one ends: times are often written to the minute."""


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


class Peak(Struct, frozen=True):
    """The moment at which most GPUs are held, as a second of the calendar, in UTC or not; and how many these are."""

    second: int
    gpus: Fraction
    offset: bool


def shared_by(around: Around, own: Sequence[RunEntry], others: Mapping[str, Sequence[RunEntry]]) -> Iterator[Shared]:
    """The project, and the grants that it draws on, where their capacity is stated; `others` are entries by project."""
    project = around.project
    book = around.book
    capacity = book.find(project, "gpus")
    if capacity is not None and capacity.use:
        yield Shared(f"{project.id}.gpus", project.project.title, capacity, own, [*_counted([project], None)])
    for name, grant in book.ledger.grants_of(project.id).items():
        capacity = book.get(f"allocations.{name}.gpus")
        if capacity is None or not capacity.use:
            continue
        drawn = [entry for other in grant.projects for entry in others.get(other, ())]
        first = first_day(grant.since or "")
        last = last_day(grant.until or "")
        its = [entry for entry in drawn if grant.gpu is None or entry.card == grant.gpu]
        every = [known for other in grant.projects if (known := book.projects.get(other))]
        peaks = [
            peak
            for peak in _counted(every, grant.gpu)
            if first <= first_day(peak.at) and (not last or last_day(peak.at) <= last)
        ]
        yield Shared(f"allocations.{name}.gpus", grant.title, capacity, list(_within(its, first, last)), peaks)


def _counted(projects: Iterable[ProjectLedger], card: str | None) -> Iterator[HeldPeak]:
    """The most GPUs of a card (None: of all) that jobs of some projects held which are counted together."""
    for project in projects:
        months = (month for lock in project.locks.values() for month in lock.counted.values())
        yield from (peak for month in months for peak in month.held if peak.card == card)


def _within(entries: Iterable[RunEntry], first: int, last: int) -> Iterator[RunEntry]:
    """The entries of runs that lie between two days, each 0 where there is none."""
    for entry in entries:
        days = days_of(entry.run)
        if days[0] >= first and (not last or days[-1] <= last):
            yield entry


def more_gpus(shared: Shared) -> Findings:
    """Runs that hold more GPUs than there are: one of them alone, or several at one time."""
    alone = [entry for entry in shared.entries if entry.run.gpus is not None and entry.run.gpus > shared.most]
    if alone:
        largest = max(alone, key=lambda entry: entry.run.gpus or 0)
        told = say(
            "{many} run holds {gpus}" if len(alone) == 1 else "{many} runs hold up to {gpus} each",
            many=counted(len(alone)),
            gpus=_gpus(largest.run.gpus or ZERO),
        )
        beyond = [each for entry in alone for each in _beyond(shared, [entry])]
        yield _more_gpus(shared, told, alone, beyond)
    elif (peak := _peak(shared)) is not None and peak.gpus > shared.most:
        held = [
            entry
            for entry, start, end, offset in _intervals(shared.entries)
            if offset == peak.offset and start <= peak.second < end
        ]
        told = say(
            "at {moment} {many} runs hold {gpus}",
            moment=clock_time(peak.second) + (" UTC" if peak.offset else ""),
            many=counted(len(held)),
            gpus=_gpus(peak.gpus),
        )
        yield _more_gpus(shared, told, held, _beyond(shared, held))
    elif more := [peak for peak in shared.counted if peak.gpus > shared.most]:
        worst = max(more, key=lambda peak: peak.gpus)
        told = say(
            "at {moment} jobs that are counted together hold {gpus}",
            gpus=_gpus(worst.gpus),
            moment=worst.at[:16].replace("T", " "),
        )
        yield _more_gpus(shared, told, [], [], worst.place)


def _gpus(number: Fraction) -> Figure:
    return counted(number, key_unit("gpus"))


def _beyond(shared: Shared, held: Iterable[RunEntry]) -> list[Correction]:
    """What runs that hold GPUs at one time would be charged of those that there are: the first take them first."""
    free = shared.most
    found = []
    for entry in held:
        run = entry.run
        gpus = run.gpus or ZERO
        taken = min(gpus, free)
        free = free - taken
        if taken < gpus:
            found.append(Correction(run.place, run.charged_hours, run.charged_hours * taken / gpus))
    return found


def _more_gpus(
    shared: Shared, told: Sentence, entries: Sequence[RunEntry], beyond: Iterable[Correction], *places: Place
) -> Finding:
    return make_finding(
        "more-than-the-capacity",
        f"{shared.at}#gpus",
        "More GPUs are held than there are",
        told + say("; {title} has {capacity}", title=shared.title, capacity=shared.capacity),
        "GPUs, a time or the capacity is wrong; or a run is there that was elsewhere.",
        "Correct it. GPUs are those of all nodes; where the clock was changed, write times with their offset.",
        (*places, *(entry.run.place for entry in entries[:MOST_PLACES])),
        corrections=tuple(beyond),
    )


def _intervals(entries: Sequence[RunEntry]) -> Iterator[tuple[RunEntry, int, int, bool]]:
    """The entries with GPUs and times, with the seconds at which they begin and end, and whether these are in UTC."""
    for entry in entries:
        found = _interval(entry) if entry.run.gpus else None
        if found is not None:
            begins, ends, offset = found
            yield entry, begins, ends - CLOCKS, offset


def _interval(entry: RunEntry) -> tuple[int, int, bool] | None:
    """When a run begins and ends: by its times, or by one of them and its hours; None where it has no such time."""
    run = entry.run
    took = run.held_hours
    if run.imported and took is not None and entry.apart and entry.apart[1] > took * HOUR + CLOCKS:
        return None  # it was suspended, nobody knows when: another job may have had its GPUs
    if entry.begins is not None:
        return entry.begins, entry.ends, has_offset(str(run.start))
    timed = [moment for moment in (run.start, run.end) if moment and has_time(moment)]
    if len(timed) != 1 or took is None:
        return None
    length = int(took * HOUR)
    begins = seconds(timed[0]) - (0 if timed[0] == run.start else length)
    return begins, begins + length, has_offset(timed[0])


def _peak(shared: Shared) -> Peak | None:
    """The moment at which most GPUs are held, the first of several; a sweep over the times at which that changes.

    Times with an offset and those without do not compare: each kind has a sweep of its own.
    """
    changes: dict[bool, list[tuple[int, int, Fraction]]] = defaultdict(list)
    for entry, begins, ends, offset in _intervals(shared.entries):
        if ends > begins:
            gpus = entry.run.gpus or ZERO
            changes[offset] += [(begins, 1, gpus), (ends, 0, -gpus)]
    found: Peak | None = None
    for offset, moments in sorted(changes.items()):
        held = ZERO
        for second, _, change in sorted(moments, key=lambda moment: moment[:2]):
            held += change
            if found is None or held > found.gpus:
                found = Peak(second, held, offset)
    return found


def more_on_a_day(shared: Shared) -> Findings:
    """Runs that end on one day and held more than there is of it and of the time before, as the longest began then; of
    longer ones than a day only the last day counts."""
    ended: dict[str, list[RunEntry]] = defaultdict(list)
    for entry in shared.entries:
        day = (entry.run.end or entry.run.date or "")[:DAY_LENGTH]
        if entry.run.gpus and entry.run.held_hours and len(day) == DAY_LENGTH and not entry.run.jobs:
            ended[day].append(entry)
    for day, entries in sorted(ended.items()):
        hours = [min(entry.run.held_hours or ZERO, Fraction(24)) for entry in entries]
        held = add_up(took * (entry.run.gpus or ZERO) for took, entry in zip(hours, entries, strict=True))
        room = shared.most * (24 + max(hours))
        if held > room * SLACK:
            told = say(
                "{many} runs that end on {day} held {held}, in {time} there are {room}",
                many=counted(len(entries)),
                day=day,
                held=counted(held, GPU_HOURS),
                time=counted(24 + max(hours), HOURS),
                room=counted(room, GPU_HOURS),
            )
            yield _more_gpus(shared, told, entries, [])


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
    over = {month: charged for month, charged in months.items() if charged > _room(month, shared) * SLACK}
    if over:
        month = max(over, key=lambda name: over[name] / _room(name, shared))
        yield _more_hours(shared, month, over[month], len(over))


def _room(month: str, shared: Shared) -> Fraction:
    return shared.most * 24 * _days(month)


def _days(month: str) -> int:
    return last_day(month) - first_day(month) + 1


def _more_hours(shared: Shared, month: str, charged: Fraction, many: int) -> Finding:
    told = say(
        "in {month} its runs are charged {charged}; {capacity} × 24 h × {days} days are {room}",
        month=month,
        charged=counted(charged, GPU_HOURS),
        capacity=shared.capacity,
        days=counted(_days(month)),
        room=counted(_room(month, shared), GPU_HOURS),
    )
    more = say("; so it is in {many} months", many=counted(many)) if many > 1 else ()
    return make_finding(
        "more-than-the-capacity",
        f"{shared.at}#hours",
        "More hours are charged than a month has",
        told + more,
        "Hours, a date or the capacity is wrong; or runs are there twice.",
        (
            "Correct them, the largest first; a run of many days needs its start and its end, else its hours are "
            "spread over at most 31 days before its date."
        ),
        tuple(entry.run.place for entry in _of_month(shared.entries, month)),
    )


def _of_month(entries: Collection[RunEntry], month: str) -> Sequence[RunEntry]:
    """The runs with most hours of those that were charged in a month, at most as many as are named."""
    first = first_day(month)
    last = last_day(month)
    found = [entry for entry in entries if days_of(entry.run)[0] <= last and days_of(entry.run)[-1] >= first]
    return sorted(found, key=lambda entry: -entry.run.charged_hours)[:MOST_PLACES]
