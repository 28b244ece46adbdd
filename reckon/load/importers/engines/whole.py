"""Exports of any size taken in by DuckDB, as `taking.take` and `months.settle_months` take in those that memory has
room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reckon.language.calendar_days import DAY, FIRST_OF_1970, first_day, last_day
from reckon.model.ledger import ProjectLedger

from ..archive import Absent, Archive
from ..merging import Merged, Month
from ..months import closed_month, one_by_one, rules_first, told_of
from ..taking import Taken
from .assigning import Jobs
from .duck import Duck, EngineFailed
from .kept import peaks, prepare_kept, write_kept
from .looking import Far
from .opening import open_month
from .settling import fates, left_out, settle, standing_of
from .staging import Staged
from .sums import CountedJobs, count, counted_elsewhere, months_read, number_of, prepare

FORMATS = ("sacct", "sacct-json")
"""What DuckDB reads; the first as text or as a table of Parquet with the same columns."""


class Export(NamedTuple):
    """A file, and the name by which messages call it."""

    path: Path
    name: str


@dataclass(slots=True)
class Whole:
    """What a source comes to: the jobs of its months, and what is made of these; and what became of the rows that were
    read."""

    counted: CountedJobs
    fates: Counter[str]
    jobs: Jobs


def taken_whole(
    duck: Duck,
    taken: Taken,
    exports: Iterable[Export],
    edges: Sequence[int],
    most: int,
    far: Far,
    opened: Callable[[Staged, Collection[str]], None] = lambda staged, months: None,
) -> Whole | None:
    """Takes in exports beside what a ledger has of a source, whose months of more than so many jobs are counted.

    `opened` reads those months of the ledger that were counted before. What else is told of the files comes to `taken`;
    with problems there, it gives nothing. Raises EngineFailed.
    """
    staged, merged = Staged.begun(taken, duck), taken.merged
    for export in exports:
        staged.read(export.path, export.name, far)
    opened(staged, months_read(duck, merged.zone) if merged.months else ())
    if taken.problems:
        return None
    jobs = Jobs.of(staged.assigning)
    settle(duck, jobs, merged.source, merged.zone, merged.stale)
    _keep_attempts(duck, merged, jobs)
    prepare(duck, merged.zone, edges, jobs)
    always = [name for name, month in merged.months.items() if month.opened]
    return Whole(count(duck, merged.zone, edges, jobs, most, always), fates(duck, jobs), jobs)


def _keep_attempts(duck: Duck, merged: Merged, jobs: Jobs) -> None:
    """Keeps the attempts that the engine found with those of the ledger."""
    attempts = merged.attempts
    if attempts is None:
        return
    for state in left_out(duck, jobs):
        attempts.keep(state, merged.after)
    several = sorted({key.job for key in attempts.states}, key=str)
    attempts.settle({stands.key: stands for stands in standing_of(duck, jobs, several)})


def take_whole(
    duck: Duck,
    taken: Taken,
    project: ProjectLedger,
    archive: Archive,
    exports: Iterable[Export],
    edges: Sequence[int],
    far: Far,
) -> None:
    """Takes in exports; then the months are as they are to be written. Raises EngineFailed."""
    merged, source = taken.merged, taken.rules.source
    if source.format not in FORMATS:
        raise EngineFailed(f"DuckDB reads exports of {' and '.join(FORMATS)}; import {source.format} without --engine")
    if why := one_by_one(taken, project, ()):
        raise EngineFailed(f"jobs of {taken.rules.name} are needed one by one, because {why}; import without --engine")
    if merged.stale and merged.months:
        raise EngineFailed(rules_first(taken, archive))

    def opened(staged: Staged, months: Collection[str]) -> None:
        for name, month in sorted(merged.months.items()):
            path, why = None, ""
            try:
                path = archive.found(name, str(month.record.archive or "") if month.record else "")
            except Absent as absent:
                why = str(absent)
            if name not in months:
                if counted_elsewhere(duck, merged.zone, name, path):
                    raise EngineFailed(
                        f"jobs of {taken.rules.name} that may be among those of {name} began in another "
                        "month since: import this export without --engine"
                    )
            elif path is None:
                taken.problems.append(closed_month(taken, archive, name, why))
            else:
                open_month(duck, staged.assigning, source, path)
                month.opened = True

    whole = taken_whole(duck, taken, exports, edges, source.most_lines, far, opened)
    if whole is not None:
        _put(duck, taken, archive, whole)


def _put(duck: Duck, taken: Taken, archive: Archive, whole: Whole) -> None:
    """The months as they are to be written."""
    merged = taken.merged
    before = merged.before
    merged.jobs = {
        job.key: was if (was := before.get(job.key)) is not None and was.same(job) else job
        for job in whole.counted.jobs
    }
    merged.told = whole.fates
    prepare_kept(duck, whole.jobs)
    for name, counts in sorted(whole.counted.months.items()):
        record = merged.months[name].record if name in merged.months else None
        where, span = f"month = {number_of(name)}", _span(name)
        path = duck.folder / f"{name}.parquet"
        checksum = write_kept(duck, where, span, path)
        held = peaks(duck, whole.jobs, where, span)
        merged.months[name] = Month(record, counts=counts, peaks=held, archive=checksum)
        old = str(record.archive or "") if record else ""
        if checksum == old:
            continue
        place = archive.path(name, checksum)
        taken.files[place] = path
        taken.gone |= {archive.path(name, old)} if old else set()
        taken.notes.append(told_of(name, counts, merged.source, place))


def _span(month: str) -> tuple[int, int]:
    """Seconds since 1970 between which a month is, whatever the clock."""
    return (first_day(month) - FIRST_OF_1970 - 2) * DAY, (last_day(month) - FIRST_OF_1970 + 3) * DAY
