"""An export taken in: read as jobs, each assigned by the rules of its source, and merged with what is there."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import field
from msgspec.structs import replace

from reckon.language.calendar_days import HOUR
from reckon.language.groups import group_by
from reckon.language.text import Place, some_of
from reckon.model import bounds
from reckon.model.digests import digest_of
from reckon.model.finding import Problem, ProblemList
from reckon.model.ledger import ProjectLedger
from reckon.model.records import ImportSource, Run
from reckon.model.records.imports import ENERGY, FEWER, PARTS
from reckon.model.runs import RunFile

from ..formats import NotRows
from . import bills, clock, codecarbon, focus, meters, pbs, sacct, sacct_json, tables
from . import tally as tallies
from .archive import Archive
from .assignment import Assignment, Rules, Unmatched
from .attempts import reopen
from .decoding import decode
from .job import Job, status_of
from .job_records import StoredJob, adds_of, jobs_of, record_key
from .merging import NO_GPU, Merged
from .reading import NotAnExport, Reading, RowsRead
from .tally import Tally

READERS: Mapping[str, Callable[[str, Reading], Iterator[Job]]] = {
    "sacct": sacct.read,
    "sacct-json": sacct_json.read,
    "pbs": pbs.read,
    "codecarbon": codecarbon.read,
    "focus": focus.read,
}
"""What reads each format of an export; all others are tables."""
ELSEWHERE, READ_BEFORE = "of other projects", "of files read before"
ALL_PARTS = "if its charges are missing, import all files of their periods with one command, without --add-part"
LONG = 4 * 1024 * 1024
"""From how many bytes of a file on it is told how far the reading is."""
Far = Callable[[int, int], None]
"""Is told how much is done, and of how much."""


class Taken(RowsRead):
    """What an import makes of the exports of one source: the jobs, the rows that are no runs, and all that is wrong.

    `filled` says how often a rule under `gpus:` was used; `exports` are the last moment of each file by its checksum,
    `doubts` say why jobs are in doubt, by their names. Of months that are counted together, `archive` has the files of
    jobs; `files` are those to be written, by their paths, `gone` those that nothing names any more, and `out` is how
    many jobs were taken out.
    """

    merged: Merged
    rules: Rules
    archive: Archive = Archive(Path(), "", "")
    problems: ProblemList = field(default_factory=list)
    filled: Counter[str] = field(default_factory=Counter)
    exports: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes | Path] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    out: int = 0
    doubts: dict[str, str] = field(default_factory=dict)

    @property
    def source(self) -> ImportSource:
        """What the ledger says of the source."""
        return self.rules.source

    def strip_words(self, job: Job) -> Job:
        """A job with only those of its words that are kept, and with the whole name of the job that it adds to."""
        source = self.source
        extras = job.extras
        says = {name: job.says[name] for name in source.kept if name in job.says}
        if extras.adds_to:
            cluster_of_job = _as_cluster(job.cluster or source.cluster or "")
            adds_to = f"{cluster_of_job}/{extras.adds_to}" if cluster_of_job and adds_of(source) else ""
            extras = extras._replace(adds_to=adds_to)
        return replace(job, cluster=_own_cluster(job.cluster, self.rules.name, source), says=says, extras=extras)

    def note(self, reading: Reading, checksum: str) -> None:
        """Takes note of what was found in a file with this checksum."""
        self.problems += reading.all_problems()
        self.add_rows(reading)
        self.partitions.discard("")
        if open_rows := [str(fate.line) for fate in reading.left if fate.word == tables.NO_END]:
            lines = f"{'line' if len(open_rows) == 1 else 'lines'} {some_of(open_rows, 5)}"
            self.notes.append(
                f"{reading.file}: {lines}: no end, and not counted; import the file again once there is one"
            )
        if reading.latest is not None:
            self.exports[checksum] = clock.written(reading.latest, self.merged.zone)

    def note_shorter(self, records: Iterable[StoredJob]) -> None:
        """Takes note of jobs that have ended, and have fewer hours in this export than in one before it."""
        for record in records:
            other = self.merged.jobs.get(record.key)
            if other is None or record.job.elapsed >= other.job.elapsed:
                continue
            has_ended = record.rank[0] and other.rank[0]
            if has_ended and 0 < record.gpu_seconds < other.gpu_seconds:
                hours_before, hours_now = (float(state.gpu_seconds / HOUR) for state in (other, record))
                self.doubts[other.name] = f"{FEWER}, {hours_now:,.4g} GPU-h in place of {hours_before:,.4g}"

    def note_renamed(self, records: Sequence[StoredJob], file: str) -> None:
        """Takes note of runs that another name stood for when they were imported: they would be counted twice."""
        read = {record.key for record in records}
        before = {_facts(other.job): other.name for key, other in self.merged.jobs.items() if key not in read}
        for record in records:
            name = before.get(_facts(record.job))
            if name and record.key not in self.merged.jobs and record.job.start is not None:
                told = "has the start, hours and GPUs of"
                self.notes.append(
                    f"{file}: {record.name} {told} {name}, which is not in this file: renamed? Both count"
                )


def _facts(job: Job) -> tuple[object, ...]:
    """What a run has under any name."""
    return job.start, job.elapsed, job.gpus


def begin(project: ProjectLedger, name: str) -> Taken:
    """The state of a source before an import."""
    source = project.imports[name]
    lock = project.locks.get(name)
    stale = lock is not None and lock.rules != digest_of(source)
    runs = [run for run in entries_of(project.written, name) if run.jobs is None]
    jobs = jobs_of(runs, lock.aside if lock else (), source)
    records = (by_own_cluster(job, name, source) for job in jobs)
    merged = Merged.of(name, source, records, stale)
    taken = Taken(merged, Rules(source, name, project.items, project.seeds))
    if lock:
        taken.partitions = {str(name) for name in lock.partitions}
        taken.exports = {str(checksum): str(moment) for checksum, moment in lock.exports.items()}
        taken.doubts = {str(job): str(reason) for job, reason in lock.doubts.items()}
    return taken


def entries_of(files: Iterable[RunFile], source: str) -> list[Run]:
    """The entries of a source in some files."""
    return [run for file in files for run in file.runs if run.imported and run.imported.source == source]


def _as_cluster(name: str) -> str:
    """A name as that of a cluster, which has no slash."""
    return name.replace("/", "-")


def _own_cluster(stated: str, name: str, source: ImportSource) -> str:
    """The cluster of a job's identity. What adds to the jobs of a cluster has ids of its own, which are not theirs."""
    return _as_cluster(name if adds_of(source) else source.cluster or stated or name)


