"""Formats of tables of runs, by the ending of a file, and the cells of CSV, each a text with its place.

Nothing here imports a library: the help of `add runs` names the formats.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from reckon.language.lazy import regex
from reckon.language.text import Place, Refusal, Text
from reckon.model.finding import Problem, ProblemList

MOST_COLUMNS = 100
MOST_OF_A_CELL = 131_072  # of a loose table
_QUOTED = r'"([^"]*(?:""[^"]*)*)"'
_CELL = regex(rf'[ \t]*(?:{_QUOTED}[ \t]*|([^",\r\n]*))(,|\r\n|\n|\r|\Z)')

Row = tuple[Text, ...]


class NotRows(Refusal):
    """A file is not a table of its format: why, and what would be right."""


class RunFormat(NamedTuple):
    """A format of tables of runs: its name, how names of such files end (`.csv`), and the function that yields rows.

    The function takes the text of a file and what messages call it, and raises NotRows. The names of the columns come
    first. A cell knows its place, reads as a ledger has it, and is empty where nothing is said.
    """

    name: str
    ending: str
    rows: Callable[[str, str], Iterator[Row]]


class _Dialect(NamedTuple):
    """How cells are written: the pattern of one, what stands between them, and how many and how long they may be."""

    cell: re.Pattern[str]
    separator: str
    most_columns: int = sys.maxsize
    longest: int = sys.maxsize


class _NotACell(Exception):
    """What stands at a place of a text is not a cell, or one (`whole`) that is too much."""

    def __init__(self, at: int, place: Place, whole: bool) -> None:
        super().__init__(at)
        self.at = at
        self.place = place
        self.whole = whole


def csv_rows(text: str, file: str, *, separator: str = "") -> Iterator[Row]:
    """The rows of a CSV text as programs for spreadsheets and schedulers write it, with the separator that it has.

    There may be any number of columns, and quotes inside of cells. Raises NotRows at what is not CSV.
    """
    separator = separator or likely_separator(text.partition("\n")[0])
    try:
        for cells in _read_cells(text, file, _Dialect(_loose_cell(separator), separator, longest=MOST_OF_A_CELL + 3)):
            if any(cells):
                yield cells
    except _NotACell as fault:
        why = _fault(text, fault.at, separator)
        raise NotRows(f"this is not CSV: {why}", "check for a missing quote") from None


def likely_separator(line: str) -> str:
    """What stands between the cells of a line, by how often it does."""
    return max(",;\t|", key=line.count)


def read_cells(text: str, file: str, problems: ProblemList) -> Iterator[Row]:
    """The cells, with commas between them, of each line of a CSV text that holds something.

    It ends, with a problem, at what is not CSV.
    """
    try:
        yield from _read_cells(text, file, _Dialect(_CELL, ",", MOST_COLUMNS))
    except _NotACell as fault:
        wrong = "there are too many columns" if fault.whole else "this is not a CSV cell"
        right = f"use at most {MOST_COLUMNS} columns" if fault.whole else "check for a missing or extra quote"
        problems.append(Problem(fault.place, wrong, right))


def _read_cells(text: str, file: str, written: _Dialect) -> Iterator[Row]:
    """The cells of each line that holds something. Raises _NotACell."""
    at, line, begin = 0, 1, 0
    row: list[Text] = []
    while at < len(text):
        found = written.cell.match(text, at)
        if found is None or len(row) >= written.most_columns or len(found[0]) > written.longest:
            raise _NotACell(at, Place(file, line, at - begin + 1), found is not None)
        quoted, bare, end = found.groups()
        content = bare if quoted is None else quoted.replace('""', '"')
        row.append(Text(content.strip(), Place(file, line, found.start(2 if quoted is None else 1) - begin + 1)))
        at = found.end()
        breaks = re.findall("\r\n|\n|\r", found[0]) if quoted or end != written.separator else ()
        if breaks:
            line = line + len(breaks)
            begin = at
        if end == written.separator:
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
