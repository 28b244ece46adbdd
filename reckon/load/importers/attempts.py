"""What several records of one job are: attempts one after the other, one within another, or neither.

A job that was put back into the queue keeps its id and often its time of submission; a long one may be exported in
parts. Records that began at the same moment are states of one attempt, of which one stands (`merging`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from .job import RUNNING
from .job_records import StoredJob

PREEMPTED = "preempted"
"""The status of an attempt that still ran when it was last seen, and that a later one ended."""


class Conflict(NamedTuple):
    """Two records of one job of which nothing says whether both count."""

    record: StoredJob
    other: StoredJob


class Standing(NamedTuple):
    """The records of a job that count, in the order of their starts; those within one of them; and conflicts."""

    counted: Sequence[StoredJob]
    within: Sequence[StoredJob]
    conflicts: Sequence[Conflict]


def find_standing(records: Sequence[StoredJob]) -> Standing:
    """What counts of the records of one job, no two of which began at the same moment."""
    originals = [reopen(record) for record in records]
    dated = [record for record in originals if record.key.start is not None]
    undated = next((record for record in originals if record.key.start is None), None)
    if undated is None:
        return _order_records(dated)
    if undated.status == RUNNING:
        standing = _order_records(dated)
        return standing._replace(within=[*standing.within, undated])
    other = next((record for record in dated if record.status != RUNNING), None)
    if other is None or not any(record.ran for record in originals):
        return Standing([undated], dated, [])
    return Standing([undated, *dated], [], [Conflict(undated, other)])


def _order_records(records: list[StoredJob]) -> Standing:
    """Of two records of which one lies within the other the longer counts; one that begins later ends the one before
    that still ran."""
    counted: list[StoredJob] = []
    within = []
    conflicts = []
    for record in sorted(records, key=lambda record: (start_of(record), -end_of(record))):
        before = counted[-1] if counted else None
        if before is None or start_of(record) >= end_of(before):
            counted.append(record)
        elif end_of(record) <= end_of(before):
            within.append(record)
        elif not (record.ran or before.ran):
            counted.append(record)  # no hours are counted of either
        else:
            conflicts.append(Conflict(record, before))
    return Standing([*map(_end, counted[:-1]), *counted[-1:]], within, conflicts)


def start_of(record: StoredJob) -> int:
    """When a record with a known start began, in seconds since 1970."""
    assert record.key.start is not None
    return record.key.start


def end_of(record: StoredJob) -> int:
    """When a record with a known start ended; of one that still ran, when it was last seen."""
    return start_of(record) + int(record.job.elapsed) if record.job.end is None else record.job.end


def _end(record: StoredJob) -> StoredJob:
    if record.status != RUNNING:
        return record
    job = replace(record.job, end=end_of(record))
    return replace(record, status=PREEMPTED, job=job, closed=True)


def reopen(record: StoredJob) -> StoredJob:
    """A record as its source states it, which another attempt may have closed."""
    if not record.closed:
        return record
    return replace(record, status=RUNNING, job=replace(record.job, end=None), closed=False)
