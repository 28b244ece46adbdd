"""Formats of tables of runs, by the ending of a file, and the cells of CSV, each a text with its place.

Nothing here imports a library: the help of `add runs` names the formats.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import NamedTuple

from reckon.language.text import Place, Refusal, Text

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


def csv_rows(text: str, file: str, *, separator: str = "") -> Iterator[Row]:
    """The rows of a CSV text as programs for spreadsheets and schedulers write it, with the separator that it has; none
    of a line without cells, or with empty ones alone. Raises NotRows at what is not CSV."""
    lines = StringIO(text, newline="").readlines()
    separator = separator or likely_separator(text.partition("\n")[0])
    begin = 0
    try:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        for cells in reader:
            if any(map(str.strip, cells)):
                yield tuple(_place_cells(cells, lines[begin], file, begin + 1))
            begin = reader.line_num
    except (csv.Error, TypeError) as error:  # TypeError: the separator is no single sign
        raise NotRows(f"this is not CSV from line {begin + 1} on: {error}", "check for a missing quote") from None


def _place_cells(cells: Iterable[str], written: str, file: str, line: int) -> Iterator[Text]:
    """Cells as texts, each where it stands in its line; of a row of several lines, those of the first."""
    at = 0
    for cell in cells:
        at = max(at, written.find(cell, at))
        yield Text(cell.strip(), Place(file, line, at + 1))
        at += len(cell) + 1


def likely_separator(line: str) -> str:
    """What stands between the cells of a line, by how often it does."""
    return max(",;\t|", key=line.count)


RUN_FORMATS = (RunFormat("CSV", ".csv", csv_rows),)
"""The formats of tables of runs. What ends otherwise is read as the first: schedulers call their tables anything."""


def run_format(file: str) -> RunFormat:
    """The format of a table of runs, by the ending of its name."""
    return next((known for known in RUN_FORMATS if file.lower().endswith(known.ending)), RUN_FORMATS[0])
