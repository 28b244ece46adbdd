"""DuckDB as an engine: a database of its own for one import, with a bound for its memory, removed afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from reckon.extras import install

MEMORY, THREADS = "384MB", 2
SETTINGS = {
    "memory_limit": MEMORY,
    "threads": THREADS,
    "preserve_insertion_order": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}
AT_ONCE = 10_000
"""Rows that are handed to Python at one time."""


class EngineFailed(Exception):
    """The engine could not do what it was asked for: why, in one line."""


class Database:
    """A database in a folder that nobody else may read, and that goes with it. It is asked in SQL; what an engine works
    out of rows in any database is an expression of Ibis, of which it makes a table or a view.

    It is told of files by names of that folder alone, and may open no other. Raises EngineFailed where DuckDB is not
    installed, or fails at anything that is asked.
    """

    def __init__(self) -> None:
        try:
            import duckdb  # all take part of a second to load, which no other command has to wait for
            import ibis

            arrow = import_module("pyarrow")
        except ImportError:
            raise EngineFailed(f"DuckDB is not installed: {install('duckdb')}") from None
        self.folder = Path(tempfile.mkdtemp(prefix="budget-"))
        self._error: type[Exception] = duckdb.Error
        settings: dict[str, Any] = {**SETTINGS, "temp_directory": str(self.folder / "spilled")}
        # In a file, what was read is made small, and memory need not have room for it.
        self._connection = duckdb.connect(self.folder / "jobs.db", config=settings)
        self._tables = ibis.duckdb.from_connection(self._connection)
        self._ibis = ibis
        self._arrow = arrow
        self._links = 0

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, statements: str, *given: object) -> None:
        """Does what statements of SQL say; `given` are the values of their `?`."""
        with self._report_errors():
            self._connection.execute(statements, given)

    def table(self, name: str) -> Any:
        """A table or view, as an expression of Ibis."""
        with self._report_errors():
            return self._tables.table(name)

    def view(self, name: str, query: str) -> Any:
        """A view for a query, as an expression."""
        self.run(f"CREATE OR REPLACE VIEW {name} AS {query}")
        return self.table(name)

    def text(self, expression: Any) -> str:
        """An expression as SQL."""
        return str(self._tables.compile(expression))

    def keep(self, name: str, expression: Any) -> None:
        """Makes a table of what an expression gives, in place of the one that had its name."""
        self.run(f"CREATE OR REPLACE TABLE {name} AS {self.text(expression)}")

    def put_rows(self, name: str, rows: list[dict[str, Any]], types: Mapping[str, str]) -> None:
        """Makes a table of rows that Python has, in place of the one that had its name; with the types of its
        columns."""
        schema = self._ibis.schema(types).to_pyarrow()
        self._connection.register("given", self._arrow.Table.from_pylist(rows, schema))
        self.run(f"CREATE OR REPLACE TABLE {name} AS FROM given")
        self._connection.unregister("given")

    def rows(self, query: str, *given: object) -> Iterator[Mapping[str, Any]]:
        """The rows of a query, by the names of its columns, a few at a time; `given` are the values of its `?`."""
        with self._report_errors(), closing(self._connection.cursor()) as cursor:
            cursor.execute(query, given)
            names = [name for name, *_ in cursor.description or ()]
            while rows := cursor.fetchmany(AT_ONCE):
                for row in rows:
                    yield dict(zip(names, row, strict=True))

    def values(self, query: str, *given: object) -> list[Any]:
        """The values of a query with one column."""
        return [value for row in self.rows(query, *given) for value in row.values()]

    def link(self, path: Path) -> str:
        """A name in the folder for a file: one in which nothing acts as a pattern, a protocol or a kind of file."""
        self._links += 1
        link = self.folder / f"export-{self._links}"
        link.symlink_to(path.resolve())
        return str(link)

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            first = str(error).replace(str(self.folder), "…").split("\n", 1)[0]
            raise EngineFailed(f"DuckDB: {first[:300]}") from None


def quote(text: str) -> str:
    """A text as a literal of SQL."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
