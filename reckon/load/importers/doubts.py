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
from .stored import StoredJob
from .taking import Taken


def settle(taken: Taken) -> None:
    """Ends the running jobs that `ended` of the source names, and finds those that an export lacks."""
    merged = taken.merged
    jobs = {stored.name: stored for stored in merged.jobs.values()}
    shorter = [name for name, why in taken.doubts.items() if why.startswith(FEWER)]
    doubts = {name: taken.doubts[name] for name in shorter if name in jobs}
    for name, said in taken.rules.source.ended.items():
        stored = jobs.get(name)
        if stored is None or stored.status not in (RUNNING, ENDED):
            taken.notes.append(f"`ended` names {name}, which is not a running job of {merged.source}: leave it out")
        elif stored.status == RUNNING:
            _end(taken, stored, said)
    running = [stored for stored in merged.jobs.values() if stored.status == RUNNING and stored.job.start]
    lacking = {*_find_absent(taken, running)}
    for stored in running:
        why = f"a later export lacks it; last seen {clock.written(_last_seen(stored), merged.zone)}"
        # It is absent until it is seen again.
        if stored.name in lacking or taken.doubts.get(stored.name) == why:
            doubts[stored.name] = why
    taken.doubts = doubts


def _end(taken: Taken, stored: StoredJob, said: str) -> None:
    """Ends a running job: its hours are those last seen, or those until an earlier moment."""
    job = stored.job
    start = job.start or 0
    held = job.elapsed
    try:
        if said != LAST_SEEN:
            held = min(held, (clock.moment(said, taken.merged.zone) or 0) - start)
        if held < 0:
            raise clock.Unclear("is before the start of its job", "write when it ended, or `last-seen`")
    except clock.Unclear as unclear:
        taken.problems.append(Problem(place_of(said), f"`ended` {unclear.wrong}", unclear.right))
    if held < job.elapsed:
        taken.notes.append(f"{stored.name} ran on after its `ended`, by an export: those hours are not counted")
    ended = replace(job, end=ceil(start + held), elapsed=held)
    taken.merged.jobs[stored.key] = replace(stored, status=ENDED, job=ended, closed=True)


def _find_absent(taken: Taken, running: Collection[StoredJob]) -> Iterator[str]:
    """The running jobs that an export lacks, though it goes beyond when they were last seen, and has jobs of their
    account and partition. Slurm lists all jobs that run in the time asked for, a table those that began in it."""
    for rows in group_by(taken.merged.rows if running else (), lambda row: row.file).values():
        first = min(row.job.start or 0 for row in rows) if taken.rules.source.columns_held else 0
        latest = max(map(_last_seen, rows))
        places = {*map(_place_of, rows)}
        keys = {row.key for row in rows}
        for stored in running:
            covers = first <= _last_seen(stored) < latest and _place_of(stored) in places
            if covers and stored.key not in keys:
                yield stored.name


def _last_seen(stored: StoredJob) -> int:
    """The last moment at which a job is known to have run, in seconds since 1970."""
    return ceil((stored.job.start or 0) + stored.job.elapsed)


def _place_of(stored: StoredJob) -> tuple[str | None, ...]:
    """The account and partition of a job, as far as they are known."""
    return tuple(map(stored.job.says.get, ("account", "partition")))
