"""Formats of tables of runs, by the ending of a file, and the cells of CSV, each a text with its place.

Nothing here imports a library: the help of `add runs` names the formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from reckon.language.text import Place, Text
from reckon.model.finding import Problem

MOST_COLUMNS = 100
MOST_OF_A_CELL = 131_072  # of a loose table
_QUOTED = r'"([^"]*(?:""[^"]*)*)"'
_CELL = re.compile(rf'[ \t]*(?:{_QUOTED}[ \t]*|([^",\r\n]*))(,|\r\n|\n|\r|\Z)')

Row = tuple[Text, ...]


class NotRows(Exception):
    """A file is not a table of its format; the message says why, and what would be right."""


class RunFormat(NamedTuple):
    """A format of tables of runs: its name, how names of such files end (`.csv`), and the function that yields rows.

    The function takes the text of a file and what messages call it, and raises NotRows. The names of the columns come
    first. A cell knows its place, reads as a ledger has it, and is empty where nothing is said.
    """

    name: str
    ending: str
    rows: Callable[[str, str], Iterator[Row]]


def csv_rows(text: str, file: str) -> Iterator[Row]:
    """The rows of a CSV text as programs for spreadsheets and schedulers write it, with the separator that it has."""
    separator = max(",;\t|", key=text.partition("\n")[0].count)
    return (cells for cells in read_cells(text, file, [], separator) if any(cells))


def read_cells(text: str, file: str, problems: list[Problem], loose: str = "") -> Iterator[Row]:
    """The cells of each line of a CSV text that holds something. It ends, with a problem, at what is not CSV.

    Commas stand between cells. A loose table has the sign that is given there, any number of columns, and quotes inside
    of cells, as programs for spreadsheets and schedulers write them; for what is none, NotRows is raised.
    """
    cell, separator = _loose_cell(loose) if loose else _CELL, loose or ","
    at, line, begin = 0, 1, 0
    row: list[Text] = []
    while at < len(text):
        found = cell.match(text, at)
        if loose and (found is None or len(found[0]) > MOST_OF_A_CELL + 3):
            raise NotRows(f"this is not CSV: {_fault(text, at, loose)}; look for a missing quote")
        if found is None or (len(row) >= MOST_COLUMNS and not loose):
            wrong = "there are too many columns" if found else "this is no cell of CSV"
            right = f"keep to {MOST_COLUMNS} columns" if found else "look for a quote that is missing or too many"
            problems.append(Problem(Place(file, line, at - begin + 1), wrong, right))
            return
        quoted, bare, end = found.groups()
        content = bare if quoted is None else quoted.replace('""', '"')
        row.append(Text(content.strip(), Place(file, line, found.start(2 if quoted is None else 1) - begin + 1)))
        at = found.end()
        breaks = re.findall("\r\n|\n|\r", found[0]) if quoted or end != separator else ()
        if breaks:
            line, begin = line + len(breaks), at
        if end == separator:
            begin = begin if not breaks else text.rfind("\n", 0, at) + 1
            if at < len(text):
                continue
            row.append(Text("", Place(file, line, at - begin + 1)))
        if len(row) > 1 or row[0]:
            yield tuple(row)
        row = []


def _loose_cell(separator: str) -> re.Pattern[str]:
    sign = re.escape(separator)
    return re.compile(rf'(?:{_QUOTED}|((?:[^"{sign}\r\n][^{sign}\r\n]*)?))({sign}|\r\n|\n|\r|\Z)')


def _fault(text: str, at: int, separator: str) -> str:
    """What is wrong with what stands where a cell of a loose table should."""
    closed = re.compile(_QUOTED + '(?!")').match(text, at)
    if (closed.end() if closed else len(text)) - at > MOST_OF_A_CELL:
        return f"field larger than field limit ({MOST_OF_A_CELL})"
    return f"'{separator}' expected after '\"'" if closed else "unexpected end of data"


RUN_FORMATS = (RunFormat("CSV", ".csv", csv_rows),)
"""The formats of tables of runs. What ends otherwise is read as the first: schedulers call their tables anything."""


def run_format(file: str) -> RunFormat:
    """The format of a table of runs, by the ending of its name."""
    return next((known for known in RUN_FORMATS if file.lower().endswith(known.ending)), RUN_FORMATS[0])
