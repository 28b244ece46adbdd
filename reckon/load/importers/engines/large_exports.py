"""Exports of any size taken in by DuckDB, as `taking.take` and `months.settle_months` take in those that memory has
room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from reckon.model.ledger import ProjectLedger

from ..archive import Absent
from ..counting import Edges
from ..job_records import UNDATED
from ..merging import Month
from ..months import closed_month, keep_file, one_by_one, rules_first
from ..taking import Far, Taken, tell_conflicts
from . import duplicates, monthly
from .database import Database, EngineFailed
from .intake import Intake
from .job_table import LEDGER, add_jobs, add_month, month_of, read_month

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
    exports: Iterable[Export],
    edges: Edges,
    far: Far,
) -> None:
    """Takes in exports; then the months are as they are to be written. Raises EngineFailed."""
    months = taken.merged.months
    _check_source(taken, project)
    intake = read(database, taken, exports, far)
    _open_months(intake)
    if taken.problems:
        return
    settle(intake, edges, taken.source.most_lines)
    if taken.problems:
        return
    for name, month in sorted(months.items()):
        if month.counts is not None:
            month.peaks = monthly.find_peaks(database, name)
            path = database.folder / name
            written = monthly.write_file(database, name, path)
            keep_file(taken, name, written, path)


def _check_source(taken: Taken, project: ProjectLedger) -> None:
    """Raises EngineFailed for a source of which DuckDB cannot take in exports."""
    format = taken.source.format
    if format not in FORMATS:
        raise EngineFailed(f"DuckDB reads exports of {' and '.join(FORMATS)}; import {format} without --engine")
    if why := one_by_one(taken, project, ()):
        raise EngineFailed(f"jobs of {taken.rules.name} are needed one by one because {why}; import without --engine")
    if taken.merged.stale and taken.merged.months:
        raise EngineFailed(rules_first(taken))


def read(database: Database, taken: Taken, exports: Iterable[Export], far: Far) -> Intake:
    """Reads exports into the table of jobs."""
    intake = Intake(taken, database)
    for export in exports:
        intake.read(export.path, export.name, far)
    return intake


def settle(intake: Intake, edges: Edges, most: int) -> None:
    """Finds what stands of each job, and counts the months that have more than so many jobs."""
    taken = intake.taken
    database = intake.database
    merged = taken.merged
    lines = merged.before
    merged.before = dict(lines)
    outcomes = duplicates.settle(database, merged)
    jobs = monthly.count_by_month(database) + Counter(job.month(merged.zone) for job in merged.jobs.values())
    large = {name for name, many in jobs.items() if many > most and name != UNDATED}
    large |= {name for name, month in merged.months.items() if month.opened}
    for name in sorted(jobs.keys() - large):
        duplicates.hand_over_month(database, merged, name)
    tell_conflicts(taken)
    if taken.problems:
        return
    outcomes += duplicates.count_read(database) + Counter(fate.word for fate in merged.fates())
    moved = {key: job for key, job in merged.jobs.items() if job.month(merged.zone) in large}
    add_jobs(database, moved.values(), LEDGER, taken)
    merged.jobs = {key: job for key, job in merged.jobs.items() if key not in moved}
    merged.before = lines
    merged.told = +outcomes
    for name, counts in monthly.count_months(database, intake.query._replace(edges=edges)).items():
        record = merged.months.get(name, Month()).record
        merged.months[name] = Month(record, counts=counts)


def _open_months(intake: Intake) -> None:
    """Reads the months of the ledger that were counted before and of which an export has jobs. Raises EngineFailed
    where jobs may stand in another one of them."""
    taken = intake.taken
    database = intake.database
    months = taken.merged.months
    touched = database.values("SELECT DISTINCT month FROM jobs") if months else []
    opened: dict[str, Path] = {}
    for name, month in sorted(months.items()):
        path = None
        why = ""
        try:
            find = taken.archive.checked if name in touched else taken.archive.found
            path = find(name, month.old_archive)
        except Absent as absent:
            why = str(absent)
        if name not in touched:
            if _may_have_any(intake, name, path):
                wrong = f"jobs of {taken.rules.name} that may be among the jobs of {name} began in another month since"
                raise EngineFailed(f"{wrong}; import this export without --engine")
        elif path is None:
            taken.problems.append(closed_month(taken, name, why))
        else:
            month.opened = True
            opened[name] = path
    for name, path in opened.items():
        add_month(database, name, path, intake.query)


def _may_have_any(intake: Intake, month: str, path: Path | None) -> bool:
    """Whether any job of the exports is in the file of a month that was counted; without it, whether one may be."""
    database = intake.database
    if path is not None:
        read_month(database, path)
        same = "jobs.id = file.id AND jobs.submit IS NOT DISTINCT FROM file.submit"
        return bool(database.values(f"SELECT 1 FROM jobs JOIN counted_before AS file ON {same} LIMIT 1"))
    jobs = database.table("jobs")
    sent = jobs.mutate(sent_in=month_of(jobs.submit, intake.query))
    found = sent.filter(sent.submit.isnull() | ((sent.sent_in <= month) & (sent.month > month)))
    return bool(database.values(database.text(found.select("month").limit(1))))
