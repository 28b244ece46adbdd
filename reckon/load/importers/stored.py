"""Jobs as a ledger keeps them: an entry for each part of a job that ran for the project, a line of the lock for others.

Both state all that the rules of a source and the order of two states of a job need, so that what was imported before is
read back from them, and the export it came from is not asked for again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import HOUR, since_1970
from reckon.language.groups import group_by
from reckon.language.lazy import regex
from reckon.language.quantity import ZERO
from reckon.model.records import ImportSource, JobAside, KeptOfJob, Run
from reckon.model.records.imports import (
    HOURS,
    IGNORED,
    KEPT,
    LEFT_OUT,
    NO_GPUS,
    PARENT,
    gpus_in,
    gpus_text,
)

from ..run_format import scalar
from . import clock
from .assign import Assignment, Portion, in_order
from .job import NOTHING_BESIDE, RUNNING, Beside, Job, status_of

UNASSIGNED = "unassigned"
"""The item of an entry that no rule assigns."""
UNDATED = "undated"
"""The month of a job of which no moment is known."""
PLACES = 12
"""Decimals of kWh, US dollars and progress that are kept."""
_CLOCKED = 10**9


class JobKey(NamedTuple):
    """What makes a record of a job one record.

    Ids are used again, the same id stands on two clusters, and a job that was put back into the queue may keep its time
    of submission; `start` is when the attempt began. Moments are seconds since 1970, None where they are not known.
    `ordinal` counts rows of a table that are alike.
    """

    cluster: str
    id: str
    submit: int | None = None
    start: int | None = None
    ordinal: int = 1

    @property
    def submission(self) -> Submission:
        """What all attempts of a job have in common."""
        return self.cluster, self.id, self.submit, self.ordinal

    def text(self, source: ImportSource, later: bool = False) -> str:
        """The identity as a ledger writes it: `CLUSTER/ID@SUBMIT`, and `/START` of a `later` attempt.

        It is `CLUSTER/ID@START` where a source does not state when jobs were submitted.
        """
        if not source.states_submit:
            return self._named(self._written(self.start))
        sent = self._written(self.submit)
        return self._named(f"{sent}/{self._written(self.start)}" if later and self.start is not None else sent)

    def _written(self, moment: int | None) -> str:
        return "" if moment is None else clock.written(moment, None)

    def _named(self, when: str) -> str:
        count = f"#{self.ordinal}" if self.ordinal > 1 else ""
        # The id of a table may end as if a time followed it: then a sign says that none does.
        at = "@" if when or count or _WHEN.search(self.id) else ""
        return f"{self.cluster}/{self.id}{at}{when}{count}"


Submission = tuple[str, str, int | None, int]
"""Cluster, id and time of submission of a job, and its ordinal."""
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
_WHEN = regex(rf"@(?P<submit>{_MOMENT})?(?:/(?P<start>{_MOMENT}))?(?:#(?P<ordinal>[0-9]{{1,7}}))?\Z")


def key_of(text: str) -> JobKey:
    """The identity that a text states, as `JobKey` writes it: no cluster has a slash, but an id may. A single moment is
    taken for that of the submission."""
    cluster, _, rest = text.partition("/")
    found = _WHEN.search(rest)
    if found is None:
        return JobKey(cluster, rest)
    submit, start = (since_1970(moment) if moment else None for moment in (found["submit"], found["start"]))
    return JobKey(cluster, rest[: found.start()], submit, start, int(found["ordinal"] or 1))


class StoredJob(Struct, frozen=True):
    """A record of a job of a source: what was stated of it last, its status in the ledger, what the rules made of it,
    and what it `adds` where its source counts no hours: progress, energy or money.

    `name` is its identity as the ledger writes it. `closed` is one that still ran when it was last seen and is known to
    be over. `file` is the export that it was read from.
    """

    key: JobKey
    job: Job
    status: str
    made: Assignment
    name: str
    adds: str = ""
    closed: bool = False
    file: str = ""

    @property
    def rank(self) -> tuple[int, Fraction | int, Fraction | int, Fraction | int]:
        """Its place among states of the same attempt: ended after running; of two that ended the later, then the
        longer; of two that run the longer; then the one with more progress or energy, which only grow."""
        beside = self.job.beside
        grown = (beside.done or 0) + (beside.energy_kwh or 0) if self.adds else 0
        if self.status == RUNNING or self.closed:
            return 0, self.job.elapsed, 0, grown
        return 1, self.job.end or 0, self.job.elapsed, grown

    @property
    def ran(self) -> bool:
        """Whether it is a run of the project, with entries."""
        return bool(self.made.portions)

    @property
    def held_none(self) -> bool:
        """Whether it is not a run because it states no GPU."""
        return not (self.ran or self.made.ignored or self.made.encloses)

    @property
    def gpu_seconds(self) -> Fraction:
        """What it held, exactly; nothing where its source counts no hours."""
        return ZERO if self.adds else self.made.gpus * self.job.elapsed

    def month(self, zone: tzinfo | None) -> str:
        """The month in which it began, by the clock of its source."""
        moment = next((found for found in (self.job.start, self.job.end, self.key.submit) if found is not None), None)
        return UNDATED if moment is None else clock.written(moment, zone)[:7]

    @property
    def content(self) -> tuple[object, ...]:
        """All that is kept of a state of a job, and so what is written of it."""
        job = self.job
        says = tuple(sorted(job.says.items()))
        return (
            self.status,
            job.state,
            job.start,
            job.end,
            job.elapsed,
            job.also,
            job.gpus,
            says,
            self.made.written,
            job.beside,
            self.adds,
            1 if self.ran else job.nodes,
        )

    def same(self, other: StoredJob) -> bool:
        """Whether all is the same that is kept of two states of a job."""
        return self.key == other.key and self.content == other.content

    @property
    def stated(self) -> tuple[object, ...]:
        """What its source states of a record that has ended: another one of the same attempt states no other."""
        return self.job.state, self.job.end, self.job.elapsed, self.job.gpus, self.job.beside

    def lines(self, source: str, zone: tzinfo | None) -> tuple[str, ...]:
        """All that is kept of it, as it is written: its entries, or its line in the lock."""
        return tuple(entry_lines(self, source, zone)) if self.ran else (aside_line(self, zone),)


def entry_lines(stored: StoredJob, source: str, zone: tzinfo | None) -> Iterator[str]:
    """The entries of a job, a line each, in the order of their items and cards; fields as `IMPORTED_ORDER` and
    `JOB_ORDER` have them, where these have them."""
    job = stored.job
    made = stored.made
    held = (("start", job.start), ("end", job.end))
    times = [f"{name}: {clock.written(moment, zone)}" for name, moment in held if moment is not None]
    if not times and stored.key.submit is not None:
        times = [f"date: {clock.written(stored.key.submit, zone)[:10]}"]
    name = pair("job", stored.name)
    kept = {"source": source, "rule": made.rule, **_kept_of(job)}
    took = f"{seconds_text(job.elapsed)} s" if job.elapsed or not stored.adds else ""
    for part in in_order(made.portions):
        own = {
            "item": part.item or UNASSIGNED,
            "seed": made.seed,
            "unplanned": "true" if made.unplanned else "",
            "unassigned": "" if part.item else "true",
            "run": made.run,
        }
        if stored.adds:
            kept["part"] = str(part.gpus) if part.gpus != 1 else ""
            own |= {"adds": stored.adds, "adds_to": job.beside.adds_to, "wall_hours": took}
        else:
            own |= {"gpu": part.card, "gpus": str(part.gpus), "status": stored.status, "wall_hours": took}
        yield f"- {{{', '.join([*times, pairs(own), name])}, imported: {{{pairs(kept)}}}}}"


def _kept_of(job: Job) -> dict[str, str]:
    """What is kept of a job, so that rules can be applied to it again."""
    beside = job.beside
    kept = {"state": job.state, "also": job.also, "gpus": gpus_text(job.gpus)}
    if beside is not NOTHING_BESIDE:
        amounts = {
            "done": beside.done,
            "total": beside.total,
            "energy_kwh": beside.energy_kwh,
            "billed_usd": beside.billed_usd,
            "effective_usd": beside.effective_usd,
        }
        kept |= {"seed": beside.seed, "parent": beside.parent, "facility": "true" if beside.facility else ""}
        kept |= {name: decimal_text(amount) for name, amount in amounts.items() if amount is not None}
        kept["through"] = "" if beside.through is None else clock.written(beside.through, None)
        kept["rows"] = str(beside.rows or "")
    return kept | {name: job.says.get(name, "") for name in KEPT}


def why_aside(made: Assignment) -> str:
    """Why a job is not a run of the project."""
    return IGNORED if made.ignored else PARENT if made.encloses else NO_GPUS


def aside_line(stored: StoredJob, zone: tzinfo | None) -> str:
    """The line of the lock for a job that is not a run of the project."""
    job = stored.job
    held = {"start": job.start, "end": job.end}
    seconds = whole(stored.gpu_seconds)
    fields = {
        "job": stored.name,
        "rule": stored.made.rule,
        "why": why_aside(stored.made),
        **{name: clock.written(moment, zone) for name, moment in held.items() if moment is not None},
        "wall_seconds": seconds_text(job.elapsed),
        "gpu_seconds": seconds_text(seconds) if seconds else "",
        "nodes": "" if stored.ran or job.nodes == 1 else str(job.nodes),
        "adds_to": job.beside.adds_to,
        **_kept_of(job),
    }
    return f"- {{{pairs(fields)}}}"


def whole(seconds: Fraction | int) -> Fraction | int:
    """Seconds as a whole number, where they are one."""
    return int(seconds) if Fraction(seconds).denominator == 1 else seconds


def seconds_text(seconds: Fraction | int) -> str:
    """Seconds, exactly: a whole number, a decimal of as many digits as clocks write, or a fraction (`3600/7`)."""
    if isinstance(seconds, int):
        return str(seconds)
    whole, rest = divmod(seconds, 1)
    if _CLOCKED % rest.denominator:
        return f"{seconds.numerator}/{seconds.denominator}"
    return f"{whole}{f'{rest.numerator * _CLOCKED // rest.denominator:09}'.rstrip('0').join(('.', '')) if rest else ''}"


def decimal_text(amount: Fraction) -> str:
    """An amount as a decimal; amounts are read with at most so many places."""
    sign = "-" if amount < 0 else ""
    cut = 10**PLACES
    whole, rest = divmod(round(abs(amount) * cut), cut)
    return f"{sign}{whole}{f'.{rest:0{PLACES}}'.rstrip('0').rstrip('.')}"


_AS_WORDS = ("item", "seed", "run", "job", "also", "adds_to", "parent", *KEPT, "rule", "source", "state", "gpus")


def pairs(fields: Mapping[str, str]) -> str:
    """Fields with their texts, without those that have none."""
    return ", ".join(_known(name, text) for name, text in fields.items() if text)


def pair(name: str, text: str) -> str:
    """A field with its text, as an entry has it."""
    # `gpus` of an entry is a number or a part of one; that of what it was imported from is a text.
    return f"{name}: {scalar(text, name in _AS_WORDS and not text.isdecimal())}"


_known = lru_cache(maxsize=4096)(pair)  # what many jobs have in common


def jobs_of(runs: Iterable[Run], asides: Iterable[JobAside], source: ImportSource) -> Iterator[StoredJob]:
    """The jobs that a ledger keeps of a source, from their entries and from its lock."""
    parts = group_by((run for run in runs if run.imported and run.job), lambda run: str(run.job))
    for text, entries in parts.items():
        first = entries[0]
        kept = first.imported
        assert kept
        portions = tuple(
            Portion("" if run.unassigned else str(run.item), str(run.gpu or ""), _held(run)) for run in entries
        )
        made = Assignment(
            str(kept.rule or ""),
            str(first.seed or ""),
            str(first.run or ""),
            first.unplanned,
            False,
            tuple(in_order(portions)),
        )
        elapsed = (first.wall_hours or ZERO) * HOUR
        job = _job(source, text, kept, first.start, first.end, elapsed, 1, first.adds_to)
        status = status_of(source, job.state) or str(first.status)
        closed = status == RUNNING and job.end is not None
        status = str(first.status) if closed else status
        yield StoredJob(_stored_key(source, text, job), job, status, made, text, adds_of(source), closed)
    for aside in asides:
        if aside.why not in LEFT_OUT:
            made = Assignment(str(aside.rule or ""), ignored=aside.why == IGNORED, encloses=aside.why == PARENT)
            text = str(aside.job)
            nodes = int(aside.nodes)
            job = _job(source, text, aside, aside.start, aside.end, aside.wall_seconds, nodes, aside.adds_to)
            status = status_of(source, job.state) or ""
            yield StoredJob(_stored_key(source, text, job), job, status, made, text, adds_of(source))


def _stored_key(source: ImportSource, text: str, job: Job) -> JobKey:
    """The identity of a record that the ledger has: its start is its own, whatever its text says."""
    return record_key(source, job, job.cluster)._replace(ordinal=key_of(text).ordinal)


def adds_of(source: ImportSource) -> str:
    """What the entries of a source add; empty where they have hours."""
    return "" if source.counted == HOURS else source.counted


def _held(run: Run) -> Fraction:
    """The GPUs of an entry; of one without, the part of its job that it is."""
    if not run.adds:
        return run.gpus or ZERO
    part = run.imported.part if run.imported else None
    return Fraction(1) if part is None else part


def record_key(source: ImportSource, job: Job, cluster: str) -> JobKey:
    """The identity of what a row says of a job: by its start too, unless its source says that the id alone makes it."""
    start = job.start
    if start is None and job.end is not None:
        start = job.end - int(job.elapsed)
    return JobKey(cluster, job.id, job.submit, start if source.by_start else None)


def _job(
    source: ImportSource,
    text: str,
    kept: KeptOfJob,
    start: object,
    end: object,
    elapsed: Fraction,
    nodes: int,
    adds_to: object,
) -> Job:
    says = {name: sys.intern(str(getattr(kept, name))) for name in KEPT if getattr(kept, name) is not None}
    if source.format == "focus":
        says = {name: says["name"] for name in source.kept if "name" in says}
    key = key_of(text)
    began, ended = (since_1970(str(moment)) if moment else None for moment in (start, end))
    return Job(
        0,
        key.id,
        str(kept.state),
        whole(elapsed),
        key.submit if source.states_submit else None,
        began,
        ended,
        gpus_in(str(kept.gpus or "")),
        nodes,
        key.cluster,
        str(kept.also or ""),
        says,
        _beside(kept, str(adds_to or "")),
    )


def _beside(kept: KeptOfJob, adds_to: str) -> Beside:
    through = since_1970(str(kept.through)) if kept.through else None
    found = Beside(
        str(kept.seed or ""),
        str(kept.parent or ""),
        adds_to,
        kept.done,
        kept.total,
        kept.energy_kwh,
        kept.facility,
        kept.billed_usd,
        kept.effective_usd,
        through,
        int(kept.rows or 0),
    )
    return NOTHING_BESIDE if found == NOTHING_BESIDE else found
