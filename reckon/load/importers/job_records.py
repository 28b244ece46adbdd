"""Jobs as a ledger keeps them: an entry for each part of a job that ran for the project, a line of the lock for others.

Both state all that the rules of a source and the order of two states of a job need, so that what was imported before is
read back from them, and the export it came from is not asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reckon.language import quantity
from reckon.language.calendar_days import HOUR, since_1970
from reckon.language.groups import group_by
from reckon.language.lazy import regex
from reckon.language.quantity import ONE, ZERO, Quantity
from reckon.model.records import ImportSource, JobAside, KeptOfJob, Run
from reckon.model.records.imports import HOURS, IGNORED, KEPT, NO_GPUS, PARENT, gpus_in, gpus_text

from ..run_format import scalar
from . import clock
from .assignment import Assignment, Portion, order_portions
from .clock import Moment, Zone
from .job import NO_EXTRAS, RUNNING, Exact, Extras, Job, status_of

UNASSIGNED = "unassigned"
"""The item of an entry that no rule assigns."""
UNDATED = "undated"
"""The month of a job of which no moment is known."""
PLACES = 12
"""Decimals of kWh, US dollars and progress that are kept."""
AMOUNTS = ("done", "total", "energy_kwh", "billed_usd", "effective_usd")
"""What a source states beside hours, of which these are written as decimals."""
_CLOCKED = 10**9


class JobKey(NamedTuple):
    """What makes a record of a job one record.

    Ids are used again, the same id stands on two clusters, and a job that was put back into the queue may keep its time
    of submission; `start` is when the attempt began. Moments are seconds since 1970, None where they are not known.
    `ordinal` counts rows of a table that are alike.
    """

    cluster: str
    id: str
    submit: Moment = None
    start: Moment = None
    ordinal: int = 1

    @property
    def submission(self) -> Submission:
        """What all attempts of a job have in common."""
        return self.cluster, self.id, self.submit, self.ordinal

    def text(self, source: ImportSource, later: bool = False) -> str:
        """The identity as a ledger writes it: `CLUSTER/ID@SUBMIT`, and `/START` of a `later` attempt.

        It is `CLUSTER/ID@START` where a source does not state when jobs were submitted.
        """
        by_submit = source.states_submit
        moment = clock.written(self.submit if by_submit else self.start, None)
        if by_submit and later and self.start is not None:
            moment += f"/{clock.written(self.start, None)}"
        count = f"#{self.ordinal}" if self.ordinal > 1 else ""
        # The id of a table may end as if a time followed it: then a sign says that none does.
        at = "@" if moment or count or _WHEN.search(self.id) else ""
        return f"{self.cluster}/{self.id}{at}{moment}{count}"


Submission = tuple[str, str, Moment, int]
"""Cluster, id and time of submission of a job, and its ordinal."""
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
_WHEN = regex(rf"@(?P<submit>{_MOMENT})?(?:/(?P<start>{_MOMENT}))?(?:#(?P<ordinal>[0-9]{{1,7}}))?\Z")


def key_of(text: str) -> JobKey:
    """The identity that a text states, as `JobKey` writes it: no cluster has a slash, but an id may. A single moment is
    taken for that of the submission."""
    cluster, _, id = text.partition("/")
    match = _WHEN.search(id)
    if match is None:
        return JobKey(cluster, id)
    submit, start = (since_1970(match[name] or "") for name in ("submit", "start"))
    return JobKey(cluster, id[: match.start()], submit, start, int(match["ordinal"] or 1))


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
    def rank(self) -> tuple[int, Exact, Exact, Exact]:
        """Its place among states of the same attempt: ended after running; of two that ended the later, then the
        longer; of two that run the longer; then the one with more progress or energy, which only grow."""
        extras = self.job.extras
        grown = (extras.done or 0) + (extras.energy_kwh or 0) if self.adds else 0
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

    def month(self, zone: Zone) -> str:
        """The month in which it began, by the clock of its source."""
        moments = (self.job.start, self.job.end, self.key.submit)
        moment = next((moment for moment in moments if moment is not None), None)
        return clock.written(moment, zone)[:7] or UNDATED

    @property
    def content(self) -> tuple[object, ...]:
        """All that is kept of a state of a job beside its key, and so what is written of it."""
        job = replace(self.job, line=0, nodes=1 if self.ran else self.job.nodes)
        return self.status, job, self.made.written, self.adds

    def is_same(self, other: StoredJob) -> bool:
        """Whether all is the same that is kept of two states of a job."""
        return self.key == other.key and self.content == other.content

    @property
    def end_state(self) -> tuple[object, ...]:
        """What its source states of a record that has ended: another one of the same attempt states no other."""
        return self.job.state, self.job.end, self.job.elapsed, self.job.gpus, self.job.extras

    def lines(self, source: str, zone: Zone) -> tuple[str, ...]:
        """All that is kept of it, as it is written: its entries, or its line in the lock."""
        return tuple(entry_lines(self, source, zone)) if self.ran else (aside_line(self, zone),)


def entry_lines(record: StoredJob, source: str, zone: Zone) -> Iterator[str]:
    """The entries of a job, a line each, in the order of their items and cards; fields as `IMPORTED_ORDER` and
    `JOB_ORDER` have them, where these have them."""
    job = record.job
    assignment = record.made
    times = {"start": clock.written(job.start, zone), "end": clock.written(job.end, zone)}
    if not any(times.values()):
        times = {"date": clock.written(record.key.submit, zone)[:10]}
    moments = [f"{name}: {text}" for name, text in times.items() if text]
    name = pair("job", record.name)
    origin = {"source": source, "rule": assignment.rule, **_origin_fields(job)}
    took = f"{seconds_text(job.elapsed)} s" if job.elapsed or not record.adds else ""
    for part in order_portions(assignment.portions):
        fields = {
            "item": part.item or UNASSIGNED,
            "seed": assignment.seed,
            "unplanned": "true" if assignment.unplanned else "",
            "unassigned": "" if part.item else "true",
            "run": assignment.run,
        }
        if record.adds:
            origin["part"] = str(part.gpus) if part.gpus != 1 else ""
            fields |= {"adds": record.adds, "adds_to": job.extras.adds_to, "wall_hours": took}
        else:
            fields |= {"gpu": part.card, "gpus": str(part.gpus), "status": record.status, "wall_hours": took}
            fields["utilisation"] = _used_text(job)
        yield f"- {{{', '.join([*moments, pairs(fields), name])}, imported: {{{pairs(origin)}}}}}"


def _origin_fields(job: Job) -> dict[str, str]:
    """What is kept of a job, so that rules can be applied to it again."""
    extras = job.extras
    fields = {"state": job.state, "also": job.also, "gpus": gpus_text(job.gpus)}
    if extras != NO_EXTRAS:
        amounts = {name: getattr(extras, name) for name in AMOUNTS}
        fields |= {"seed": extras.seed, "parent": extras.parent, "facility": "true" if extras.facility else ""}
        fields |= {name: decimal_text(amount) for name, amount in amounts.items() if amount is not None}
        fields |= {"through": clock.written(extras.through, None), "rows": str(extras.rows or "")}
    return fields | {name: job.says.get(name, "") for name in KEPT}


def _used_text(job: Job) -> str:
    """The utilisation that a job states, in percent; empty where it states none."""
    used = job.extras.utilisation
    return "" if used is None else f"{decimal_text(used * 100)}%"


def why_aside(assignment: Assignment) -> str:
    """Why a job is not a run of the project."""
    return IGNORED if assignment.ignored else PARENT if assignment.encloses else NO_GPUS


def aside_line(record: StoredJob, zone: Zone) -> str:
    """The line of the lock for a job that is not a run of the project."""
    job = record.job
    assignment = record.made
    fields = {"job": record.name, "rule": assignment.rule, "why": why_aside(assignment)}
    fields |= {"start": clock.written(job.start, zone), "end": clock.written(job.end, zone)}
    fields |= {"wall_seconds": seconds_text(job.elapsed), "nodes": "" if job.nodes == 1 else str(job.nodes)}
    fields["utilisation"] = _used_text(job)
    fields |= {"adds_to": job.extras.adds_to, **_origin_fields(job)}
    return f"- {{{pairs(fields)}}}"


def text_of(value: object) -> str:
    """A text of a record without its place; empty where it says nothing."""
    return str(value or "")


def whole(seconds: Exact) -> Exact:
    """Seconds as a whole number, where they are one."""
    return int(seconds) if Fraction(seconds).denominator == 1 else seconds


def seconds_text(seconds: Exact) -> str:
    """Seconds, exactly: a whole number, a decimal of as many digits as clocks write, or a fraction (`3600/7`)."""
    return str(seconds) if _CLOCKED % seconds.denominator else decimal_text(Fraction(seconds))


def decimal_text(amount: Fraction) -> str:
    """An amount as a decimal; amounts are read with at most so many places."""
    return quantity.decimal_text(amount, PLACES).rstrip("0").rstrip(".")


_AS_WORDS = ("item", "seed", "run", "job", "also", "adds_to", "parent", *KEPT, "rule", "source", "state", "gpus")


def pairs(fields: Mapping[str, str]) -> str:
    """Fields with their texts, without those that have none."""
    return ", ".join(pair(name, text) for name, text in fields.items() if text)


def pair(name: str, text: str) -> str:
    """A field with its text, as an entry has it."""
    # `gpus` of an entry is a number or a part of one; that of what it was imported from is a text.
    return f"{name}: {scalar(text, name in _AS_WORDS and not text.isdecimal())}"


def jobs_of(runs: Iterable[Run], asides: Iterable[JobAside], source: ImportSource) -> Iterator[StoredJob]:
    """The jobs that a ledger keeps of a source, from their entries and from its lock."""
    parts = group_by((run for run in runs if run.imported and run.job), lambda run: str(run.job))
    for name, entries in parts.items():
        first = entries[0]
        assert first.imported
        portions = tuple(order_portions(map(_portion_of, entries)))
        rule = text_of(first.imported.rule)
        assignment = Assignment(rule, text_of(first.seed), text_of(first.run), first.unplanned, portions=portions)
        job = _read_job(source, name, first.imported, first, (first.wall_hours or ZERO) * HOUR)
        status, closed = kept_status(source, job, str(first.status))
        yield _stored_job(source, name, job, status, assignment, closed)
    for aside in asides:
        assignment = Assignment(text_of(aside.rule), ignored=aside.why == IGNORED, encloses=aside.why == PARENT)
        name = str(aside.job)
        job = _read_job(source, name, aside, aside, aside.wall_seconds, int(aside.nodes))
        yield _stored_job(source, name, job, status_of(source, job.state) or "", assignment, False)


def kept_status(source: ImportSource, job: Job, status: str) -> tuple[str, bool]:
    """The status of a job that is kept with this one, by what its state means today; and whether it is one that ran
    when it was last seen, and is known to be over."""
    today = status_of(source, job.state) or status
    closed = today == RUNNING and job.end is not None
    return status if closed else today, closed


def _stored_job(source: ImportSource, name: str, job: Job, status: str, made: Assignment, closed: bool) -> StoredJob:
    """A record that the ledger has by this name: its start is its own, whatever the name says."""
    key = record_key(source, job)._replace(ordinal=key_of(name).ordinal)
    return StoredJob(key, job, status, made, name, adds_of(source), closed)


def adds_of(source: ImportSource) -> str:
    """What the entries of a source add; empty where they have hours."""
    return "" if source.counted == HOURS else source.counted


def _portion_of(run: Run) -> Portion:
    """The part of a job that an entry is: so many GPUs, or without hours the part that it says."""
    gpus = run.gpus or ZERO
    if run.adds:
        part = run.imported.part if run.imported else None
        gpus = ONE if part is None else part
    return Portion("" if run.unassigned else str(run.item), text_of(run.gpu), gpus)


def record_key(source: ImportSource, job: Job) -> JobKey:
    """The identity of what a row says of a job: by its start too, unless its source says that the id alone makes it."""
    start = job.start
    if start is None and job.end is not None:
        start = job.end - int(job.elapsed)
    return JobKey(job.cluster, job.id, job.submit, start if source.by_start else None)


def _read_job(
    source: ImportSource, name: str, origin: KeptOfJob, times: Run | JobAside, elapsed: Exact, nodes: int = 1
) -> Job:
    says = {name: str(getattr(origin, name)) for name in KEPT if getattr(origin, name) is not None}
    if source.format == "focus":
        says = {name: says["name"] for name in source.kept if "name" in says}
    key = key_of(name)
    submit = key.submit if source.states_submit else None
    start = since_1970(text_of(times.start))
    end = since_1970(text_of(times.end))
    gpus = gpus_in(text_of(origin.gpus))
    also = text_of(origin.also)
    extras = _read_extras(origin, times)
    elapsed = whole(elapsed)
    return Job(0, key.id, str(origin.state), elapsed, submit, start, end, gpus, nodes, key.cluster, also, says, extras)


def _read_extras(origin: KeptOfJob, entry: Run | JobAside) -> Extras:
    amounts = {name: getattr(origin, name) for name in AMOUNTS}
    seed = text_of(origin.seed)
    through = since_1970(text_of(origin.through))
    rows = int(origin.rows or 0)
    used = entry.utilisation.value.use if isinstance(entry.utilisation, Quantity) else None
    return Extras(
        seed,
        text_of(origin.parent),
        text_of(entry.adds_to),
        facility=origin.facility,
        utilisation=used,
        through=through,
        rows=rows,
        **amounts,
    )
