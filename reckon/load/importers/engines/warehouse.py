"""An organisation's accounting where it is: a table of a database or cluster, counted there, as months of a ledger.

Only sums leave the engine. The months of the table stand in place of what was there of them: no file holds their jobs,
and the lock says which table they were counted in. What names a user or a password stays out of ledger and messages.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from reckon.language.text import plural
from reckon.model.finding import Problem
from reckon.model.records.imports import HOURS

from ..archive import Archive
from ..merging import Month, counts_of
from ..months import forgotten, told_of
from ..stored import UNDATED
from ..taking import Taken
from ..tally import NEW, REPLACED, SAME
from . import asked as asking
from .expression import Asked, counted
from .matching import compiled
from .telling import Told, told

NEEDED = "pip install 'budget-ledger[warehouse]'"
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
        return f"{self.engine}://{database}/{self.table}" if database else f"{self.engine}://{self.table}"


def address_of(text: str) -> Address:
    """The address of a table, as `duckdb://file.db/jobs`. Raises Unreachable."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise Unreachable("this is not the address of a table; write it as duckdb://FILE/TABLE or spark://TABLE")
    engine, database, table, more = found.groups()
    if "@" in (database or "") or "@" in table:
        right = "leave both to the environment of the engine or its files, as PGUSER and PGPASSWORD"
        raise Unreachable(f"the address names a user or a password; {right}")
    return Address(engine, (database or "").removesuffix("/"), table, more or "")


@contextmanager
def opened(address: Address) -> Iterator[Any]:
    """The table at an address, for as long as it is asked. Raises Unreachable, also for what the engine says then."""
    try:
        ibis = import_module("ibis")
    except ImportError:
        raise Unreachable(f"engines are asked through Ibis, which is not installed: {NEEDED}") from None
    try:
        with tempfile.TemporaryDirectory(prefix="budget-") as folder:
            connection = _connected(ibis, address, Path(folder))
            try:
                name, _, database = (part[::-1] for part in address.table[::-1].partition("."))
                yield connection.table(name, database=database or None)
            finally:
                connection.disconnect()
    except (Unreachable, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except Exception as error:
        raise Unreachable(f"{address}: {_told(error)}") from None


def _connected(ibis: Any, address: Address, folder: Path) -> Any:
    """A connection that writes nothing beside the table."""
    if address.engine == "duckdb":
        if not Path(address.database).is_file():
            raise Unreachable(f"{address}: there is no such file")
        return ibis.duckdb.connect(address.database, read_only=True, temp_directory=str(folder))
    if address.engine == "spark":
        session = import_module("pyspark.sql").SparkSession.builder
        if address.database:
            session = session.master(f"spark://{address.database}")
        return ibis.pyspark.connect(session.getOrCreate())
    return ibis.connect(f"{address.engine}://{address.database}{address.more}")


def _told(error: Exception) -> str:
    """What an engine says, as a line: the first, and no more of it than a terminal is wide."""
    said = " ".join(next(iter(str(error).strip().splitlines()), "").split())
    return "".join(sign for sign in said if sign.isprintable())[:160] or type(error).__name__


def take(
    taken: Taken, archive: Archive, edges: Sequence[int], address: Address, table_of: Callable[[Address], Any] = opened
) -> None:
    """Counts a table, and puts its months in place of what was there. Raises Unreachable."""
    source = taken.rules.source
    kinds, problems = asking.patterns_of(source)
    if source.format != "sacct" or source.counted != HOURS or source.finishes != "never" or source.skip:
        problems.append(
            Problem(
                source.place,
                "jobs of this source are not counted by an engine",
                "an engine counts `format: sacct`, without `finishes` and `skip`",
            )
        )
    if problems:
        taken.problems += problems
        return
    with table_of(address) as table:
        columns, missing = asking.columns_of(table.columns, source)
        if missing:
            raise Unreachable(f"{address}: no column holds {' and '.join(missing)}; name the columns as sacct does")
        question = Asked(taken.rules.name, source, compiled(source), kinds, taken.merged.zone, edges, columns)
        groups = counted(table, question).to_pyarrow().to_pylist()
    _put(taken, archive, question, told(groups, question, taken.rules), address)


def _put(taken: Taken, archive: Archive, question: Asked, found: Told, address: Address) -> None:
    """The months of a table in place of what was there of them."""
    taken.problems += found.problems(question)
    taken.filled.update(found.filled)
    taken.note(found.reading, hashlib.sha256(str(address).encode()).hexdigest())
    merged = taken.merged
    merged.told = Counter()
    for name, counts in sorted(found.months.items()):
        if name == UNDATED:
            taken.problems.append(
                Problem(
                    taken.rules.source.place,
                    f"{plural(counts.jobs, 'job')} of the table of no known day",
                    "look at Submit, Start and End",
                )
            )
            continue
        before = merged.months.get(name)
        was = int(before.record.jobs) if before and before.record else 0
        was += sum(job.month(merged.zone) == name for job in merged.jobs.values())
        forgotten(taken, archive, name)
        merged.jobs = {key: job for key, job in merged.jobs.items() if job.month(merged.zone) != name}
        merged.months[name] = Month(before.record if before else None, counts=counts, table=str(address))
        merged.told[_outcome(merged.months[name])] += sum(count.jobs for count in counts.spent.values())
        instead = f", in place of {plural(was, 'job')}" if was else ""
        taken.notes.append(told_of(name, counts, merged.source, instead))
    taken.out = 0


def _outcome(month: Month) -> str:
    """Whether the sums of a month that an engine counted are `new`, `replaced`, or the `same`."""
    if month.record is None:
        return NEW
    return SAME if counts_of(Month(month.record)).spent == counts_of(month).spent else REPLACED
