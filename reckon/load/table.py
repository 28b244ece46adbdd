"""Files of what was measured -> names of columns and rows of cells: CSV, or lists of objects in JSON.

A text of JSON keeps its quotes, so that it is never taken for a number.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from reckon.language.lazy import regex
from reckon.language.text import Place, Text, place_of, plural
from reckon.model.finding import Problem, ProblemList
from reckon.model.values import MOST_ROWS

from .formats import NotRows, Row, csv_rows
from .yaml_nodes import Builder, Map, Seq, Stop

MOST_COLUMNS = 100
MOST_NESTING = 10
_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+')


def parse_json(text: str, file: str, problems: ProblemList) -> Any:
    """The tree of a text that is JSON: maps, lists, and texts with their places. Raises Stop where it is not, or is
    nested too deep."""
    deep = Place(file)
    try:
        json.loads(text, parse_int=str)  # whose length is looked at where it is read
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:]
        where = Place(file, error.lineno, error.colno)
        raise Stop(where, f"this is not JSON: {said}", "check the punctuation here and just above") from None
    except RecursionError:
        raise Stop(deep, "the nesting is too deep for a measurement", "write an object with a list of rows") from None
    return _JsonBuilder(file, problems).build(text)


class RowTable(Struct, frozen=True):
    """What a file holds: the names of its columns, its rows of cells, and the fields that it states itself."""

    names: tuple[Text, ...] = ()
    rows: tuple[tuple[Text, ...], ...] = ()
    fields: dict[str, Any] = {}


def read_csv(text: str, file: str, problems: ProblemList) -> RowTable:
    """The table of a CSV text; rows that do not fit its first line are left out, each with a problem."""
    try:
        names, *rows = _read_lines(text, file)
        _check_columns(names)
    except Stop as stop:
        problems.append(stop.problem)
        return RowTable()
    return RowTable(names, tuple(_fitting(rows, len(names), problems)))


def _read_lines(text: str, file: str) -> list[Row]:
    """The names of a CSV text, and its rows. Stops where there are none, or too many."""
    begin = Place(file)
    try:
        lines = list(islice(csv_rows(text, file), MOST_ROWS + 2))
    except NotRows as error:
        raise Stop(begin, error.wrong, error.right) from None
    if not lines:
        raise Stop(begin, "the table is empty", "write a line of column names, then a line for each row")
    if len(lines) == 1:
        raise Stop(begin, "the table has no rows", "add a line for each request or step below the names")
    if len(lines) > MOST_ROWS + 1:
        raise Stop(lines[-1][0].place, f"there are more than {MOST_ROWS:,} rows", "measure a sample of them")
    return lines


def _check_columns(names: Sequence[Text]) -> None:
    """Stops at the first column that is too much."""
    if len(names) > MOST_COLUMNS:
        place = place_of(names[MOST_COLUMNS])
        raise Stop(place, "there are too many columns", f"use at most {MOST_COLUMNS} columns")


def _fitting(rows: Iterable[Row], columns: int, problems: ProblemList) -> Iterator[Row]:
    """The rows that have as many cells as the first line has names."""
    for row in rows:
        if len(row) == columns:
            yield row
        else:
            wrong = f"this row has {plural(len(row), 'cell')}, the first line {columns}"
            right = "check for a missing or extra comma, or one in a decimal"
            problems.append(Problem(row[0].place, wrong, right))


def read_json(text: str, file: str, problems: ProblemList) -> RowTable:
    """The table of a JSON text: an object with the fields of a measurement, or a list of rows."""
    try:
        tree = parse_json(text, file, problems)
        if isinstance(tree, Seq):
            return _table(tree, {}, problems)
        if isinstance(tree, Map):
            fields: dict[str, Any] = {unquoted(key): value for key, value in tree.items()}
            rows = fields.pop("rows", None)
            return _table(rows, fields, problems) if rows is not None else RowTable(fields=fields)
        raise Stop(place_of(tree), "this is neither an object nor a list", "write the fields of a measurement, or rows")
    except Stop as stop:
        problems.append(stop.problem)
        return RowTable()


def unquoted(text: Text) -> Text:
    """A text without its JSON quotes; what has none stays."""
    if not text.startswith('"'):
        return text
    return Text(json.loads(text), text.place._replace(column=text.place.column + 1))


def _table(rows: Any, fields: dict[str, Any], problems: ProblemList) -> RowTable:
    if not isinstance(rows, Seq) or not rows or len(rows) > MOST_ROWS:
        wrong = "these are not rows" if not isinstance(rows, Seq) else f"there are {len(rows):,} rows"
        raise Stop(place_of(rows), wrong, f"write a list of 1 to {MOST_ROWS:,} objects, one for each request or step")
    names = tuple(unquoted(key) for key in rows[0]) if isinstance(rows[0], Map) else ()
    _check_columns(names)
    found = []
    for row in rows:
        cells = {unquoted(key): value for key, value in row.items()} if isinstance(row, Map) else {}
        if not cells or set(cells) != set(names):
            problems.append(
                Problem(
                    place_of(row),
                    "this row does not have the keys of the first",
                    "write an object for each row, all with the same keys",
                )
            )
        elif other := next((cell for cell in cells.values() if not isinstance(cell, Text)), None):
            problems.append(Problem(place_of(other), "this is a list or an object, not a number", "write one number"))
        else:
            found.append(tuple(cells[name] for name in names))
    return RowTable(names, tuple(found), fields)


class _JsonBuilder(Builder):
    """Builds the tree of a text that is known to be JSON."""

    def build(self, text: str) -> Any:
        begins = [0, *(found.end() for found in re.finditer("\n", text))]
        for found in _TOKEN.finditer(text):
            line = bisect_right(begins, found.start())
            token = found[0]
            where = Place(self.file, line, found.start() - begins[line - 1] + 1)
            if token in "{[":
                self.stack.append(Map() if token == "{" else Seq())
                self.stack[-1].place = where
                self.keys.append(None)
                if len(self.stack) > MOST_NESTING:
                    raise Stop(
                        where, "the nesting is too deep for a measurement", "write an object with a list of rows"
                    )
            elif token in "}]":
                self.close()
            else:
                self.put(Text(token, where))
        return self.root


MEASURED_FORMATS = {".csv": read_csv, ".json": read_json}
"""The formats of files of what was measured, by the ending of their names."""
