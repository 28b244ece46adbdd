"""An export taken in: read as jobs, each assigned by the rules of its source, and merged with what is there."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from reckon.language.text import Place, plural
from reckon.model.digests import digest_of
from reckon.model.finding import Problem, ProblemList
from reckon.model.ledger import ProjectLedger
from reckon.model.records import ImportSource, JobAside
from reckon.model.records.imports import ENERGY, HOURS

from ..formats import NotRows
from . import attempts, bills, clock, codecarbon, doubts, focus, sacct, sacct_json, tables
from .assign import MOST_KNOWN, Assignment, Rules, Unmatched
from .attempts import AttemptKey, Attempts
from .doubts import Doubts, Export
from .job import Job, status_of
from .merging import NO_GPU, Merged
from .reading import NotAnExport, Reading
from .stored import JobKey, StoredJob, adds_of, attempts_of, jobs_of
from .trackers import PRESETS

READERS: Mapping[str, Callable[[str, Reading], Iterator[Job]]] = {
    "sacct": sacct.read,
    "sacct-json": sacct_json.read,
    "csv": tables.read,
    "wandb": tables.read,
    "mlflow": tables.read,
    "codecarbon": codecarbon.read,
    "focus": focus.read,
}
"""What reads each format of an export."""
ELSEWHERE = "of other projects"
REQUEUED = ("sacct", "sacct-json")
"""Formats of Slurm, which writes several attempts of a job that share its id and time of submission."""
MOST_BYTES, LONG = 256 * 1024 * 1024, 4 * 1024 * 1024
"""Of a file: how many bytes are read, and from how many on it is told how far the reading is."""
Far = Callable[[int, int], None]
"""Is told how much is done, and of how much."""


class Taken(Struct):
    """What an import makes of the exports of one source: the jobs, what was skipped, and all that is wrong.

    `filled` says how often a rule under `gpus:` was used; `exports` are the last moment of each file by its checksum,
    `partitions` those on which GPUs are, `notes` what else is told of the files. Of months that are counted together,
    `files` are files of jobs to be written, by their paths, `gone` those that nothing names any more, and `out` is how
    many jobs were taken out.
    """

    merged: Merged
    rules: Rules
    problems: ProblemList = []
    skipped: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    exports: dict[str, str] = {}
    partitions: set[str] = set()
    rows: int = 0
    notes: list[str] = []
    files: dict[str, bytes | Path] = {}
    gone: set[str] = set()
    out: int = 0
    doubts: Doubts = field(default_factory=Doubts)
    _words: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}

    def kept(self, job: Job, cluster: str) -> Job:
        """A job with only those of its words that are kept, one map of them for all jobs that say the same; and with
        the whole name of the job that it adds to."""
        source = self.rules.source
        beside = job.beside
        words = tuple((name, job.says[name]) for name in source.kept if name in job.says)
        says = self._words.get(words)
        if says is None:
            if len(self._words) >= MOST_KNOWN:
                self._words.clear()
            says = self._words[words] = dict(words)
        if beside.adds_to:
            there = (job.cluster or str(source.cluster or "")).replace("/", "-")
            beside = beside._replace(adds_to=f"{there}/{beside.adds_to}" if there and adds_of(source) else "")
        return replace(job, cluster=cluster, says=says, beside=beside)

    def note(self, reading: Reading, checksum: str) -> None:
        """Takes note of what was found in a file with this checksum."""
        self.problems += reading.all_problems()
        self.skipped.update(reading.skipped)
        self.partitions |= reading.partitions - {""}
        self.rows += reading.rows
        self.notes += reading.notes
        if reading.latest is not None:
            self.exports[checksum] = clock.written(reading.latest, self.merged.zone)


def begun(project: ProjectLedger, name: str) -> Taken:
    """The state of a source before an import."""
    source = project.imports[name]
    lock = project.locks.get(name)
    runs = (
        run
        for file in project.written
        for run in file.runs
        if run.imported and run.imported.source == name and run.jobs is None
    )
    zone = clock.zone_of(source.zone)
    stale = lock is not None and str(lock.rules) != digest_of(source)
    stored = (by_own_cluster(job, name, source) for job in jobs_of(runs, lock.aside if lock else (), source))
    merged = Merged.of(name, zone, stored, stale)
    taken = Taken(merged, Rules(source, name, project.items, project.seeds))
    if source.format in REQUEUED:
        merged.attempts = kept_attempts(taken, lock.aside if lock else ())
    taken.partitions = {str(name) for name in lock.partitions} if lock else set()
    if lock:
        taken.exports = {str(checksum): str(last) for checksum, last in lock.exports.items()}
        taken.doubts = doubts.begin(lock, merged)
    return taken


def kept_attempts(taken: Taken, asides: Iterable[JobAside]) -> Attempts:
    """The attempts that a lock keeps, with what the rules make of them; as the lock says it where these have changed,
    or ask for what is not kept."""
    name = taken.rules.name
    source = taken.rules.source
    found = Attempts()
    for stored, apart in attempts_of(asides, source):
        state = by_own_cluster(stored, name, source)
        if not taken.merged.stale and not source.forgetful:
            state = _made_again(taken, state)
        key = AttemptKey(state.key, state.job.start or 0)
        found.states[key] = state
        found.counted_apart |= {key} if apart else set()
    return found


def by_own_cluster(stored: StoredJob, name: str, source: ImportSource) -> StoredJob:
    """A job with the identity that it has by what its source says now of its cluster, and of what it counts."""
    own = (name if adds_of(source) else str(source.cluster or stored.key.cluster)).replace("/", "-")
    if stored.key.cluster == own:
        return stored
    return replace(stored, key=stored.key._replace(cluster=own), job=replace(stored.job, cluster=own))


def take(taken: Taken, raw: bytes, file: str, far: Far | None = None) -> None:
    """Takes in an export, under the name by which messages call it; of a long one `far` is told how far it is read."""
    source = taken.rules.source
    reading = Reading(file, source, taken.merged.zone)
    checksum = hashlib.sha256(raw).hexdigest()
    try:
        if len(raw) > MOST_BYTES:
            raise NotAnExport("the file is larger than 256 MiB", "export fewer days at once")
        jobs = READERS[str(source.format)](_decoded(raw), reading)
        jobs = _followed(jobs, raw.count(b"\n") + 1, far) if far and len(raw) >= LONG else jobs
        jobs = doubts.read_meters(jobs, reading) if source.counted == ENERGY else jobs
        found = [stored for job in jobs if (stored := stored_of(taken, job, reading))]
    except NotRows as error:
        taken.problems.append(Problem(Place(file, 1, 1), error.wrong, error.right))
        return
    if source.format == "focus":
        taken.notes += bills.add(taken.merged, found)
    else:
        if taken.merged.attempts is None:
            tell_apart(found, taken.merged, reading)
        if source.counted == HOURS:
            if checksum not in taken.exports:
                doubts.find_shorter(taken.doubts, taken.merged, found)
            taken.doubts.exports.append(Export({stored.key: stored for stored in found}, reading.latest or 0))
        for stored in found:
            taken.merged.add(stored)
    taken.note(reading, checksum)
    settle(taken)


def _followed(jobs: Iterator[Job], lines: int, far: Far) -> Iterator[Job]:
    """The jobs of a file of so many lines, which tell by their lines how far it is read."""
    for job in jobs:
        far(job.line, lines)
        yield job


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotAnExport(f"line {line} is not UTF-8", "export with LC_ALL=C.UTF-8") from None


def stored_of(taken: Taken, job: Job, reading: Reading) -> StoredJob | None:
    """A job as it is kept; None where it is not of this project, never held anything, or cannot be assigned."""
    rules = taken.rules
    source = rules.source
    cluster = _cluster(job, taken)
    if source.cluster and job.cluster and job.cluster != str(source.cluster):
        reading.skipped["of other clusters"] += 1
        return None
    if not rules.ours(job):
        reading.skipped[ELSEWHERE] += 1
        return None
    adds = adds_of(source)
    if adds and not job.beside.states(adds):
        reading.skipped[f"without {adds}"] += 1
        return None
    try:
        made = rules.of(job)
    except Unmatched as unmatched:
        reading.wrong(job.line, unmatched.wrong, unmatched.right)
        return None
    if source.format in PRESETS and not made.portions and not made.ignored and not rules.has_none(job):
        reading.wrong(
            job.line,
            "nothing says how many GPUs this run held",
            "say it under `gpus:`, name a column that holds `gpus`, or write `counts: progress`",
        )
        return None
    states_gpus = job.gpus or adds
    if not made.portions and (not states_gpus if made.ignored else not job.elapsed):
        reading.skipped[NO_GPU] += 1
        return None
    taken.filled.update(made.filled)
    key = JobKey(cluster, job.id, job.submit)
    return StoredJob(key, taken.kept(job, cluster), status_of(source, job.state) or "", made, adds)


UNIQUE = "name a column with `job` that differs in each row; if rows are periods of one id, their start with `submit`"


def tell_apart(found: Sequence[StoredJob], merged: Merged, reading: Reading) -> None:
    """Refuses rows of one id in a table that are no states of one job, since one of them would be lost."""
    rows = attempts.Rows()
    for stored in found:
        rows.add(stored, merged.after)
    for state, stands in sorted(rows.apart(), key=lambda pair: pair[0].job.line):
        other = f"{reading.file}:{stands.job.line}"
        reading.wrong(
            state.job.line,
            f"this row has the same id as {other}, and their times do not meet: only one of them would be counted",
            UNIQUE,
        )


def _cluster(job: Job, taken: Taken) -> str:
    """The cluster of a job's identity. What adds to the jobs of a cluster has ids of its own, which are not theirs."""
    source = taken.rules.source
    named = job.cluster or str(source.cluster or taken.rules.name)
    return (named if source.counted == HOURS else taken.rules.name).replace("/", "-")


