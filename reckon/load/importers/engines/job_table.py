"""Jobs as a table of the database: of exports, and of months counted before.

What rules make of rows is said in Python, once of all rows that are alike to them. It stands in a table of kinds, and a
job has the number of its kind: whole numbers are grouped and joined many times faster than all that they stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from reckon.model.records.imports import UNSTATED, gpus_text

from .. import archive
from ..assign import Assignment, Rules, Unmatched, gap_of
from ..job import states_by_status
from ..stored import UNDATED, StoredJob, why_aside
from ..tres import gpus_of
from .conditions import is_one_of
from .database import AT_ONCE, Database, quoted
from .expression import Asked, first_fitting
from .matching import Compiled
from .moments import day_of

JOBS, KINDS = "jobs", "kinds"
LEDGER = 0
"""The number of no export: of what is in the ledger already."""
ALIKE = ("rule", "unstated", "untyped", "item", "seed", "tres")
"""The columns by which the rules make the same of rows."""
KIND = ("rule", "seed", "unplanned", "why", "gpus", "parts")
"""What jobs of one kind share: what the rules made of them, and the GPUs that they state."""
COLUMNS = {
    **dict.fromkeys(archive.TEXTS, "string"),
    **dict.fromkeys(archive.NUMBERS, "int64"),
    "unplanned": "boolean",
    "parts": "array<struct<item: string, card: string, gpus: string>>",
}
"""The columns of a file of jobs, and their types."""
_OWN = {**dict.fromkeys(("kind", "file", "took"), "int64"), "month": "string", "none": "boolean"}
"""Of a job beside these: the number of its kind, the export that it stands in, the whole seconds for which it ran, the
month in which it began, and whether a rule says that it had no GPU."""
_OF_JOB = {name: of_type for name, of_type in (COLUMNS | _OWN).items() if name not in KIND}
_OF_KIND = {"kind": "int64", **{name: COLUMNS[name] for name in KIND}}
_MADE = {
    **dict.fromkeys(("by_rule", "by_unstated", "by_untyped", "kind"), "int64"),
    **dict.fromkeys(("by_item", "by_seed", "by_tres", "own_run"), "string"),
    **dict.fromkeys(("ran", "none"), "boolean"),
}
"""Of what is made of rows that are alike."""


class Kinds:
    """The kinds of the jobs in the table, by number: the same number is the same kind."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._rows: list[dict[str, Any]] = []
        self.store()

    def number(self, row: archive.Row) -> int:
        """The number of the kind that a row says."""
        parts = tuple((part["item"], part["card"], part["gpus"]) for part in row["parts"])
        said = (*(row[name] for name in KIND if name != "parts"), parts)
        number = self._numbers.setdefault(said, len(self._numbers))
        if number == len(self._rows):
            self._rows.append({"kind": number, **{name: row[name] for name in KIND}})
        return number

    def store(self) -> None:
        """Writes the table of kinds."""
        self._database.put_rows(KINDS, self._rows, _OF_KIND)


def begin(database: Database) -> Kinds:
    """Makes the tables, without jobs."""
    database.put_rows(JOBS, [], _OF_JOB)
    return Kinds(database)


def with_kinds(database: Database, jobs: Any) -> Any:
    """Jobs with what their kinds say: then they have the columns of a file of jobs."""
    return jobs.inner_join(database.table(KINDS), "kind")


def add(
    database: Database, kinds: Kinds, jobs: Iterable[StoredJob], file: int, rules: Rules, zone: tzinfo | None
) -> None:
    """Adds jobs that the plain reader read."""
    left = iter(jobs)
    while some := list(islice(left, AT_ONCE)):
        rows = [_row_of(stored, file, rules, zone) for stored in some]
        numbered = [row | {"kind": kinds.number(row)} for row in rows]
        database.add(JOBS, database.put_rows("batch", numbered, _OF_JOB))
    kinds.store()


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


