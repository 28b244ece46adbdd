"""Which months of a source are counted together, and the files of their jobs: opened where jobs matter one by one.

A month is counted once it has more jobs than its source lets stand as lines, and stays so: which exports it came from,
and in which order, then changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

from reckon.language.calendar_days import DAY, FIRST_OF_1970, last_day
from reckon.language.groups import group_by
from reckon.language.text import Place, plural, some_of
from reckon.model.finding import Problem
from reckon.model.ledger import ProjectLedger
from reckon.model.records.imports import HOURS, PARTS

from . import clock, taking
from .archive import LIMIT, Absent, Archive, Written, row_of, write
from .clock import Zone
from .counting import Counts, Edges, count_jobs, peaks_of
from .job import NO_EXTRAS
from .job_records import UNDATED, StoredJob
from .merging import Month, counts_of, order, path_of
from .taking import Taken, by_own_cluster

SHOWN = 12
"""Files that a message names: those of a year."""


def begin(root: Path, project: ProjectLedger, name: str) -> Taken:
    """The state of a source before an import, with its months that are counted together, of which none is opened, and
    their files below a root."""
    taken = taking.begin(project, name)
    taken.archive = Archive(root, project.id, name)
    if lock := project.locks.get(name):
        taken.merged.months = {str(month): Month(record) for month, record in lock.counted.items()}
    return taken


def open_months(taken: Taken, all_months: bool = False) -> None:
    """Reads the jobs of the months of which an export has more, or of all; a problem for each that cannot be read.

    A job that an export has may have been counted in another month, of which an earlier or later export said that it
    began in it: then that month is read too, else it would be counted twice.
    """
    merged = taken.merged
    archive = taken.archive
    wrong = {problem.place.file for problem in taken.problems}
    closed: dict[str, Month] = {}
    for name, month in sorted(merged.months.items()):
        path = path_of(archive.project, archive.source, name)
        if not month.opened and month.counts is None and path not in wrong:
            closed[name] = month
    records = [record for month in closed.values() for record in month.waiting]
    if closed:
        records += [merged.jobs[key] for key in merged.seen if key in merged.jobs]
    for name, month in closed.items():
        try:
            if all_months or month.waiting or _has_any(taken, name, month, records):
                merged.open(month, _read(taken, name, month))
        except Absent as absent:
            since = _why_needed(taken, month, all_months)
            taken.problems.append(closed_month(taken, name, str(absent), since))
    taking.tell_conflicts(taken)


def _why_needed(taken: Taken, month: Month, all_months: bool) -> str:
    """Why the jobs of a month are needed."""
    if taken.merged.stale:
        return f", since the rules of {taken.rules.name} have changed"
    if all_months:
        return ", since rules are applied again"
    return f", since an export has {'more of them' if month.waiting else 'jobs that may be among them'}"


def _has_any(taken: Taken, name: str, month: Month, records: Iterable[StoredJob]) -> bool:
    """Whether any of the jobs of an export is among those of a month that is counted together: none that was submitted
    after it. Raises Absent where that is not known, and one of them may have been counted there."""
    end = (last_day(name) - FIRST_OF_1970 + 2) * DAY
    candidates = [record for record in records if (record.key.submit or 0) < end]
    try:
        jobs = frozenset((record.key.id, record.key.submit) for record in candidates)
        return bool(jobs) and taken.archive.has_any(name, _checksum(month), jobs)
    except Absent:
        if any(_may_belong_to(name, record, taken.merged.zone) for record in candidates):
            raise
        return False


def _may_belong_to(month: str, record: StoredJob, zone: Zone) -> bool:
    """Whether a job may have been counted in a month, as far as it says itself: in one from that in which it was
    submitted to its own. What a scheduler starts again in a later one has another time of submission."""
    submit = record.key.submit
    return submit is None or clock.written(submit, zone)[:7] <= month < record.month(zone)


def open_some(taken: Taken) -> list[str]:
    """Reads the jobs of each month whose file is there; gives back why those of others cannot be read."""
    reasons = []
    for name, month in sorted(taken.merged.months.items()):
        try:
            taken.merged.open(month, _read(taken, name, month))
        except Absent as absent:
            reasons.append(f"{name}: {absent}")
    return reasons


def forgotten(taken: Taken, month: str) -> int:
    """Takes out a month that is counted together, or all of them; gives back how many these are."""
    months = {name: state for name, state in taken.merged.months.items() if month in ("", name)}
    for name, state in months.items():
        del taken.merged.months[name]
        if state.record:
            taken.out += int(state.record.jobs)
            taken.gone |= _files_of(taken, name, state)
    return len(months)


def _files_of(taken: Taken, name: str, month: Month) -> set[str]:
    """The path of the file that a month had before; nothing where it had none."""
    return {taken.archive.path(name, month.old_archive)} if month.old_archive else set()


def _read(taken: Taken, name: str, month: Month) -> list[StoredJob]:
    source = taken.source
    jobs = taken.archive.read(name, _checksum(month), source)
    return [by_own_cluster(record, taken.rules.name, source) for record in jobs]


def _checksum(month: Month) -> str:
    """The checksum of the file of a month. Raises Absent where it has none."""
    if not month.old_archive:
        table = month.record and month.record.table
        place = f"`{table[:80]}`" if table else "a table"
        raise Absent(f"they were counted in {place}, without a file")
    return month.old_archive


def rules_first(taken: Taken) -> str:
    """That rules which have changed are applied before an engine counts, and the files of jobs that this takes."""
    files: list[str] = []
    for name, month in sorted(taken.merged.months.items()):
        files += _files_of(taken, name, month)
    reads = f"; that reads {some_of(files, SHOWN)}" if files else ""
    name = taken.rules.name
    by = f"`budget import {taken.archive.project} --reapply --with {name}`"
    return f"the rules of {name} have changed; apply them first with {by}{reads}"


def closed_month(taken: Taken, name: str, reason: str, since: str = "") -> Problem:
    """The problem that the jobs of a month are not there, which are needed."""
    source = taken.source
    archive = taken.archive
    place = Place(path_of(archive.project, archive.source, name))
    right = f"copy it from {source.archive[:120]}" if source.archive else "restore it from your copy"
    undo = f"`budget import {archive.project} --undo {archive.source} --month {name}`"
    return Problem(
        place,
        f"the jobs of {name} are counted together, but needed one by one{since}: {reason}",
        f"{right}; or remove the month ({undo}), and import all its exports again",
    )


def settle_months(taken: Taken, project: ProjectLedger, edges: Edges, as_it_is: bool = False) -> None:
    """Counts the months that have to be, and packs the files of those whose jobs have changed.

    A month that was counted stays so, but where its jobs are needed one by one now, or where some have left it and the
    rest would never have been counted; and with `as_it_is` it does in any case.
    """
    merged = taken.merged
    source = taken.source
    jobs = defaultdict(list, group_by(merged.jobs.values(), lambda record: record.month(merged.zone)))
    large = {name for name, records in jobs.items() if len(records) > source.most_lines and name != UNDATED}
    for name in [] if as_it_is else [name for name, month in merged.months.items() if month.record and month.opened]:
        # Which exports a source came from, and in which order, changes nothing: it may never have been a large one.
        if one_by_one(taken, project, jobs[name]) or (name not in large and merged.has_lost(name)):
            taken.gone |= _files_of(taken, name, merged.months.pop(name))
    for name in sorted(large - merged.months.keys()):
        if reason := one_by_one(taken, project, jobs[name]):
            taken.notes.append(f"{name}: {plural(len(jobs[name]), 'job')} stay separate entries because {reason}")
        else:
            merged.months[name] = Month(opened=True)
    for name, month in sorted(merged.months.items()):
        if month.opened:
            _count_month(taken, edges, name, sorted(jobs[name], key=order))


def _count_month(taken: Taken, edges: Edges, name: str, jobs: Sequence[StoredJob]) -> None:
    """Counts a month."""
    merged = taken.merged
    month = merged.months[name]
    without = {record.key for record in jobs if record.held_none and taken.rules.has_none(record.job)}
    month.counts = count_jobs(jobs, edges, merged.zone, without)
    month.peaks = peaks_of(jobs)
    lines = BytesIO()
    file = write(map(row_of, jobs), lines)
    keep_file(taken, name, file, lines.getvalue())


def keep_file(taken: Taken, name: str, file: Written, content: bytes | Path) -> None:
    """Takes note of what was written as the file of a month, and of the one before that goes; nothing where both have
    the same jobs. A problem where it is too large to be read again."""
    month = taken.merged.months[name]
    month.archive = file.checksum
    if month.old_archive == file.checksum:
        return
    path = taken.archive.path(name, month.archive)
    if file.too_large:
        wrong = f"the jobs of {name} take more than {LIMIT} as lines, the limit"
        taken.problems.append(Problem(taken.source.place, wrong, "split the source in two with `only:`"))
    taken.files[path] = content
    taken.gone |= _files_of(taken, name, month)
    taken.notes.append(told_of(name, counts_of(month), taken.merged.source, f"; {path} lists them"))


def told_of(month: str, counts: Counts, source: str, addition: str) -> str:
    """What is told of a month that was counted, and the `addition` to it."""
    entries = plural(len([*counts.lines(source)]), "entry", "entries")
    return f"{month}: {plural(counts.jobs, 'job')} counted together in {entries}{addition}"


def one_by_one(taken: Taken, project: ProjectLedger, jobs: Sequence[StoredJob]) -> str:
    """Why the jobs of a month cannot be counted together; empty where they can."""
    source = taken.source
    name = taken.rules.name
    if source.counted != HOURS or source.finishes != "never":
        return f"`finishes: {source.finishes}` of {name} needs the outcome of each job"
    cluster = source.cluster or name
    for id, other in project.imports.items():
        if id != name and other.counted != HOURS and other.cluster == cluster:
            return f"`{id}` adds to jobs of {name} by their ids"
    if source.row_kind == PARTS:
        return f"`rows: {PARTS}` of {name} separates them"
    if any(record.job.extras != NO_EXTRAS for record in jobs):
        return "they state more than hours"
    return ""
