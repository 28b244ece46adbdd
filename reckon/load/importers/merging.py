"""Several exports of one source, in any order, as one state of its jobs; and that state as the files of a ledger.

Of two states of a job the higher in a total order stands (`StoredJob.rank`, then what is kept, as text), so the order
in which exports are read changes nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from fractions import Fraction

from reckon.language.lean import dataclass, field
from reckon.model.kinds import IMPORTED

from ..entry import scalar
from .assign import Assignment
from .job import RUNNING
from .stored import JobKey, StoredJob, aside_line, decimal_text, entry_lines, seconds_text

RUNS_HEAD = (
    "# yaml-language-server: $schema=../../../.schema/runs.schema.json\n"
    "# Written by `budget import`, by the rules in imports.yaml. Correct those, not this file.\n"
)
LOCK_HEAD = (
    "# yaml-language-server: $schema=../.schema/imports.lock.schema.json\n"
    "# Written by `budget import`: what it has read so far. Nobody else writes here.\n"
)


@dataclass(slots=True)
class Alike:
    """Jobs of one status of which the rules made the same: how many, and for how many seconds all of them ran."""

    status: str
    made: Assignment
    jobs: int = 0
    seconds: Fraction | int = 0


@dataclass(slots=True)
class Merged:
    """The jobs of a source after an import, and which of those that were read are new, replaced or as they were.

    `stale` where what is there was made by other rules than those of today; `read` are the jobs that files had since.
    """

    source: str
    zone: tzinfo | None
    jobs: dict[JobKey, StoredJob]
    before: Mapping[JobKey, StoredJob]
    seen: set[JobKey] = field(default_factory=set)
    stale: bool = False
    read: set[JobKey] = field(default_factory=set)

    @classmethod
    def of(cls, source: str, zone: tzinfo | None, stored: Iterable[StoredJob], stale: bool = False) -> Merged:
        """The state before an import."""
        jobs = {job.key: job for job in stored}
        return cls(source, zone, dict(jobs), jobs, stale=stale)

    def add(self, found: StoredJob) -> None:
        """Takes in a state of a job, unless a later one is there; what other rules made of the same is made anew."""
        there = self.jobs.get(found.key)
        made_anew = self.stale and found.key not in self.read
        self.seen.add(found.key)
        self.read.add(found.key)
        alike = made_anew and there is not None and found.rank == there.rank
        if there is None or alike or self._after(found, there):
            self.jobs[found.key] = found

    def _after(self, found: StoredJob, there: StoredJob) -> bool:
        if found.rank != there.rank:
            return found.rank > there.rank
        if found.same(there):
            return False
        return self._lines(found) > self._lines(there)

    def _lines(self, stored: StoredJob) -> tuple[str, ...]:
        return stored.lines(self.source, self.zone)

    def changed(self) -> Counter[str]:
        """How many of the runs that were read are `new`, `replaced`, or the `same`."""
        found: Counter[str] = Counter()
        for key in self.seen:
            now, was = self.jobs[key], self.before.get(key)
            if now.ran or (was and was.ran):
                same = was is now or (was is not None and (was.same(now) or self._lines(was) == self._lines(now)))
                found["same" if same else "replaced" if was and was.ran else "new"] += 1
        return found

    def texts(self, home: str) -> dict[str, str]:
        """The files of runs of this source, by their paths: a file a month, sorted, a line an entry."""
        months: dict[str, list[str]] = defaultdict(list)
        for stored in sorted(self.jobs.values(), key=_order):
            if stored.ran:
                months[stored.month(self.zone)] += entry_lines(stored, self.source, self.zone)
        texts = {month: RUNS_HEAD + "\n".join([*lines, ""]) for month, lines in months.items()}
        return {path_of(home, self.source, month): text for month, text in texts.items()}

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
        self.jobs, self.before, self.seen = {}, {}, set()

    def lock(
        self, exports: Mapping[str, str], partitions: Iterable[str], rules: str, entries: Mapping[str, str]
    ) -> list[str]:
        """The lines of the lock for this source; `entries` are checksums of its files of runs, by month."""
        spent: dict[str, list[Alike]] = defaultdict(list)
        for alike in () if any(stored.adds for stored in self.jobs.values()) else self.alike():
            spent[alike.status].append(alike)
        lines = [f"{self.source}:", *(["  exports:"] if exports else [])]
        lines += [f"    {checksum}: {scalar(last, True)}" for checksum, last in sorted(exports.items())]
        there = ", ".join(scalar(name, True) for name in sorted(partitions))
        lines += [f"  rules: {rules}", *([f"  partitions: [{there}]"] if there else [])]
        lines += _added(self.jobs.values())
        lines += ["  entries:"] if entries else []
        lines += [f"    {month}: {checksum}" for month, checksum in sorted(entries.items())]
        lines += ["  spent:"] if spent else []
        for status, parts in sorted(spent.items()):
            whole = seconds_text(sum((part.made.gpus * part.seconds for part in parts), Fraction(0)))
            lines.append(f"    {status}: {{jobs: {sum(part.jobs for part in parts)}, gpu_seconds: {whole}}}")
        rest = (stored for stored in self.jobs.values() if not stored.ran or stored.status == RUNNING)
        jobs = sorted(rest, key=_order)
        running = [str(stored.key) for stored in jobs if stored.ran]
        lines += [*(["  running:"] if running else []), *(f"    - {scalar(job, True)}" for job in running)]
        asides = [f"    {aside_line(stored, self.zone)}" for stored in jobs if not stored.ran]
        return [*lines, *(["  aside:"] if asides else []), *asides]


def _added(jobs: Iterable[StoredJob]) -> list[str]:
    """The line of the lock for what entries without hours add, in all."""
    found = [stored.job.beside for stored in jobs if stored.ran and stored.adds]
    if not found:
        return []
    parts = [f"entries: {len(found)}"]
    for name in ("energy_kwh", "billed_usd", "effective_usd"):
        stated = [amount for beside in found if (amount := getattr(beside, name)) is not None]
        parts += [f"{name}: {decimal_text(sum(stated, Fraction(0)))}"] if stated else []
    return [f"  added: {{{', '.join(parts)}}}"]


def path_of(home: str, source: str, month: str) -> str:
    """The path of the file of a source and month."""
    return f"{home}/runs/{IMPORTED}/{source}-{month}.yaml"


def checksum(text: str) -> str:
    """By which it is seen that a file of runs is as it was written."""
    return hashlib.sha256(text.encode()).hexdigest()


def _order(stored: StoredJob) -> tuple[int, str, str, int]:
    job = stored.job
    began = job.start if job.start is not None else stored.key.submit or 0
    return began, stored.key.cluster, stored.key.id, stored.key.submit or 0


def lock_text(known: Collection[str], source: str, lines: Sequence[str], was: str | None) -> str | None:
    """The text of the lock with the part of one source in place of what it was; None if nothing is left."""
    parts = {name: part for name, part in _parts(was or "") if name in known}
    parts[source] = "\n".join([*lines, ""]) if lines else ""
    whole = "".join(parts[name] for name in sorted(parts))
    return LOCK_HEAD + whole if whole else None


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The lines of each source in the text of a lock."""
    name, lines = "", list[str]()
    for line in [*text.splitlines(keepends=True), ""]:
        if not line or (line[0] not in " #\n" and line.rstrip().endswith(":")):
            if name:
                yield name, "".join(lines)
            name, lines = line.rstrip().rstrip(":"), []
        if not line.startswith("#"):
            lines.append(line)
