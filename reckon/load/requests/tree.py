"""JSON -> maps, lists and texts with places. A text keeps its quotes, so that it is never taken for a number."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any

from reckon.language.text import Place, Text, place_of
from reckon.model.problem import Problem
from reckon.model.rows import MOST_ROWS

from ..events import Stop
from ..tree import Map, Seq
from .table import MOST_COLUMNS, Table

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+')
MOST_NESTING = 5


def read_json(text: str, file: str, problems: list[Problem]) -> Table:
    """The table of a JSON text: an object with the fields of a measurement, or a list of rows."""
    try:
        tree = _tree(text, file, problems)
        if isinstance(tree, Seq):
            return _table(tree, {}, problems)
        if isinstance(tree, Map):
            fields: dict[str, Any] = {unquoted(key): value for key, value in tree.items()}
            rows = fields.pop("rows", None)
            return _table(rows, fields, problems) if rows is not None else Table(fields=fields)
        raise Stop(place_of(tree), "this is neither an object nor a list", "write the fields of a measurement, or rows")
    except Stop as stop:
        problems.append(stop.problem)
        return Table()


def unquoted(text: Text) -> Text:
    """A text without its JSON quotes; what has none stays."""
    if not text.startswith('"'):
        return text
    return Text(json.loads(text), text.place._replace(column=text.place.column + 1))


def _table(rows: Any, fields: dict[str, Any], problems: list[Problem]) -> Table:
    if not isinstance(rows, Seq) or not rows or len(rows) > MOST_ROWS:
        wrong = "these are no rows" if not isinstance(rows, Seq) else f"there are {len(rows):,} rows"
        raise Stop(place_of(rows), wrong, f"write a list of 1 to {MOST_ROWS:,} objects, one for each request or step")
    names = tuple(unquoted(key) for key in rows[0]) if isinstance(rows[0], Map) else ()
    if len(names) > MOST_COLUMNS:
        raise Stop(place_of(rows[0]), "there are too many columns", f"keep to {MOST_COLUMNS} columns")
    found = []
    for row in rows:
        cells = {unquoted(key): value for key, value in row.items()} if isinstance(row, Map) else {}
        if not cells or set(cells) != set(names):
            right = "write an object for each row, all with the same keys"
            problems.append(Problem(place_of(row), "this row does not have the keys of the first", right))
        elif other := next((one for one in cells.values() if not isinstance(one, Text)), None):
            problems.append(
                Problem(place_of(other), "a list or an object stands where a number belongs", "write one number")
            )
        else:
            found.append(tuple(cells[name] for name in names))
    return Table(names, tuple(found), fields)


def _tree(text: str, file: str, problems: list[Problem]) -> Any:
    """The tree of a text that is JSON. Raises Stop where it is not, or is nested as no measurement is."""
    deep = Place(file, 1, 1)
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:]
        where = Place(file, error.lineno, error.colno)
        raise Stop(where, f"this is not JSON: {said}", "look at the punctuation here and just above") from None
    except RecursionError:
        raise Stop(deep, "nesting goes too deep for a measurement", "write an object with a list of rows") from None
    except ValueError:  # a whole number of thousands of digits
        raise Stop(deep, "a number is too long", "write at most 30 digits") from None
    return _Builder(text, file, problems).build()


class _Builder:
    """Builds the tree of a text that is known to be JSON."""

    def __init__(self, text: str, file: str, problems: list[Problem]) -> None:
        self.text, self.file, self.problems = text, file, problems
        self.begins = [0, *(found.end() for found in re.finditer("\n", text))]
        self.stack: list[Map | Seq] = []
        self.keys: list[Text | None] = []
        self.root: Any = None

    def build(self) -> Any:
        """The value that the text holds."""
        for found in _TOKEN.finditer(self.text):
            token, where = found[0], self._where(found.start())
            if token in "{[":
                self.stack.append(Map() if token == "{" else Seq())
                self.stack[-1].place = where
                self.keys.append(None)
                if len(self.stack) > MOST_NESTING:
                    raise Stop(where, "nesting goes too deep for a measurement", "write an object with a list of rows")
            elif token in "}]":
                self.keys.pop()
                self._put(self.stack.pop())
            else:
                self._put(Text(token, where))
        return self.root

    def _where(self, at: int) -> Place:
        line = bisect_right(self.begins, at)
        return Place(self.file, line, at - self.begins[line - 1] + 1)

    def _put(self, value: Any) -> None:
        if not self.stack:
            self.root = value
        elif isinstance(parent := self.stack[-1], Seq):
            parent.append(value)
        elif (key := self.keys[-1]) is None:
            if value in parent:
                right = f"keep one: the first stands in line {parent.first(value).place.line}"
                self.problems.append(Problem(value.place, f"{value[:60]} is there twice", right))
            self.keys[-1] = value
        else:
            parent.setdefault(key, value)
            self.keys[-1] = None
