"""Runs as the tool itself writes them, a line an entry, read by one expression that is made of the order of writing.

A scheduler has a hundred thousand of them, and a YAML reader takes most of the time of a command for these. What is
found is what the YAML reader would find, to the place of each text. A file in which any line is written otherwise, or
holds anything that is refused, is not read here at all: so what is wrong is told in one place.

The expression gives columns, of which each text is read once however often it stands there. The record of a line is
made by the same expression, when it is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm
from typing import Any, cast

from reckon.language.lazy import regex
from reckon.language.text import LineText, Place
from reckon.model.fixed_point import MOST_PARTS, Amounts, amounts
from reckon.model.kinds import IMPORTED
from reckon.model.record import Record
from reckon.model.records import Run
from reckon.model.runs import ColumnRuns
from reckon.model.scalars import Wrong

from .canonical_layout import Layout, Otherwise, Part, Shape, Writing, layout_of, named_in, unquoted

LEAST = 16_384
"""Characters of the files of a folder for which the expression, which has to be made first, is worth it."""
LONGEST_LINE = 16_384
MOST_KNOWN = 4096
STEP = 4096
SAMPLED = 256
"""Lines that tell whether the numbers in a field differ from line to line."""

_HEAD = regex(r"(?:(?:#[^\n]*)?\n)*")
_DECIMAL = regex(r"(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,9}))?( s| GPU-s)?")
_SHORT = regex(r"(?:(?:0|[1-9][0-9]{0,8}+)(?:\.[0-9]{1,6}+)?+(?:,|\Z))++")
_LONGER = tuple(regex(rf"\.[0-9]{{{places}}}") for places in range(1, 7))
_EVEN = tuple(regex(rf"(?:(?:0|[1-9][0-9]{{0,8}}+)\.[0-9]{{{places}}}(?:,|\Z))++") for places in range(1, 7))
"""Numbers of at most 15 digits; those among them that have so many decimals at least; and such as all have as many."""
_IS_TEXT = object()


class LineReader:
    """Reads files of runs, of each of which it expects the fields of those before it."""

    def __init__(self) -> None:
        self._expected: dict[Writing, frozenset[str]] = {}

    def runs(self, text: str, file: str, beside: int = 0) -> Sequence[Run] | None:
        """The runs of a file; None where it has to be read as YAML, or it and what stands `beside` it, in bytes, are so
        short that this is quicker."""
        head = _HEAD.match(text)
        begin = head.end() if head else 0
        if max(len(text), beside) < LEAST or not _is_canonical(text, begin):
            return None
        before = Place(file, text.count("\n", 0, begin), 3)
        for layout in self._layouts(text, Writing(f"/runs/{IMPORTED}/" in file, text.isascii())):
            between, *cells = _columns(layout, text, begin)
            if not any(between[1:]) and between[0] == text[:begin]:
                try:
                    return ColumnRuns(LineColumns(layout, text, before, begin, cells))
                except (Otherwise, Wrong):
                    return None
        return None

    def _layouts(self, text: str, writing: Writing) -> Iterator[Layout]:
        """How the lines may be written: with the fields that are expected, those that are seen in them, or with any."""
        expected = self._expected.get(writing, frozenset[str]())
        if expected:
            yield layout_of(writing, expected)
        named = named_in(text, writing) | expected
        for fields in dict.fromkeys((named, writing.every)):
            if fields != expected:
                self._expected[writing] = fields
                yield layout_of(writing, fields)


def _is_canonical(text: str, begin: int) -> bool:
    """Whether a text with lines from there on may be what the tool writes: nothing is hidden in it, which the
    expression takes between quotes alone; and each `LONGEST_LINE` of it has an end of a line in either half."""
    told = text[:begin] if text.isascii() and "'" not in text else text
    half = LONGEST_LINE // 2
    return (
        begin < len(text)
        and text.endswith("\n")
        and told.replace("\n", "").isprintable()
        and all(text.find("\n", at, at + half) >= 0 for at in range(begin, len(text) - half, half))
    )


def _columns(layout: Layout, text: str, begin: int) -> list[list[Any]]:
    """What stands between the lines of a layout, and the cells of each of its groups: None where a line has none."""
    flat = layout.line.split(text)
    every = layout.line.groups + 1
    return [flat[group::every] for group in range(every)]


class LineColumns:
    """What the lines of a file say, by fields; those of a record in a field are named after both: `imported.source`.

    `before` is the place above the first line, at which `begin` characters of the text are behind it; `cells` are those
    of each group of the layout.
    """

    def __init__(
        self, layout: Layout, text: str, before: Place, begin: int, cells: Sequence[Sequence[str | None]]
    ) -> None:
        self._layout = layout
        self._text = text
        self._before = before
        self._begin = begin
        self._many = len(cells[0])
        self._columns: dict[str, Sequence[Any]] = {}
        self._amounts: dict[str, Amounts] = {}
        self._take(layout.shape, cells, "", ())

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
        begin = self._beginning(number)
        found = self._layout.line.match(self._text, begin)
        assert found is not None
        return cast(Run, _record(self._layout.shape, found, begin, self.place(number)))

    def _beginning(self, number: int) -> int:
        """How many characters of the text are above a line, counted from the last of some steps that is above it."""
        step = max(bisect_left(self._ends, number) - 1, 0)
        at: int = self._begin + step * STEP
        for _ in range(number - self._ends[step]):
            at = self._text.index("\n", at) + 1
        return at

    @cached_property
    def _ends(self) -> list[int]:
        """How many lines end in the text before each step of so many characters, from the first line on."""
        text = self._text
        begins = range(self._begin, len(self._text), STEP)
        return list(accumulate((text.count("\n", at, at + STEP) for at in begins), initial=0))

    def _take(
        self, shape: Shape, cells: Sequence[Sequence[str | None]], within: str, there: Sequence[str | None]
    ) -> None:
        """Reads the columns of a kind of record; those of one in a field are needed where this is there."""
        if not shape.needed.issubset(part.name for part in shape.parts):
            raise Otherwise
        for part in shape.parts:
            column = cells[part.group - 1]
            silent = None in column
            # Numbers that mostly stand in one line are read line by line: to tell them apart would take as long.
            alone = part.number and not silent and 2 * len({*column[:SAMPLED]}) > min(len(column), SAMPLED)
            texts: set[Any] = set() if alone else {*column} - {None}
            if silent and part.name in shape.needed and (not there or self._lacks(there, column)):
                raise Otherwise
            if not texts and not alone:
                continue
            if part.inner is not None:
                self._take(part.inner, cells, f"{part.name}.", column)
                continue
            known: Mapping[str | None, Any]
            differing: Sequence[Any] = column if alone else list(texts)
            if part.number and (found := _decimals(part, differing)):
                values, per = found
                if not alone:
                    known = dict(zip(differing, values, strict=True))
                    values = [*map(known.get, column)]
                self._amounts[within + part.name] = Amounts(values, per)
            elif not all(map(self._layout.scalar.fullmatch, differing)):
                raise Otherwise
            else:
                known = {text: part.value(text) for text in differing}
                self._columns[within + part.name] = every = list(map(known.get, column))
                if part.number:
                    self._amounts[within + part.name] = amounts(every)

    @staticmethod
    def _lacks(there: Sequence[str | None], column: Sequence[str | None]) -> bool:
        return any(outer and not own for outer, own in zip(there, column, strict=True))


def _decimals(part: Part, texts: Sequence[str]) -> tuple[Sequence[Any], int] | None:
    """Decimals as whole numbers of a part of the unit of their field, and how many of these make it; None where
    something else is among them."""
    every = ",".join(texts)
    tail = next((tail for tail in (" GPU-s", " s") if every.endswith(tail)), "")
    bare = every.replace(tail, "") if tail and every.count(tail) == len(texts) else every
    if (short := _short(bare)) is not None:
        unit = cast(Fraction, part.value(f"1{tail}"))
        numbers, per = short
        more = unit.numerator
        return [number * more for number in numbers] if more > 1 else numbers, per * unit.denominator
    found = [*map(_DECIMAL.fullmatch, texts)]
    if not all(found):
        return None
    parts = [decimal.groups("") for decimal in found if decimal]
    tails = {tail for *_, tail in parts}
    units = {tail: cast(Fraction, part.value(f"1{tail}")) for tail in tails}
    places = max(len(decimals) for _, decimals, _ in parts)
    per = 10**places * lcm(*(unit.denominator for unit in units.values()))
    times = {tail: unit.numerator * (per // 10**places // unit.denominator) for tail, unit in units.items()}
    values = [int(whole + decimals.ljust(places, "0")) * times[tail] for whole, decimals, tail in parts]
    return (values, per) if per <= MOST_PARTS else None


def _short(bare: str) -> tuple[Sequence[int], int] | None:
    """The same of numbers with few digits and no unit, between commas.

    A float times a power of ten is off by less than a quarter where both are whole numbers below 10**15.
    """
    places = len(bare.partition(",")[0].partition(".")[2])
    if 0 < places <= len(_EVEN) and _EVEN[places - 1].fullmatch(bare):  # without their points they are whole
        return [*map(int, bare.replace(".", "").split(","))], 10**places
    if not _SHORT.fullmatch(bare):
        return None
    times = 10 ** sum(1 for longer in _LONGER if longer.search(bare))
    return [int(float(text) * times + 0.5) for text in bare.split(",")], times


def _record(shape: Shape, found: re.Match[str], begin: int, place: Place) -> Record:
    """The record of a shape in a line that begins there."""
    values = found.groups()
    spans = found.regs
    fields: dict[str, Any] = {"place": place}
    for part in shape.parts:
        raw = values[part.group - 1]
        if raw is None:
            continue
        column = spans[part.group][0] - begin + 1
        if part.inner is not None:
            fields[part.name] = _record(part.inner, found, begin, place._replace(column=column))
            continue
        if raw[0] == "'":
            raw = unquoted(raw)
            column = column + 1
        known = _IS_TEXT if part.read is None else part.known.get(raw)
        if known is None or known is _IS_TEXT:
            text = str.__new__(LineText, raw)
            text.record = place
            text.column = column
            known = text if known is _IS_TEXT else _read_part(part.read, part.known, text)
        fields[part.name] = known
    if not shape.needed <= fields.keys():
        raise Otherwise
    return shape.silent.model_copy(update=fields)


def _read_part(read: Any, known: dict[str, Any], text: LineText) -> Any:
    """What a part of a line is read as. Noted where it may be met again, and has no place of its own."""
    value = read(text)
    if value is text or isinstance(value, Fraction | bool):
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[str(text)] = _IS_TEXT if value is text else value
    return value
