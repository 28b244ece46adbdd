"""Months of thousands of jobs: jobs that are alike counted together, an entry for each such row in place of one a job.

A row has the GPU-seconds of its jobs, exactly, between two edges: days on which something begins that figures tell
apart, as a price, a grant or a phase. So each figure is that of the jobs, but where it is told day by day. A job that
goes on beyond an edge is counted where it began; what it held after that is in a row of no jobs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from msgspec import Struct, field

from reckon.language.calendar_days import FIRST_OF_1970, HOUR, iso
from reckon.model.day_split import Times, days_of, spread
from reckon.model.records.imports import NO_GPUS, Gpus

from . import clock
from .assignment import Assignment, Portion, order_portions
from .clock import Moment, Zone
from .job import RUNNING, Exact
from .job_records import UNASSIGNED, JobKey, StoredJob, pairs, seconds_text, whole, why_aside

MOST_NAMES = 20
"""So many names of jobs that no rule fits, of those with the most hours, are told in the rows of a month."""
Edges = Sequence[int]
"""Days on which stretches begin, in their order."""
CLOCKS = 60
"""Seconds by which a job may begin before another one ends."""


class Sort(NamedTuple):
    """What a row says of its jobs beside how much they held: the assignment of each of them but for its portions, and
    of these the item and the card. `stretch` is its number among those between edges. `name` is that of jobs that no
    rule fits. `began` is the first day of the stretch in which they began, where that is an earlier one; `again` if
    another row counts them, since a job that is split has several parts; `empty` if they held nothing."""

    stretch: int
    item: str
    seed: str
    run: str
    unplanned: bool
    card: str
    status: str
    rule: str
    state: str
    name: str
    began: str = ""
    again: bool = False
    empty: bool = False


class AsideSort(NamedTuple):
    """What is said of jobs that are not runs of the project: why, the rule that ignores them, and the partition of
    those that state no GPU."""

    why: str
    rule: str
    partition: str


class Count(Struct):
    """Jobs that are told together: how many, their seconds (of GPUs, or of nodes where these have none), and the days
    from the first to the last on which they ran."""

    jobs: int = 0
    seconds: Exact = 0
    first: int = 0
    last: int = 0

    def add(self, jobs: int, seconds: Exact, first: int = 0, last: int = 0) -> None:
        """Adds jobs."""
        self.jobs += jobs
        self.seconds += seconds
        self.first = min(self.first or first, first)
        self.last = max(self.last, last)


CountsBySort = dict[Sort, Count]


class Held(NamedTuple):
    """What jobs that are alike say of when they ran, in seconds since 1970, None where they do not; and the seconds for
    which each held its GPUs."""

    start: Moment
    end: Moment
    submit: Moment
    elapsed: Exact


class Counts(Struct):
    """The jobs of a source that began in one month, counted: those that ran, and those that are no runs.

    `edges` are the days on which stretches begin, in their order, by the clock of a `zone`.
    """

    edges: Edges
    zone: Zone = None
    ran: CountsBySort = field(default_factory=lambda: defaultdict(Count))
    aside: dict[AsideSort, Count] = field(default_factory=lambda: defaultdict(Count))
    spent: dict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    jobs: int = 0
    running: int = 0

    def stretch(self, day: int) -> int:
        """The number of the stretch that a day lies in."""
        return bisect_right(self.edges, day)

    def add(self, assignment: Assignment, alike: Sort, span: Held, jobs: int) -> None:
        """Adds runs that are `alike`, whenever they ran: what each held is split where it goes on beyond an edge."""
        start, end, submit = (clock.written(moment, self.zone) for moment in span[:3])
        date = "" if start or end else submit[:10]
        times = Times(start, end, date, Fraction(span.elapsed) / HOUR, True)
        days = days_of(times)
        if self.stretch(days[0]) == self.stretch(days[-1]):
            self.add_within(assignment, alike, jobs, span.elapsed * jobs, days)
            return
        self._note(assignment, alike, span.elapsed * jobs, jobs)
        for at, part in enumerate(order_portions(assignment.portions)):
            counts = self._by_stretch(times, part.gpus * span.elapsed)
            # Of a job that was suspended the second before an edge may be none that it held: it is where it held some.
            stretches = {number: count for number, count in counts.items() if count.seconds} or counts
            first = min(counts)
            home = min(stretches)
            for number, count in stretches.items():
                begin_day = iso(self.edges[max(first - 1, 0)]) if number != first else ""
                sort = _sort_of(alike, part, number, at > 0)._replace(began=begin_day)
                self.ran[sort].add(jobs * (number == home), count.seconds * jobs, count.first, count.last)

    def _by_stretch(self, times: Times, seconds: Exact) -> dict[int, Count]:
        """Seconds of GPUs by the number of each stretch in which they were held, of no jobs."""
        counts: dict[int, Count] = defaultdict(Count)
        for days, hours in spread(times, Fraction(seconds) / HOUR):
            a_day = hours * HOUR / len(days)
            for number, first, last in self._cut(days):
                counts[number].add(0, (last - first + 1) * a_day, first, last)
        return counts

    def add_within(self, assignment: Assignment, alike: Sort, jobs: int, seconds: Exact, days: range) -> None:
        """Adds runs that are `alike`, all of which lie within these days between two edges, by the seconds of all:
        those that held nothing apart from others, since a failed one of these lost nothing."""
        self._note(assignment, alike, seconds, jobs)
        for at, part in enumerate(order_portions(assignment.portions)):
            sort = _sort_of(alike, part, self.stretch(days[0]), at > 0)
            self.ran[sort].add(jobs, part.gpus * seconds, days[0], days[-1])

    def set_aside(
        self,
        assignment: Assignment,
        partition: str,
        jobs: int,
        gpu_seconds: Exact,
        node_seconds: Exact,
    ) -> None:
        """Adds jobs that are no runs of the project: of those that state no GPU the seconds of their nodes, of those
        that a rule ignores the seconds of the GPUs that they state."""
        sort = AsideSort(why_aside(assignment), assignment.rule, "")
        seconds = gpu_seconds if assignment.ignored else 0
        if sort.why == NO_GPUS:
            sort = AsideSort(NO_GPUS, "", partition)
            seconds = node_seconds
        self.jobs += jobs
        self.aside[sort].add(jobs, seconds)

    def _note(self, assignment: Assignment, alike: Sort, seconds: Exact, jobs: int) -> None:
        self.jobs += jobs
        self.running += jobs if alike.status == RUNNING else 0
        self.spent[alike.status].add(jobs, assignment.gpus * seconds)

    def _cut(self, days: range) -> Iterator[tuple[int, int, int]]:
        """The parts of some days between edges: the number of the stretch, and the first and last day in it."""
        first = days[0]
        while first <= days[-1]:
            number = self.stretch(first)
            last = days[-1]
            if number < len(self.edges):
                last = min(last, self.edges[number] - 1)
            yield number, first, last
            first = last + 1

    def lines(self, source: str) -> Iterator[str]:
        """The rows, a line each, in their order."""
        rows = [(count.first, count.last, sort, count) for sort, count in _keep_names(self.ran).items()]
        for _, _, sort, count in sorted(rows):
            yield _line(source, sort, count)


def count_jobs(jobs: Iterable[StoredJob], edges: Edges, zone: Zone, without: Collection[JobKey] = ()) -> Counts:
    """Jobs of one month, counted; `without` are those of which a rule says that they had no GPU."""
    counts = Counts(edges, zone)
    for record in jobs:
        job = record.job
        group = {
            "jobs": 1,
            "each": job.elapsed,
            "none": record.key in without,
            "status": record.status,
            "word": job.state,
            "job_name": "" if record.made.rule else job.says.get("name"),
            "partition": job.says.get("partition"),
            "nodes": job.nodes,
            "start": job.start,
            "end": job.end,
            "submitted": record.key.submit,
        }
        count_group(counts, group, record.made, job.gpus)
    return counts


def count_group(counts: Counts, group: Mapping[str, Any], made: Assignment, gpus: Gpus) -> None:
    """Adds jobs that are alike, each of which states some GPUs, to those of the month in which they began.

    Of a single job, of jobs that do not lie between two edges (`stretch` is None) and of those whose seconds are not a
    whole number, `each` has the seconds of one.
    """
    jobs = group["jobs"]
    each = None if group["each"] is None else whole(Fraction(group["each"]))
    seconds = group["seconds"] if each is None else each * jobs
    alike = Sort(
        0,
        "",
        made.seed,
        made.run,
        made.unplanned,
        "",
        group["status"],
        made.rule,
        group["word"],
        group["job_name"] or "",
        empty=not seconds,
    )
    if group["none"]:
        counts.jobs += jobs
    elif not made.portions:
        held = sum(count for _, count in gpus) * seconds
        counts.set_aside(made, group["partition"] or "", jobs, whole(held), whole(seconds * group["nodes"]))
    elif each is None:
        first, last = (group[name] + FIRST_OF_1970 for name in ("first_day", "last_day"))
        counts.add_within(made, alike, jobs, seconds, range(first, last + 1))
    else:
        counts.add(made, alike, Held(group["start"], group["end"], group["submitted"], each), jobs)


class Peak(NamedTuple):
    """The most GPUs of a card (empty: of all) that jobs of a month held at one time, and when that first was."""

    card: str
    gpus: Exact
    at: int


def peaks_of(jobs: Iterable[StoredJob]) -> list[Peak]:
    """The most GPUs that were held at one time: in all, and of each card. What was suspended is left out, since nobody
    knows when; and so is the last minute of each, since times are often written to the minute."""
    changes: dict[str, dict[int, Exact]] = defaultdict(lambda: defaultdict(int))
    for record in jobs:
        job = record.job
        if job.start is None or job.end is None or job.end - job.start > job.elapsed + CLOCKS:
            continue
        for part in record.made.portions if job.end - CLOCKS > job.start else ():
            gpus = whole(part.gpus)
            for card in ("", part.card):
                changes[card][job.start] += gpus
                changes[card][job.end - CLOCKS] -= gpus
    return [_peak_of(card, moments) for card, moments in sorted(changes.items())]


def _peak_of(card: str, changes: dict[int, Exact]) -> Peak:
    gpus: Exact = 0
    peak = Peak(card, 0, 0)
    for moment, change in sorted(changes.items()):
        gpus += change
        peak = Peak(card, gpus, moment) if gpus > peak.gpus else peak
    return peak


def _sort_of(alike: Sort, part: Portion, number: int, again: bool) -> Sort:
    """The row of a part of jobs that are `alike`, in the stretch of this number."""
    item = part.item or UNASSIGNED
    return alike._replace(stretch=number, item=item, card=part.card, again=again)


def _keep_names(sorts: CountsBySort) -> CountsBySort:
    """The rows with the names of those jobs alone that no rule fits and that have the most hours."""
    hours: dict[str, Exact] = defaultdict(int)
    for sort, count in sorts.items():
        hours[sort.name] += count.seconds
    hours.pop("", None)
    names = set(sorted(hours, key=lambda name: (-hours[name], name))[:MOST_NAMES])
    rows: CountsBySort = defaultdict(Count)
    for sort, count in sorts.items():
        row_sort = sort if sort.name in names else sort._replace(name="")
        rows[row_sort].add(count.jobs, count.seconds, count.first, count.last)
    return rows


def _line(source: str, sort: Sort, count: Count) -> str:
    origin = {"source": source, "rule": sort.rule, "state": sort.state, "name": sort.name}
    origin |= {"began": sort.began, "again": "true" if sort.again else ""}
    fields = {"start": iso(count.first), "end": iso(count.last), "item": sort.item, "seed": sort.seed}
    fields["unplanned"] = "true" if sort.unplanned else ""
    fields["unassigned"] = "" if sort.rule else "true"
    fields |= {"run": sort.run, "gpu": sort.card, "gpu_hours": f"{seconds_text(whole(count.seconds))} GPU-s"}
    fields |= {"status": sort.status, "jobs": str(count.jobs)}
    return f"- {{{pairs(fields)}, imported: {{{pairs(origin)}}}}}"
