"""Jobs as a table of the database: of exports, and of months counted before.

What rules make of rows is said in Python, once of all rows that are alike to them. It is in a table of kinds, and a
job has the number of its kind: whole numbers are grouped and joined many times faster than all that they stand for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from reckon.model.records.imports import KEPT, NO_GPUS, UNSTATED, gpus_text

from .. import archive
from ..assignment import Assignment, Rules, Unmatched
from ..job import RUNNING
from ..job_records import UNDATED, StoredJob, why_aside
from ..merging import NO_GPU
from ..reading import Reading
from ..taking import Taken
from ..tres import gpus_of
from .compiled_rules import has_none
from .conditions import ibis, is_one_of
from .database import AT_ONCE, Database, quote
from .expression import Query, find_first
from .moments import day_of

LEDGER = 0
"""The number of no export: of what is in the ledger already."""
RULE_INPUTS = ("rule", "unstated", "untyped", "item", "seed", "tres")
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
_ADDED = COLUMNS | {"file": "int64", "took": "int64", "month": "string", "none": "boolean"}
"""Also of a job: the export that it stands in, the whole seconds for which it ran, the month in which it began, and
whether a rule says that it had no GPU."""
_NUMBER = {"kind": "int64"}
_OF_KIND = {name: COLUMNS[name] for name in KIND}
_OF_GROUP = {
    **dict.fromkeys(("by_rule", "by_unstated", "by_untyped"), "int64"),
    **dict.fromkeys(("by_item", "by_seed", "by_tres", "own_run"), "string"),
    **dict.fromkeys(("ran", "none"), "boolean"),
    **_OF_KIND,
}
"""Of what is made of rows that are alike."""
_KIND = ", ".join(KIND)
_SAME_KIND = " AND ".join(f"made.{name} IS NOT DISTINCT FROM kinds.{name}" for name in KIND)
_SAME_INPUTS = " AND ".join(f"rows.{name} = made.by_{name}" for name in RULE_INPUTS)
_TEXTS = ", ".join(f"nullif({name}, '') AS {name}" for name in ("also", *KEPT))


def create_tables(database: Database) -> None:
    """Makes a table for `jobs`, one for their `kinds`, and a view of `whole_jobs`: with what their kinds say they have
    the columns of a file of jobs."""
    database.put_rows("jobs", [], _NUMBER | {name: kind for name, kind in _ADDED.items() if name not in KIND})
    database.put_rows("kinds", [], _NUMBER | _OF_KIND)
    database.run("CREATE VIEW whole_jobs AS FROM jobs JOIN kinds USING (kind)")


def add_jobs(database: Database, jobs: Iterable[StoredJob], file: int, taken: Taken) -> None:
    """Adds jobs that the plain reader read."""
    left = iter(jobs)
    while batch := list(islice(left, AT_ONCE)):
        database.put_rows("batch", [_row_of(stored, file, taken) for stored in batch], _ADDED)
        _number_kinds(database, "batch")
        database.run("INSERT INTO jobs BY NAME FROM numbered")


def add_rows(database: Database, file: int, rules: Rules, query: Query, reading: Reading) -> Counter[str]:
    """Adds those of the classified `rows` that are jobs to keep; gives back how often rules for GPUs were used."""
    filled = Counter[str]()
    assigned = []
    groups = f"""
        SELECT {", ".join(RULE_INPUTS)}, min(line) AS line, count(*) AS jobs, count(*) FILTER (NOT candidate) AS bare
        FROM rows WHERE what = 'job' GROUP BY ALL ORDER BY line
    """
    for group in database.rows(groups):
        try:
            made, row = _assign_group(group, rules, query)
        except Unmatched as unmatched:
            reading.wrong(group["line"], unmatched.wrong, unmatched.right, group["jobs"])
            continue
        assigned.append({f"by_{name}": group[name] for name in RULE_INPUTS} | row)
        filled.update(dict.fromkeys(made.filled, group["jobs"]))
        reading.skipped[NO_GPU] += group["bare"]
    database.put_rows("assigned", assigned, _OF_GROUP)
    _number_kinds(database, "assigned")
    database.run(f"""
        INSERT INTO jobs BY NAME
        SELECT kind, {file} AS file, cluster, id, status, submit, took, month, none, {_TEXTS},
            word AS state, began AS start, ended AS "end", took::VARCHAR AS elapsed,
            coalesce(nullif(own_run, ''), CASE WHEN ran THEN nullif(run, '') END) AS run,
            CASE WHEN ran THEN 1 ELSE node_count END AS nodes
        FROM rows JOIN numbered AS made ON {_SAME_INPUTS}
        WHERE what = 'job' AND candidate
    """)
    return filled


def add_month(database: Database, month: str, path: Path, query: Query) -> None:
    """Adds the jobs of a file of a month that was counted before, as what is in the ledger."""
    file = read_month(database, path)
    jobs = _restore_fields(file, query)
    nothing = [number for number, count in enumerate(query.unstated_counts) if count == 0]
    filling = find_first(jobs, query, UNSTATED, jobs.why == NO_GPUS)
    database.keep("opened", jobs.select(*file.columns, none=is_one_of(filling, nothing)))
    database.run(
        f"""
        UPDATE opened SET cluster = replace(coalesce(nullif(?, ''), cluster), '/', '-'),
            "end" = CASE WHEN status IS DISTINCT FROM '{RUNNING}' THEN "end" END,
            unplanned = coalesce(unplanned, false), parts = coalesce(parts, [])
        """,
        str(query.source.cluster or ""),
    )
    _number_kinds(database, "opened")
    database.run(
        f"""
        INSERT INTO jobs BY NAME
        SELECT *, {LEDGER} AS file, ? AS month, regexp_extract(elapsed, '^[0-9]+')::BIGINT
            // coalesce(nullif(regexp_extract(elapsed, '/([0-9]+)$', 1), '')::BIGINT, 1) AS took
        FROM numbered
        """,
        month,
    )


def _number_kinds(database: Database, name: str) -> None:
    """Makes the table `numbered` of a table of jobs or of groups of them: with the numbers of their kinds in place of
    what these say. The same number is the same kind."""
    database.run(f"""
        INSERT INTO kinds BY NAME
        SELECT (SELECT count(*) FROM kinds) + row_number() OVER () AS kind, *
        FROM (SELECT {_KIND} FROM {name} EXCEPT SELECT {_KIND} FROM kinds);
        CREATE OR REPLACE TABLE numbered AS
        SELECT made.* EXCLUDE ({_KIND}), kinds.kind FROM {name} AS made JOIN kinds ON {_SAME_KIND}
    """)


def _row_of(stored: StoredJob, file: int, taken: Taken) -> dict[str, Any]:
    none = stored.held_none and taken.rules.has_none(stored.job)
    own = {"file": file, "took": int(stored.job.elapsed), "month": stored.month(taken.merged.zone), "none": none}
    return archive.row_of(stored) | own


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


def month_of(moment: Any, query: Query) -> Any:
    """The month of a moment by the clock of a source, as 2025-09."""
    days = day_of(moment, query.offsets).as_interval("D")
    return (ibis.date(1970, 1, 1) + days).strftime("%Y-%m").fill_null(UNDATED)


def read_month(database: Database, path: Path) -> Any:
    """The jobs of a file of a month that was counted before, as the view `counted_before`."""
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
