"""Several exports of one source, in any order, as one state of its jobs; and that state as the files of a ledger.

Of two states of an attempt the higher in a total order stands (`StoredJob.rank`, then what is kept, as text), and of
several attempts of a job it is said by their times which count (`attempts`): the order in which exports are read
changes nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct, field
from msgspec.structs import replace

from reckon.model.kinds import IMPORTED
from reckon.model.records import CountedMonth, ImportSource
from reckon.model.records.imports import IGNORED, MONEY, NO_GPUS, PARENT, PARTS, RECORDS

from .attempts import Conflict, find_standing
from .clock import Zone
from .counting import AsideSort, Count, Counts, Peak
from .job import RUNNING
from .job_records import JobKey, StoredJob, Submission, adds_of, entry_lines, why_aside
from .tally import MERGED, NEW, REPLACED, RUNS, SAME, RowFate

RUNS_HEAD = (
    "# yaml-language-server: $schema=../../../.schema/runs.schema.json\n"
    "# Written by `budget import`, by the rules in imports.yaml. Correct those, not this file.\n"
)
JobsByKey = dict[JobKey, StoredJob]
NO_GPU = "without a GPU"
ASIDE = {IGNORED: "ignored by a rule", NO_GPUS: NO_GPU, PARENT: "that enclose others"}
"""The words for jobs that are set aside, by the reason."""


class Period(NamedTuple):
    """A billing period of a provider: its name with what tells the billed account apart, and the first day."""

    provider: str
    start: str


class Charges(Struct):
    """What an import reads of bills. It `adds` to the periods that are there where it has parts of them.

    `before` are the entries of each period that it touches, `rows` those that were read, each with the key of its
    entry. `read` are all rows, by what they say and which of those that say it they are in their file.
    """

    adds: bool = False
    before: dict[Period, list[StoredJob]] = {}
    rows: list[StoredJob] = []
    read: set[tuple[bytes, int]] = set()

    def take(self, content: bytes, number: int) -> bool:
        """Takes note of a row by its number among those of its file that say the same. Whether no other file has it."""
        new = (content, number) not in self.read
        self.read.add((content, number))
        return new


class Month(Struct):
    """A month whose jobs are counted together, as the lock and its entries have it (None, none: it was not so before).

    While it is not `opened` its jobs are not known, and what was read of it waits; then they are among all others.
    `counts` are what its entries are made of, once it is counted anew: by an engine, of the jobs in a `table`.
    """

    record: CountedMonth | None = None
    opened: bool = False
    waiting: list[StoredJob] = []
    counts: Counts | None = None
    peaks: Sequence[Peak] = ()
    archive: str = ""
    table: str = ""

    @property
    def old_archive(self) -> str:
        """The checksum of the file of its jobs that the lock names; empty where it names none."""
        return (self.record and self.record.archive) or ""


class Merged(Struct):
    """The jobs of a source after an import, and which of those that were read are new, replaced or as they were.

    `stale` where what is there was made by other rules than those of today; `rows` are those that files had since, each
    a record. `months` are those whose jobs are counted together; `told` is what an engine says became of the rows that
    it read, in place of `fates`. `attempts` are the records of each job; of `unsettled` jobs it is not said yet which
    count, and of `conflicts` nothing says it.
    """

    source: str
    settings: ImportSource
    zone: Zone = None
    jobs: JobsByKey = {}
    before: JobsByKey = {}
    seen: set[JobKey] = set()
    read: set[JobKey] = set()
    stale: bool = False
    rows: list[StoredJob] = []
    charges: Charges = field(default_factory=Charges)
    months: dict[str, Month] = {}
    told: Counter[str] | None = None
    attempts: dict[Submission, list[JobKey]] = {}
    unsettled: set[Submission] = set()
    conflicts: list[Conflict] = []

    @classmethod
    def of(cls, source: str, settings: ImportSource, records: Iterable[StoredJob], stale: bool = False) -> Merged:
        """The state before an import."""
        merged = cls(source, settings, ZoneInfo(settings.zone) if settings.zone else None, stale=stale)
        for job in records:
            merged.put(job)
        merged.settle_attempts()
        merged.before = dict(merged.jobs)
        return merged

    def open(self, month: Month, jobs: Iterable[StoredJob]) -> None:
        """Takes in the jobs of a month that was counted, and what waited for them; one that an export has in another
        month stands in that month or in this one, by its later state."""
        for record in jobs:
            self.before.setdefault(record.key, record)
            self._merge(record, False)
        month.opened = True
        for record in month.waiting:
            self.add(record)
        self.settle_attempts()

    def add(self, record: StoredJob) -> None:
        """Takes in a state of a job, unless a later one is there; what other rules made of the same is made anew."""
        if self.months and (month := self.months.get(record.month(self.zone))) and not month.opened:
            month.waiting.append(record)
            return
        made_anew = self.stale and record.key not in self.read
        self.seen.add(record.key)
        self.read.add(record.key)
        self.rows.append(record)
        self._merge(record, made_anew)

    def _merge(self, record: StoredJob, made_anew: bool) -> None:
        """Lets a state of an attempt stand, unless a later one does, which is not that of the same `made_anew`."""
        other = self.jobs.get(record.key)
        if other is None:
            self.put(record)
            return
        parts = self.settings.row_kind == PARTS and not self.settings.key and record.file and other.file
        if (self.settings.row_kind == RECORDS or parts) and _contradict(record, other):
            self.conflicts.append(Conflict(record, other))
        if (made_anew and record.rank == other.rank) or self.is_preferred(record, other):
            self.put(record)

    def put(self, record: StoredJob) -> None:
        """Lets a state of an attempt stand."""
        if self.settings.row_kind == RECORDS:
            attempts = self.attempts.setdefault(record.key.submission, [])
            if record.key not in self.jobs:
                attempts.append(record.key)
            if len(attempts) > 1:
                self.unsettled.add(record.key.submission)
        self.jobs[record.key] = record

    def drop(self, key: JobKey) -> None:
        """Takes out an attempt of a job."""
        del self.jobs[key]
        if key in self.attempts.get(key.submission, ()):
            self.attempts[key.submission].remove(key)
            self.unsettled.add(key.submission)

    def settle_attempts(self) -> None:
        """Says which records of jobs count: what lies within another one does not. What is partly so is a conflict."""
        for submission in self.unsettled:
            standing = find_standing([self.jobs[key] for key in self.attempts[submission]])
            self.attempts[submission] = [record.key for record in standing.counted]
            for record in standing.within:
                del self.jobs[record.key]
            for number, record in enumerate(standing.counted):
                name = record.key.text(self.settings, later=number > 0)
                self.jobs[record.key] = replace(record, name=name)
            self.conflicts += standing.conflicts
        self.unsettled = set()

    def is_preferred(self, record: StoredJob, other: StoredJob) -> bool:
        """Whether the first of two states of an attempt stands, and not the second."""
        if record.rank != other.rank:
            return record.rank > other.rank
        if record.is_same(other):
            return False
        return self._lines(record) > self._lines(other)

    def _lines(self, record: StoredJob) -> tuple[str, ...]:
        """All that is kept of a state but its name, which other attempts of its job change."""
        return replace(record, name="").lines(self.source, self.zone)

    def has_lost(self, name: str) -> bool:
        """Whether a record that stood in a month is there no more, since one of another month encloses it, or states
        say that its job began in another one."""
        return not self._began_in(name, self.before) <= self._began_in(name, self.jobs)

    def _began_in(self, month: str, jobs: Mapping[JobKey, StoredJob]) -> set[JobKey]:
        """Those of some jobs that began in a month."""
        return {key for key, record in jobs.items() if record.month(self.zone) == month}

    def count_outcomes(self) -> Counter[str]:
        """How many of the runs that were read, or made anew, are `new`, `replaced`, or the `same`."""
        outcomes = Counter(map(self._outcome, self.seen)) if self.told is None else self.told
        return Counter({name: outcomes[name] for name in RUNS if outcomes[name]})

    def fates(self) -> Iterator[RowFate]:
        """What became of each record that was read: the first row of the state that stands is what became of its
        attempt, what says the same is the same, and other states of it are merged."""
        standing: JobsByKey = {}
        for row in self.rows:
            best = standing.setdefault(row.key, row)
            if best is not row and self.is_preferred(row, best):
                standing[row.key] = row
        for row in self.rows:
            best = standing[row.key]
            word = SAME if row.is_same(best) else MERGED
            if best is row:
                word = self._outcome(row.key)
            yield _fate_of(row, word)
        for row in self.charges.rows:
            word = self._outcome(row.key)
            # What is added to an entry replaces none of its rows.
            if self.charges.adds and word == REPLACED:
                word = NEW
            yield _fate_of(row, word)

    def count_remade(self) -> int:
        """How many runs that no row has are other ones, by rules that have changed."""
        if self.told is not None:
            return 0
        return sum(self._outcome(key) == REPLACED for key in self.seen - self.read)

    def _outcome(self, key: JobKey) -> str:
        """Whether a run is `new`, `replaced` or the `same`, or why it is set aside."""
        record = self.jobs.get(key)
        before = self.before.get(key)
        if record is None:
            return MERGED
        if not (record.ran or (before and before.ran)):
            return ASIDE[why_aside(record.made)]
        if before is None:
            return NEW
        if before is record or before.is_same(record) or self._lines(before) == self._lines(record):
            return SAME
        return REPLACED if before.ran else NEW

    def texts(self, project: str) -> dict[str, str]:
        """The files of runs of this source, by their paths: a file a month, sorted, a line an entry."""
        months: dict[str, list[str]] = defaultdict(list)
        for record in sorted(self.single_jobs(), key=order):
            if record.ran:
                months[record.month(self.zone)] += entry_lines(record, self.source, self.zone)
        for name, month in self.months.items():
            if month.counts is not None:
                months[name] = list(month.counts.lines(self.source))
        texts = {month: RUNS_HEAD + "\n".join([*lines, ""]) for month, lines in months.items() if lines}
        return {path_of(project, self.source, month): text for month, text in texts.items()}

    def single_jobs(self) -> list[StoredJob]:
        """The jobs that have an entry, or a line in the lock, each: those of months that are not counted together."""
        return [record for record in self.jobs.values() if record.month(self.zone) not in self.months]

    def forget(self) -> None:
        """Lets all jobs go, once their files are written: so they do not stand beside the runs read of these."""
        self.rows.clear()
        for jobs in (self.jobs, self.before, self.seen, self.read, self.attempts, self.months):
            jobs.clear()

    def spent(self) -> dict[str, Count]:
        """The jobs of all months by status, with their GPU-seconds; none of a source that counts no hours."""
        if adds_of(self.settings):
            return {}
        totals: dict[str, Count] = defaultdict(Count)
        for record in self.jobs.values():
            if record.ran:
                totals[record.status].add(1, record.gpu_seconds)
        for month in self.months.values():
            if not month.opened:
                for status, count in counts_of(month).spent.items():
                    totals[status].add(count.jobs, count.seconds)
        return dict(totals)


def counts_of(month: Month) -> Counts:
    """What is counted of a month: its jobs, or what the lock says of them."""
    record = month.record
    if month.counts is not None or record is None:
        return month.counts or Counts(())
    counts = Counts((), jobs=int(record.jobs), running=int(record.running or 0))
    for aside in record.aside:
        sort = AsideSort(aside.why, aside.rule or "", aside.partition or "")
        counts.aside[sort] = Count(int(aside.jobs), aside.wall_seconds)
    for status, total in record.spent.items():
        counts.spent[str(status)] = Count(int(total.jobs), Fraction(total.gpu_seconds))
    return counts


def _fate_of(row: StoredJob, word: str) -> RowFate:
    return RowFate(row.file, row.job.line, row.job.id, word, row.job)


def path_of(project: str, source: str, month: str) -> str:
    """The path of the file of a source and month."""
    return f"ledger/{project}/runs/{IMPORTED}/{source}-{month}.yaml"


def order(record: StoredJob) -> tuple[int, str, str, int, int]:
    """Where a job stands among others: by its start, then its identity."""
    job = record.job
    key = record.key
    start = job.start if job.start is not None else key.submit or 0
    return start, key.cluster, key.id, key.submit or 0, key.ordinal


def _contradict(record: StoredJob, other: StoredJob) -> bool:
    """Whether two records of one start cannot be states of one attempt: their GPUs differ; or both have ended, at no
    known start or with other amounts, and nothing says which is the later."""
    if not (record.ran or other.ran):
        return False  # no hours are counted of either
    if not record.adds and record.job.gpus != other.job.gpus:
        return True
    if RUNNING in (record.status, other.status) or record.closed or other.closed:
        return False
    if record.key.start is None:
        return record.end_state != other.end_state
    return record.adds == MONEY and record.rank == other.rank and record.job.extras != other.job.extras
