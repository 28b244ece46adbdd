"""Doubt about what exports say: a running job that a later one lacks, a job that has fewer hours in a later one, and
rows of energy that may be of one meter.

Where `ended` of a source says that a running job has ended, its entries have that end, and keep the state of which its
exports tell: what a later one says of it is compared with that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.calendar_days import HOUR, since_1970
from reckon.language.text import place_of
from reckon.model.finding import Problem, ProblemList
from reckon.model.records import ImportLock, ImportSource
from reckon.model.records.imports import ENDED, LAST_SEEN, ONE_METER, OWN_METERS

from ..run_format import scalar
from . import clock
from .job import RUNNING, Job, status_of
from .merging import Merged
from .reading import Reading
from .stored import JobKey, StoredJob, seconds_text, whole

NEAR, ALIKE, MOST_RANKS = 10, 0.05, 64
"""Of rows of one meter: the seconds by which their starts and durations differ at most, the part by which their
energies do, and how many that began at about one time are compared."""


class Export(NamedTuple):
    """The jobs of an export, and the last moment of which it tells."""

    jobs: Mapping[JobKey, StoredJob]
    latest: int


Told = tuple[list[str], ProblemList]
"""What is told, and what is wrong."""


class Doubts(Struct):
    """What is in doubt of the jobs of a source, by their names: `absent` are running jobs that a later export lacks,
    with the moment at which each was last seen, `shorter` the GPU-seconds that do not count of those of which a later
    export had fewer. `exports` are those that were read."""

    absent: Mapping[str, str] = {}
    shorter: dict[str, Fraction] = {}
    exports: list[Export] = []

    def lines(self, running: Iterable[str]) -> Iterator[str]:
        """Its lines in the lock, of which these jobs are running: those of months that are counted together have no
        entry of their own that could be in doubt."""
        absent = [job for job in running if job in self.absent]
        yield from ["  absent:"] if absent else []
        yield from (f"    {scalar(job, True)}: {scalar(self.absent[job], True)}" for job in absent)
        yield from ["  shorter:"] if self.shorter else []
        yield from (f"    {scalar(job, True)}: {seconds_text(whole(own))}" for job, own in sorted(self.shorter.items()))


def begin(lock: ImportLock, merged: Merged) -> Doubts:
    """What was in doubt before an import. What was there before it is as an export: it lacks the jobs that are new, and
    still those that it lacked."""
    latest = max((since_1970(last) or 0 for last in lock.exports.values()), default=0)
    there = merged.before
    if lock.absent:
        there = {key: stored for key, stored in there.items() if str(key) not in lock.absent}
    absent = {str(job): str(seen) for job, seen in lock.absent.items()}
    return Doubts(absent, {str(job): own for job, own in lock.shorter.items()}, [Export(there, latest)])


def reopen(merged: Merged, source: ImportSource) -> None:
    """Has the jobs that `ended` ended as those that run, so that what an export says of them stands."""
    for key, stored in merged.jobs.items():
        if stored.status in (RUNNING, ENDED) and stored.job.end and status_of(source, stored.job.state) == RUNNING:
            merged.jobs[key] = replace(stored, status=RUNNING, job=replace(stored.job, end=None))


def find_shorter(doubts: Doubts, merged: Merged, found: Iterable[StoredJob]) -> None:
    """Takes note of the jobs of which an export has fewer hours than one before it, which is merged."""
    for state in found:
        there = merged.jobs.get(state.key)
        if there is None or RUNNING in (there.status, state.status) or there.job.start != state.job.start:
            continue
        if there.ran and state.job.elapsed < there.job.elapsed:
            other = there if merged.after(state, there) else state
            doubts.shorter[str(state.key)] = other.gpu_seconds


def settle(doubts: Doubts, merged: Merged, source: ImportSource) -> Told:
    """Finds running jobs that an export lacks, and ends those that `ended` names: what is told, and what is wrong."""
    reopen(merged, source)
    if doubts.shorter and not merged.months:
        doubts.shorter = {name: doubts.shorter[name] for name in map(str, merged.jobs) if name in doubts.shorter}
    running = {str(stored.key): stored for stored in merged.jobs.values() if stored.status == RUNNING}
    doubts.absent = dict(_find_absent(doubts, merged, source, running))
    notes: list[str] = []
    problems: ProblemList = []
    for name, said in source.ended.items():
        if name not in running:
            notes.append(f"`ended` names {name}, which is not a running job of {merged.source}: leave it out")
            continue
        stored = running[name]
        try:
            ended = _end(stored, said, merged)
        except clock.Unclear as unclear:
            problems.append(Problem(place_of(said), "`ended` " + unclear.wrong, unclear.right))
            continue
        merged.jobs[stored.key] = ended
        if left := float((stored.gpu_seconds - ended.gpu_seconds) / HOUR):
            notes.append(
                f"{name} ran on after its `ended`, by an export: {left:,.1f} GPU-h more, which are not counted"
            )
    return notes, problems


def _end(stored: StoredJob, said: str, merged: Merged) -> StoredJob:
    """A running job, ended at a moment: its hours are those until then, of those last seen. Raises Unclear."""
    job = stored.job
    end = _last_seen(job) if said == LAST_SEEN else clock.moment(said, merged.zone)
    elapsed = job.elapsed
    if job.start is not None and end is not None:
        if end < job.start:
            raise clock.Unclear("is before the start of its job", "write when it ended, or `last-seen`")
        elapsed = min(elapsed, end - job.start)
    return replace(stored, status=ENDED, job=replace(job, end=end, elapsed=elapsed))


def _last_seen(job: Job) -> int:
    """The last moment at which a job is known to have run; 0 where its start is not known."""
    return 0 if job.start is None else job.start + math.ceil(job.elapsed)


def _find_absent(
    doubts: Doubts, merged: Merged, source: ImportSource, running: Mapping[str, StoredJob]
) -> Iterator[tuple[str, str]]:
    """The running jobs that an export lacks and `ended` does not name, each with when it was last seen."""
    for name, stored in running.items():
        moment = clock.written(_last_seen(stored.job), merged.zone)
        was = doubts.absent.get(name) == moment
        if name not in source.ended and (was or any(_lacks(export, stored, source) for export in doubts.exports)):
            yield name, moment


def _lacks(export: Export, stored: StoredJob, source: ImportSource) -> bool:
    """Whether an export lacks a job that it would have if that ran on: it goes beyond when it was last seen, and has
    others of its account and partition. Slurm lists all jobs that run in the time asked for; a table, those that began
    in it, so that it has to have one which began before."""
    seen = _last_seen(stored.job)
    if not 0 < seen < export.latest or stored.key in export.jobs:
        return False
    slurm = source.format in ("sacct", "sacct-json")
    others = (other.job for other in export.jobs.values())
    return any(_is_beside(other, stored.job) and (slurm or (other.start or seen) <= seen) for other in others)


def _is_beside(one: Job, other: Job) -> bool:
    """Whether two jobs are of one account and partition, as far as is known."""
    pairs = [(one.says.get(word), other.says.get(word)) for word in ("account", "partition")]
    return all(not first or not second or first == second for first, second in pairs)


def read_meters(jobs: Iterable[Job], reading: Reading) -> Iterator[Job]:
    """The jobs of an export of energy. Those that may be of one meter, since each rank of a training wrote it, are a
    problem until `meter` says what they are; of one meter the job counts whose id is the first."""
    every = list(jobs)
    meter = reading.source.meter
    copies = _find_copies(every)
    for job in every:
        if job.id not in copies or meter == OWN_METERS:
            yield job
        elif meter == ONE_METER:
            reading.skipped["of the same meter"] += 1
        else:
            reading.wrong(
                job.line,
                "another run has the same machine, start, duration and energy: ranks of one training may have read "
                "one meter, or several machines their own",
                "write `meter: one` of the source, and one of them counts; or `meter: each`, and all do",
            )


def _find_copies(jobs: Iterable[Job]) -> set[str]:
    """The ids of jobs that measured the same as one with an earlier id, by the last row of each."""
    last = {job.id: job for job in sorted(jobs, key=lambda job: job.elapsed) if job.start}
    ordered = sorted(last.values(), key=_last_seen)
    found = set()
    for at, job in enumerate(ordered):
        near = [other for other in ordered[at + 1 : at + MOST_RANKS] if _is_same(job, other)]
        found |= {max(job.id, other.id) for other in near}
    return found


def _is_same(one: Job, other: Job) -> bool:
    """Whether two jobs measured the same on machines that are alike, as far as is known."""
    if (one.says, one.gpus, one.beside.adds_to) != (other.says, other.gpus, other.beside.adds_to):
        return False
    first, second = (float(job.beside.energy_kwh or 0) for job in (one, other))
    apart = _last_seen(one) - _last_seen(other), one.elapsed - other.elapsed
    return all(-NEAR <= seconds <= NEAR for seconds in apart) and abs(first - second) <= ALIKE * max(first, second)
