"""An organisation's accounting where it is: a table of a database or cluster, counted there, as months of a ledger.

Only sums leave the engine. The months of the table stand in place of what was there of them: no file holds their jobs,
and the lock says which table they were counted in. What names a user or a password stays out of ledger and messages.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from reckon.extras import install
from reckon.language.text import plural
from reckon.model.finding import Problem
from reckon.model.records import ImportSource
from reckon.model.records.imports import HOURS
from reckon.model.release import checksum

from ..counting import Counts, Edges
from ..job_records import UNDATED
from ..merging import Month, counts_of
from ..months import forgotten, told_of
from ..sacct import lacking
from ..taking import Taken
from ..tally import NEW, REPLACED, SAME
from .compiled_rules import port_rules
from .expression import Query, count_groups
from .files import HOLDERS
from .group_reading import TableReading, read_groups

_ADDRESS = re.compile(r"([a-z][a-z0-9+]{1,30})://(\S{0,900}/)?([^\s/?#]{1,200})(\?\S{0,500})?")


class Unreachable(Exception):
    """A table cannot be counted: why, in one line that names nobody."""


class Address(NamedTuple):
    """Where a table is: the kind of engine, what leads to its database, the table, and further words for the engine."""

    engine: str
    database: str
    table: str
    more: str

    def __str__(self) -> str:
        """As the lock says it: no path of a machine, and nothing that may be secret."""
        database = PurePosixPath(self.database).name if self.engine == "duckdb" else self.database
        path = f"{database}/{self.table}" if database else self.table
        return f"{self.engine}://{path}"


def address_of(text: str) -> Address:
    """The address of a table, as `duckdb://file.db/jobs`. Raises Unreachable."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise Unreachable("this is not the address of a table; write duckdb://FILE/TABLE or spark://TABLE")
    engine, database, table, more = found.groups("")
    if "@" in database + table:
        right = "set both in the engine's environment or files, such as PGUSER and PGPASSWORD"
        raise Unreachable(f"the address contains a user or a password; {right}")
    return Address(engine, database.removesuffix("/"), table, more)


@contextmanager
def open_table(address: Address) -> Iterator[Any]:
    """The table at an address, for as long as it is asked. Raises Unreachable, also for what the engine says then."""
    try:
        ibis = import_module("ibis")
    except ImportError:
        raise Unreachable(f"engines need Ibis, which is not installed: {install('ibis')}") from None
    try:
        with tempfile.TemporaryDirectory(prefix="budget-") as folder:
            connection = _connect(ibis, address, folder)
            try:
                database, _, name = address.table.rpartition(".")
                yield connection.table(name, database=database or None)
            finally:
                connection.disconnect()
    except (Unreachable, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except Exception as error:
        raise Unreachable(f"{address}: {_first_line(error)}") from None


def _connect(ibis: Any, address: Address, folder: str) -> Any:
    """A connection that writes nothing beside the table."""
    if address.engine == "duckdb":
        if not Path(address.database).is_file():
            raise Unreachable(f"{address}: no such file")
        return ibis.duckdb.connect(address.database, read_only=True, temp_directory=folder)
    if address.engine == "spark":
        session = import_module("pyspark.sql").SparkSession.builder
        if address.database:
            session = session.master(f"spark://{address.database}")
        return ibis.pyspark.connect(session.getOrCreate())
    return ibis.connect(f"{address.engine}://{address.database}{address.more}")


def _first_line(error: Exception) -> str:
    """What an engine says, as a line: the first, and no more of it than a terminal is wide."""
    first, *_ = str(error).strip().splitlines() or [""]
    text = " ".join(first.split())
    return "".join(filter(str.isprintable, text))[:160] or type(error).__name__


def find_columns(names: Sequence[str], source: ImportSource) -> tuple[dict[str, str], list[str]]:
    """The columns of a table by what they hold, whatever the case of their names; and what a run needs and none holds.

    A source may name them (`columns:`) in the order of the table.
    """
    named = source.columns_named
    known = {str(name).lower(): name for name in names}
    if len(named) == len(names):
        known = {str(name).lower(): column for name, column in zip(named, names, strict=True)}
    found: dict[str, str] = {}
    for name, columns in (HOLDERS | {"elapsed": ("ElapsedRaw",), "array": ()}).items():
        there = [known[column.lower()] for column in columns if column.lower() in known]
        if there:
            found[name] = there[0]
    return found, lacking(found)


def take(taken: Taken, edges: Edges, address: Address) -> None:
    """Counts a table, and puts its months in place of what was there. Raises Unreachable."""
    source = taken.source
    rules, problems = port_rules(source)
    if source.format != "sacct" or source.counted != HOURS or source.finishes != "never" or source.skip:
        wrong = "an engine cannot count jobs of this source"
        right = "use `format: sacct`, without `finishes` and `skip`"
        problems.append(Problem(source.place, wrong, right))
    if problems:
        taken.problems += problems
        return
    with open_table(address) as table:
        columns, missing = find_columns(table.columns, source)
        if missing:
            raise Unreachable(
                f"{address}: there is no column for {' and '.join(missing)}; name the columns as sacct does"
            )
        query = Query(taken.rules.name, source, rules, taken.merged.zone, edges, columns)
        groups = count_groups(table, query).to_pyarrow().to_pylist()
    _put(taken, read_groups(groups, query, taken.rules), address)


def _put(taken: Taken, found: TableReading, address: Address) -> None:
    """The months of a table in place of what was there of them."""
    taken.problems += found.problems
    taken.filled.update(found.filled)
    taken.note(found.reading, checksum(str(address).encode()))
    outcomes: Counter[str] = Counter()
    for name, counts in sorted(found.months.items()):
        if name == UNDATED:
            wrong = f"{plural(counts.jobs, 'job')} of the table without a known day"
            taken.problems.append(Problem(taken.source.place, wrong, "check Submit, Start and End"))
            continue
        month = _put_month(taken, name, counts, address)
        outcomes[_outcome(month)] += sum(count.jobs for count in counts.spent.values())
    taken.merged.told = outcomes
    taken.out = 0


def _put_month(taken: Taken, name: str, counts: Counts, address: Address) -> Month:
    merged = taken.merged
    record = merged.months.get(name, Month()).record
    lines = [key for key, job in merged.jobs.items() if job.month(merged.zone) == name]
    was = len(lines) + (int(record.jobs) if record else 0)
    forgotten(taken, name)
    for key in lines:
        del merged.jobs[key]
    month = Month(record, counts=counts, table=str(address))
    merged.months[name] = month
    instead = f", in place of {plural(was, 'job')}" if was else ""
    taken.notes.append(told_of(name, counts, merged.source, instead))
    return month


def _outcome(month: Month) -> str:
    """Whether the sums of a month that an engine counted are `new`, `replaced`, or the `same`."""
    if month.record is None:
        return NEW
    before = counts_of(Month(month.record))
    return SAME if before.spent == counts_of(month).spent else REPLACED
