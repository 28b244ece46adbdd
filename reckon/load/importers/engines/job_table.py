"""Jobs as a table of the database, in the columns of a file of jobs: of exports, and of months counted before.

What rules make of rows is said in Python, once of all rows that are alike to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

from reckon.model.records.imports import UNSTATED, gpus_text

from .. import archive
from ..assign import Assignment, Rules, Unmatched, gap_of, in_order
from ..job import STATES, status_of
from ..stored import UNDATED, StoredJob, why_aside
from ..tres import gpus_of
from .database import AT_ONCE, Database, EngineFailed, quoted
from .expression import Asked, first_fitting
from .matching import Compiled
from .moments import day_of

JOBS = "jobs"
LEDGER = 0
"""The number of no export: of what is in the ledger already."""
ALIKE = ("rule", "unstated", "untyped", "item", "seed", "tres")
"""The columns by which the rules make the same of rows."""
_MADE = ("rule", "seed", "unplanned", "why", "gpus", "parts")


def schema(arrow: Any) -> Any:
    """The columns of a job: those of a file of jobs; with the export that it stands in, the whole seconds for which it
    ran, the month in which it began, and whether a rule says that it had no GPU."""
    own = [("file", arrow.int64()), ("took", arrow.int64()), ("month", arrow.string()), ("none", arrow.bool_())]
    return arrow.schema([*archive.schema(arrow), *own])


def _made_schema(arrow: Any) -> Any:
    """The columns of what is made of rows that are alike."""
    numbers = dict.fromkeys(("rule", "unstated", "untyped"), arrow.int64())
    alike = [(f"by_{name}", numbers.get(name, arrow.string())) for name in ALIKE]
    made = [archive.schema(arrow).field(name) for name in _MADE]
    return arrow.schema([*alike, *made, ("own_run", arrow.string()), ("none", arrow.bool_())])


def begin(database: Database) -> None:
    """Makes the table, without jobs."""
    arrow = import_module("pyarrow")
    database.put(JOBS, schema(arrow).empty_table())


def add(database: Database, jobs: Iterable[StoredJob], file: int, rules: Rules, zone: tzinfo | None) -> None:
    """Adds jobs that the plain reader read."""
    arrow = import_module("pyarrow")
    left = iter(jobs)
    while some := list(islice(left, AT_ONCE)):
        rows = [_row_of(stored, file, rules, zone) for stored in some]
        database.add(JOBS, database.put("batch", arrow.Table.from_pylist(rows, schema(arrow))))


def _row_of(stored: StoredJob, file: int, rules: Rules, zone: tzinfo | None) -> dict[str, Any]:
    none = stored.held_none and rules.has_none(stored.job)
    own = {"file": file, "took": int(stored.job.elapsed), "month": stored.month(zone), "none": none}
    return archive.row_of(stored) | own


class Sort(NamedTuple):
    """Rows that are alike to the rules, what these make of them, and the first line in which one stands; how many rows
    there are, and how many of them are jobs to keep."""

    made: Assignment | Unmatched
    line: int
    rows: int
    kept: int


def add_rows(database: Database, rows: Any, file: int, rules: Rules, asked: Asked) -> Iterator[Sort]:
    """Adds those of classified rows that are jobs to keep, and gives what is made of all that are alike."""
    arrow = import_module("pyarrow")
    jobs = rows.filter(rows.what == "job")
    kept = jobs.candidate.ifelse(1, 0).sum()
    alike = jobs.group_by(list(ALIKE)).aggregate(rows=jobs.count(), kept=kept, line=jobs.line.min())
    made = []
    for group in list(database.rows(alike.order_by("line"))):
        try:
            assignment, row = _made_of(group, rules, asked.rules)
        except Unmatched as unmatched:
            yield Sort(unmatched, group["line"], group["rows"], group["rows"])
            continue
        made.append(row)
        yield Sort(assignment, group["line"], group["rows"], group["kept"])
    database.add(
        JOBS, _joined(jobs, database.put("made", arrow.Table.from_pylist(made, _made_schema(arrow))), file, asked)
    )


def _made_of(group: Mapping[str, Any], rules: Rules, compiled: Compiled) -> tuple[Assignment, dict[str, Any]]:
    """What the rules make of rows that are alike, also as a row. Raises Unmatched."""
    gpus = gpus_of(group["tres"])
    kind = gap_of(gpus)
    gap = group[kind] if kind else -1
    made = rules.assigned(compiled.match(group["rule"], (group["item"], group["seed"], ""), gap, kind), gpus)
    filling = rules.source.gpus.get(compiled.gaps[UNSTATED][gap].name) if kind == UNSTATED and gap >= 0 else None
    row = {
        "rule": made.rule or None,
        "seed": made.seed or None,
        "unplanned": made.unplanned,
        "why": None if made.portions else why_aside(made),
        "gpus": gpus_text(gpus) or None,
        "parts": [{"item": part.item, "card": part.card, "gpus": str(part.gpus)} for part in in_order(made.portions)],
        "own_run": made.run,
        "none": not made.portions and not made.ignored and filling is not None and filling.count == 0,
    }
    return made, row | {f"by_{name}": group[name] for name in ALIKE}


def _joined(jobs: Any, made: Any, file: int, asked: Asked) -> Any:
    """Jobs to keep, with what was made of them, in the columns of the table."""
    import ibis

    texts = jobs.filter(jobs.candidate).rename({f"by_{name}": name for name in ALIKE})
    found = texts.join(made, [f"by_{name}" for name in ALIKE])
    ran = found.why.isnull()
    captured = ibis.ifelse(ran, found.run, "")
    columns = {
        "cluster": found.cluster,
        "id": found.id,
        "also": found.also.nullif(""),
        "state": found.word,
        "status": found.status,
        "elapsed": found.took.cast("string"),
        "run": ibis.ifelse(found.own_run == "", captured, found.own_run).nullif(""),
        "start": found.began,
        "end": found.ended,
        "nodes": ibis.ifelse(ran, 1, found.node_count),
        "file": ibis.literal(file, "int64"),
        "month": month_of(found, asked),
    }
    said = {name: found[name].nullif("") for name in ("name", "account", "partition", "qos")}
    return found.select("submit", "took", "none", *_MADE, **columns, **said)


def month_of(table: Any, asked: Asked) -> Any:
    """The month in which a job began, by the clock of its source, as 2025-09."""
    import ibis

    day = day_of(ibis.coalesce(table.began, table.ended, table.submit), asked.offsets)
    return (ibis.date(1970, 1, 1) + day.as_interval("D")).strftime("%Y-%m").fill_null(UNDATED)


def status_in(word: Any, asked: Asked) -> Any:
    """The status of a run for the word of a state."""
    import ibis

    of_status: dict[str, list[str]] = {}
    for known in sorted({*STATES, *(own.upper() for own in asked.source.statuses)}):
        of_status.setdefault(status_of(asked.source, known) or "", []).append(known)
    return ibis.cases(*((word.isin(words), status) for status, words in of_status.items()), else_="")


def add_month(database: Database, month: str, link: str, asked: Asked) -> None:
    """Adds the jobs of a file of a month that was counted before, as what is in the ledger. Raises
    EngineFailed where it is none of ours."""
    import ibis

    file = database.view("counted_before", f"SELECT * FROM read_parquet({quoted(link)})")
    if not {*archive.TEXTS, *archive.NUMBERS, "unplanned", "parts"} <= set(file.columns):
        raise EngineFailed(f"the file of jobs of {month} is not one of ours")
    own = ibis.literal(str(asked.source.cluster)) if asked.source.cluster else file.cluster
    fields = {
        f"of_{name}": file[name].fill_null("") if name in file.columns else ibis.literal("")
        for name in sorted(asked.rules.fields)
    }
    found = file.mutate(began=file.start, **fields, cluster_name=own.replace("/", "-"))
    found = found.mutate(why=ibis.null("string"), aside=found.why)
    none = [
        number for number, choice in enumerate(asked.rules.gaps[UNSTATED]) if asked.source.gpus[choice.name].count == 0
    ]
    had_none = (
        first_fitting(found, asked, asked.rules.gaps[UNSTATED], "gpus").isin(none) if none else ibis.literal(False)
    )
    whole = found.elapsed.re_extract("^([0-9]+)", 1).cast("int64")
    below = found.elapsed.re_extract("/([0-9]+)$", 1)
    columns = {
        "cluster": found.cluster_name,
        "why": found.aside,
        "end": ibis.ifelse(found.status == "running", ibis.null("int64"), found.end),
        "took": ibis.ifelse(below == "", whole, whole // ibis.ifelse(below == "", "1", below).cast("int64")),
        "none": had_none & (found.aside == "no-gpus").fill_null(False),
        "month": ibis.literal(month),
        "file": ibis.literal(LEDGER, "int64"),
        "parts": ibis.coalesce(found.parts, ibis.literal([], found.parts.type())),
    }
    kept = [name for name in file.columns if name not in columns]
    database.add(JOBS, found.select(*kept, **columns))
