"""Accounting counted by an engine and by the plain reader, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from reckon.load.importers.counting import Counts, count_jobs
from reckon.load.importers.engines.compiled_rules import port_rules
from reckon.load.importers.engines.expression import Query, count_groups
from reckon.load.importers.engines.group_reading import TableReading, read_groups
from reckon.load.importers.engines.warehouse import find_columns
from reckon.load.importers.job_records import StoredJob
from reckon.load.importers.taking import Taken
from tests.exported import HEAD, JOB, begun, take

EDGES = sorted(date(year, month, 1).toordinal() for year in range(2020, 2030) for month in range(1, 13))


def cells(rows: Iterable[Mapping[str, str]], head: Sequence[str] = HEAD) -> dict[str, list[str]]:
    """The columns of a table, from rows as `exported.export` takes them."""
    whole = [{"JobID": row.get("JobIDRaw", JOB["JobIDRaw"]), **JOB, **row} for row in rows]
    return {name: [row.get(name, "") for row in whole] for name in head}


def asked_of(source: str, names: Iterable[str], edges: Sequence[int] = EDGES) -> tuple[Query, Taken]:
    """What a source asks of a table with these columns."""
    taken = begun(source)
    rules = taken.rules
    compiled, problems = port_rules(rules.source)
    assert problems == []
    columns, missing = find_columns(list(names), rules.source)
    assert missing == []
    return Query(rules.name, rules.source, compiled, taken.merged.zone, edges, columns), taken


def by_engine(source: str, table: Any, edges: Sequence[int] = EDGES) -> TableReading:
    """What an engine says of a table."""
    question, taken = asked_of(source, table.columns, edges)
    groups = count_groups(table, question).to_pyarrow().to_pylist()
    return read_groups(groups, question, taken.rules)


def plainly(source: str, raw: bytes, edges: Sequence[int] = EDGES) -> tuple[dict[str, Counts], Taken]:
    """What the plain reader makes of the same as text, counted by month."""
    taken = take(source, raw)
    months: dict[str, list[StoredJob]] = defaultdict(list)
    for stored in taken.merged.jobs.values():
        months[stored.month(taken.merged.zone)].append(stored)
    zone = taken.merged.zone
    every = [stored for jobs in months.values() for stored in jobs]
    bare = [stored for stored in every if not stored.ran and not stored.made.ignored]
    none = {stored.key for stored in bare if taken.rules.has_none(stored.job)}
    found = {month: count_jobs(jobs, edges, zone, none) for month, jobs in months.items()}
    return found, taken


def compared(counts: Mapping[str, Counts]) -> dict[str, object]:
    """Counts, as they are compared: all that they hold."""
    return {
        month: (
            sorted((str(sort), vars_of(count)) for sort, count in found.ran.items()),
            sorted((str(sort), vars_of(count)) for sort, count in found.aside.items()),
            sorted((status, vars_of(count)) for status, count in found.spent.items()),
            found.jobs,
            found.running,
        )
        for month, found in counts.items()
    }


def vars_of(count: Any) -> str:
    return f"{count.jobs} jobs, {count.seconds} s, {count.first} to {count.last}"
