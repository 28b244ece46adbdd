"""A file of what was measured -> the fields, columns and cells of a measurement. Nothing in it is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reckon.language.text import Place, Text
from reckon.model.problem import Problem

from .columns import read_columns
from .table import read_csv
from .tree import read_json

__all__ = ["MOST_BYTES", "Measured", "read_measured"]

MOST_BYTES = 16 * 1024 * 1024
ENDINGS = (".csv", ".json")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a file holds of a measurement: fields that it states, the names of columns by their own, and the rows."""

    fields: Mapping[str, Any]
    names: Mapping[str, str]
    rows: Sequence[Mapping[str, Text]]


def read_measured(
    raw: bytes, file: str, mapping: Mapping[str, str], units: Mapping[str, str]
) -> tuple[Measured, list[Problem]]:
    """What a CSV or JSON file holds, by the ending of its name, and all that is wrong with it."""
    problems: list[Problem] = []
    text = _text(raw, file, problems)
    if text is None:
        return Measured({}, {}, ()), problems
    read = read_json if file.endswith(ENDINGS[1]) else read_csv
    table = read(text, file, problems)
    names, rows = read_columns(table, file, mapping, units, problems)
    return Measured(table.fields, names, rows), sorted(set(problems))


def _text(raw: bytes, file: str, problems: list[Problem]) -> str | None:
    begin = Place(file, 1, 1)
    if not file.endswith(ENDINGS):
        problems.append(Problem(begin, "this is neither CSV nor JSON by its name", "name it FILE.csv or FILE.json"))
    elif len(raw) > MOST_BYTES:
        problems.append(Problem(begin, "the file is larger than 16 MiB", "measure a sample"))
    else:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            column = len(raw[raw.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
            problems.append(Problem(Place(file, line, column), "this is no UTF-8", "save the file as UTF-8"))
            return None
        if text.startswith("\ufeff"):
            problems.append(Problem(begin, "the file begins with a byte order mark", "save it as UTF-8 without one"))
        return text.removeprefix("\ufeff")
    return None