def by_own_cluster(record: StoredJob, name: str, source: ImportSource) -> StoredJob:
    """A job with the identity that it has by what its source says now of its cluster, and of what it counts."""
    cluster = _own_cluster(record.key.cluster, name, source)
    if record.key.cluster == cluster:
        return record
    key = record.key._replace(cluster=cluster)
    job = replace(record.job, cluster=cluster)
    return replace(record, key=key, name=key.text(source), job=job)


def take(taken: Taken, raw: bytes, file: str, far: Far | None = None) -> None:
    """Takes in an export, under the name by which messages call it; of a long one `far` is told how far it is read."""
    source = taken.source
    charges = taken.merged.charges
    reading = Reading(file, source, taken.merged.zone, charges=charges)
    try:
        if len(raw) > bounds.EXPORT:
            raise NotAnExport("the file is larger than 256 MiB", "export fewer days at once")
        jobs = READERS.get(source.format, tables.read)(decode(raw, source.encoding), reading)
        if far and len(raw) >= LONG:
            jobs = _report_progress(jobs, raw.count(b"\n") + 1, far)
        if source.counted == ENERGY:
            jobs = meters.read(jobs, reading)
        records = [record for job in jobs if (record := stored_of(taken, job, reading))]
    except NotRows as error:
        taken.problems.append(Problem(Place(file), error.wrong, error.right))
        return
    checksum = hashlib.sha256(raw).hexdigest()
    if source.format == "focus" and charges.adds and checksum in taken.exports:
        for record in records:
            reading.set_aside(record.job, READ_BEFORE)
        taken.notes.append(f"{file}: it was imported before and is not added again; {ALL_PARTS}")
    elif source.format == "focus":
        bills.add(taken.merged, records)
    else:
        if source.row_kind == PARTS:
            records = [*number_copies(records, source)]
        if checksum not in taken.exports:
            taken.note_shorter(records)
        if reading.by_name:
            taken.note_renamed(records, file)
        for record in records:
            taken.merged.add(record)
    taken.note(reading, checksum)
    settle(taken)
    tell_conflicts(taken)


def number_copies(records: Sequence[StoredJob], source: ImportSource) -> Iterator[StoredJob]:
    """Parts of one export, of which those that nothing tells apart are numbered, the longest first: so each of them is
    held against the same one when it is exported again."""
    for copies in group_by(records, lambda record: record.key).values():
        copies.sort(key=lambda record: (record.rank, record.lines("", None)), reverse=True)
        for ordinal, record in enumerate(copies, 1):
            key = record.key._replace(ordinal=ordinal)
            yield replace(record, key=key, name=key.text(source))


def _report_progress(jobs: Iterator[Job], lines: int, far: Far) -> Iterator[Job]:
    """The jobs of a file of so many lines, which tell by their lines how far it is read."""
    for job in jobs:
        far(job.line, lines)
        yield job


