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
    """A database in a folder that nobody else may read, and that goes with it. It is asked expressions of Ibis.

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
        self._ibis, self._arrow = ibis, arrow
        self._links = 0

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, statement: str) -> None:
        """Does what a statement of SQL says."""
        with self._report_errors():
            self._connection.execute(statement)

    def table(self, name: str) -> Any:
        """A table or view, as an expression of Ibis."""
        with self._report_errors():
            return self._tables.table(name)

    def view(self, name: str, query: str) -> Any:
        """A view for a query of SQL, as an expression."""
        self.run(f"CREATE OR REPLACE VIEW {name} AS {query}")
        return self.table(name)

    def text(self, expression: Any) -> str:
        """An expression as SQL."""
        return str(self._tables.compile(expression))

    def keep(self, name: str, expression: Any) -> Any:
        """A table of what an expression gives, in place of the one that had its name."""
        self.run(f"CREATE OR REPLACE TABLE {name} AS {self.text(expression)}")
        return self.table(name)

    def add(self, name: str, expression: Any) -> None:
        """Adds the rows that an expression gives to a table with columns of the same names."""
        self.run(f"INSERT INTO {name} BY NAME {self.text(expression)}")

    def put_rows(self, name: str, rows: list[dict[str, Any]], types: Mapping[str, str]) -> Any:
        """A table of rows that Python has, in place of the one that had its name; with the types of its columns."""
        schema = self._ibis.schema(types).to_pyarrow()
        self._connection.register("given", self._arrow.Table.from_pylist(rows, schema))
        self.run(f"CREATE OR REPLACE TABLE {name} AS FROM given")
        self._connection.unregister("given")
        return self.table(name)

    def rows(self, expression: Any) -> Iterator[Mapping[str, Any]]:
        """The rows that an expression gives, by the names of its columns, a few at a time."""
        with self._report_errors(), closing(self._connection.cursor()) as cursor:
            cursor.execute(self.text(expression))
            names = [name for name, *_ in cursor.description or ()]
            while rows := cursor.fetchmany(AT_ONCE):
                for row in rows:
                    yield dict(zip(names, row, strict=True))

    def values(self, expression: Any) -> list[Any]:
        """The values of an expression with one column."""
        return [value for row in self.rows(expression) for value in row.values()]

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
