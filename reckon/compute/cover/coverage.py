"""Document and ledger beside each other: figures of the document that the ledger does not hold, and entries of the
ledger that the document does not have.

Entries are matched exactly, by number and unit, under a word of their name or in their line. A figure of the document
can also stand for one that is calculated, as far as its printed digits reach. What a record holds that names a line has
its place in that line alone, so that a record that was left out leaves a gap there. What a text says, a title too, it
says of figures with one of its words in their line, or in the heads of their cell.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from operator import itemgetter

from msgspec import Struct

from reckon.language.units import GPU_HOURS, Powers, key_unit

from .document import Passage, words_of
from .holdings import CLAIM, FIGURE, INPUT, TEXT, Holding
from .printed import ANYTHING, TIME, Number, numbers_in

NEAR = 3
"""How many lines beside the one that is named a number has only moved."""
HOURS: dict[Powers, Powers] = {TIME: GPU_HOURS.kinds, key_unit("node_hours").kinds: GPU_HOURS.kinds}
"""Documents print GPU-hours as hours, or as node-hours where nodes are counted: a figure of a document has its place
there. An entry is looked for as it is, but in the line that its record names."""

NumberIndex = dict[Hashable, list[Number]]
HoldingIndex = dict[Powers | int | None, list[tuple[Fraction, Holding]]]


class Coverage(Struct, frozen=True):
    """Both lists, each in its order: `figures` are the numbers of the document with a unit, and those that begin a cell
    or stand behind a label, in a table or section in which a record names a line; `absent` are those of them that the
    ledger does not hold; `entries` have the number that prints each, or None. `idle` are the comments, by document and
    line, and the texts of `ignore`, that dismiss nothing."""

    figures: Sequence[Number]
    absent: Sequence[Number]
    entries: Sequence[tuple[Holding, Number | None]]
    idle: Sequence[str]


def cover(documents: Sequence[Sequence[Passage]], holdings: Sequence[Holding], ignored: Sequence[str] = ()) -> Coverage:
    """What documents and a ledger have in common, and what only one has. `ignored` are the texts of `ignore`: numbers
    as they are printed, headings, or addresses of entries."""
    comments = dict.fromkeys(passage.ignored for passage in chain.from_iterable(documents) if passage.ignored)
    reasons = [*ignored, *comments]
    numbers = list(list_numbers(documents))
    printed = index_numbers(numbers)
    places = index_holdings(holdings)
    lines = {holding.line for holding in holdings if holding.line}
    parts = {_part_of(number) for number in numbers if number.passage.line in lines}
    used = set[str]()
    figures, entries = [], []
    for number in numbers:
        named = {number.shown, number.passage.section, number.passage.ignored}
        used |= named
        is_figure = number.has_unit or (number.begins and _part_of(number) in parts)
        if is_figure and any(number.readings[0][1]) and not named.intersection(reasons):
            figures.append(number)
    for entry in holdings:
        addresses = {entry.address, entry.address.partition(".")[2]}
        used |= addresses
        if entry.kind in (INPUT, CLAIM) and addresses.isdisjoint(reasons):
            entries.append((entry, find_entry(entry, printed)))
    absent = [number for number in figures if not _has_place(number, places)]
    return Coverage(figures, absent, entries, [reason for reason in reasons if reason not in used])


def _part_of(number: Number) -> Hashable:
    """The table that a number stands in, or the section."""
    passage = number.passage
    return passage.document, passage.table or passage.section


def list_numbers(documents: Sequence[Sequence[Passage]]) -> Iterator[Number]:
    """The numbers of some documents, in their order."""
    for passage in chain.from_iterable(documents):
        yield from numbers_in(passage)


def index_numbers(numbers: Iterable[Number]) -> NumberIndex:
    """Numbers of documents by what they measure and their ends; by each end of a range too. By their line as well,
    where hours are also GPU-hours: in another line they may be those of the clock."""
    index: NumberIndex = defaultdict(list)
    for number in numbers:
        for kinds, ends, _ in number.readings:
            for part in {ends, *((end,) for end in ends)}:
                if kinds != ANYTHING or number.passage.is_code:
                    index[kinds, part].append(number)
                for each in {kinds, HOURS.get(kinds, kinds)}:
                    index[each, part, number.passage.line].append(number)
    return index


def find_entry(entry: Holding, index: NumberIndex) -> Number | None:
    """The number that prints an entry: on the line that its record names, or else under a word of its name and near
    that line; the nearest, or None."""
    found: list[Number] = []
    for kinds, ends in entry.readings:
        for each in (kinds, ANYTHING):
            found += index.get((each, ends, entry.line), ())
            found += [number for number in index.get((each, ends), ()) if entry.words & number.passage.words]
    found = [number for number in found if distance(entry, number) <= NEAR]
    return min(found, key=partial(distance, entry), default=None)


def index_holdings(holdings: Iterable[Holding]) -> HoldingIndex:
    """What the ledger holds by what it measures, and by its line, each of its ends by size."""
    index: HoldingIndex = defaultdict(list)
    for holding in holdings:
        for kinds, ends in holding.readings:
            for each in (kinds, holding.line):
                index[each] += [(end, holding) for end in ends]
    for places in index.values():
        places.sort(key=itemgetter(0))
    return index


def _has_place(number: Number, index: HoldingIndex) -> bool:
    """Whether one record of the ledger holds all ends of a number but zero, exactly or within its printed digits."""
    for kinds, ends, reach in number.readings:
        for each in (kinds, HOURS.get(kinds, kinds)):
            places = index.get(number.passage.line if each == ANYTHING else each, [])
            holders = [set(_list_holders(number, places, end, reach)) for end in ends if end]
            if not holders or set.intersection(*holders):
                return True
    return False


def _list_holders(
    number: Number, places: list[tuple[Fraction, Holding]], end: Fraction, reach: Fraction
) -> Iterator[str]:
    """The records of what the ledger holds of about a size, and is named as a number is. Such as `a 3-hour run` name
    something by their size, and a drawn picture has few words."""
    first = bisect_left(places, end - reach, key=itemgetter(0))
    last = bisect_right(places, end + reach, key=itemgetter(0))
    own = words_of(number.passage.text, number.passage.head)
    for size, holding in places[first:last]:
        is_held = (size == end or holding.kind == FIGURE) and not distance(holding, number)
        words = own if holding.kind == TEXT else number.passage.words
        if is_held and (number.is_name or holding.line == number.passage.line or holding.words & words):
            yield holding.record
            if holding.line == number.passage.line:
                yield "its line"


def distance(holding: Holding, number: Number) -> int:
    """How many lines a number stands beside the one that a record names, more than `NEAR` in another document; 0
    where it names none, or may stand in any."""
    passage = number.passage
    if not holding.line or holding.is_anywhere:
        return 0
    if holding.document not in ("", passage.document):
        return NEAR + 1
    return abs(passage.line - holding.line)
