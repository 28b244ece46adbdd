"""Runs as the tool itself writes them, a line an entry, read by one expression that is made of the order of writing.

A scheduler has a hundred thousand of them, and a YAML reader takes most of the time of a command for these. What is
found is what the YAML reader would find, to the place of each text. A file in which any line is written otherwise, or
holds anything that is refused, is not read here at all: so what is wrong is told in one place.

The expression gives columns, of which each text is read once however often it stands there. The record of a line is
made by the same expression, when it is asked for.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import accumulate
from math import lcm
from typing import Any, cast, get_args

from reckon.language.lean import dataclass, field, regex
from reckon.language.text import NOWHERE, LineText, Place
from reckon.model.amounts import read_number
from reckon.model.fields import About, ReadBy
from reckon.model.kinds import IMPORTED
from reckon.model.portions import read_charged, read_held, read_lasting
from reckon.model.record import Record
from reckon.model.records import ImportedFrom, Progress, Run
from reckon.model.runs import MOST_PARTS, Amounts, ColumnRuns, amounts
from reckon.model.scalars import Wrong, read_text

from .entry import IMPORTED_ORDER, JOB_ORDER, ORDER

LEAST = 16_384
"""Characters of the files of a folder for which the expression, which has to be made first, is worth it."""
LONGEST_LINE = 16_384
MOST_KNOWN = 4096

# What `entry.scalar` writes: quoted, a moment, or plain. Nothing is taken that could be read in two ways.
_SCALAR = (
    r"('[^'\n]*+(?:''[^'\n]*+)*+'|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]*[0-9](?:Z|[+-][0-9:]*[0-9])?"
    r"|-?\w[\w.%+/()=-]*+(?: [\w.%+/()=-]++)*+)"
)
_HEAD = regex(r"(?:(?:#[^\n]*)?\n)*")
_DECIMAL = regex(r"(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,9}))?( s| GPU-s)?")
_NUMBERS = (read_number, read_held, read_lasting, read_charged)
"""How fields are read that take a decimal for what it is, in their unit or in seconds."""
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
    number: bool = False

    def value(self, raw: str) -> Any:
        """What the field has where this stands in a line, whose place it does not know."""
        text = str.__new__(LineText, _unquoted(raw))
        text.record, text.column = NOWHERE, 0
        if self.read is None:
            return str(text)
        value = self.read(text)
        return str(value) if isinstance(value, str) else value


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


def runs_of(text: str, file: str, beside: int = 0) -> Sequence[Run] | None:
    """The runs of a file; None where it has to be read as YAML, or it and what stands `beside` it, in bytes, are so
    short that this is quicker."""
    if max(len(text), beside) < LEAST or not text.replace("\n", "").isprintable():
        return None
    head = _HEAD.match(text)
    begin = head.end() if head else 0
    longest = max(map(len, text[begin:].split("\n")))
    layout = _imported() if f"/runs/{IMPORTED}/" in file else _added()
    found = layout.line.findall(text, begin)
    if not found or len(found) != text.count("\n", begin) or text[-1] != "\n" or longest > LONGEST_LINE:
        return None
    try:
        return ColumnRuns(LineColumns(layout, text, Place(file, text.count("\n", 0, begin), 3), begin, found))
    except (_Otherwise, Wrong):
        return None


class LineColumns:
    """What the lines of a file say, by fields; those of a record in a field are named after both: `imported.source`.

    `before` is the place above the first line, at which `begin` characters of the text are behind it.
    """

    def __init__(self, layout: _Layout, text: str, before: Place, begin: int, found: Sequence[tuple[str, ...]]) -> None:
        self._layout, self._text, self._before, self._begin = layout, text, before, begin
        self._many = len(found)
        self._columns: dict[str, Sequence[Any]] = {}
        self._amounts: dict[str, Amounts] = {}
        raw = list(zip(*found, strict=True))
        self._take(layout.shape, raw, "", ())

    def __len__(self) -> int:
        return self._many

    def column(self, name: str) -> Sequence[Any] | None:
        """What each line says in a field, without its place; None where none says anything."""
        if name in self._amounts and name not in self._columns:
            self._columns[name] = self._amounts[name].exact()
        return self._columns.get(name)

    def amounts(self, name: str) -> Amounts | None:
        """The same of a field of numbers."""
        return self._amounts.get(name)

    def place(self, number: int) -> Place:
        """Where the record of a line begins."""
        file, line, column = self._before
        return Place(file, line + number + 1, column)

    def says(self, name: str) -> bool:
        """Whether any line writes a field."""
        return name in self._columns or name in self._amounts

    def record(self, number: int) -> Run:
        """The record of a line."""
        begin = self._starts[number]
        found = self._layout.line.match(self._text, begin)
        assert found is not None
        return cast(Run, _record(self._layout.shape, found, begin, self.place(number)))

    @cached_property
    def _starts(self) -> Sequence[int]:
        """Where each line begins."""
        lengths = (len(line) + 1 for line in self._text[self._begin :].split("\n"))
        return array("L", accumulate(lengths, initial=self._begin))

    def _take(self, shape: _Shape, raw: Sequence[Sequence[str]], within: str, there: Sequence[str]) -> None:
        """Reads the columns of a kind of record; those of one in a field are needed where this is there."""
        for part in shape.parts:
            column = raw[part.group - 1]
            texts = set(column)
            silent = "" in texts
            texts.discard("")
            if silent and part.name in shape.needed and (not there or self._lacks(there, column)):
                raise _Otherwise
            if not texts:
                continue
            if part.inner is not None:
                self._take(part.inner, raw, f"{part.name}.", column)
            elif part.number and (found := _decimals(part, texts)):
                values, per = found
                self._amounts[within + part.name] = Amounts(list(map(values.get, column)), per)
            else:
                known = {text: part.value(text) for text in texts}
                self._columns[within + part.name] = every = list(map(known.get, column))
                if part.number:
                    self._amounts[within + part.name] = amounts(every)

    @staticmethod
    def _lacks(there: Sequence[str], column: Sequence[str]) -> bool:
        return any(outer and not own for outer, own in zip(there, column, strict=True))


def _decimals(part: _Part, texts: Collection[str]) -> tuple[dict[str, int], int] | None:
    """Decimals as whole numbers of a part of the unit of their field, and how many of these make it; None where
    something else is among them."""
    found = [(text, _DECIMAL.fullmatch(text)) for text in texts]
    if not all(decimal for _, decimal in found):
        return None
    parts = [(text, *decimal.groups("")) for text, decimal in found if decimal]
    units = {tail: cast(Fraction, part.value(f"1{tail}")) for tail in {tail for *_, tail in parts}}
    places = max(len(decimals) for _, _, decimals, _ in parts)
    per = 10**places * lcm(*(unit.denominator for unit in units.values()))
    times = {tail: unit.numerator * (per // 10**places // unit.denominator) for tail, unit in units.items()}
    values = {text: int(whole + decimals.ljust(places, "0")) * times[tail] for text, whole, decimals, tail in parts}
    return (values, per) if per <= MOST_PARTS else None


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
            raw, column = _unquoted(raw), column + 1
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


def _unquoted(raw: str) -> str:
    """A text without the quotes that it is written in."""
    if raw[0] != "'":
        return raw
    text = raw[1:-1].replace("''", "'")
    if not text or text.isspace():
        raise _Otherwise
    return text


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
    return _Layout(shape, re.compile(rf"^- {line}\n", re.MULTILINE))


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
            read = _reader(kind, name)
            number = isinstance(read, partial) and read.args[0] in _NUMBERS
            parts.append(_Part(name, own, read, number=number))
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
