"""DuckDB as an engine: a database of its own for one import, with a bound for its memory, removed afterwards."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from .spells import Spells

MEMORY, THREADS = "224MB", 2
_SETTINGS = {
    "memory_limit": MEMORY,
    "threads": THREADS,
    "preserve_insertion_order": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}
_AT_ONCE = 10_000


class EngineFailed(Exception):
    """The engine could not do what it was asked for: why, in one line."""


class Duck:
    """A database in a folder that nobody else may read, and that goes with it.

    It is told of files by names of that folder alone, and may open no other.
    """

    def __init__(self) -> None:
        try:
            import duckdb  # what takes part of a second to load is loaded where it is asked for
        except ImportError:
            raise EngineFailed("DuckDB is not installed: pip install 'budget-ledger[scale]'") from None
        self.folder = Path(tempfile.mkdtemp(prefix="budget-"))
        self._error: type[Exception] = duckdb.Error
        settings: dict[str, Any] = {**_SETTINGS, "temp_directory": str(self.folder / "spilled")}
        # In a file, what was read is made small, and memory need not have room for it.
        self._db = duckdb.connect(str(self.folder / "jobs.db"), config=settings)
        self._batches = 0

    def __enter__(self) -> Duck:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._db.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, query: str) -> None:
        """Does what a query says. Raises EngineFailed."""
        self._told(lambda: self._db.execute(query))

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """What a query gives, a few rows at a time. Raises EngineFailed."""
        cursor = self._db.cursor()
        try:
            self._told(lambda: cursor.execute(query))
            while some := self._told(lambda: cursor.fetchmany(_AT_ONCE)):
                yield from some
        finally:
            cursor.close()

    def only(self, query: str) -> tuple[Any, ...]:
        """The single row that a query gives."""
        return next(iter(self.rows(query)))

    def fill(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Adds rows to a table, by way of a file, since that takes thousands at once; `columns` are names and types."""
        self._batches += 1
        path = self.folder / f"batch-{self._batches}.json"
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")
        names = ", ".join(columns)
        types = ", ".join(f"{name}: {quoted(kind)}" for name, kind in columns.items())
        if path.stat().st_size:
            self.run(
                f"INSERT INTO {table} ({names}) SELECT {names} FROM read_json({quoted(str(path))}, "
                f"format='newline_delimited', columns={{{types}}})"
            )
        path.unlink()

    def linked(self, path: Path) -> str:
        """A name in the folder for a file: one in which nothing acts as a pattern, a protocol or a kind of file."""
        self._batches += 1
        link = self.folder / f"export-{self._batches}"
        link.symlink_to(path.resolve())
        return str(link)

    def _told(self, asked: Callable[[], Any]) -> Any:
        try:
            return asked()
        except self._error as error:
            said = str(error).replace(str(self.folder), "…").split("\n", 1)[0]
            raise EngineFailed(f"DuckDB: {said[:300]}") from None


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def listed(texts: Iterable[str]) -> str:
    """Texts as a list between brackets, for IN; never an empty one."""
    return f"({', '.join(map(quoted, texts)) or 'NULL'})"


def looked_up(value: str, spells: Spells) -> str:
    """The expression for what counts at a whole number, asked in as many steps as there are halves."""
    if len(spells) == 1:
        return "NULL" if spells[0].value is None else str(spells[0].value)
    half = len(spells) // 2
    below, above = looked_up(value, spells[:half]), looked_up(value, spells[half:])
    return below if below == above else f"CASE WHEN {value} < {spells[half].since} THEN {below} ELSE {above} END"
