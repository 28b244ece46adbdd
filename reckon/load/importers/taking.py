"""An export taken in: read as jobs, each assigned by the rules of its source, and merged with what is there."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from reckon.language.text import Place
from reckon.model.finding import Problem
from reckon.model.ledger import ProjectLedger
from reckon.model.records.imports import KEPT

from . import clock, sacct, sacct_json, tables
from .assign import MOST_KNOWN, Rules, Unmatched
from .job import Job, status_of
from .merging import Merged, digest_of
from .reading import NotAnExport, Reading
from .stored import JobKey, StoredJob, jobs_of

READERS: Mapping[str, Callable[[str, Reading], Iterator[Job]]] = {
    "sacct": sacct.read,
    "sacct-json": sacct_json.read,
    "csv": tables.read,
}
"""What reads each format of an export."""
NO_GPU, ELSEWHERE = "without a GPU", "of other projects"
MOST_BYTES = 256 * 1024 * 1024


@dataclass(slots=True)
class Taken:
    """What an import makes of the exports of one source: the jobs, what was skipped, and all that is wrong.

    `filled` says how often a rule under `gpus:` was used; `exports` are the last moment of each file by its checksum,
    `partitions` those on which GPUs are.
    """

    merged: Merged
    rules: Rules
    problems: list[Problem] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    exports: dict[str, str] = field(default_factory=dict)
    partitions: set[str] = field(default_factory=set)
    rows: int = 0
    _words: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = field(default_factory=dict)

    def kept(self, job: Job, cluster: str) -> Job:
        """A job with only those of its words that are kept: one map of them for all jobs that say the same."""
        words = tuple((name, job.says[name]) for name in KEPT if name in job.says)
        says = self._words.get(words)
        if says is None:
            if len(self._words) >= MOST_KNOWN:
                self._words.clear()
            says = self._words[words] = dict(words)
        return Job(job.line, job.id, job.state, job.elapsed, job.submit, job.start, job.end, job.gpus, job.nodes,
                   cluster, job.also, says)  # fmt: skip


def begun(project: ProjectLedger, name: str) -> Taken:
    """The state of a source before an import."""
    source = project.imports[name]
    lock = project.locks.get(name)
    runs = (run for file in project.runs for run in file.runs if run.imported and run.imported.source == name)
    zone = clock.zone_of(source.timezone)
    stale = lock is not None and str(lock.rules) != digest_of(source)
    merged = Merged.of(name, zone, jobs_of(runs, lock.aside if lock else (), source), stale)
    seeds = project.project.seeds.names if project.project.seeds else ()
    taken = Taken(merged, Rules(source, name, project.items, seeds))
    taken.partitions = {str(name) for name in lock.partitions} if lock else set()
    taken.exports = {str(checksum): str(last) for checksum, last in lock.exports.items()} if lock else {}
    return taken


def take(taken: Taken, raw: bytes, file: str) -> None:
    """Takes in an export, under the name by which messages call it."""
    source = taken.rules.source
    reading = Reading(file, source, taken.merged.zone)
    try:
        if len(raw) > MOST_BYTES:
            raise NotAnExport("the file is larger than 256 MiB", "export fewer days at once")
        jobs = READERS[str(source.format)](_decoded(raw), reading)
        found = [stored for job in jobs if (stored := _stored(taken, job, reading))]
    except NotAnExport as error:
        taken.problems.append(Problem(Place(file, 1, 1), error.wrong, error.right))
        return
    for stored in found:
        taken.merged.add(stored)
    taken.problems += reading.all_problems()
    taken.skipped.update(reading.skipped)
    taken.partitions |= reading.partitions - {""}
    taken.rows += reading.rows
    if reading.latest is not None:
        taken.exports[hashlib.sha256(raw).hexdigest()] = clock.written(reading.latest, taken.merged.zone)


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotAnExport(f"line {line} is not UTF-8", "export with LC_ALL=C.UTF-8") from None


def _stored(taken: Taken, job: Job, reading: Reading) -> StoredJob | None:
    """A job as it is kept; None where it is not of this project, never held anything, or cannot be assigned."""
    rules, source = taken.rules, taken.rules.source
    cluster = (job.cluster or str(source.cluster or rules.name)).replace("/", "-")
    if source.cluster and job.cluster and job.cluster != str(source.cluster):
        reading.skipped["of other clusters"] += 1
        return None
    if not rules.ours(job):
        reading.skipped[ELSEWHERE] += 1
        return None
    try:
        made = rules.of(job)
    except Unmatched as unmatched:
        reading.wrong(job.line, str(unmatched), unmatched.right)
        return None
    if not made.portions and not (made.ignored and job.gpus):
        reading.skipped[NO_GPU] += 1
        if not job.elapsed or made.ignored:
            return None
    taken.filled.update(made.filled)
    key = JobKey(cluster, job.id, job.submit)
    return StoredJob(key, taken.kept(job, cluster), status_of(source, job.state) or "", made)


def reapply(taken: Taken) -> None:
    """Applies the rules again to the jobs that are kept; what cannot be assigned becomes a problem."""
    merged = taken.merged
    for key, stored in list(merged.jobs.items()):
        status = status_of(taken.rules.source, stored.job.state) or stored.status
        merged.seen.add(key)
        try:
            if taken.rules.ours(stored.job):
                merged.jobs[key] = StoredJob(key, stored.job, status, taken.rules.of(stored.job))
            else:
                del merged.jobs[key]
        except Unmatched as unmatched:
            where = Place(f"{taken.rules.name}: {key}", 1, 1)
            taken.problems.append(Problem(where, str(unmatched), unmatched.right))
