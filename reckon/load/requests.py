"""A file of what was measured -> the fields, columns and cells of a measurement, and these as lines of YAML.

Nothing in it is guessed, and what is given is read back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reckon.language.text import Place, Text, place_of
from reckon.model.problem import Problem

from .columns import carries, read_columns
from .entry import first_line, scalar
from .table import read_csv, read_json, unquoted
from .tree import Seq

MOST_BYTES = 16 * 1024 * 1024
ENDINGS = (".csv", ".json")
SCHEMA_COMMENT = "# yaml-language-server: $schema=../.schema/measurements.schema.json\n"
BEFORE = ("title", "kind", "date", "device", "gpus", "model", "dtype", "configuration", "row")
AFTER = ("notes", "source")
FIELDS = (*BEFORE, *AFTER)
# Fields whose text can look like a number or a truth value to other readers of YAML.
_WORDS = ("title", "device", "model", "dtype", "configuration", "row", *AFTER)


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
    if not isinstance(total, Seq | tuple) or not all(isinstance(column, Text) for column in total):
        problems.append(Problem(place_of(total), "`total` is a list of columns", 'write `["prefill_seconds", …]`'))
        total = ()
    fields = {name: value for name, raw in table.fields.items() if (value := _field(name, raw, problems))}
    return Measured(fields, [unquoted(column) for column in total], names, rows), sorted(set(problems))


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


def written(
    name: str, fields: Mapping[str, str], rows: Sequence[Mapping[str, str]], total: Sequence[str]
) -> Iterator[str]:
    """The lines of YAML of a record: a field is one line whatever it holds, and so is a row.

    Fields that no measurement has stand as figures of its own, before the notes.
    """
    yield f"{name}:"
    yield from _lines(fields, BEFORE)
    if rows:
        yield "  rows:"
        yield from (f"    - {{{', '.join(f'{key}: {scalar(cell)}' for key, cell in row.items())}}}" for row in rows)
    if total:
        yield f"  total: [{', '.join(scalar(column) for column in total)}]"
    yield from _lines(fields, [name for name in fields if name not in FIELDS])
    yield from _lines(fields, AFTER)


def _lines(fields: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    return (f"  {name}: {scalar(fields[name], name in _WORDS)}" for name in names if name in fields)


def takes_records(text: str) -> bool:
    """Whether a file holds `id:` lines with fields below, or nothing yet: a record can stand at its end."""
    first = first_line(text)
    return first is None or not first.lstrip().startswith(("{", "- ", "[", "'", '"'))
