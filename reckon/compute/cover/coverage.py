"""Document and ledger beside each other: figures of the document that the ledger does not hold, and entries of the
ledger that the document does not have.

Entries are matched exactly, by number and unit, and a short one by a word too. A figure of the document can also stand
for one that is calculated, as far as its printed digits reach.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from reckon.language.units import Powers

from .document import Document
from .holdings import Entry, Holding, Holdings
from .places import Places, distance, readings, readings_of
from .printed import Number, numbers_in

NEAR = 3
"""How many lines beside the one that is named a number has only moved."""
ALONE, ALONE_PLAIN = 2, 4
"""A number of fewer digits, zeros at its ends left out, has to share a word with what it is matched with; one without a
unit sooner."""
LEAST_TOLD = 2
"""A number without a unit and of fewer digits is not told absent."""


class Moved(Struct, frozen=True):
    """An entry whose number stands beside the line that its record names, under the same words; and where."""

    entry: Entry
    number: Number


class Idle(Struct, frozen=True):
    """A comment that dismisses nothing: its document and line."""

    document: str
    line: int


class Coverage(Struct, frozen=True):
    """Both lists, each in its order: `absent` are figures of the document that the ledger does not hold, of those with
    a unit, and `absent_plain` of those without; `unstated` are entries that the document does not state. `figures` are
    all of the document with a unit, `idle_texts` the texts of `ignore` that dismiss nothing."""

    figures: tuple[Number, ...]
    absent: tuple[Number, ...]
    absent_plain: tuple[Number, ...]
    entries: tuple[Entry, ...]
    unstated: tuple[Entry, ...]
    moved: tuple[Moved, ...]
    dismissed: tuple[Number, ...]
    idle: tuple[Idle, ...]
    idle_texts: tuple[str, ...]


class Printed:
    """The numbers of documents, to look up by what they measure and their ends."""

    def __init__(self, numbers: Iterable[Number]) -> None:
        self._whole: dict[tuple[Powers, tuple[Fraction, ...]], list[Number]] = defaultdict(list)
        self._ends: dict[tuple[Powers, Fraction], list[Number]] = defaultdict(list)
        for number in numbers:
            for kinds, ends, _ in readings(number):
                self._whole[kinds, ends].append(number)
                for end in ends[: len(ends) - 1] + ends[1:]:
                    self._ends[kinds, end].append(number)

    def find(self, entry: Entry) -> Number | None:
        """The number that prints an entry where its record says it stands, or else one near there; or None."""
        moved = None
        for number in self._list_like(entry.holding):
            lines = distance(number, entry.line)
            if lines == 0:
                return number
            if moved is None and lines <= NEAR and number.passage.words & entry.holding.words:
                moved = number
        return moved

    def _list_like(self, holding: Holding) -> Iterator[Number]:
        """The numbers that print what an entry holds: as it is, or as one end of a range under a shared word."""
        for kinds, ends in readings_of(holding):
            is_same = kinds == holding.kinds
            whole = self._whole.get((kinds, ends), ())
            yield from (number for number in whole if _is_named(number, holding, is_same))
            parts = self._ends.get((kinds, ends[0]), ()) if len(ends) == 1 else ()
            yield from (number for number in parts if number.passage.words & holding.words)


def _is_named(number: Number, holding: Holding, is_same: bool) -> bool:
    """Whether a number is long enough to be known by itself, or shares a word with what the ledger holds."""
    least = ALONE if number.has_unit else ALONE_PLAIN
    return (is_same and number.digits >= least) or bool(number.passage.words & holding.words)


def list_numbers(documents: Iterable[Document]) -> list[Number]:
    """All numbers of some documents, in their order."""
    return [number for document in documents for passage in document.passages for number in numbers_in(passage)]


def cover(documents: Sequence[Document], holdings: Holdings, ignored: Sequence[str] = ()) -> Coverage:
    """What documents and a ledger have in common, and what only one has. `ignored` are the texts of `ignore`."""
    numbers = list_numbers(documents)
    dismissed = [number for number in numbers if number.passage.ignored or _list_dismissing(number, ignored)]
    without = set(map(id, dismissed))
    kept = [number for number in numbers if id(number) not in without]
    printed = Printed(kept)
    found = [(entry, printed.find(entry)) for entry in holdings.entries]
    places = Places(holdings, NEAR)
    absent = [number for number in kept if not places.has(number)]
    used = {text for number in dismissed for text in _list_dismissing(number, ignored)}
    return Coverage(
        tuple(number for number in kept if number.has_unit),
        tuple(number for number in absent if number.has_unit),
        tuple(number for number in absent if not number.has_unit and number.digits >= LEAST_TOLD),
        holdings.entries,
        tuple(entry for entry, number in found if number is None),
        tuple(Moved(entry, number) for entry, number in found if number and distance(number, entry.line)),
        tuple(dismissed),
        tuple(_list_idle(documents, dismissed)),
        tuple(text for text in ignored if text not in used),
    )


def _list_dismissing(number: Number, ignored: Sequence[str]) -> list[str]:
    """The texts of `ignore` that dismiss a number: they are the number as it is printed, or its heading."""
    return [text for text in ignored if text in (number.shown, number.passage.section)]


def _list_idle(documents: Sequence[Document], dismissed: Iterable[Number]) -> Iterator[Idle]:
    used = {(number.passage.document, number.passage.ignored) for number in dismissed}
    for document in documents:
        for line in document.comments:
            if (document.name, line) not in used:
                yield Idle(document.name, line)
