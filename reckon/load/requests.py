"""A file of what was measured -> the fields, columns and cells of a measurement, and these as lines of YAML.

Nothing in it is guessed, and what is given is read back as it was. A column's name carries its unit as a key of the
ledger does (`latency_ms`), or is a count in the plural (`output_tokens`). Else the unit stands behind it, as in
`latency (ms)`, or is given with `--unit`, and goes to the end of the name: the numbers themselves are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from reckon.language.quantity import exact
from reckon.language.text import Place, Refusal, Text, place_of
from reckon.language.units import SHORT, key_unit, singular, value_unit
from reckon.model import bounds
from reckon.model.finding import Problem, ProblemList, nearest, refused

from .run_format import EntryFields, first_line, scalar
from .table import MEASURED_FORMATS, RowTable, unquoted
from .yaml_nodes import Seq, Stop

SCHEMA_COMMENT = "# yaml-language-server: $schema=../.schema/measurements.schema.json\n"
BEFORE = ("title", "kind", "date", "device", "gpus", "model", "dtype", "configuration", "row")
AFTER = ("notes", "source")
FIELDS = (*BEFORE, *AFTER)
# Fields whose text can look like a number or a truth value to other readers of YAML.
_WORDS = ("title", "device", "model", "dtype", "configuration", "row", *AFTER)


ByColumn = Mapping[str, str]
"""What is said of columns, by their names: another name, or a unit."""


class MeasurementFile(Struct, frozen=True):
    """What a file holds of a measurement: fields that it states, the names of columns by their own, and the rows."""

    fields: EntryFields
    total: Sequence[str]
    names: ByColumn
    rows: Sequence[Mapping[str, Text]]


def read_measured(raw: bytes, file: str, mapping: ByColumn, units: ByColumn) -> tuple[MeasurementFile, ProblemList]:
    """What a CSV or JSON file holds, by the ending of its name, and all that is wrong with it."""
    problems: ProblemList = []
    try:
        text = _decode(raw, file)
    except Stop as stop:
        return MeasurementFile({}, (), {}, ()), [stop.problem]
    read = next(read for ending, read in MEASURED_FORMATS.items() if file.endswith(ending))
    table = read(text, file, problems)
    names, rows = read_columns(table, file, mapping, units, problems)
    total = table.fields.pop("total", ())
    if not isinstance(total, Seq | tuple) or not all(isinstance(column, Text) for column in total):
        problems.append(Problem(place_of(total), "`total` must be a list of columns", 'write `["prefill_seconds", …]`'))
        total = ()
    fields = {name: value for name, raw in table.fields.items() if (value := _field(name, raw, problems))}
    return MeasurementFile(fields, [unquoted(column) for column in total], names, rows), sorted(set(problems))


def _field(name: str, raw: Any, problems: ProblemList) -> str:
    """A field that the file states, as it is written; empty, with a problem, where that cannot be."""
    if not isinstance(raw, Text) or raw == "null":
        problems.append(
            Problem(
                place_of(raw),
                f"`{name[:60]}` is not a single value",
                "write one value, or remove it and add it to measurements.yaml by hand",
            )
        )
    elif name not in FIELDS and not carries(name):
        problems.append(
            Problem(
                place_of(name),
                f"`{name[:60]}` is not a field of a measurement",
                "end the name of a figure with its unit, such as `peak_memory_gib`",
            )
        )
    else:
        return unquoted(raw)
    return ""


def _decode(raw: bytes, file: str) -> str:
    if not file.endswith(tuple(MEASURED_FORMATS)):
        raise Stop(
            Place(file),
            f"this is neither {' nor '.join(ending[1:].upper() for ending in MEASURED_FORMATS)} by its name",
            f"name it {' or '.join(f'FILE{ending}' for ending in MEASURED_FORMATS)}",
        )
    if len(raw) > bounds.MEASUREMENTS:
        raise Stop(Place(file), "the file is larger than 16 MiB", "measure a sample")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Stop(Place(file, line, 1), "this is not UTF-8", "save the file as UTF-8") from None


def written(name: str, fields: EntryFields, rows: Sequence[Mapping[str, str]], total: Sequence[str]) -> Iterator[str]:
    """The lines of YAML of a record: a field is one line whatever it holds, and so is a row.

    Fields that no measurement has stand as figures of its own, before the notes.
    """
    yield f"{name}:"
    yield from _field_lines(fields, BEFORE)
    if rows:
        yield "  rows:"
        for row in rows:
            cells = ", ".join(f"{key}: {scalar(cell)}" for key, cell in row.items())
            yield f"    - {{{cells}}}"
    if total:
        yield f"  total: [{', '.join(scalar(column) for column in total)}]"
    yield from _field_lines(fields, [name for name in fields if name not in FIELDS])
    yield from _field_lines(fields, AFTER)


def _field_lines(fields: EntryFields, names: Iterable[str]) -> Iterator[str]:
    return (f"  {name}: {scalar(fields[name], name in _WORDS)}" for name in names if name in fields)


def takes_records(text: str) -> bool:
    """Whether a file holds `id:` lines with fields below, or nothing yet: a record can stand at its end."""
    first = first_line(text)
    return first is None or not first.lstrip().startswith(("{", "- ", "[", "'", '"'))


MOST_OF_A_COLUMN = 20
PLAIN = "1"
"""The unit of a column of bare numbers, such as a loss: `--unit loss=1`."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_BEHIND = re.compile(r"(.*?)\s*[(\[]([^()\[\]]*)[)\]]")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WITH_UNIT = re.compile(r"(-?[0-9][0-9.,eE+-]*?)\s*([A-Za-zµ%][A-Za-z/ ]*)")
# Plurals of these are no counts: their numbers have a unit.
_MEASURES = (
    "time",
    "latency",
    "duration",
    "delay",
    "wait",
    "memory",
    "size",
    "energy",
    "power",
    "speed",
    "rate",
    "throughput",
    "bandwidth",
    "loss",
)
_LONG = {short: f"{word}s" for short, word in SHORT.items()}
_SAY = "add it to the name, such as `latency (ms)`, or use --unit"


