"""Runs as the tool itself writes them, a line an entry, read by one expression that is made of the order of writing.

A scheduler has a hundred thousand of them, and a YAML reader takes most of the time of a command for these. What is
found is what the YAML reader would find, to the place of each text. A file in which any line is written otherwise, or
holds anything that is refused, is not read here at all: so what is wrong is told in one place.

The expression gives columns, of which each text is read once however often it stands there. The record of a line is
made by the same expression, when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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

LEAST = 4096
"""Characters of a file for which the expression, which has to be made first, is worth it."""
LONGEST_LINE = 16_384
Cells = Sequence[str | None]
"""What each line has in one place: None where it has nothing there."""

_HEAD = regex(r"(?:(?:#[^\n]*)?\n)*")
_DECIMALS = regex(r"^(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,9}))?( s| GPU-s)?$", re.MULTILINE)


def read_lines(text: str, file: str) -> Sequence[Run] | None:
    """The runs of a file; None where it has to be read as YAML, or is so short that this is quicker."""
    head = _HEAD.match(text)
    begin = head.end() if head else 0
    if len(text) < LEAST or not _is_canonical(text, begin):
        return None
    before = Place(file, text.count("\n", 0, begin), 3)
    writing = Writing(f"/runs/{IMPORTED}/" in file, text.isascii())
    for fields in (named_in(text, writing), writing.every):  # those that are seen in some lines, or any
        layout = layout_of(writing, fields)
        between, *cells = _columns(layout, text, begin)
        if not any(between[1:]) and between[0] == text[:begin]:
            try:
                return ColumnRuns(LineColumns(layout, text, before, begin, cells))
            except (Otherwise, Wrong):
                return None
    return None


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

    def __init__(self, layout: Layout, text: str, before: Place, begin: int, cells: Sequence[Cells]) -> None:
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
        begin = self._begins[number]
        found = self._layout.line.match(self._text, begin)
        assert found is not None
        return cast(Run, _record(self._layout.shape, found, begin, self.place(number)))

    @cached_property
    def _begins(self) -> list[int]:
        """Where each line begins in the text."""
        lengths = (len(line) + 1 for line in self._text[self._begin :].split("\n"))
        return list(accumulate(lengths, initial=self._begin))

    def _take(self, shape: Shape, cells: Sequence[Cells], within: str, there: Cells) -> None:
        """Reads the columns of a kind of record; those of one in a field are needed where this is there."""
        if not shape.needed.issubset(part.name for part in shape.parts):
            raise Otherwise
        for part in shape.parts:
            column = cells[part.group - 1]
            texts: set[Any] = {*column} - {None}
            if None in column and part.name in shape.needed and (not there or self._lacks(there, column)):
                raise Otherwise
            if not texts:
                continue
            if part.inner is not None:
                self._take(part.inner, cells, f"{part.name}.", column)
                continue
            differing = [*texts]
            if part.number and (found := _decimals(part, differing)):
                values, per = found
                whole: Mapping[str | None, int] = dict(zip(differing, values, strict=True))
                self._amounts[within + part.name] = Amounts([*map(whole.get, column)], per)
            elif not all(map(self._layout.scalar.fullmatch, differing)):
                raise Otherwise
            else:
                known: Mapping[str | None, Any] = {text: part.value(text) for text in differing}
                self._columns[within + part.name] = every = [*map(known.get, column)]
                if part.number:
                    self._amounts[within + part.name] = amounts(every)

    @staticmethod
    def _lacks(there: Cells, column: Cells) -> bool:
        return any(outer and not own for outer, own in zip(there, column, strict=True))


def _decimals(part: Part, texts: Sequence[str]) -> tuple[Sequence[Any], int] | None:
    """Decimals as whole numbers of a part of the unit of their field, and how many of these make it; None where
    something else is among them."""
    parts = _DECIMALS.findall("\n".join(texts))
    if len(parts) != len(texts):
        return None
    tails = {tail for *_, tail in parts}
    units = {tail: cast(Fraction, part.value(f"1{tail}")) for tail in tails}
    places = max(len(decimals) for _, decimals, _ in parts)
    per = 10**places * lcm(*(unit.denominator for unit in units.values()))
    times = {tail: unit.numerator * (per // 10**places // unit.denominator) for tail, unit in units.items()}
    values = [int(whole + decimals.ljust(places, "0")) * times[tail] for whole, decimals, tail in parts]
    return (values, per) if per <= MOST_PARTS else None


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
        text = str.__new__(LineText, raw)
        text.record = place
        text.column = column
        fields[part.name] = text if part.read is None else part.read(text)
    if not shape.needed <= fields.keys():
        raise Otherwise
    return shape.silent.model_copy(update=fields)
