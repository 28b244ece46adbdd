"""What blocks share: rows of a table of figures, and what is open for want of an input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.measuring.statistics import CONFIDENCE
from reckon.language.quantity import point
from reckon.language.text import NOWHERE, Place
from reckon.language.units import PLAIN
from reckon.model.figure import Figure, Worked, missing_of

from .table import MOST_ROWS, As, Cell, Form, known

INTERVAL = Figure("", "confidence", PLAIN, point(CONFIDENCE), Worked("the confidence of intervals"), "%")


@dataclass(frozen=True)
class FigureRow:
    """A row of a table of figures: their key, what it is called, and the figures; None where there is none.

    `form` prints them; `count` stands behind the title.
    """

    key: str
    title: str
    figures: Sequence[Figure | None]
    form: Form = "ranged"
    count: Figure | None = None

    @property
    def name(self) -> Cell:
        """The title with the count behind it, where that is known."""
        return (self.title, " (", As(self.count), ")") if self.count and not self.count.missing else self.title

    @property
    def cells(self) -> list[Cell]:
        """The figures as cells; what is not known is None."""
        return [known(figure, self.form) for figure in self.figures]


class Open(NamedTuple):
    """An input that is missing: its address, and the ledger line of the record that it belongs to."""

    address: str
    place: Place


def open_inputs(book: Book, figures: Iterable[Figure | None]) -> list[Open]:
    """The inputs whose lack leaves some figures without a value."""
    return opened(book, missing_of(figures))


def opened(book: Book, addresses: Iterable[str]) -> list[Open]:
    """Inputs that are missing, each with the ledger line that it belongs to."""
    return [Open(address, _place(book, address)) for address in list(addresses)[:MOST_ROWS]]


def _place(book: Book, address: str) -> Place:
    """Where an input stands, or else the record that it belongs to."""
    figure = book.get(address)
    if figure and figure.place.line:
        return figure.place
    project, _, rest = address.partition(".")
    kind, _, name = rest.partition(".")
    one = book.ledger.projects.get(project)
    records = getattr(one or book.ledger.catalog, kind, {})
    record = records.get(name.partition(".")[0]) if hasattr(records, "get") else None
    record = record or (one.project if one else None)
    return record.place if record else NOWHERE
