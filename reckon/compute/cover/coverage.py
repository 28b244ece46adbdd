"""Document and ledger beside each other: figures of the document that the ledger does not hold, and entries of the
ledger that the document does not have.

Entries are matched exactly, by number and unit, and a short one by a word too. A figure of the document can also stand
for one that is calculated, as far as its printed digits reach.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from operator import itemgetter

from msgspec import Struct

from reckon.language.units import Powers

from .document import Passage
from .holdings import CLAIM, FIGURE, INPUT, Holding
from .printed import Ends, Number, numbers_in

NEAR = 3
"""How many lines beside the one that is named a number has only moved."""
ALONE, ALONE_PLAIN = 2, 4
"""A number of fewer digits, of both its ends together and without the zeros outside them, has to share a word with what
it is matched with; one without a unit sooner."""
HOURS: dict[Powers, Powers] = {(("time", 1),): (("gpu", 1), ("time", 1))}
"""Documents print GPU-hours as hours: a figure of a document has its place there. An entry is looked for as it is."""


NumberIndex = dict[tuple[Powers, Ends], list[Number]]
HoldingIndex = dict[Powers, list[tuple[Fraction, Holding]]]


class Coverage(Struct, frozen=True):
    """Both lists, each in its order: `figures` are the numbers of the document with a unit, `absent` those of them that
    the ledger does not hold; `entries` have the number that prints each, or None. `idle` are the comments, by document
    and line, and the texts of `ignore`, that dismiss nothing."""

    figures: Sequence[Number]
    absent: Sequence[Number]
    entries: Sequence[tuple[Holding, Number | None]]
    idle: Sequence[str]


def cover(documents: Sequence[Sequence[Passage]], holdings: Sequence[Holding], ignored: Sequence[str] = ()) -> Coverage:
    """What documents and a ledger have in common, and what only one has. `ignored` are the texts of `ignore`: numbers
    as they are printed, or headings."""
    comments = dict.fromkeys(passage.ignored for passage in chain.from_iterable(documents) if passage.ignored)
    reasons = [*ignored, *comments]
    numbers, used = [], set[str]()
    for number in list_numbers(documents):
        named = {number.shown, number.passage.section, number.passage.ignored}
        used |= named
        if not named.intersection(reasons):
            numbers.append(number)
    printed, places = index_numbers(numbers), index_holdings(holdings)
    figures = [number for number in numbers if number.has_unit]
    absent = [number for number in figures if not _has_place(number, places)]
    entries = [(each, find_entry(each, printed)) for each in holdings if each.kind in (INPUT, CLAIM)]
    return Coverage(figures, absent, entries, [reason for reason in reasons if reason not in used])


def list_numbers(documents: Sequence[Sequence[Passage]]) -> Iterator[Number]:
    """The numbers of some documents, in their order."""
    for passage in chain.from_iterable(documents):
        yield from numbers_in(passage)


def index_numbers(numbers: Iterable[Number]) -> NumberIndex:
    """Numbers of documents by what they measure and their ends; by each end of a range too."""
    index: NumberIndex = defaultdict(list)
    for number in numbers:
        for kinds, ends, _ in number.readings:
            for part in {ends, *((end,) for end in ends)}:
                index[kinds, part].append(number)
    return index


def find_entry(entry: Holding, index: NumberIndex) -> Number | None:
    """The number that prints an entry, the nearest to the line that its record names; or None."""
    places = (index.get(reading, ()) for reading in entry.readings)
    found = [number for number in chain.from_iterable(places) if _prints(number, entry)]
    return min(found, key=partial(distance, entry), default=None)


def _prints(number: Number, entry: Holding) -> bool:
    """Whether a number of its size prints an entry: near its line under a shared word, or at its line by itself."""
    lines = distance(entry, number)
    if number.passage.words & entry.words:
        return lines <= NEAR
    is_whole = len(entry.readings[0][1]) == len(number.readings[0][1])
    digits = re.sub(r"\D", "", number.shown).strip("0")
    return is_whole and lines == 0 and len(digits) >= (ALONE if number.has_unit else ALONE_PLAIN)


def index_holdings(holdings: Iterable[Holding]) -> HoldingIndex:
    """What the ledger holds by what it measures, each of its ends by size."""
    index: HoldingIndex = defaultdict(list)
    for holding in holdings:
        for kinds, ends in holding.readings:
            index[kinds] += [(end, holding) for end in ends]
    for places in index.values():
        places.sort(key=itemgetter(0))
    return index


def _has_place(number: Number, index: HoldingIndex) -> bool:
    """Whether the ledger holds each end of a number, exactly or within its printed digits."""
    for kinds, ends, reach in number.readings:
        for each in (kinds, HOURS.get(kinds, kinds)):
            if all(_is_held(number, index.get(each, []), end, reach) for end in ends):
                return True
    return False


def _is_held(number: Number, places: list[tuple[Fraction, Holding]], end: Fraction, reach: Fraction) -> bool:
    """Whether what the ledger holds of about a size is named as a number is. Such as `a 3-hour run` name something by
    their size, and a drawn picture has few words."""
    first = bisect_left(places, end - reach, key=itemgetter(0))
    last = bisect_right(places, end + reach, key=itemgetter(0))
    is_name = number.is_name or number.passage.is_code
    for size, holding in places[first:last]:
        is_size = size == end or holding.kind == FIGURE
        if is_size and (is_name or holding.words & number.passage.words):
            return True
    return False


def distance(holding: Holding, number: Number) -> int:
    """How many lines a number stands beside the one that a record names; 0 where it names none."""
    return abs(number.passage.line - holding.line) if holding.line else 0
