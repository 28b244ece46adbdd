"""Doubt about jobs that run: a later export lacks one, or `ended` of its source says when it ended."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import ceil

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.text import place_of
from reckon.model.finding import Problem
from reckon.model.records.imports import ENDED, FEWER, LAST_SEEN

from . import clock
from .job import RUNNING
from .job_records import StoredJob
from .taking import Taken


def settle(taken: Taken) -> None:
    """Ends the running jobs that `ended` of the source names, and finds those that an export lacks."""
    merged = taken.merged
    jobs = {record.name: record for record in merged.jobs.values()}
    doubts = {name: why for name, why in taken.doubts.items() if name in jobs and why.startswith(FEWER)}
    for name, moment in taken.source.ended.items():
        record = jobs.get(name)
        if record is None or record.status not in (RUNNING, ENDED):
            taken.notes.append(f"`ended` names {name}, which is not a running job of {merged.source}; remove it")
        elif record.status == RUNNING:
            _end(taken, record, moment)
    running = [record for record in merged.jobs.values() if record.status == RUNNING and record.job.start]
    absent = {*_find_absent(taken, running)}
    for record in running:
        reason = f"a later export lacks it; last seen {clock.written(_last_seen(record), merged.zone)}"
        # It is absent until it is seen again.
        if record.name in absent or taken.doubts.get(record.name) == reason:
            doubts[record.name] = reason
    taken.doubts = doubts


def _end(taken: Taken, record: StoredJob, moment: str) -> None:
    """Ends a running job: its hours are those last seen, or those until an earlier moment."""
    job = record.job
    start = job.start or 0
    seconds = job.elapsed
    try:
        if moment != LAST_SEEN:
            seconds = min(seconds, (clock.moment(moment, taken.merged.zone) or 0) - start)
        if seconds < 0:
            raise clock.Unclear("is before the start of its job", "write when it ended, or `last-seen`")
    except clock.Unclear as unclear:
        taken.problems.append(Problem(place_of(moment), f"`ended` {unclear.wrong}", unclear.right))
    if seconds < job.elapsed:
        taken.notes.append(f"{record.name} ran longer than its `ended` in an export; those hours are not counted")
    ended_job = replace(job, end=ceil(start + seconds), elapsed=seconds)
    taken.merged.jobs[record.key] = replace(record, status=ENDED, job=ended_job, closed=True)


def _find_absent(taken: Taken, running: Collection[StoredJob]) -> Iterator[str]:
    """The running jobs that an export lacks, though it goes beyond when they were last seen, and has jobs of their
    account and partition. Slurm lists all jobs that run in the time asked for, a table those that began in it."""
    for rows in group_by(taken.merged.rows if running else (), lambda row: row.file).values():
        first = min(row.job.start or 0 for row in rows) if taken.source.columns_held else 0
        latest = max(map(_last_seen, rows))
        places = {*map(_place_of, rows)}
        keys = {row.key for row in rows}
        for record in running:
            could_hold = first <= _last_seen(record) < latest and _place_of(record) in places
            if could_hold and record.key not in keys:
                yield record.name


def _last_seen(record: StoredJob) -> int:
    """The last moment at which a job is known to have run, in seconds since 1970."""
    return ceil((record.job.start or 0) + record.job.elapsed)


def _place_of(record: StoredJob) -> tuple[str | None, ...]:
    """The account and partition of a job, as far as they are known."""
    return tuple(map(record.job.says.get, ("account", "partition")))
