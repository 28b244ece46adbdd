"""CSV -> names of columns and rows of cells, each a text with its place; commas between them, points in decimals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from reckon.language.text import Place, Text
from reckon.model.problem import Problem
from reckon.model.rows import MOST_ROWS

MOST_COLUMNS = 100
_CELL = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^",\r\n]*))(,|\r\n|\n|\r|\Z)')


@dataclass(frozen=True, slots=True)
class Table:
    """What a file holds: the names of its columns, its rows of cells, and the fields that it states itself."""

    names: tuple[Text, ...] = ()
    rows: tuple[tuple[Text, ...], ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


def read_csv(text: str, file: str, problems: list[Problem]) -> Table:
    """The table of a CSV text; rows that do not fit its first line are left out, with the problem said."""
    lines = _lines(text, file, problems)
    names = next(lines, ())
    first = text.partition("\n")[0]
    if len(names) == 1 and (other := next((one for one in ";\t|" if one in first), "")):
        said = {"\t": "tabs"}.get(other, f"`{other}`")
        right = "separate them by commas, and write decimals with a point"
        where = Place(file, names[0].place.line, first.index(other) + 1)
        problems.append(Problem(where, f"the columns are separated by {said}", right))
        return Table()
    if not names and problems:
        return Table()
    if not names:
        right = "write a line with the names of the columns, and a line for each row"
        problems.append(Problem(Place(file, 1, 1), "the table is empty", right))
        return Table()
    return Table(names, tuple(_fitting(lines, len(names), file, problems)))


def _fitting(
    lines: Iterator[tuple[Text, ...]], columns: int, file: str, problems: list[Problem]
) -> Iterator[tuple[Text, ...]]:
    """The rows that have as many cells as the first line has names."""
    count = 0
    for row in lines:
        count += 1
        if count > MOST_ROWS:
            problems.append(
                Problem(row[0].place, f"there are more than {MOST_ROWS:,} rows", "measure a sample of them")
            )
            return
        if len(row) == columns:
            yield row
        else:
            wrong = f"this row has {len(row)} cell{'s'[: len(row) != 1]}, the first line {columns}"
            right = "look for a comma too many or too few, or for one in a decimal"
            problems.append(Problem(row[0].place, wrong, right))
    if not count and not problems:
        right = "write a line for each request or step below the names"
        problems.append(Problem(Place(file, 1, 1), "the table has no rows", right))


def _lines(text: str, file: str, problems: list[Problem]) -> Iterator[tuple[Text, ...]]:
    """The cells of each line that holds something. A line that cannot be read ends the table."""
    at, line, begin = 0, 1, 0
    row: list[Text] = []
    while at < len(text):
        found = _CELL.match(text, at)
        where = Place(file, line, at - begin + 1)
        if found is None or len(row) >= MOST_COLUMNS:
            right = f"keep to {MOST_COLUMNS} columns" if found else "look for a quote that is missing or too many"
            problems.append(Problem(where, "there are too many columns" if found else "this is no cell of CSV", right))
            return
        quoted, bare, end = found.groups()
        inside = found.start(1) if quoted is not None else found.start(2)
        content = quoted.replace('""', '"') if quoted is not None else bare
        row.append(Text(content.strip(), where._replace(column=inside - begin + 1)))
        at = found.end()
        if breaks := re.findall("\r\n|\n|\r", found[0]):
            line, begin = line + len(breaks), at
        if end == ",":
            begin = begin if not breaks else text.rfind("\n", 0, at) + 1
            if at < len(text):
                continue
            row.append(Text("", Place(file, line, at - begin + 1)))
        if len(row) > 1 or row[0]:
            yield tuple(row)
        row = []
