"""A table as data: columns, and rows of cells. A page and the terminal print it; no cell has markdown.

A cell is

- a figure, printed as its column says (`Column.form`), with a dash where it has no value and the column has one;
  `As` prints a figure in another form, and says `unknown` where it has no value;
- a text: of the ledger, or words of ours (a number among them is a figure, since texts are traced);
- `None`, what is not there: a dash in a column of figures, nothing in one of words (`Column.nothing`);
- `""`, a cell that its row does not have: that of a total under a column that is not added up;
- one of the pieces below, or a tuple of all these, which stand in it one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import Literal, TypeAlias

from msgspec import Struct

from reckon.compute.statements.text_blocks import Saying
from reckon.language.text import Place
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Sentence

DASH = "–"
"""What stands for nothing in a column of figures."""
THIS = "this is a table: print it with `{{ … | table }}`"
MOST_ROWS = 200
"""The most rows of a table."""

Form = Literal[
    "full",
    "bare",
    "use",
    "planned",
    "plain",
    "ranged",
    "spread",
    "spent",
    "sourced",
    "exactly",
    "proof",
    "others",
    "numbers",
    "workings",
    "named",
    "placed",
    "fine",
    "rowed",
    "finely",
]
"""How a figure is printed: each is one of the Printer's `TEXTS`, or a method of it, which say what it does."""


class As(Struct, frozen=True):
    """A figure in a form of its own; `places` are the decimals of the forms that take them (`placed` and what follows
    it)."""

    figure: Figure
    form: Form = "full"
    places: int = 0


class Bold(Struct, frozen=True):
    """What stands out."""

    piece: Cell


class Italic(Struct, frozen=True):
    """What is said beside the matter."""

    piece: Cell


class Code(Struct, frozen=True):
    """An address, an id, a formula or a command."""

    text: str


class Link(Struct, frozen=True):
    """A link to a page of ours: `target` is its path from the page that the table stands on."""

    piece: Cell
    target: str


class LedgerLine(Struct, frozen=True):
    """A ledger line, in words of its page (`runs/2025.yaml:3`)."""

    text: str
    place: Place


class LedgerLines(Struct, frozen=True):
    """Ledger lines, gathered by file."""

    places: Sequence[Place]


class Anchor(Struct, frozen=True):
    """Where links to a figure lead: the cell in which it is explained."""

    address: str


class Lines(Struct, frozen=True):
    """Pieces below each other."""

    pieces: tuple[Cell, ...]


Piece: TypeAlias = As | Bold | Italic | Code | Link | LedgerLine | LedgerLines | Anchor | Lines
Cell: TypeAlias = str | Figure | Saying | Place | Piece | Sentence | tuple["Cell", ...] | None
CellRow = list[Cell]
CellRows = list[Sequence[Cell]]


class Column(Struct, frozen=True):
    """A column: its heading, the form of its figures, and whether it stands to the right, as numbers do.

    `nothing` is printed for None. A column is left out where it is not `shown`; an `optional` one also where no row
    has anything in it.
    """

    heading: Cell
    form: Form = "bare"
    right: bool = False
    nothing: str = ""
    shown: bool = True
    optional: bool = False


def words(heading: Cell, *, nothing: str = "", shown: bool = True, optional: bool = False) -> Column:
    """A column of words; what figures stand in it have their units."""
    return Column(heading, "full", False, nothing, shown, optional)


def figures(
    heading: Cell, form: Form = "bare", *, nothing: str = DASH, shown: bool = True, optional: bool = False
) -> Column:
    """A column of figures, whose unit stands in the heading unless the form says it."""
    return Column(heading, form, True, nothing, shown, optional)


Columns: TypeAlias = list[Column | str]
"""Some columns; a heading alone is a column of words."""


class Table(Struct, frozen=True):
    """Columns (a heading alone is a column of words) and rows with a cell for each; without rows it is not printed.

    `more` counts the rows that are left out because there are so many, and `what` is the word for them.
    """

    columns: Sequence[Column | str]
    rows: Sequence[Sequence[Cell]] = ()
    more: int = 0
    what: str = "rows"

    @classmethod
    def of(
        cls,
        columns: Sequence[Column | str],
        rows: Iterable[Sequence[Cell]],
        totals: Iterable[Sequence[Cell]] = (),
        what: str = "rows",
    ) -> Table:
        """A table of the first two hundred of some rows, if there are any, and below them all totals.

        `what` is the word for the rows that are left out."""
        rest = iter(rows)
        shown = list(islice(rest, MOST_ROWS))
        more = sum(1 for _ in rest)  # a row beyond is made and counted, but not kept
        return cls(columns, [*shown, *totals] if shown else shown, more, what)

    def __len__(self) -> int:
        """How many rows there are to print; one without any is false."""
        return len(self.rows)

    def __iter__(self) -> Iterator[object]:
        """Refused, for templates that were written when a table was a list of rows."""
        raise TypeError(f"{THIS}, without a loop over its rows")

    def _is_shown(self, at: int, column: Column) -> bool:
        """Whether a column is shown: an optional one only where a row has something in it."""
        filled = not column.optional or any(row[at] not in (None, "") for row in self.rows)
        return column.shown and filled

    def fitted(self) -> tuple[list[Column], CellRows]:
        """The columns that are shown, and the rows with the cells of these alone."""
        columns = [words(column) if isinstance(column, str) else column for column in self.columns]
        shown = [self._is_shown(at, column) for at, column in enumerate(columns)]
        return list(compress(columns, shown)), [list(compress(row, shown)) for row in self.rows]


def below(*pieces: Cell) -> Cell:
    """Pieces below each other; what is None is left out, and it is None where all are."""
    filled = tuple(piece for piece in pieces if piece not in (None, ""))
    return Lines(filled) if len(filled) > 1 else next(iter(filled), None)


def joined(pieces: Iterable[Cell], by: str = ", ") -> Cell:
    """Pieces one after the other with something between; None where there are none."""
    row: list[Cell] = []
    for piece in pieces:
        row += [by, piece] if row else [piece]
    return tuple(row) or None


def known(figure: Figure | None, form: Form = "full") -> Cell:
    """A figure in a form of its own, or None where it has no value."""
    return As(figure, form) if is_known(figure) else None


def given(figure: Figure | None, form: Form = "full") -> Cell:
    """A figure in a form of its own, or None where there is no figure."""
    return As(figure, form) if figure else None
