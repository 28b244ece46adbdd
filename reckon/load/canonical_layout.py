"""How the tool writes a line of runs: the expression that reads it, made of the order in which fields are written.

A line takes as long to read as there are fields that it could have, so an expression may know those only that some
lines of a file name, and the letters of other alphabets only where there are some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple, cast

from msgspec import Struct

from reckon.language.lazy import regex
from reckon.language.text import NOWHERE, LineText
from reckon.model.amounts import read_number
from reckon.model.fields import ReadBy, parts_of
from reckon.model.record import Record, defaults
from reckon.model.records import ImportedFrom, Progress, Run
from reckon.model.scalars import read_text
from reckon.model.shares import read_charged, read_held, read_lasting

from .run_format import IMPORTED_ORDER, JOB_ORDER, ORDER

_QUOTED = r"'[^'\n]*+(?:''[^'\n]*+)*+'"
# What `run_format.scalar` writes: plain, a moment, or quoted. Nothing is taken that could be read in two ways.
_SCALAR = (
    r"-?[@][@.%+/()=-]*+(?: [@.%+/()=-]++)*+"
    rf"|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9:.]*[0-9](?:Z|[+-][0-9:]*[0-9])?|{_QUOTED}"
)
# Where it ends in a line. Whether it is one is asked of each text once, however many lines have it.
_CELL = rf"([^,'}}\n]++|{_QUOTED})"
ReadField = Callable[[LineText], Any]
"""Reads what a field holds from its text."""
FieldOrder = Mapping[str, Sequence[str]]
"""Fields in their order, by the field whose record they are of; by the empty name those of a run."""
_NUMBERS = (read_number, read_held, read_lasting, read_charged)
"""How fields are read that take a decimal for what it is, in their unit or in seconds."""
RECORDS: Mapping[str, type[Record]] = {"imported": ImportedFrom, "progress": Progress}
"""The fields of a run that hold a record."""
SAMPLE, SAMPLES = 256, 64
"""Characters of the samples of a text in which fields are looked for, and how many samples these are."""
_NAME = regex(r"[{ ]([a-z_]+): ")


class FieldName(NamedTuple):
    """What the functions that read fields ask of pydantic's `ValidationInfo`."""

    field_name: str


class Otherwise(Exception):
    """A file is not written as the tool writes it, or holds what is refused."""


class Part(Struct, frozen=True):
    """A field of a record: the group of the expression that holds it, and how it is read.

    `read` is None where any text will do. `inner` is what a field holds that is a record itself.
    """

    name: str
    group: int
    read: ReadField | None = None
    inner: Shape | None = None
    number: bool = False

    def value(self, raw: str) -> Any:
        """What the field has where this stands in a line, whose place it does not know."""
        text = str.__new__(LineText, unquoted(raw))
        text.record = NOWHERE
        text.column = 0
        if self.read is None:
            return str(text)
        value = self.read(text)
        return str(value) if isinstance(value, str) else value


class Shape(Struct, frozen=True):
    """A kind of record: its parts in the order of writing, the record of a line that says nothing, and the fields that
    have to be written."""

    parts: tuple[Part, ...]
    silent: Record
    needed: frozenset[str]


class Writing(NamedTuple):
    """What tells how lines are written: whether they were imported, and whether all of their text is ASCII."""

    imported: bool
    ascii_only: bool

    @property
    def order(self) -> FieldOrder:
        """The fields of a run in their order, by the empty name, and those of each record in one of them."""
        if self.imported:
            return {"": IMPORTED_ORDER, "imported": JOB_ORDER}
        return {"": ORDER, "progress": ("done", "total")}

    @property
    def every(self) -> frozenset[str]:
        """All fields that such lines can have."""
        return frozenset(chain.from_iterable(self.order.values()))


class Layout(Struct, frozen=True):
    """How lines are written that have none but the fields that are named: a `line` with cells, which are `scalar`."""

    shape: Shape
    line: re.Pattern[str]
    scalar: re.Pattern[str]


@lru_cache(maxsize=64)
def layout_of(writing: Writing, named: frozenset[str]) -> Layout:
    """How lines are written that have none but these fields."""
    scalar = _SCALAR.replace("@", "A-Za-z0-9_" if writing.ascii_only else r"\w")
    order = {record: tuple(filter(named.__contains__, names)) for record, names in writing.order.items()}
    shape, line, _ = _shape(Run, order.pop(""), order, 1)
    return Layout(shape, re.compile(rf"^- {line}\n", re.MULTILINE), re.compile(scalar))


def named_in(text: str, writing: Writing) -> frozenset[str]:
    """The fields that some of the lines of a text name, with those that a run has."""
    step = max(SAMPLE, len(text) // SAMPLES)
    found = (name for begin in range(0, len(text), step) for name in _NAME.findall(text, begin, begin + SAMPLE))
    return writing.every.intersection(("date", "item", *found))


def _shape(kind: type[Record], order: Sequence[str], inner: FieldOrder, group: int) -> tuple[Shape, str, int]:
    """A kind of record, the expression for its fields, whose groups count from a number, and the number after these."""
    parts, line = [], ""
    for name in order:
        own = group
        within = _CELL
        after = group + 1
        if name in inner:
            made, written, after = _shape(RECORDS[name], inner[name], {}, group + 1)
            parts.append(Part(name, own, inner=made))
            within = f"({written})"
        else:
            read = _reader(kind, name)
            number = isinstance(read, partial) and read.args[0] in _NUMBERS
            parts.append(Part(name, own, read, number=number))
        line = rf"{line}(?:{name}: {within}(?:, |(?=\}})))?+"
        group = after
    silent = kind.model_construct(_fields_set=set(), **defaults(kind))
    needed = frozenset(name for name, about in kind.model_fields.items() if about.is_required())
    return Shape(tuple(parts), silent, needed), rf"\{{{line}\}}", group


def _reader(kind: type[Record], name: str) -> ReadField | None:
    """How a field of a record is read, as its type says; None where any text will do."""
    mark = next(part for part in parts_of(kind.model_fields[name]) if isinstance(part, ReadBy))
    read = mark.func
    if read is read_text:
        return None
    return cast(ReadField, read) if not mark.informed else partial(_informed, read, FieldName(name))


def _informed(read: Callable[[LineText, Any], Any], about: FieldName, text: LineText) -> Any:
    return read(text, about)


def unquoted(raw: str) -> str:
    """A text without the quotes that it is written in."""
    if raw[0] != "'":
        return raw
    text = raw[1:-1].replace("''", "'")
    if not text or text.isspace():
        raise Otherwise
    return text
