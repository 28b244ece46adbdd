"""Several exports of one source, in any order, as one state of its jobs; and that state as the files of a ledger.

Of two states of a job the higher in a total order stands (`StoredJob.rank`, then what is kept, as text), so the order
in which exports are read changes nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import tzinfo
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct, field

from reckon.model.kinds import IMPORTED
from reckon.model.records import CountedMonth, Run
from reckon.model.records.imports import ATTEMPT, IGNORED, NO_GPUS, OVERLAP, PARENT

from .assign import Assignment
from .attempts import Attempts, Rows
from .counting import AsideSort, Count, Counts, Peak
from .stored import JobKey, StoredJob, entry_lines, why_aside

RUNS_HEAD = (
    "# yaml-language-server: $schema=../../../.schema/runs.schema.json\n"
    "# Written by `budget import`, by the rules in imports.yaml. Correct those, not this file.\n"
)
RUNS = ("new", "replaced", "same")
"""What a row that states a run can be, beside what was there."""
NO_GPU, IGNORED_BY, ENCLOSING = "without a GPU", "ignored by a rule", "that enclose others"
ASIDE = {IGNORED: IGNORED_BY, NO_GPUS: NO_GPU, PARENT: ENCLOSING}
"""The words for jobs that are set aside, by the reason."""


class Period(NamedTuple):
    """A billing period of a provider: its name with what tells the billed account apart, and the first day."""

    provider: str
    start: str


class Charges(Struct):
    """What an import reads of bills. It `adds` to the periods that are there where it has parts of them.

    `before` are the entries of each period that it touches, `rows` how many rows are in each entry since. `read` are
    all rows, by what they say and which of those that say it they are in their file; `repeated` were in another file.
    """

    adds: bool = False
    before: dict[Period, list[StoredJob]] = {}
    rows: Counter[JobKey] = field(default_factory=Counter)
    read: set[tuple[bytes, int]] = set()
    repeated: int = 0

    def take(self, content: bytes, number: int) -> bool:
        """Takes note of a row by its number among those of its file that say the same. Whether no other file has it."""
        new = (content, number) not in self.read
        self.read.add((content, number))
        self.repeated += not new
        return new


class Alike(Struct):
    """Jobs of one status of which the rules made the same: how many, and for how many seconds all of them ran."""

    status: str
    made: Assignment
    jobs: int = 0
    seconds: Fraction | int = 0


class Month(Struct):
    """A month whose jobs are counted together, as the lock and its entries have it (None, none: it was not so before).

    While it is not `opened` its jobs are not known, and what was read of it waits; then they are among all others.
    `counts` are what its entries are made of, once it is counted anew: by an engine, of the jobs in a `table`.
    """

    record: CountedMonth | None = None
    rows: Sequence[Run] = ()
    opened: bool = False
    waiting: list[StoredJob] = []
    counts: Counts | None = None
    peaks: Sequence[Peak] = ()
    archive: str = ""
    table: str = ""


class Merged(Struct):
    """The jobs of a source after an import, and which of those that were read are new, replaced or as they were.

    `stale` where what is there was made by other rules than those of today; `rows` are those that files had since.
    `months` are those whose jobs are counted together; `told` is what an engine says became of the rows that it read,
    in place of `fates`. `attempts` are kept of sources of Slurm alone.
    """

    source: str
    zone: tzinfo | None
    jobs: dict[JobKey, StoredJob]
    before: dict[JobKey, StoredJob]
    seen: set[JobKey] = set()
    stale: bool = False
    rows: Rows = field(default_factory=Rows)
    charges: Charges = field(default_factory=Charges)
    months: dict[str, Month] = {}
    told: Counter[str] | None = None
    attempts: Attempts | None = None

    @classmethod
    def of(cls, source: str, zone: tzinfo | None, stored: Iterable[StoredJob], stale: bool = False) -> Merged:
        """The state before an import."""
        jobs = {job.key: job for job in stored}
        return cls(source, zone, dict(jobs), jobs, stale=stale)

    def open(self, month: Month, jobs: Iterable[StoredJob]) -> None:
        """Takes in the jobs of a month that was counted, and what waited for them; one that an export has in another
        month stands in that month or in this one, by its later state."""
        for stored in jobs:
            self.before.setdefault(stored.key, stored)
            self._put(stored, False)
        month.opened = True
        waiting = month.waiting
        month.waiting = []
        for found in waiting:
            self.add(found)

    def add(self, found: StoredJob) -> None:
        """Takes in a state of a job, unless a later one is there; what other rules made of the same is made anew."""
        if self.months and (month := self.months.get(found.month(self.zone))) and not month.opened:
            month.waiting.append(found)
            return
        made_anew = self.stale and found.key not in self.rows.best
        self.seen.add(found.key)
        self.rows.add(found, self.after)
        self._put(found, made_anew)

    def _put(self, found: StoredJob, made_anew: bool) -> None:
        """Lets a state of a job stand, unless a later one does, which is not that of the same `made_anew`."""
        there = self.jobs.get(found.key)
        alike = made_anew and there is not None and found.rank == there.rank
        if there is None or alike or self.after(found, there):
            self.jobs[found.key] = found
        if self.attempts is not None and there is not None and found.job.start != there.job.start:
            self.attempts.keep(there if self.jobs[found.key] is found else found, self.after)

    def after(self, found: StoredJob, there: StoredJob) -> bool:
        """Whether the first of two states of a job stands, and not the second."""
        if found.rank != there.rank:
            return found.rank > there.rank
        if found.same(there):
            return False
        return self._lines(found) > self._lines(there)

    def _lines(self, stored: StoredJob) -> tuple[str, ...]:
        return stored.lines(self.source, self.zone)

    def left(self, name: str) -> bool:
        """Whether a job that stood in a month has begun in another one, as a later state of it says."""
        stood = ((key, was) for key, was in self.before.items() if was.month(self.zone) == name)
        return any(key in self.jobs and self.jobs[key].month(self.zone) != name for key, was in stood)

    def changed(self) -> Counter[str]:
        """How many of the runs that were read, or made anew, are `new`, `replaced`, or the `same`."""
        found = self._outcomes(self.seen) + self._of_tables() if self.told is None else self.told
        return Counter({name: found[name] for name in RUNS if found[name]})

    def fates(self) -> Counter[str]:
        """What became of the rows of jobs that were read: each is that of a run or of a job set aside, or is left out
        for a reason."""
        if self.told is not None:
            return self.told
        found = self._outcomes(self.rows.best) + self.rows.left_out(self.after, self.attempts is not None)
        return found + self._of_charges() + self._of_tables()

    def made_anew(self) -> int:
        """How many runs that no row has are other ones, by rules that have changed."""
        return (
            0
            if self.told is not None
            else self._outcomes(self.seen - self.rows.best.keys() - self.charges.rows.keys())["replaced"]
        )

    def _outcomes(self, keys: Iterable[JobKey]) -> Counter[str]:
        """How many of some jobs are `new`, `replaced` or the `same`, and how many are set aside for which reason."""
        found: Counter[str] = Counter()
        for key in keys:
            now = self.jobs[key]
            was = self.before.get(key)
            if now.ran or (was and was.ran):
                same = was is now or (was is not None and (was.same(now) or self._lines(was) == self._lines(now)))
                found["same" if same else "replaced" if was and was.ran else "new"] += 1
            else:
                found[ASIDE[why_aside(now.made)]] += 1
        return found

    def _of_charges(self) -> Counter[str]:
        """The same of the rows of bills, each by the entry that it is in."""
        found = Counter(same=self.charges.repeated)
        for key, rows in self.charges.rows.items():
            for what in self._outcomes([key]):
                found["new" if self.charges.adds and what == "replaced" else what] += rows
        return found

    def _of_tables(self) -> Counter[str]:
        """The same of the runs that an engine counted in a table."""
        found: Counter[str] = Counter()
        for month in self.months.values():
            if month.table:
                found[_changed(month)] += sum(count.jobs for count in counts_of(month).spent.values())
        return found

    def left_attempts(self) -> list[tuple[StoredJob, str]]:
        """The states of jobs that are kept beside those that count, in their order, and why each is left out."""
        if self.attempts is None:
            return []
        self.attempts.settle(self.jobs)
        apart = self.attempts.counted_apart
        found = [(state, ATTEMPT if key in apart else OVERLAP) for key, state in self.attempts.states.items()]
        return sorted(found, key=lambda pair: order(pair[0]))

    def texts(self, home: str) -> dict[str, str]:
        """The files of runs of this source, by their paths: a file a month, sorted, a line an entry."""
        months: dict[str, list[str]] = defaultdict(list)
        for stored in sorted(self.each(), key=order):
            if stored.ran:
                months[stored.month(self.zone)] += entry_lines(stored, self.source, self.zone)
        for name, month in self.months.items():
            if month.counts is not None:
                months[name] = list(month.counts.lines(self.source))
        texts = {month: RUNS_HEAD + "\n".join([*lines, ""]) for month, lines in months.items() if lines}
        return {path_of(home, self.source, month): text for month, text in texts.items()}

    def each(self) -> list[StoredJob]:
        """The jobs that have an entry, or a line in the lock, each: those of months that are not counted together."""
        if not self.months:
            return list(self.jobs.values())
        return [stored for stored in self.jobs.values() if stored.month(self.zone) not in self.months]

    def alike(self) -> list[Alike]:
        """The jobs that ran, those together of which the rules made the same."""
        found: dict[tuple[str, int], Alike] = {}
        for stored in self.jobs.values():
            if stored.ran:
                key = stored.status, id(stored.made)
                alike = found.get(key) or found.setdefault(key, Alike(stored.status, stored.made))
                alike.jobs += 1
                alike.seconds += stored.job.elapsed
        return list(found.values())

    def forget(self) -> None:
        """Lets all jobs go, once their files are written: so they do not stand beside the runs read of these."""
        self.jobs, self.before, self.seen, self.months = {}, {}, set(), {}
        self.rows, self.attempts = Rows(), None

    def spent(self) -> dict[str, Count]:
        """The jobs of all months by status, with their GPU-seconds; none of a source that counts no hours."""
        if any(stored.adds for stored in self.jobs.values()):
            return {}
        found: dict[str, Count] = defaultdict(Count)
        for alike in self.alike():
            found[alike.status].add(alike.jobs, alike.made.gpus * alike.seconds)
        for month in self.months.values():
            if not month.opened:
                for status, count in counts_of(month).spent.items():
                    found[status].add(count.jobs, count.seconds)
        return dict(found)


def _changed(month: Month) -> str:
    """Whether the sums of a month that an engine counted are `new`, `replaced`, or the `same`."""
    if month.record is None:
        return "new"
    return "same" if counts_of(Month(month.record)).spent == counts_of(month).spent else "replaced"


def counts_of(month: Month) -> Counts:
    """What is counted of a month: its jobs, or what the lock says of them."""
    record = month.record
    if month.counts is not None or record is None:
        return month.counts or Counts(())
    asides = ((AsideSort(part.why, part.rule or "", part.partition or ""), part) for part in record.aside)
    return Counts(
        (),
        aside={sort: Count(int(part.jobs), part.wall_seconds) for sort, part in asides},
        spent={str(name): Count(int(part.jobs), Fraction(part.gpu_seconds)) for name, part in record.spent.items()},
        jobs=int(record.jobs),
        running=int(record.running or 0),
    )


def path_of(home: str, source: str, month: str) -> str:
    """The path of the file of a source and month."""
    return f"{home}/runs/{IMPORTED}/{source}-{month}.yaml"


def checksum(text: str) -> str:
    """By which it is seen that a file of runs is as it was written."""
    return hashlib.sha256(text.encode()).hexdigest()


def order(stored: StoredJob) -> tuple[int, str, str, int]:
    """Where a job stands among others: by its start, then its identity."""
    job = stored.job
    began = job.start if job.start is not None else stored.key.submit or 0
    return began, stored.key.cluster, stored.key.id, stored.key.submit or 0
