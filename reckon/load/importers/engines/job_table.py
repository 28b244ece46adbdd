"""Jobs as a table of the database: of exports, and of months counted before.

What rules make of rows is said in Python, once of all rows that are alike to them. It is in a table of kinds, and a
job has the number of its kind: whole numbers are grouped and joined many times faster than all that they stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from reckon.model.records.imports import KEPT, NO_GPUS, UNSTATED, gpus_text

from .. import archive
from ..assignment import Assignment, Rules, Unmatched
from ..job import RUNNING
from ..job_records import UNDATED, StoredJob, why_aside
from ..taking import Taken
from ..tres import gpus_of
from .compiled_rules import has_none
from .conditions import ibis, is_one_of
from .database import AT_ONCE, Database, quote
from .expression import Query, find_first
from .moments import day_of

JOBS, KINDS = "jobs", "kinds"
LEDGER = 0
"""The number of no export: of what is in the ledger already."""
RULE_INPUTS = ("rule", "unstated", "untyped", "item", "seed", "tres")
"""The columns by which the rules make the same of rows."""
KIND = ("rule", "seed", "unplanned", "why", "gpus", "parts")
"""What jobs of one kind share: what the rules made of them, and the GPUs that they state; the parts come last."""
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
_OF_GROUP = {
    **dict.fromkeys(("by_rule", "by_unstated", "by_untyped", "kind"), "int64"),
    **dict.fromkeys(("by_item", "by_seed", "by_tres", "own_run"), "string"),
    **dict.fromkeys(("ran", "none"), "boolean"),
}
"""Of what is made of rows that are alike."""


class RowGroup(NamedTuple):
    """Rows that are alike to the rules, what these make of them, and the first line in which one stands; how many rows
    there are, and how many of them are jobs to keep."""

    made: Assignment | Unmatched
    line: int
    rows: int
    kept: int


class JobTable:
    """The table of jobs of a database, and that of their kinds: the same number is the same kind."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._kinds: dict[tuple[Any, ...], dict[str, Any]] = {}
        database.put_rows(JOBS, [], _OF_JOB)
        self._store_kinds()

    def add_jobs(self, jobs: Iterable[StoredJob], file: int, taken: Taken) -> None:
        """Adds jobs that the plain reader read."""
        left = iter(jobs)
        while batch := list(islice(left, AT_ONCE)):
            rows = [self._row_of(stored, file, taken) for stored in batch]
            self.database.add(JOBS, self.database.put_rows("batch", rows, _OF_JOB))
        self._store_kinds()

    def add_rows(self, rows: Any, file: int, rules: Rules, query: Query) -> Iterator[RowGroup]:
        """Adds those of classified rows that are jobs to keep, and gives what is made of all that are alike."""
        jobs = rows.filter(rows.what == "job")
        counts = {"rows": jobs.count(), "kept": jobs.candidate.sum(), "line": jobs.line.min()}
        groups = jobs.group_by(list(RULE_INPUTS)).aggregate(counts).order_by("line")
        assigned = []
        for group in list(self.database.rows(groups)):
            line, many = group["line"], group["rows"]
            try:
                made, row = _assign_group(group, rules, query)
            except Unmatched as unmatched:
                yield RowGroup(unmatched, line, many, many)
                continue
            inputs = {f"by_{name}": group[name] for name in RULE_INPUTS}
            assigned.append(inputs | row | {"kind": self._number(row)})
            yield RowGroup(made, line, many, group["kept"])
        self._store_kinds()
        numbered = self.database.put_rows("assigned", assigned, _OF_GROUP)
        self.database.add(JOBS, _join_groups(jobs, numbered, file, query))

    def add_month(self, month: str, path: Path, query: Query) -> None:
        """Adds the jobs of a file of a month that was counted before, as what is in the ledger."""
        file = read_month(self.database, path)
        jobs = _restore_fields(file, query)
        cluster = ibis.literal(str(query.source.cluster)) if query.source.cluster else jobs.cluster
        nothing = [number for number, count in enumerate(query.unstated_counts) if count == 0]
        filling = find_first(jobs, query, UNSTATED, jobs.why == NO_GPUS)
        above, below = split_fraction(jobs.elapsed)
        columns = {"took": above // below, "none": is_one_of(filling, nothing)}
        columns |= {"month": ibis.literal(month), "file": ibis.literal(LEDGER, "int64")}
        columns["cluster"] = cluster.replace("/", "-")
        columns["end"] = (jobs.status == RUNNING).ifelse(None, jobs.end)
        columns["unplanned"] = jobs.unplanned.fill_null(False)
        columns["parts"] = jobs.parts.coalesce(ibis.literal([], jobs.parts.type()))
        opened = jobs.mutate(columns).select(sorted({*file.columns, *columns}))
        self.database.add(JOBS, self._number_jobs(self.database.keep("opened", opened)))

    def _number(self, row: archive.Row) -> int:
        """The number of the kind that a row says."""
        kind = {name: row[name] for name in KIND}
        *facts, parts = kind.values()
        key = (*facts, *(tuple(part.values()) for part in parts))
        known = self._kinds.setdefault(key, kind | {"kind": len(self._kinds)})
        return int(known["kind"])

    def _number_jobs(self, jobs: Any) -> Any:
        """Jobs with the numbers of their kinds instead of what these say."""
        kinds = [{**row, "kind": self._number(row)} for row in self.database.rows(jobs.select(*KIND).distinct())]
        self._store_kinds()
        numbered = self.database.put_rows("numbered", kinds, _OF_KIND)
        same = [jobs[name].identical_to(numbered[name]) for name in KIND]
        columns = [name for name in jobs.columns if name not in KIND]
        return jobs.inner_join(numbered, same).select(*columns, "kind")

    def _row_of(self, stored: StoredJob, file: int, taken: Taken) -> dict[str, Any]:
        row = archive.row_of(stored)
        none = stored.held_none and taken.rules.has_none(stored.job)
        own = {"file": file, "took": int(stored.job.elapsed), "month": stored.month(taken.merged.zone), "none": none}
        return row | own | {"kind": self._number(row)}

    def _store_kinds(self) -> None:
        self.database.put_rows(KINDS, list(self._kinds.values()), _OF_KIND)


def join_kinds(database: Database, jobs: Any) -> Any:
    """Jobs with what their kinds say: then they have the columns of a file of jobs."""
    return jobs.inner_join(database.table(KINDS), "kind")


def _assign_group(group: archive.Row, rules: Rules, query: Query) -> tuple[Assignment, dict[str, Any]]:
    """What the rules make of rows that are alike, also as a row. Raises Unmatched."""
    gpus = gpus_of(group["tres"])
    match = query.rules.match(group, gpus)
    made = rules.assigned(match, gpus)
    return made, {
        "rule": made.rule or None,
        "seed": made.seed or None,
        "unplanned": made.unplanned,
        "why": None if made.portions else why_aside(made),
        "gpus": gpus_text(gpus) or None,
        "parts": archive.parts_of(made),
        "ran": bool(made.portions),
        "none": has_none(rules.source, match, made),
        "own_run": made.run,
    }


def _join_groups(jobs: Any, made: Any, file: int, query: Query) -> Any:
    """Jobs to keep, with the numbers of their kinds, in the columns of the table."""
    kept = jobs.filter(jobs.candidate).rename({f"by_{name}": name for name in RULE_INPUTS})
    found = kept.join(made, [f"by_{name}" for name in RULE_INPUTS])
    captured = found.ran.ifelse(found.run, "")
    columns = {name: found[name].nullif("") for name in ("also", *KEPT)}
    columns["run"] = found.own_run.nullif("").coalesce(captured.nullif(""))
    columns["elapsed"] = found.took.cast("string")
    columns["nodes"] = found.ran.ifelse(1, found.node_count)
    columns["month"] = month_of(found, query)
    columns["file"] = ibis.literal(file, "int64")
    facts = ["cluster", "id", "status", "submit", "took", "none", "kind"]
    return found.select(facts, state="word", start="began", end="ended", **columns)


def month_of(table: Any, query: Query) -> Any:
    """The month in which a job began, by the clock of its source, as 2025-09."""
    began = table.began.coalesce(table.ended, table.submit)
    days = day_of(began, query.offsets).as_interval("D")
    return (ibis.date(1970, 1, 1) + days).strftime("%Y-%m").fill_null(UNDATED)


def split_fraction(text: Any) -> tuple[Any, Any]:
    """The whole numbers above and below the line of a text as 3/7, or of one as 3."""
    above = text.re_extract("^([0-9]+)", 1)
    below = text.re_extract("/([0-9]+)$", 1)
    return above.cast("int64"), (below == "").ifelse("1", below).cast("int64")


def read_month(database: Database, path: Path) -> Any:
    """The jobs of a file of a month that was counted before."""
    file = quote(database.link(path))
    types = COLUMNS | {"parts": "STRUCT(item VARCHAR, card VARCHAR, gpus VARCHAR)[]"}
    query = f"read_json({file}, format='newline_delimited', compression='gzip', columns={types})"
    return database.view("counted_before", f"FROM {query}")


def _restore_fields(file: Any, query: Query) -> Any:
    """Jobs of a file with what rules ask for, as far as it has that."""
    texts = {}
    for name in sorted(query.rules.fields):
        texts[f"of_{name}"] = file[name].fill_null("") if name in file.columns else ibis.literal("")
    return file.mutate(began=file.start, **texts)