def stored_of(taken: Taken, job: Job, reading: Reading) -> StoredJob | None:
    """A job as it is kept; None where it is not of this project, never held anything, or cannot be assigned."""
    rules = taken.rules
    source = rules.source
    adds = adds_of(source)
    if reason := _why_skipped(rules, job):
        reading.set_aside(job, reason)
        return None
    try:
        assignment = rules.assign(job)
    except Unmatched as unmatched:
        reading.wrong(job.line, unmatched.wrong, unmatched.right)
        return None
    is_preset = source.is_table and source.format != "csv"
    if is_preset and not assignment.portions and not assignment.ignored and not rules.has_none(job):
        reading.wrong(
            job.line,
            "the number of GPUs of this run is missing",
            "write `gpus: {each: {when: {name: '.*'}, if: unstated, count: 1}}`, name a column for `gpus`, or "
            "write `counts: progress`",
        )
        return None
    states_gpus = job.gpus or adds
    if not assignment.portions and (not states_gpus if assignment.ignored else not job.elapsed):
        reading.set_aside(job, NO_GPU)
        return None
    taken.filled.update(assignment.filled)
    job = taken.strip_words(job)
    key = record_key(source, job)
    status = status_of(source, job.state) or ""
    return StoredJob(key, job, status, assignment, key.text(source), adds, file=reading.file)


def _why_skipped(rules: Rules, job: Job) -> str:
    """Why a job is not one that counts for this project, whatever its rules say; empty for one that is."""
    source = rules.source
    adds = adds_of(source)
    if source.cluster and job.cluster and job.cluster != source.cluster:
        return "of other clusters"
    if not rules.is_ours(job):
        return ELSEWHERE
    return f"without {adds}" if adds and not job.extras.states(adds) else ""


def tell_conflicts(taken: Taken) -> None:
    """Says which records of a job count; a problem for each of which nothing says it."""
    merged = taken.merged
    merged.settle_attempts()
    for record, other in sorted(merged.conflicts, key=lambda pair: (pair.record.file, pair.record.job.line)):
        taken.problems.append(_describe_conflict(taken, record, other))
    merged.conflicts = []


def _describe_conflict(taken: Taken, record: StoredJob, other: StoredJob) -> Problem:
    name = taken.rules.name
    if other.job.line > record.job.line and other.file == record.file:
        record, other = other, record
    file = record.file or f"{name}: {record.key.id}"
    place = Place(file, max(record.job.line, 1), 1)
    other_place = f"{other.file}:{other.job.line}" if other.file else "the one in the ledger"
    if record.key.start != other.key.start:
        what = "partly the same time"
    elif record.job.gpus != other.job.gpus:
        what = "the same start and other GPUs"
    elif record.key.start is None:
        what = "no start"
    else:
        what = "the same start and other amounts"
    right = (
        f"set for `{name}`: `rows: parts` if each row counts, `rows: states` if one of them does; or name a column "
        "that differs as `job`"
    )
    if taken.source.row_kind == PARTS:
        right = "name the columns that separate parts, as `key: [COLUMN]`; or import the rows as one file"
    return Problem(
        place, f"this row and {other_place} have the same id and {what}, and it is unclear whether both count", right
    )


def tally(taken: Taken) -> Tally:
    """What became of the rows that were read, all of them. Raises Uncounted where it is not known of each."""
    outcomes = taken.merged.told
    if outcomes is None:
        return tallies.close([*taken.left, *taken.merged.fates()], taken.rows, taken.amounts)
    words = outcomes + taken.skipped + Counter(fate.word for fate in taken.left)
    tallies.check_rows(words, taken.rows)
    return Tally(words, {})


def settle(taken: Taken) -> None:
    """A job that encloses others is not counted beside them, in whatever order and files they come."""
    jobs = taken.merged.jobs
    parents = {record.job.extras.parent for record in jobs.values()} - {""}
    for key, record in list(jobs.items()):
        encloses = key.id in parents
        if encloses != record.made.encloses and not record.made.ignored:
            assignment = Assignment(record.made.rule, encloses=True) if encloses else _assign_again(taken, record)
            if assignment:
                jobs[key] = replace(record, made=assignment)


def _assign_again(taken: Taken, record: StoredJob) -> Assignment | None:
    """What the rules make of a job that is kept; None, with a problem, where it cannot be assigned."""
    try:
        return taken.rules.assign(record.job)
    except Unmatched as unmatched:
        place = Place(f"{taken.rules.name}: {record.name}")
        taken.problems.append(Problem(place, unmatched.wrong, unmatched.right))
        return None


def reapply(taken: Taken) -> None:
    """Applies the rules again to the jobs that are kept; what cannot be assigned becomes a problem."""
    merged = taken.merged
    rules = taken.rules
    source = rules.source
    for key, record in list(merged.jobs.items()):
        if not rules.is_ours(record.job):
            merged.drop(key)
        elif assignment := _assign_again(taken, record):
            status = status_of(source, record.job.state) or record.status
            merged.put(replace(reopen(record), status=status, made=assignment, adds=adds_of(source)))
    if source.format == "focus":
        entries = bills.add_up(merged.jobs.values(), source)
        merged.jobs = {record.key: record for record in entries}
    merged.seen = set(merged.jobs)
    settle(taken)
    merged.settle_attempts()
