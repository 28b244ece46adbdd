"""Every configuration on every card of the catalogue: the verdict, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.memory import usable_at
from reckon.compute.statements.words import Word
from reckon.model.figure import Figure

from ..render.printing import further
from ..rows import MOST_COLUMNS, Open, open_inputs
from ..table import MOST_ROWS
from ..view import View
from .memory import Memory, filled


class Row(NamedTuple):
    """A card: its title, its memory, whether that is what vendors print, and each configuration on it."""

    card: str
    title: str
    usable: Figure
    nominal: bool
    cells: list[Memory]


class Smallest(NamedTuple):
    """The smallest card on which a configuration fits; `missing` where that cannot be said."""

    title: str
    word: Word | None

    @property
    def none(self) -> bool:
        """Whether it fits on no card whose verdict is known."""
        return self.word is None or self.word.id == "none"


@dataclass(frozen=True)
class Matrix:
    """The configurations of a project that say what memory they take, on all cards."""

    view: View

    @property
    def title(self) -> str:
        """What it is called where only its name stands."""
        return "The verdicts on every card"

    @cached_property
    def every(self) -> list[str]:
        """The configurations."""
        return list(filled(self.view))

    @cached_property
    def columns(self) -> list[str]:
        """Those that are shown: the first dozen."""
        return self.every[:MOST_COLUMNS]

    @property
    def titles(self) -> list[str]:
        """What those are called."""
        return [str(self.view.one.configurations[name].title) for name in self.columns]

    @property
    def unshown(self) -> Figure | None:
        """How many are not; None if all are shown."""
        return further(len(self.every) - MOST_COLUMNS, "configurations")

    @cached_property
    def rows(self) -> list[Row]:
        """The cards whose memory is known, the smallest first."""
        return sorted(self._rows(), key=lambda row: row.usable.use or 0)[:MOST_ROWS]

    def _rows(self) -> Iterator[Row]:
        figures = self.view.book.figures
        for card, record in self.view.book.ledger.catalog.gpus.items():
            usable = figures.get(usable_at(figures, str(card)))
            if usable and usable.use is not None:
                nominal = record.usable_vram_gib is None
                cells = [Memory(self.view, name, str(card)) for name in self.columns]
                yield Row(str(card), str(record.title), usable, nominal, cells)

    @property
    def dark(self) -> list[str]:
        """The cards whose memory the catalogue does not state."""
        known = {row.card for row in self._rows()}
        return [str(one.title) for card, one in self.view.book.ledger.catalog.gpus.items() if str(card) not in known]

    @property
    def nominal(self) -> bool:
        """Whether the memory of any card is what vendors print."""
        return any(row.nominal for row in self.rows)

    @property
    def smallest(self) -> list[Smallest]:
        """The smallest card for each configuration."""
        words = [self.view.word(f"configurations.{name}.smallest-card") for name in self.columns]
        return [Smallest(title, word) for title, word in zip(self.titles, words, strict=True)]

    @property
    def reserve(self) -> Figure | None:
        """What is to stay free on every card; None where nothing is said of it."""
        return self.view.maybe("reserve_gib")

    @property
    def open(self) -> list[Open]:
        """The inputs for want of which a verdict is not known."""
        return open_inputs(self.view.book, [cell.need for row in self.rows for cell in row.cells])
