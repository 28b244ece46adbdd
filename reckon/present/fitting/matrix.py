"""On which cards configurations fit: every one on every card, or the verdicts alone."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.memory import usable_at
from reckon.compute.statements.words import Word
from reckon.language.groups import group_by
from reckon.model.figure import Figure

from ..render.printing import further
from ..table import MOST_ROWS, As, Bold, Cell, Columns, Table, below, figures, joined, known, words
from ..table_rows import MOST_COLUMNS, Open, only, open_inputs
from ..view import OfProject
from .memory import MemoryBlock, filled, sharing


class OnCard(NamedTuple):
    """A card: its title, its memory, whether that is what vendors print, and each configuration on it."""

    title: str
    usable: Figure
    nominal: bool
    cells: list[MemoryBlock]


class Smallest(NamedTuple):
    """The smallest card on which a configuration fits; `missing` where that cannot be said."""

    title: str
    word: Word | None

    @property
    def none(self) -> bool:
        """Whether it fits on no card whose verdict is known."""
        return self.word is None or self.word.id == "none"


class Matrix(OfProject):
    """The configurations of a project that say what memory they take, on all cards."""

    title = "The verdicts on every card"
    """What it is called where only its name stands."""

    @cached_property
    def every(self) -> list[str]:
        """The configurations."""
        return list(filled(self.view))

    @cached_property
    def columns(self) -> list[str]:
        """Those that are shown: the first dozen."""
        return self.every[:MOST_COLUMNS]

    @cached_property
    def groups(self) -> list[list[str]]:
        """Those that take the same on every card, which share a column."""
        return list(group_by(self.columns, self._standing).values())

    def _standing(self, name: str) -> Hashable:
        """What a configuration takes on each card, with the verdict."""
        cells = (MemoryBlock(self.view, name, card) for card in self._usable)
        return tuple((cell.need and not cell.need.missing and cell.need.value, cell.verdict) for cell in cells)

    @property
    def titles(self) -> list[list[str]]:
        """What those of each column are called."""
        configurations = self.ledger.configurations
        titles = []
        for names in self.groups:
            titles.append([str(configurations[name].title) for name in names])
        return titles

    @property
    def unshown(self) -> Figure | None:
        """How many are not; None if all are shown."""
        return further(len(self.every) - MOST_COLUMNS, "configurations")

    @cached_property
    def rows(self) -> list[OnCard]:
        """The cards whose memory is known, the smallest first."""
        cards, rows = self.view.catalog.gpus, []
        for card, usable in sorted(self._usable.items(), key=lambda known: known[1].use or 0)[:MOST_ROWS]:
            cells = [MemoryBlock(self.view, names[0], card) for names in self.groups]
            rows.append(OnCard(cards[card].title, usable, cards[card].usable_vram_gib is None, cells))
        return rows

    @cached_property
    def _usable(self) -> dict[str, Figure]:
        """The memory of each card whose memory is known."""
        figures = self.book.figures
        found = ((card, figures.get(usable_at(figures, card))) for card in self.view.catalog.gpus)
        return {card: usable for card, usable in found if usable and usable.use is not None}

    @property
    def table(self) -> Table:
        """The verdict of each configuration on each card, and what is left of it."""
        columns: Columns = ["Card", figures("Usable"), *(figures(title) for title in map(sharing, self.titles))]
        return Table(
            columns,
            [
                [row.title, (As(row.usable, "sourced"), " (nominal)" if row.nominal else ""), *map(_verdict, row.cells)]
                for row in self.rows
            ],
        )

    @property
    def _maker(self) -> str:
        """The first word of the names of all cards, where that is one."""
        return only(row.title.partition(" ")[0] if " " in row.title else "" for row in self.rows)

    @property
    def verdicts(self) -> Table:
        """The verdicts alone, with a row for the cards that have the same."""
        found = group_by(self.rows, lambda row: tuple(cell.verdict for cell in row.cells))
        heading: Cell = ("Cards of ", self._maker) if self._maker else "Cards"
        columns = [words(heading), *(words(title) for title in map(sharing, self.titles))]
        cut = len(f"{self._maker} ") if self._maker else 0
        return Table(
            columns,
            [
                [joined(row.title[cut:] for row in some), *(_verdict_cell(cell) for cell in some[0].cells)]
                for some in found.values()
            ],
        )

    @property
    def dark(self) -> list[str]:
        """The cards whose memory the catalogue does not state."""
        return [record.title for card, record in self.view.catalog.gpus.items() if card not in self._usable]

    @property
    def nominal(self) -> bool:
        """Whether the memory of any card is what vendors print."""
        return any(row.nominal for row in self.rows)

    @property
    def smallest(self) -> list[Smallest]:
        """The smallest card for each configuration."""
        cards = [self.view.word(f"configurations.{names[0]}.smallest-card") for names in self.groups]
        return [Smallest(" and ".join(titles), card) for titles, card in zip(self.titles, cards, strict=True)]

    @property
    def reserve(self) -> Figure | None:
        """What is to stay free on every card; None where nothing is said of it."""
        return self.maybe("reserve_gib")

    @property
    def open(self) -> list[Open]:
        """The missing inputs because of which a verdict is not known."""
        return open_inputs(self.book, [cell.need for row in self.rows for cell in row.cells])


def _verdict(memory: MemoryBlock) -> Cell:
    return below(_verdict_cell(memory), known(memory.headroom, "bare"))


def _verdict_cell(memory: MemoryBlock) -> Cell:
    return (memory.sign, " ", Bold(memory.verdict) if memory.fits else memory.verdict)
