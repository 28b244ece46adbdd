"""A file of what was measured -> the fields, columns and cells of a measurement. Nothing in it is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reckon.language.text import Place, Text, place_of
from reckon.model.problem import Problem

from ..tree import Seq
from .columns import carries, read_columns
from .record import FIELDS
from .table import read_csv
from .tree import read_json, unquoted

__all__ = ["MOST_BYTES", "Measured", "read_measured"]

MOST_BYTES = 16 * 1024 * 1024
ENDINGS = (".csv", ".json")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a file holds of a measurement: fields that it states, the names of columns by their own, and the rows."""

    fields: Mapping[str, str]
    total: Sequence[str]
    names: Mapping[str, str]
    rows: Sequence[Mapping[str, Text]]


def read_measured(
    raw: bytes, file: str, mapping: Mapping[str, str], units: Mapping[str, str]
) -> tuple[Measured, list[Problem]]:
    """What a CSV or JSON file holds, by the ending of its name, and all that is wrong with it."""
    problems: list[Problem] = []
    text = _text(raw, file, problems)
    if text is None:
        return Measured({}, (), {}, ()), problems
    read = read_json if file.endswith(ENDINGS[1]) else read_csv
    table = read(text, file, problems)
    names, rows = read_columns(table, file, mapping, units, problems)
    total = table.fields.pop("total", ())
    if not isinstance(total, Seq | tuple) or not all(isinstance(one, Text) for one in total):
        problems.append(Problem(place_of(total), "`total` is a list of columns", 'write `["prefill_seconds", …]`'))
        total = ()
    fields = {name: value for name, raw in table.fields.items() if (value := _field(name, raw, problems))}
    return Measured(fields, [unquoted(one) for one in total], names, rows), sorted(set(problems))


def _field(name: str, raw: Any, problems: list[Problem]) -> str:
    """A field that the file states, as it is written; empty where it cannot be, with the problem said."""
    if not isinstance(raw, Text) or raw == "null":
        right = "write one value, or leave it out and add it to measurements.yaml by hand"
        problems.append(Problem(place_of(raw), f"`{name[:60]}` is no single value", right))
    elif name not in FIELDS and not carries(name):
        right = "a figure carries its unit at the end of its name, as `peak_memory_gib`"
        problems.append(Problem(place_of(name), f"`{name[:60]}` is no field of a measurement", right))
    else:
        return unquoted(raw)
    return ""


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
