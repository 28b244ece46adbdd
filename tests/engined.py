"""Exports read by DuckDB and by the plain reader, side by side."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from reckon.language.calendar_days import first_day
from reckon.load.importers import taking
from reckon.load.importers.counting import Counts, count_jobs
from reckon.load.importers.engines import large_exports
from reckon.load.importers.engines.database import Database
from reckon.load.importers.engines.large_exports import Export
from reckon.load.importers.job_records import StoredJob
from reckon.load.importers.taking import Taken
from tests.exported import begun, told

EDGES = [first_day(day) for day in ("2025-02-20", "2025-03-30", "2025-04-01")]


def plain(source: str, *found: bytes, before: list[StoredJob] | None = None) -> Taken:
    taken = begun(source, before or ())
    for number, raw in enumerate(found):
        taking.take(taken, raw, f"{number}.txt")
    return taken


def by_engine(source: str, *found: bytes, most: int = 0, before: list[StoredJob] | None = None) -> Taken:
    """What is made of exports where months of more than so many jobs are counted; with problems, nothing is."""
    taken = begun(source, before or ())
    with tempfile.TemporaryDirectory() as folder, Database() as database:
        files = [Export(Path(folder) / f"{number}.txt", f"{number}.txt") for number in range(len(found))]
        for file, raw in zip(files, found, strict=True):
            file.path.write_bytes(raw)
        intake = large_exports.read(database, taken, files, lambda done, whole: None)
        if not taken.problems:
            large_exports.settle(intake, EDGES, most)
    return taken


def months(taken: Taken) -> dict[str, Counts]:
    """The jobs of the plain reader by month, counted."""
    jobs = defaultdict(list)
    for stored in taken.merged.jobs.values():
        jobs[stored.month(taken.merged.zone)].append(stored)
    held_none = [stored for stored in taken.merged.jobs.values() if stored.held_none]
    none = {stored.key for stored in held_none if taken.rules.has_none(stored.job)}
    return {month: count_jobs(some, EDGES, taken.merged.zone, none) for month, some in jobs.items()}


def sums(counts: Counts) -> tuple[Any, ...]:
    """All that counts say, whatever way it was found."""
    ran = {sort: (count.jobs, count.seconds, count.first, count.last) for sort, count in counts.ran.items()}
    others = (counts.aside, counts.spent)
    return (
        counts.jobs,
        counts.running,
        ran,
        *({key: (count.jobs, count.seconds) for key, count in each.items()} for each in others),
    )


def written(taken: Taken, jobs: list[StoredJob]) -> list[tuple[str, ...]]:
    return sorted(stored.lines(taken.merged.source, taken.merged.zone) for stored in jobs)


def skipped_of(taken: Taken) -> Counter[str]:
    return +(taken.skipped + Counter(fate.word for fate in taken.left))


def alike(wanted: Taken, taken: Taken) -> None:
    """What is told of the files is the same."""
    assert told(taken) == told(wanted)
    assert (taken.rows, taken.partitions, taken.exports) == (wanted.rows, wanted.partitions, wanted.exports)
    assert skipped_of(taken) == skipped_of(wanted)
    assert +taken.filled == +wanted.filled


def held_against_plain(source: str, found: list[bytes], before: list[StoredJob] | None = None) -> None:
    wanted = plain(source, *found, before=before)
    taken = by_engine(source, *found, before=before)
    if any(problem.right.startswith("say it of") for problem in wanted.problems):
        # Which of two lines is told depends on their order, which an engine does not keep.
        assert taken.problems
        return
    alike(wanted, taken)
    assert (taken.merged.told is None) == bool(wanted.problems)
    if wanted.problems:
        return
    counts = {month: each.counts for month, each in taken.merged.months.items()}
    assert {month: sums(each) for month, each in counts.items() if each is not None} == {
        month: sums(each)
        for month, each in months(wanted).items()
        if month != "undated"  # its jobs stay lines
    }
    assert +taking.tally(taken).rows == +taking.tally(wanted).rows
    few = by_engine(source, *found, most=10**6, before=before)
    assert written(few, list(few.merged.jobs.values())) == written(wanted, list(wanted.merged.jobs.values()))