def tally(taken: Taken) -> Counter[str]:
    """What became of the rows that were read, all of them. Raises Uncounted where it is not known of each."""
    fates = taken.merged.fates()
    counted = sum(fates.values()) + sum(taken.skipped.values())
    if taken.rows != counted:
        raise Uncounted(f"{plural(taken.rows, 'row')} were read, and {counted:,} are accounted for")
    return +fates


class Uncounted(Exception):
    """What became of the rows of an export does not add up: the program makes a mistake."""


def settle(taken: Taken) -> None:
    """A job that encloses others is not counted beside them, in whatever order and files they come."""
    jobs = taken.merged.jobs
    parents = {stored.job.beside.parent for stored in jobs.values()} - {""}
    for key, stored in list(jobs.items()):
        if (key.id in parents) != stored.made.encloses and (parents or stored.made.encloses):
            made = Assignment(stored.made.rule, encloses=True) if key.id in parents else _made(taken, stored)
            if made and not stored.made.ignored:
                jobs[key] = replace(stored, made=made)


def settle_doubts(taken: Taken) -> None:
    """Ends the jobs that `ended` of the source names, and finds those of which exports leave doubt."""
    notes, problems = doubts.settle(taken.doubts, taken.merged, taken.rules.source)
    taken.notes += notes
    taken.problems += problems


