"""Runs as the tool itself writes them, a line an entry, read by one expression that is made of the order of writing.

A scheduler has a hundred thousand of them, and a YAML reader takes most of the time of a command for these. What is
found is what the YAML reader would find, to the place of each text. A file in which any line is written otherwise, or
holds anything that is refused, is not read here at all: so what is wrong is told in one place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cache, partial
from typing import Any, cast, get_args

from reckon.language.lean import dataclass, regex
from reckon.language.text import LineText, Place
from reckon.model.fields import About, ReadBy
from reckon.model.kinds import IMPORTED
from reckon.model.record import Record
from reckon.model.records import ImportedFrom, Progress, Run
from reckon.model.scalars import Wrong, read_text

from .entry import IMPORTED_ORDER, JOB_ORDER, ORDER

LEAST = 16_384
"""Characters of a file for which the expression, which has to be made first, is worth it."""
LONGEST_LINE = 16_384
MOST_KNOWN = 4096

# What `entry.scalar` writes: quoted, a moment, or plain. Nothing is taken that could be read in two ways.
_SCALAR = (
    r"('[^'\n]*+(?:''[^'\n]*+)*+'|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*[0-9](?:Z|[+-][0-9:]*[0-9])?"
    r"|-?\w[\w.%+/()=-]*+(?: [\w.%+/()=-]++)*+)"
)
_HEAD = regex(r"(?:#[^\n]*\n)*")
_IS_TEXT = object()
RECORDS: Mapping[str, type[Record]] = {"imported": ImportedFrom, "progress": Progress}
"""The fields of a run that hold a record."""


class _Otherwise(Exception):
    """A file is not written as the tool writes it, or holds what is refused."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A field of a record: the group of the expression that holds it, how it is read, and what was read before.

    `read` is None where any text will do. `inner` is what a field holds that is a record itself.
    """

    name: str
    group: int
    read: Callable[[LineText], Any] | None = None
    inner: _Shape | None = None
    known: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A kind of record: its parts in the order of writing, what stands for those that are not written, and those that
    have to be. `said` are sets of names, one for all records that say the same."""

    kind: type[Record]
    parts: tuple[_Part, ...]
    silent: Mapping[str, Any]
    needed: frozenset[str]
    said: dict[tuple[str, ...], set[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a line is written."""

    shape: _Shape
    line: re.Pattern[str]


def runs_of(text: str, file: str) -> tuple[Run, ...] | None:
    """The runs of a file; None where it has to be read as YAML, or is so short that this is quicker."""
    if len(text) < LEAST or not text.replace("\n", "").isprintable():
        return None
    layout = _imported() if f"/runs/{IMPORTED}/" in file else _added()
    try:
        return tuple(_read(text, file, layout))
    except (_Otherwise, Wrong):
        return None


def _read(text: str, file: str, layout: _Layout) -> Iterator[Any]:
    head = _HEAD.match(text)
    begin = head.end() if head else 0
    number, match, shape, end = text.count("\n", 0, begin), layout.line.match, layout.shape, len(text)
    if begin == end:
        raise _Otherwise
    while begin < end:
        found = match(text, begin)
        number += 1
        if found is None or found.end() - begin > LONGEST_LINE:
            raise _Otherwise
        yield _record(shape, found, begin, Place(file, number, 3))
        begin = found.end()


def _record(shape: _Shape, found: re.Match[str], begin: int, place: Place) -> Record:
    """The record of a shape in a line that begins there."""
    values, spans = found.groups(), found.regs
    fields, said = {**shape.silent, "place": place}, ["place"]
    for part in shape.parts:
        raw = values[part.group - 1]
        if raw is None:
            continue
        column = spans[part.group][0] - begin + 1
        said.append(part.name)
        if part.inner is not None:
            fields[part.name] = _record(part.inner, found, begin, place._replace(column=column))
            continue
        if raw[0] == "'":
            raw, column = raw[1:-1].replace("''", "'"), column + 1
            if not raw or raw.isspace():
                raise _Otherwise
        known = _IS_TEXT if part.read is None else part.known.get(raw)
        if known is None or known is _IS_TEXT:
            text = str.__new__(LineText, raw)
            text.record, text.column = place, column
            known = text if known is _IS_TEXT else _taken(part.read, part.known, text)
        fields[part.name] = known
    key = tuple(said)
    if key not in shape.said:
        if not shape.needed.issubset(said):
            raise _Otherwise
        shape.said[key] = set(said)
    return shape.kind.of_read(fields, shape.said[key])


def _taken(read: Any, known: dict[str, Any], text: LineText) -> Any:
    """What a part of a line is read as. Noted where it may be met again, and has no place of its own."""
    value = read(text)
    if value is text or isinstance(value, Fraction | bool):
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[str(text)] = _IS_TEXT if value is text else value
    return value


@cache
def _imported() -> _Layout:
    return _layout(IMPORTED_ORDER, {"imported": JOB_ORDER})


@cache
def _added() -> _Layout:
    return _layout(ORDER, {"progress": ("done", "total")})


def _layout(order: Sequence[str], inner: Mapping[str, Sequence[str]]) -> _Layout:
    """How a line of runs is written whose fields, and those of the records in them, are in this order."""
    shape, line, _ = _shape(Run, order, inner, 1)
    return _Layout(shape, re.compile(rf"- {line}\n"))


def _shape(
    kind: type[Record], order: Sequence[str], inner: Mapping[str, Sequence[str]], group: int
) -> tuple[_Shape, str, int]:
    """A kind of record, the expression for its fields, whose groups count from a number, and the number after these."""
    parts, line = [], ""
    for name in order:
        own, within, after = group, _SCALAR, group + 1
        if name in inner:
            made, written, after = _shape(RECORDS[name], inner[name], {}, group + 1)
            parts.append(_Part(name, own, inner=made))
            within = f"({written})"
        else:
            parts.append(_Part(name, own, _reader(kind, name)))
        line, group = rf"{line}(?:{name}: {within}(?:, |(?=\}})))?+", after
    fields = kind.model_fields.items()
    silent = {name: None if about.is_required() else about.get_default() for name, about in fields}
    needed = frozenset(name for name, about in fields if about.is_required())
    return _Shape(kind, tuple(parts), silent, needed), rf"\{{{line}\}}", group


def _reader(kind: type[Record], name: str) -> Callable[[LineText], Any] | None:
    """How a field of a record is read, as its type says; None where any text will do."""
    about = kind.model_fields[name]
    parts = [*about.metadata, about.annotation]
    for part in parts:  # grows as it goes
        parts += get_args(part)
    mark = next(part for part in parts if isinstance(part, ReadBy))
    read = mark.func
    if read is read_text:
        return None
    return cast(Callable[[LineText], Any], read) if not mark.informed else partial(_informed, read, About(name))


def _informed(read: Callable[[LineText, Any], Any], about: Any, text: LineText) -> Any:
    return read(text, about)
