"""The jobs that stand, by month: those of small months each, those of others counted together, and as a table.

All sums are of whole numbers. What is not a whole number, and what goes on beyond an edge, comes to Python by sorts
with how many are alike, and is counted there as all jobs are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from fractions import Fraction
from pathlib import Path

from reckon.language.calendar_days import DAY, FIRST_OF_1970
from reckon.model.day_split import MOST_DAYS
from reckon.model.records.imports import IGNORED, NO_GPUS

from .. import clock
from ..counting import AsideSort, Counts, Held
from ..stored import UNDATED, StoredJob, whole
from .assigning import STORED, Jobs
from .duck import Duck, looked_up, quoted
from .rows import JOB, PARTS
from .spells import ahead, numbered

_UNKNOWN = "CASE WHEN month IS NULL THEN coalesce(began, ended, submit) END"
"""The moment by which Python says the month of a job, where the engine cannot."""
_FEW = ("cluster", "status", "state", "account", "partition", "qos")
"""Columns that mostly have few texts."""
MOST_CODED = 10_000
"""Texts of a column for which there are numbers."""


@dataclass(slots=True)
class CountedJobs:
    """What stands: jobs of small months, and what months of more come to, by their names."""

    jobs: list[StoredJob] = field(default_factory=list)
    months: dict[str, Counts] = field(default_factory=dict)


def month_of(zone: tzinfo | None, moment: str = "coalesce(began, ended, submit)") -> str:
    """The month in which a job began (2025 * 100 + 9), as an expression; null where only Python can say it."""
    spells = ahead(zone or UTC)
    date = f"(DATE '1970-01-01' + CAST(({moment} + {looked_up(moment, spells)}) // {DAY} AS INTEGER))"
    return f"year({date}) * 100 + month({date})"


def months_read(duck: Duck, zone: tzinfo | None) -> set[str]:
    """The months in which jobs began that files have."""
    found = f"SELECT *, {month_of(zone)} AS month FROM jobs WHERE file > 0 AND what = {JOB}"
    rows = duck.rows(f"SELECT DISTINCT month, {_UNKNOWN} FROM ({found})")
    return {_month(month, (_written(moment, zone),)) for month, moment in rows}


def counted_elsewhere(duck: Duck, zone: tzinfo | None, month: str, path: Path | None) -> bool:
    """Whether any job that files have is in the file of a month that was counted; without it, whether one may be."""
    if path is not None:
        same = f"(SELECT id, submit FROM read_parquet({quoted(duck.linked(path))})) c ON c.id = j.id"
        found = f"jobs j JOIN {same} AND c.submit IS NOT DISTINCT FROM j.submit WHERE j.file > 0 AND j.what = {JOB}"
    else:
        number = number_of(month)
        between = f"{month_of(zone, 'submit')} <= {number} AND {month_of(zone)} > {number}"
        found = f"jobs WHERE file > 0 AND what = {JOB} AND (submit IS NULL OR coalesce({between}, true))"
    return any(duck.rows(f"SELECT 1 FROM {found} LIMIT 1"))


def number_of(month: str) -> int:
    """A month as the engine has it: 2025 * 100 + 9."""
    return int(month[:4]) * 100 + int(month[5:])


def prepare(duck: Duck, zone: tzinfo | None, edges: Sequence[int], jobs: Jobs) -> None:
    """The table `told`: jobs that stand with their month (2025 * 100 + 9; none where only Python can say it), the days
    from which to which they ran, the number of the stretch of the first, and whether they are `plain`: all of it lies
    between two edges."""
    local = zone or UTC
    spells = ahead(local)

    def there(moment: str) -> str:
        return f"({moment} + {looked_up(moment, spells)})"

    times = (
        f"SELECT *, {there('began')} AS starts, {there('ended')} AS ends, "
        f"{month_of(zone)} AS month, made IN ({jobs.runs}) AS ran FROM standing"
    )
    first = f"starts // {DAY} + {FIRST_OF_1970}"
    last = f"greatest(starts // {DAY}, (ends - 1) // {DAY}) + {FIRST_OF_1970}"
    days = f"SELECT *, {first} AS first, {last} AS last FROM ({times})"
    stretches = numbered(edges)
    plain = (
        f"coalesce(rest = 0 AND month IS NOT NULL AND ended BETWEEN began AND began + {MOST_DAYS * DAY} "
        f"AND ends // {DAY} >= starts // {DAY} "
        f"AND {looked_up('first', stretches)} = {looked_up('last', stretches)}, false)"
    )
    number = looked_up("first", stretches)
    kept = ", ".join(
        (
            *(_coded(duck, name) if name in _FEW else name for name in STORED),
            "spot",
            "file",
            "none",
            "month",
            "ran",
            "first",
            "last",
        )
    )
    # Many questions are put to it: what makes it is found once, and what it was made of is not needed any more.
    duck.run(f"CREATE TABLE told AS SELECT {kept}, {number} AS number, {plain} AS plain FROM ({days})")
    duck.run("DROP VIEW standing; DROP VIEW alive; DROP TABLE jobs")


def _coded(duck: Duck, name: str) -> str:
    """A column as numbers for its texts, where these are few: they sort as the texts do."""
    every = f"SELECT DISTINCT {name} AS text FROM jobs WHERE what = {JOB} AND {name} IS NOT NULL"
    (many,) = duck.only(f"SELECT count(*) FROM ({every} LIMIT {MOST_CODED + 1})")
    if not 0 < many <= MOST_CODED:
        return name
    duck.run(f"CREATE TYPE few_{name} AS ENUM ({every} ORDER BY text)")
    return f"{name}::few_{name} AS {name}"


def count(
    duck: Duck, zone: tzinfo | None, edges: Sequence[int], jobs: Jobs, most: int, always: Collection[str] = ()
) -> CountedJobs:
    """The jobs that stand: each of a month that has no more than so many and is not `always` counted, those of others
    counted."""
    found = CountedJobs()
    small = _of_small_months(duck, zone, most, always)
    for row in duck.rows(f"SELECT {', '.join(STORED)} FROM told WHERE {small}"):
        found.jobs.append(jobs.job(row))
    left = f"NOT ({small})"
    counts: dict[str, Counts] = defaultdict(lambda: Counts(edges))
    _count_plain(duck, counts, jobs, left)
    _count_others(duck, counts, jobs, left, zone)
    _count_asides(duck, counts, jobs, left, zone)
    found.months = dict(counts)
    return found


def _of_small_months(duck: Duck, zone: tzinfo | None, most: int, always: Collection[str]) -> str:
    """Whether a job is one of a month that has no more than so many, as a condition."""
    totals: dict[str, int] = defaultdict(int)
    months: dict[str, list[str]] = defaultdict(list)
    for month, moment, many in duck.rows(f"SELECT month, {_UNKNOWN}, count(*) FROM told GROUP BY ALL"):
        name = _month(month, (_written(moment, zone),))
        totals[name] += many
        same = f"month = {month}" if month is not None else f"({_UNKNOWN}) IS NOT DISTINCT FROM {moment or 'NULL'}"
        months[name].append(f"coalesce({same}, false)" if month is not None else f"(month IS NULL AND {same})")
    small = [name for name, many in sorted(totals.items()) if name not in always and (many <= most or name == UNDATED)]
    return " OR ".join(each for name in small for each in months[name]) or "false"


def _unruled(jobs: Jobs) -> str:
    """The name of a job, where no rule fits it."""
    ruled = ", ".join(str(number) for number, made in enumerate(jobs.made) if made.rule) or "NULL"
    return f"CASE WHEN coalesce(made IN ({ruled}), false) THEN '' ELSE name END"


def _count_plain(duck: Duck, counts: dict[str, Counts], jobs: Jobs, left: str) -> None:
    rows = duck.rows(
        f"SELECT month, made, run, status, state, {_unruled(jobs)} AS called, count(*), sum(elapsed)::VARCHAR, "
        f"min(first), max(last) FROM told WHERE ran AND plain AND {left} "
        "GROUP BY month, number, made, run, status, state, called, elapsed > 0"
    )
    for month, made, run, status, state, name, many, seconds, first, last in rows:
        days = range(first, last + 1)
        counts[_name(month)].add_within(jobs.made_of(made, run), status, state, name, many, int(seconds), days)


def _count_others(duck: Duck, counts: dict[str, Counts], jobs: Jobs, left: str, zone: tzinfo | None) -> None:
    columns = (
        f"month, made, run, status, state, {_unruled(jobs)} AS called, began, ended, "
        "CASE WHEN began IS NULL AND ended IS NULL THEN submit END AS asked, elapsed, rest"
    )
    rows = duck.rows(f"SELECT {columns}, count(*) FROM told WHERE ran AND NOT plain AND {left} GROUP BY ALL")
    for month, made, run, status, state, name, began, ended, asked, elapsed, rest, many in rows:
        start, end, date = (_written(moment, zone) for moment in (began, ended, asked))
        held = Held(start, end, date[:10], _seconds(elapsed, rest))
        counts[_month(month, (start, end, date))].add(jobs.made_of(made, run), status, state, name, held, many)


def _count_asides(duck: Duck, counts: dict[str, Counts], jobs: Jobs, left: str, zone: tzinfo | None) -> None:
    moment = f"{_UNKNOWN} AS moment"
    ignored = ", ".join(str(number) for number, made in enumerate(jobs.made) if made.ignored) or "NULL"
    where = f"CASE WHEN coalesce(made IN ({ignored}), false) THEN '' ELSE partition END AS place"
    rows = duck.rows(
        f"SELECT month, {moment}, made, held, {where}, rest, count(*), sum(elapsed)::VARCHAR, "
        f"sum(elapsed * nodes)::VARCHAR, sum(nodes)::VARCHAR FROM told WHERE NOT ran AND NOT none AND {left} "
        "GROUP BY month, moment, made, held, place, rest"
    )
    alone = f"SELECT month, {moment}, count(*) FROM told WHERE NOT ran AND none AND {left} GROUP BY ALL"
    for month, at, many in duck.rows(alone):
        counts[_month(month, (_written(at, zone),))].jobs += many
    for month, at, made, held, place, rest, many, elapsed, of_nodes, nodes in rows:
        assignment, part = jobs.made[made], Fraction(rest, PARTS)
        if assignment.ignored:
            seconds = sum(gpus for _, gpus in jobs.held[held]) * (int(elapsed) + part * many)
            sort = AsideSort(IGNORED, assignment.rule, "")
        else:
            seconds, sort = int(of_nodes) + part * int(nodes), AsideSort(NO_GPUS, "", place)
        counts[_month(month, (_written(at, zone),))].set_aside(sort, many, whole(seconds))


def _name(month: int) -> str:
    return f"{month // 100:04}-{month % 100:02}"


def _month(month: int | None, moments: Sequence[str]) -> str:
    """The name of a month; by the first moment that is known where the engine cannot say it."""
    return _name(month) if month is not None else next(filter(None, (moment[:7] for moment in moments)), UNDATED)


def _written(moment: int | None, zone: tzinfo | None) -> str:
    return "" if moment is None else clock.written(moment, zone)


def _seconds(elapsed: int, rest: int) -> Fraction | int:
    return elapsed + Fraction(rest, PARTS) if rest else elapsed