def _made(taken: Taken, stored: StoredJob) -> Assignment | None:
    """What the rules make of a job that is kept; None, with a problem, where it cannot be assigned."""
    try:
        return taken.rules.of(stored.job)
    except Unmatched as unmatched:
        where = Place(f"{taken.rules.name}: {stored.key}", 1, 1)
        taken.problems.append(Problem(where, unmatched.wrong, unmatched.right))
        return None


def _made_again(taken: Taken, state: StoredJob) -> StoredJob:
    """A state that is left out, with what the rules make of it; as it is where they make nothing."""
    try:
        return replace(state, made=taken.rules.of(state.job))
    except Unmatched:
        return state


def reapply(taken: Taken) -> None:
    """Applies the rules again to the jobs that are kept; what cannot be assigned becomes a problem."""
    merged = taken.merged
    if merged.attempts is not None:
        kept = {key: state for key, state in merged.attempts.states.items() if taken.rules.ours(state.job)}
        merged.attempts.states = {key: _made_again(taken, state) for key, state in kept.items()}
    for key, stored in list(merged.jobs.items()):
        status = status_of(taken.rules.source, stored.job.state) or stored.status
        merged.seen.add(key)
        if not taken.rules.ours(stored.job):
            del merged.jobs[key]
            merged.seen.discard(key)
        elif made := _made(taken, stored):
            merged.jobs[key] = StoredJob(key, stored.job, status, made, adds_of(taken.rules.source))
    if taken.rules.source.format == "focus":
        merged.jobs = {stored.key: stored for stored in bills.folded(merged.jobs.values())}
        merged.seen = set(merged.jobs)
    settle(taken)
