"""Jobs as a ledger keeps them: an entry for each part of a job that ran for the project, a line of the lock for others.

Both state all that the rules of a source and the order of two states of a job need, so that what was imported before is
read back from them, and the export it came from is not asked for again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from reckon.language.days import CLOCK, HOUR, since_1970
from reckon.model.records import ImportedFrom, ImportSource, JobAside, Run
from reckon.model.records.imports import IGNORED, KEPT, NO_GPUS, gpus_in, gpus_text

from ..entry import IMPORTED_ORDER, JOB_ORDER, scalar
from . import clock
from .assign import Assignment, Portion, in_order
from .job import RUNNING, Job, status_of

UNASSIGNED = "unassigned"
"""The item of an entry that no rule assigns."""


class JobKey(NamedTuple):
    """What makes a job one job: ids are used again, and the same id stands on two clusters."""

    cluster: str
    id: str
    submit: int | None

    def __str__(self) -> str:
        moment = "" if self.submit is None else f"@{clock.written(self.submit, None)}"
        return f"{self.cluster}/{self.id}{moment}"


def key_of(text: str) -> JobKey:
    """The identity that a text states, as `JobKey` writes it: no cluster has a slash, but an id may."""
    cluster, _, rest = text.partition("/")
    job, at, moment = rest.rpartition("@")
    if not at or not CLOCK.fullmatch(moment):
        return JobKey(cluster, rest, None)
    return JobKey(cluster, job, since_1970(moment))


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job of a source: what was stated of it last, its status in the ledger, and what the rules made of it."""

    key: JobKey
    job: Job
    status: str
    made: Assignment

    @property
    def rank(self) -> tuple[int, Fraction | int, Fraction | int]:
        """Its place among states of the same job: ended after running; of two that ended the later, then the longer;
        of two that run the longer."""
        if self.status == RUNNING:
            return 0, self.job.elapsed, 0
        return 1, self.job.end or 0, self.job.elapsed

    @property
    def ran(self) -> bool:
        """Whether it is a run of the project, with entries."""
        return bool(self.made.portions)

    @property
    def gpu_seconds(self) -> Fraction:
        """What it held, exactly."""
        return self.made.gpus * self.job.elapsed

    def month(self, zone: tzinfo | None) -> str:
        """The month in which it began, by the clock of its source."""
        moment = next((found for found in (self.job.start, self.job.end, self.key.submit) if found is not None), None)
        return "undated" if moment is None else clock.written(moment, zone)[:7]

    def same(self, other: StoredJob) -> bool:
        """Whether all is the same that is kept of two states of a job, and so what is written of them."""
        job, there = self.job, other.job
        return (
            self.key == other.key and self.status == other.status and job.state == there.state
            and (job.start, job.end, job.elapsed) == (there.start, there.end, there.elapsed)
            and (job.also, job.gpus, job.says) == (there.also, there.gpus, there.says)
            and self.made.written == other.made.written
            and (self.ran or job.nodes == there.nodes)
        )  # fmt: skip

    def stated(self, zone: tzinfo | None) -> str:
        """What its source states of it, whatever the rules make of that."""
        return aside_line(StoredJob(self.key, self.job, self.status, Assignment()), zone)

    def lines(self, source: str, zone: tzinfo | None) -> tuple[str, ...]:
        """All that is kept of it, as it is written: its entries, or its line in the lock."""
        return tuple(entry_lines(self, source, zone)) if self.ran else (aside_line(self, zone),)


def entry_lines(stored: StoredJob, source: str, zone: tzinfo | None) -> Iterator[str]:
    """The entries of a job, a line each, in the order of their items and cards."""
    job, made = stored.job, stored.made
    held = (("start", job.start), ("end", job.end))
    written = {name: f"{name}: {clock.written(moment, zone)}" for name, moment in held if moment is not None}
    if not written and stored.key.submit is not None:
        written = {"date": f"date: {clock.written(stored.key.submit, zone)[:10]}"}
    kept = {"source": source, "rule": made.rule, "state": job.state, "also": job.also, "gpus": gpus_text(job.gpus)}
    fields = {"seed": made.seed, "run": made.run, "unplanned": "true" if made.unplanned else "",
              "status": stored.status, "wall_hours": f"{seconds_text(job.elapsed)} s"}  # fmt: skip
    written |= {name: _known(name, text) for name, text in fields.items() if text}
    written["job"] = _pair("job", str(stored.key))
    pairs = (_known(name, text) for name in JOB_ORDER if (text := kept.get(name) or job.says.get(name, "")))
    written["imported"] = f"imported: {{{', '.join(pairs)}}}"
    for part in in_order(made.portions):
        own = {"item": part.item or UNASSIGNED, "unassigned": "" if part.item else "true", "gpu": part.card,
               "gpus": str(part.gpus)}  # fmt: skip
        line = written | {name: _known(name, text) for name, text in own.items() if text}
        yield f"- {{{', '.join(line[name] for name in IMPORTED_ORDER if name in line)}}}"