class _Head(Struct, frozen=True):
    """A column as it stands in the first line: its name, without a unit behind it, and that unit."""

    text: Text
    name: str
    unit: str

    def called(self, name: str) -> bool:
        """Whether an option means this column."""
        return name in (self.text, self.name)


def read_columns(
    table: RowTable, file: str, mapping: ByColumn, units: ByColumn, problems: ProblemList
) -> tuple[dict[str, str], list[dict[str, Text]]]:
    """The name in the record of each column by its own, empty where it is left out; and the rows by name.

    The mapping gives a column another name, or an empty one; the units are those of columns that do not say theirs.
    """
    heads = [_head(text) for text in table.names]
    begin = Place(file)
    for column in [*mapping, *units]:
        if not any(head.called(column) for head in heads):
            known = nearest(column, [head.text for head in heads]) or "check the first line"
            problems.append(Problem(begin, f"there is no column `{column[:60]}`", known))
    names: dict[str, str] = {}
    chosen: dict[str, int] = {}
    for number, head in enumerate(heads):
        if head.text in table.names[:number]:
            problems.append(
                Problem(head.text.place, f"column `{head.text[:60]}` appears twice", "give each column its own name")
            )
        elif name := _chosen(head, [row[number] for row in table.rows], mapping, units, problems):
            if name in chosen:
                problems.append(
                    Problem(head.text.place, f"two columns are called `{name}`", f"skip one with --map '{head.text}='")
                )
            chosen[name] = number
            names |= {head.name: names.get(head.name, name), str(head.text): name}
    if table.names and not chosen and not problems:
        problems.append(Problem(begin, "all columns are skipped", "keep at least one"))
    rows = []
    for row in table.rows:
        rows.append({name: row[number] for name, number in chosen.items()})
    return names, rows


def _chosen(head: _Head, cells: Sequence[Text], mapping: ByColumn, units: ByColumn, problems: ProblemList) -> str:
    """The name of a column in the record; empty where it is left out or was refused. Its cells are checked."""
    if _given_unit(head, mapping) == "":
        return ""
    if cells and not any(re.match(r"[\"']?[-+.]?[0-9]", cell) or not cell for cell in cells):
        problems.append(
            Problem(head.text.place, f"`{head.text[:60]}` has no numbers", f"skip it with --map '{head.text}='")
        )
        return ""
    try:
        name = _name_column(head, mapping, units)
    except Stop as stop:
        name = ""
        problems.append(stop.problem)
    problems += _cells(cells, key_unit(name).symbol if name else "")
    return name


def _head(text: Text) -> _Head:
    found = _BEHIND.fullmatch(text)
    return _Head(text, found[1].strip(), found[2].strip()) if found else _Head(text, str(text), "")


def _given_unit(head: _Head, options: ByColumn) -> str | None:
    return next((value for name, value in options.items() if head.called(name)), None)


def _name_column(head: _Head, mapping: ByColumn, units: ByColumn) -> str:
    """The name of a column in the record. Stops where it cannot be told."""
    where = head.text.place
    own = _given_unit(head, mapping) or head.name
    if not _NAME.fullmatch(own):
        better = re.sub(r"[^a-z0-9]+", "_", own.lower()).strip("_")
        hint = f": --map '{head.text}={better}'" if _NAME.fullmatch(better) else " in the first line"
        said = f"`{own[:60]}` is not a column name" if own else "this column has no name"
        raise Stop(where, said, f"use letters, digits and `_`{hint}")
    given = _given_unit(head, units)
    if given is not None and head.unit:
        raise Stop(where, f"`{head.text[:60]}` already has a unit", "remove --unit")
    unit = given or head.unit
    return _with_unit(own, unit, where) if unit else _carrying(own, head)


