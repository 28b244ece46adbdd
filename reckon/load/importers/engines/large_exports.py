"""Exports of any size taken in by DuckDB, as `taking.take` and `months.settle_months` take in those that memory has
room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from reckon.model.ledger import ProjectLedger

from ..archive import Absent, Archive
from ..merging import Month
from ..months import closed_month, keep_file, one_by_one, rules_first
from ..stored import UNDATED
from ..taking import Taken, tell_conflicts
from . import duplicates, job_table, monthly
from .database import Database, EngineFailed
from .intake import Intake
from .job_table import JOBS, LEDGER
from .looking import Far

FORMATS = ("sacct", "sacct-json")
"""What DuckDB reads; the first as text or as a table of Parquet with the same columns."""


class Export(NamedTuple):
    """A file, and the name by which messages call it."""

    path: Path
    name: str


def take(
    database: Database,
    taken: Taken,
    project: ProjectLedger,
    archive: Archive,
    exports: Iterable[Export],
    edges: Sequence[int],
    far: Far,
) -> None:
    """Takes in exports; then the months are as they are to be written. Raises EngineFailed."""
    merged = taken.merged
    source = taken.rules.source
    if source.format not in FORMATS:
        raise EngineFailed(f"DuckDB reads exports of {' and '.join(FORMATS)}; import {source.format} without --engine")
    if why := one_by_one(taken, project, ()):
        raise EngineFailed(f"jobs of {taken.rules.name} are needed one by one, because {why}; import without --engine")
    if merged.stale and merged.months:
        raise EngineFailed(rules_first(taken, archive))
    intake = read(database, taken, exports, far)
    _open_months(intake, archive)
    if taken.problems:
        return
    settle(intake, edges, source.most_lines)
    if taken.problems:
        return
    for name in sorted(merged.months):
        if merged.months[name].counts is not None:
            _write(database, taken, archive, name)


def read(database: Database, taken: Taken, exports: Iterable[Export], far: Far) -> Intake:
    """Reads exports into the table of jobs."""
    intake = Intake(taken, database)
    for export in exports:
        intake.read(export.path, export.name, far)
    return intake


def settle(intake: Intake, edges: Sequence[int], most: int) -> None:
    """Finds what stands of each job, and counts the months that have more than so many jobs."""
    taken = intake.taken
    database = intake.database
    merged = taken.merged
    source = taken.rules.source
    lines = merged.before
    merged.before = dict(lines)
    told = duplicates.settle(database, merged, source)
    many = monthly.many_by_month(database) + Counter(job.month(merged.zone) for job in merged.jobs.values())
    large = {name for name, jobs in many.items() if jobs > most and name != UNDATED}
    large |= {name for name, month in merged.months.items() if month.opened}
    duplicates.hand_over_months(database, merged, source, sorted(many.keys() - large))
    tell_conflicts(taken)
    if taken.problems:
        return
    told += duplicates.read_jobs(database) + Counter(fate.word for fate in merged.fates())
    moved = [job for job in merged.jobs.values() if job.month(merged.zone) in large]
    job_table.add(database, intake.kinds, moved, LEDGER, taken.rules, merged.zone)
    merged.jobs = {key: job for key, job in merged.jobs.items() if job.month(merged.zone) not in large}
    merged.before = lines
    merged.told = +told
    asked = intake.asked._replace(edges=edges)
    for name, counts in monthly.counted(database, asked, edges).items():
        record = merged.months[name].record if name in merged.months else None
        merged.months[name] = Month(record, counts=counts)


def _open_months(intake: Intake, archive: Archive) -> None:
    """Reads the months of the ledger that were counted before and of which an export has jobs. Raises EngineFailed
    where jobs may stand in another one of them."""
    taken = intake.taken
    database = intake.database
    months = taken.merged.months
    jobs = database.table(JOBS)
    there = set(database.values(jobs.select("month").distinct())) if months else set()
    opened: dict[str, Path] = {}
    for name, month in sorted(months.items()):
        path, why = None, ""
        try:
            find = archive.checked if name in there else archive.found
            path = find(name, str(month.record.archive or "") if month.record else "")
        except Absent as absent:
            why = str(absent)
        if name not in there:
            if _counted_elsewhere(intake, name, path):
                wrong = f"jobs of {taken.rules.name} that may be among those of {name} began in another month since"
                raise EngineFailed(f"{wrong}: import this export without --engine")
        elif path is None:
            taken.problems.append(closed_month(taken, archive, name, why))
        else:
            month.opened = True
            opened[name] = path
    for name, path in opened.items():
        job_table.add_month(database, intake.kinds, name, path, intake.asked)


def _counted_elsewhere(intake: Intake, month: str, path: Path | None) -> bool:
    """Whether any job of the exports is in the file of a month that was counted; without it, whether one may be."""
    database = intake.database
    jobs = database.table(JOBS)
    if path is None:
        sent = jobs.select("month", began=jobs.submit, ended=jobs.submit, submit=jobs.submit)
        sent = sent.mutate(sent_in=job_table.month_of(sent, intake.asked))
        found = sent.filter(sent.submit.isnull() | ((sent.sent_in <= month) & (sent.month > month)))
    else:
        file = job_table.jobs_in(database, path)
        same_time = jobs.submit.fill_null(-1) == file.submit.fill_null(-1)
        found = jobs.semi_join(file, [jobs.id == file.id, same_time])
    return any(True for _ in database.rows(found.select("month").limit(1)))


def _write(database: Database, taken: Taken, archive: Archive, name: str) -> None:
    """The file of the jobs of a month that was counted, as it is to be written; and what the lock says of it."""
    month = taken.merged.months[name]
    assert month.counts is not None
    month.peaks = monthly.peaks(database, name)
    path = database.folder / name
    keep_file(taken, archive, name, month.counts, monthly.write_file(database, name, path), path)