def aside_line(stored: StoredJob, zone: tzinfo | None) -> str:
    """The line of the lock for a job that is not a run of the project."""
    job = stored.job
    held = {"start": job.start, "end": job.end}
    fields = {"job": str(stored.key), "rule": stored.made.rule, "why": IGNORED if stored.made.ignored else NO_GPUS,
              **{name: clock.written(moment, zone) for name, moment in held.items() if moment is not None},
              "wall_seconds": seconds_text(job.elapsed), "nodes": str(job.nodes) if job.nodes != 1 else "",
              "state": job.state, "also": job.also, "gpus": gpus_text(job.gpus),
              **{name: job.says.get(name, "") for name in KEPT}}  # fmt: skip
    return f"- {{{_pairs(fields)}}}"


def seconds_text(seconds: Fraction | int) -> str:
    """Seconds as a decimal, exactly: schedulers write no more than microseconds."""
    if isinstance(seconds, int):
        return str(seconds)
    whole, rest = divmod(seconds, 1)
    return f"{whole}{f'{rest.numerator * 10**9 // rest.denominator:09}'.rstrip('0').join(('.', '')) if rest else ''}"


_AS_WORDS = ("item", "seed", "run", "job", "also", *KEPT, "rule", "source", "state", "gpus")


def _pairs(fields: Mapping[str, str]) -> str:
    return ", ".join(_pair(name, text) for name, text in fields.items() if text)


def _pair(name: str, text: str) -> str:
    # `gpus` of an entry is a number or a part of one; that of what it was imported from is a text.
    return f"{name}: {scalar(text, name in _AS_WORDS and not text.isdecimal())}"


_known = lru_cache(maxsize=4096)(_pair)  # what many jobs have in common


def jobs_of(runs: Iterable[Run], asides: Iterable[JobAside], source: ImportSource) -> Iterator[StoredJob]:
    """The jobs that a ledger keeps of a source, from their entries and from its lock."""
    parts: dict[str, list[Run]] = {}
    for run in runs:
        if run.imported and run.job:
            parts.setdefault(str(run.job), []).append(run)
    for text, entries in parts.items():
        first, kept = entries[0], entries[0].imported
        assert kept
        portions = tuple(Portion("" if run.unassigned else str(run.item), str(run.gpu or ""), run.gpus or Fraction(0))
                         for run in entries)  # fmt: skip
        made = Assignment(str(kept.rule or ""), str(first.seed or ""), str(first.run or ""), first.unplanned,
                          False, tuple(in_order(portions)))  # fmt: skip
        job = _job(key_of(text), kept, first.start, first.end, (first.wall_hours or Fraction(0)) * HOUR)
        yield StoredJob(job_key(job), job, status_of(source, job.state) or str(first.status), made)
    for aside in asides:
        made = Assignment(str(aside.rule or ""), ignored=aside.why == IGNORED)
        job = _job(key_of(str(aside.job)), aside, aside.start, aside.end, aside.wall_seconds, int(aside.nodes))
        yield StoredJob(job_key(job), job, status_of(source, job.state) or "", made)


def job_key(job: Job) -> JobKey:
    """The identity of a job."""
    return JobKey(job.cluster, job.id, job.submit)


def _job(
    key: JobKey, kept: ImportedFrom | JobAside, start: object, end: object, elapsed: Fraction, nodes: int = 1
) -> Job:
    says = {name: sys.intern(str(getattr(kept, name))) for name in KEPT if getattr(kept, name) is not None}
    began, ended = (since_1970(str(moment)) if moment else None for moment in (start, end))
    seconds = int(elapsed) if elapsed.denominator == 1 else elapsed
    return Job(0, key.id, str(kept.state), seconds, key.submit, began, ended, gpus_in(str(kept.gpus or "")), nodes,
               key.cluster, str(kept.also or ""), says)  # fmt: skip