def _carrying(name: str, head: _Head) -> str:
    """A name that carries its unit or is a count. Stops where it is neither."""
    if carries(name):
        return name
    last = name.rpartition("_")[2].lower()
    long = f"{name[: -len(last)]}{_LONG[last]}" if last in _LONG and "_" in name else ""
    better = f"rename it to `{long}` with --map '{head.text}={long}'" if long else ""
    raise Stop(
        head.text.place,
        f"`{name[:60]}` has no unit",
        f"{better or _SAY + f' {head.text}=ms'}; or skip it with --map '{head.text}='",
    )


def carries(name: str) -> bool:
    """Whether a name says what its numbers are: a unit at its end, or a count in the plural."""
    above = name.lower().partition("_per_")[0]
    last = above.rpartition("_")[2]
    return bool(key_unit(above).kinds) or (singular(last) != last and singular(last) not in _MEASURES)


def _with_unit(name: str, unit: str, where: Place) -> str:
    """The name with its unit at the end: latency in ms is `latency_milliseconds`. Stops where the unit is unclear."""
    if unit == PLAIN:
        return name
    words = key_of(unit)
    if not words:
        raise Stop(
            where,
            f"`{unit[:40]}` is not a known unit",
            "write a unit such as ms, s, min, GB, GiB, tokens/s; or 1 for a bare number",
        )
    # A name that carries a unit already must not be given another: latency_ms in s would be 1000 times as much.
    if key_unit(name).kinds and key_unit(name) != key_unit(words):
        raise Stop(
            where,
            f"`{name[:60]}` has another unit than {unit[:40]}",
            "rename the column with --map, or remove one of the two units",
        )
    if key_unit(name).kinds or f"_{name.lower()}".endswith(f"_{words}"):
        return name
    above, per, below = name.partition("_per_")
    return f"{above}_{words}{per}{below}"


def key_of(unit: str) -> str:
    """The words with which a key carries a unit: ms -> milliseconds, tokens/s -> tokens_per_second; else empty."""
    above, *below = (part.strip() for part in re.split(r"/| per ", unit))
    words = _word(above) or (above if re.fullmatch(r"[a-z]+s", above) and singular(above) != above else "")
    under = [_word(part) or (part if re.fullmatch(r"[a-z]+", part) else "") for part in below]
    if not words or not all(under) or len(under) > 1:
        return ""
    return "_per_".join([words, *(singular(count) for count in under)])


def _word(unit: str) -> str:
    """One unit as a key has it. Letters count: Mb, mWh and the like could be one thing or another."""
    found = value_unit(unit) if re.fullmatch(r"[A-Za-z]+", unit) else None
    low = unit.lower()
    if not found or not (unit in (found.symbol, low) or (len(unit) > 4 and unit[1:].islower())):
        return ""
    return _LONG.get(low, low if key_unit(low).symbol == found.symbol else "")


def _cells(cells: Sequence[Text], symbol: str) -> ProblemList:
    """What is wrong with the cells of a column: each has to be one number, without a unit of its own."""
    found = [problem for cell in cells if (problem := _cell(cell, symbol))]
    told = found[:MOST_OF_A_COLUMN]
    more = found[MOST_OF_A_COLUMN:]
    if more:
        told.append(replace(more[0], wrong=f"{more[0].wrong}, and so in {len(more):,} cells below"))
    return told


def _cell(cell: Text, symbol: str) -> Problem | None:
    if _NUMBER.fullmatch(cell):
        try:
            negative = exact(cell) < 0
        except Refusal as refusal:
            return refused(refusal, cell)
        return Problem(cell.place, f"`{cell[:40]}` is below zero", "write the measured value") if negative else None
    bare = cell.strip('"')
    shown = cell[:40]
    if not bare or bare == "null":
        return Problem(cell.place, "this cell is empty", "write the number, or remove the row")
    if re.fullmatch(r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?|-?[0-9]+,[0-9]+", bare):
        return Problem(
            cell.place,
            f"`{shown}` has a comma",
            f"write `{bare.replace(',', '')}` or `{bare.replace(',', '.', 1)}`, whichever is meant",
        )
    if _WITH_UNIT.fullmatch(bare):
        right = "write only numbers; put the unit in the column's name or in --unit"
        column = f", in a column of {symbol}" if symbol else ""
        return Problem(cell.place, f"`{shown}` has its own unit{column}", right)
    digits = "write digits, with a point in decimals, as in 28.1"
    right = "write it without quotes" if _NUMBER.fullmatch(bare) else digits
    return Problem(cell.place, f"`{shown}` is not a number", right)