def add_rows(database: Database, kinds: Kinds, rows: Any, file: int, rules: Rules, asked: Asked) -> Iterator[Sort]:
    """Adds those of classified rows that are jobs to keep, and gives what is made of all that are alike."""
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
        by = {f"by_{name}": group[name] for name in ALIKE}
        made.append({**by, **row, "kind": kinds.number(row)})
        yield Sort(assignment, group["line"], group["rows"], group["kept"])
    kinds.store()
    numbered = database.put_rows("made", made, _MADE)
    database.add(JOBS, _joined(jobs, numbered, file, asked))


def _made_of(group: archive.Row, rules: Rules, compiled: Compiled) -> tuple[Assignment, dict[str, Any]]:
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
        "parts": archive.parts_of(made),
        "ran": bool(made.portions),
        "none": not made.portions and not made.ignored and filling is not None and filling.count == 0,
        "own_run": made.run,
    }
    return made, row


def _joined(jobs: Any, made: Any, file: int, asked: Asked) -> Any:
    """Jobs to keep, with the numbers of their kinds, in the columns of the table."""
    import ibis

    texts = jobs.filter(jobs.candidate).rename({f"by_{name}": name for name in ALIKE})
    found = texts.join(made, [f"by_{name}" for name in ALIKE])
    captured = ibis.ifelse(found.ran, found.run, "")
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
        "nodes": ibis.ifelse(found.ran, 1, found.node_count),
        "file": ibis.literal(file, "int64"),
        "month": month_of(found, asked),
    }
    said = {name: found[name].nullif("") for name in ("name", "account", "partition", "qos")}
    return found.select("submit", "took", "none", "kind", **columns, **said)


def month_of(table: Any, asked: Asked) -> Any:
    """The month in which a job began, by the clock of its source, as 2025-09."""
    import ibis

    day = day_of(ibis.coalesce(table.began, table.ended, table.submit), asked.offsets)
    return (ibis.date(1970, 1, 1) + day.as_interval("D")).strftime("%Y-%m").fill_null(UNDATED)


def status_in(word: Any, asked: Asked) -> Any:
    """The status of a run for the word of a state."""
    import ibis

    of_status = states_by_status(asked.source).items()
    return ibis.cases(*((is_one_of(word, states), status) for status, states in of_status), else_="")


def jobs_in(database: Database, path: Path) -> Any:
    """The jobs of a file of a month that was counted before."""
    file = quoted(database.linked(path))
    read = f"read_parquet({file})"
    if path.suffix != archive.PARQUET:
        types = COLUMNS | {"parts": "STRUCT(item VARCHAR, card VARCHAR, gpus VARCHAR)[]"}
        read = f"read_json({file}, format='newline_delimited', compression='gzip', columns={types})"
    return database.view("counted_before", f"FROM {read}")


def add_month(database: Database, kinds: Kinds, month: str, path: Path, asked: Asked) -> None:
    """Adds the jobs of a file of a month that was counted before, as what is in the ledger."""
    import ibis

    file = jobs_in(database, path)
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
    had_none = is_one_of(first_fitting(found, asked, asked.rules.gaps[UNSTATED], "gpus"), none)
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
        "unplanned": found.unplanned.fill_null(False),
        "parts": ibis.coalesce(found.parts, ibis.literal([], found.parts.type())),
    }
    kept = [name for name in file.columns if name not in columns]
    jobs = database.keep("opened", found.select(*kept, **columns))
    database.add(JOBS, _numbered(database, kinds, jobs))


def _numbered(database: Database, kinds: Kinds, jobs: Any) -> Any:
    """Jobs with the numbers of their kinds instead of what these say."""
    said = [{**row, "kind": kinds.number(row)} for row in database.rows(jobs.select(*KIND).distinct())]
    kinds.store()
    numbered = database.put_rows("made", said, _OF_KIND)
    same = [jobs[name].identical_to(numbered[name]) for name in KIND]
    columns = [name for name in jobs.columns if name not in KIND]
    return jobs.inner_join(numbered, same).select(*columns, "kind")
