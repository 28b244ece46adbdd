"""What a ledger holds, as a document can print it: its inputs and claims, which are looked for in the document, and all
else in which a figure of the document can have its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import astuple

from reckon.language.text import NOWHERE, Place
from reckon.language.units import Powers
from reckon.model.figure import Figure, Stated
from reckon.model.ledger import ProjectLedger
from reckon.model.record import Record, texts_in

from ..book import Book
from ..statements.claims import order_of
from .document import Passage, plain, words_of
from .printed import Ends, kinds_of, numbers_in

INPUT, CLAIM, FIGURE, TEXT = "input", "claim", "figure", "text"
RECORD = 3
"""How many parts the address of a record has."""


class Holding(Struct, frozen=True):
    """A number that the ledger holds: what it is, its address, as the ledger writes it and where; what it measures and
    its ends in base units, in each way that a document can print it; the words that name it, and the line and the
    document that its record names. What `is_anywhere` may stand in other lines as well."""

    kind: str
    address: str
    shown: str
    place: Place
    readings: tuple[tuple[Powers, Ends], ...]
    words: frozenset[str]
    line: int | None = None
    document: str = ""
    is_anywhere: bool = False

    @property
    def record(self) -> str:
        """The address of its record, such as `demo.plan.train`; of a text what it says."""
        return ".".join(self.address.split(".")[:RECORD]) or self.shown


def holdings_of(project: ProjectLedger, book: Book, paths: Iterable[str] = ()) -> list[Holding]:
    """What the ledger holds of a project. Which of several documents, at `paths`, a record is of, its `source` says."""
    hold = partial(_hold, {path.rpartition("/")[2]: path for path in paths})
    homes: dict[str, Mapping[str, Record]] = {"plan": project.items, "figures": project.figures}
    found = [hold(FIGURE, figure, figure, None) for figure in book.own("catalog").values()]
    figures = book.own(project.id)
    for address, figure in figures.items():
        parts = address.split(".")
        record = homes.get(parts[1], {}).get(".".join(parts[2:RECORD]))
        is_term = address.rpartition(".")[0] in figures
        # A single GPU, seed or month of a formula is not asked for: documents write it as a word, or not at all.
        is_single = figure.use == 1 and (is_term or not kinds_of(figure.unit))
        is_input = isinstance(figure.origin, Stated) and not is_single
        # What is calculated of a record stands in its line; what that starts from, or a setting, may stand anywhere.
        is_anywhere = (is_input or is_single) and (is_term or "settings" in parts)
        found.append(hold(INPUT if is_input else FIGURE, figure, figure, record, is_anywhere))
    for check in book.checks.get(project.id, ()):
        found.append(hold(CLAIM, check.figure, check.stated, check.claim))
    for claim in project.claims:
        limited, order = book.quoted(project.id, claim.of), order_of(claim)
        if limited and order and order.is_quantity:
            found.append(hold(CLAIM, limited, order.limit(limited.unit), claim))
    for text in texts_in((astuple(project), astuple(book.catalog))):
        found += _list_numbers(text)
    return [holding for holding in found if holding.readings]


def _hold(
    files: Mapping[str, str],
    kind: str,
    named: Figure,
    stated: Figure,
    record: Record | None,
    is_anywhere: bool = False,
) -> Holding:
    """A figure of a record as what the ledger holds: as stated, under the name of another where it is claimed of that.
    An end at zero, as `<5` has, is printed by nobody."""
    value, unit = stated.value, stated.unit
    ends = {value.low, value.high, value.use if kind == FIGURE else None}
    written = tuple(sorted(filter(None, ends)))
    kinds = kinds_of(unit)
    readings = [(kinds, tuple(end * unit.scale / unit.lot for end in written))]
    if all(power < 0 for _, power in kinds):  # so many a second is also printed as a plain number, below its name
        readings.append(((), written))
    text = getattr(stated.origin, "text", "")
    shown = f"{text} {unit.symbol}".strip() if text[-1:].isdigit() else text
    words = words_of(named.address.partition(".")[2], named.title, getattr(record, "at", ""))
    return Holding(
        kind,
        named.address,
        shown,
        stated.place,
        tuple(readings) if written else (),
        words,
        getattr(record, "line", None),
        files.get((getattr(record, "source", None) or "").rpartition("/")[2], ""),
        is_anywhere,
    )


def _list_numbers(text: str) -> Iterator[Holding]:
    """The numbers that a text of a record has."""
    for line in text.splitlines():
        for number in numbers_in(Passage(plain(line))):
            readings = tuple((kinds, ends) for kinds, ends, _ in number.readings)
            yield Holding(TEXT, "", number.shown, NOWHERE, readings, words_of(line))
