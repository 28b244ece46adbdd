"""The memory of all configurations on one card: those that belong together are columns of one table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.memory import TIGHT

from ..table import DASH, As, Bold, Cell, CellRows, Table, figures, given
from ..table_rows import Open
from ..view import OfProject
from .configurations import families
from .memory import MemoryBlock, MemoryRow, filled, picture_name, sharing

MOST_BESIDE = 6
"""The most configurations that stand side by side in a table; more are in the next one."""


class Alike(NamedTuple):
    """Configurations with the same memory, which share a column."""

    every: list[MemoryBlock]

    @property
    def first(self) -> MemoryBlock:
        """One of them, which stands for all."""
        return self.every[0]

    @property
    def title(self) -> Cell:
        """What they are called."""
        return sharing([memory.own.title for memory in self.every])


def group_by_memory(some: Iterable[MemoryBlock]) -> list[Alike]:
    """Configurations gathered by what they take: a configuration that takes the same as another has no column of its
    own."""
    found: dict[Hashable, list[MemoryBlock]] = {}
    for memory in some:
        parts = tuple((row.id, row.how, row.by, row.need and row.need.value, *_levers(row)) for row in memory.parts)
        found.setdefault((parts, memory.verdict), []).append(memory)
    return [Alike(every) for every in found.values()]


def _levers(row: MemoryRow) -> list[str]:
    """The levers that have made a part what it is: none of one whose size is not known."""
    return row.levers if row.need and not row.need.missing else []


class MemoryTable(NamedTuple):
    """Configurations that belong together, on one card."""

    columns: list[Alike]

    @property
    def alone(self) -> MemoryBlock | None:
        """The only configuration, where there is one; it has a table of its own, with more in it."""
        return self.columns[0].first if len(self.columns) == 1 and len(self.columns[0].every) == 1 else None

    @property
    def table(self) -> Table:
        """A row for each part, then what they come to."""
        shown = [column.first for column in self.columns]
        parts: list[dict[str, MemoryRow]] = []
        for memory in shown:
            parts.append({row.id: row for row in memory.parts})
        rows: CellRows = []
        for name in self.parts:
            named = next(some[name] for some in parts if name in some)
            rows.append([named.told, *(some[name].amount if name in some else DASH for some in parts)])
        needs = [None if not memory.need or memory.need.missing else Bold(As(memory.need, "bare")) for memory in shown]
        rows += [
            [Bold("Needed"), *needs],
            ["Share of the card", *(given(memory.view.maybe(f"{memory.at}.share")) for memory in shown)],
            ["Left", *(memory.headroom for memory in shown)],
            [Bold("Verdict"), *(Bold(memory.verdict) for memory in shown)],
        ]
        return Table(["GiB", *(figures(column.title) for column in self.columns)], rows)

    @property
    def parts(self) -> list[str]:
        """The parts that have a row: a part of a pool of which nothing is known adds nothing to it."""
        every = [row for column in self.columns for row in column.first.parts]
        told = {row.id for row in every if not row.within or (row.need and not row.need.missing)}
        names = dict.fromkeys(row.id for row in every)
        return [name for name in names if name in told]

    @property
    def open(self) -> list[Open]:
        """The inputs that what is shown lacks."""
        every = [memory for column in self.columns for memory in column.every]
        found = [memory.open_of(self.parts) if self.alone is None else memory.open for memory in every]
        return [missing for some in found for missing in some]

    @property
    def notes(self) -> Iterator[tuple[str, str]]:
        """What is said of parts beside their figures, each once: the part, then the words."""
        every = [(row.title, row.notes) for column in self.columns for row in column.first.parts if row.notes]
        return iter(dict.fromkeys(every))

    @property
    def short(self) -> list[str]:
        """The pools that are too small for what stands within them."""
        return list(dict.fromkeys(pool for column in self.columns for pool in column.first.short))


@dataclass(frozen=True)
class Memories(OfProject):
    """The memory of all configurations on one card."""

    card: str

    @property
    def title(self) -> str:
        """What it is called where only its name stands."""
        return f"Memory on {self.view.card(self.card)}"

    @cached_property
    def every(self) -> list[MemoryBlock]:
        """Each configuration on the card."""
        return [MemoryBlock(self.view, name, self.card) for name in filled(self.view)]

    @cached_property
    def tables(self) -> list[MemoryTable]:
        """The tables: one for those that belong together, a few columns wide."""
        blocks = {memory.id: memory for memory in self.every}
        found: Iterator[Sequence[str]] = families(self.view.ledger, list(blocks))
        tables = []
        for names in found:
            columns = group_by_memory(blocks[name] for name in names)
            tables += [MemoryTable(columns[at : at + MOST_BESIDE]) for at in range(0, len(columns), MOST_BESIDE)]
        return tables

    @property
    def beside(self) -> list[MemoryTable]:
        """Those of several configurations."""
        return [table for table in self.tables if table.alone is None]

    @property
    def alone(self) -> list[MemoryBlock]:
        """The configurations that belong to no other."""
        return [table.alone for table in self.tables if table.alone is not None]

    @property
    def first(self) -> MemoryBlock:
        """One of them, for what is the same of all: the memory of the card, and what is to stay free."""
        return self.every[0]

    @property
    def known(self) -> bool:
        """Whether the catalogue states the memory of the card."""
        return bool(self.every) and self.every[0].usable is not None

    @property
    def tight(self) -> bool:
        """Whether any of them fits without leaving free what is to stay so."""
        return any(memory.verdict == TIGHT for memory in self.every)

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return picture_name(self.card)

    @property
    def sources(self) -> list[tuple[str, str]]:
        """The formulas that any of them is calculated by."""
        return list(dict.fromkeys(source for each in self.every for source in each.sources))

    @property
    def open(self) -> list[Open]:
        """The inputs that any of them lacks."""
        return list(dict.fromkeys(missing for each in self.tables for missing in each.open))
