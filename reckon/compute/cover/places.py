"""Where a figure of a document has its place in a ledger: at an entry, a calculated figure, a text or the catalogue."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from operator import itemgetter

from msgspec import Struct

from reckon.language.units import Powers

from .holdings import Holding, Holdings
from .printed import Number

ELSEWHERE = 2
"""How many words a figure beside the line that is named shares with what holds it, in a ledger that names lines."""
TIME, GPU_TIME = (("time", 1),), (("gpu", 1), ("time", 1))
"""Documents print GPU-hours as hours: a figure of a document has its place there. An entry is looked for as it is."""
Ends = tuple[Fraction, ...]


class _Place(Struct, frozen=True):
    """Something that the ledger holds: the words that name it, how many of them a figure of the document has to share,
    and the line of the document that its record names."""

    words: frozenset[str]
    least: int = 1
    line: int | None = None

    def holds(self, number: Number, near: int) -> bool:
        """Whether a number of this size is held here. Such as `a 3-hour run` names something by its size, and a drawn
        picture has few words."""
        if self.line is not None and distance(number, self.line) <= near:
            return True
        is_free = self.least == 1 and (number.is_adjective or number.passage.is_code)
        return is_free or len(self.words & number.passage.words) >= self.least


class Places:
    """What the ledger holds, to look up by what it measures and by size. `near` is how far beside a line is near it."""

    def __init__(self, holdings: Holdings, near: int) -> None:
        self._near = near
        self._exact: dict[tuple[Powers, Ends], list[_Place]] = defaultdict(list)
        self._written: set[Fraction] = set()
        self._put_entries(holdings)
        self._put_texts(holdings)
        self._calculated = self._sort_figures(holdings.figures)

    def _put_entries(self, holdings: Holdings) -> None:
        for entry in holdings.entries:
            self._written.update(entry.holding.written)
            place = _Place(entry.holding.words, ELSEWHERE if entry.line else 1, entry.line)
            for kinds, ends in readings_of(entry.holding):
                for part in {ends, *((end,) for end in ends)}:
                    self._exact[kinds, part].append(place)

    def _put_texts(self, holdings: Holdings) -> None:
        least = ELSEWHERE if any(entry.line for entry in holdings.entries) else 1
        for number in holdings.texts:
            self._written.update(number.ends)
            for kinds, ends, _ in readings(number):
                self._exact[kinds, ends].append(_Place(number.passage.words, least))

    def _sort_figures(self, figures: Iterable[Holding]) -> dict[Powers, list[tuple[Fraction, list[_Place]]]]:
        found: dict[Powers, dict[Fraction, list[_Place]]] = defaultdict(lambda: defaultdict(list))
        for holding in figures:
            self._written.update(holding.written)
            for kinds, ends in readings_of(holding):
                for end in ends:
                    found[kinds][end].append(_Place(holding.words))
        return {kinds: sorted(places.items(), key=itemgetter(0)) for kinds, places in found.items()}

    def has(self, number: Number) -> bool:
        """Whether the ledger holds a number, exactly or within its printed digits; a plain one in any unit."""
        if not number.has_unit:
            return self._written.issuperset(number.ends)
        loose = [(GPU_TIME, ends, reach) for kinds, ends, reach in readings(number) if kinds == TIME]
        return any(self._has(number, *reading) for reading in (*readings(number), *loose))

    def _has(self, number: Number, kinds: Powers, ends: Ends, reach: Fraction) -> bool:
        """Whether the ledger holds a number read in one way: as it is, or each of its ends."""
        if any(place.holds(number, self._near) for place in self._exact.get((kinds, ends), ())):
            return True
        at = (self._list_at(kinds, end, reach) for end in ends)
        return all(any(place.holds(number, self._near) for place in places) for places in at)

    def _list_at(self, kinds: Powers, end: Fraction, reach: Fraction) -> Iterator[_Place]:
        """What stands at a number: exactly, or calculated within its printed digits."""
        yield from self._exact.get((kinds, (end,)), ())
        figures = self._calculated.get(kinds, [])
        index = bisect_left(figures, end - reach, key=itemgetter(0))
        while index < len(figures) and figures[index][0] <= end + reach:
            yield from figures[index][1]
            index += 1


def distance(number: Number, line: int | None) -> int:
    """How many lines a number stands beside the one that is named; 0 where none is."""
    return 0 if line is None else abs(number.passage.line - line)


def readings(number: Number) -> Iterator[tuple[Powers, Ends, Fraction]]:
    """What a number measures, its ends and its reach in base units, in each way that it can be read."""
    if not number.measures:
        yield (), number.ends, number.reach
    for measure in number.measures:
        yield measure.kinds, tuple(end * measure.scale for end in number.ends), number.reach * measure.scale


def readings_of(holding: Holding) -> Iterator[tuple[Powers, Ends]]:
    """What a number of the ledger measures. So many a second is also printed as a plain number, below its name."""
    yield holding.kinds, holding.ends
    if holding.kinds and all(power < 0 for _, power in holding.kinds):
        yield (), holding.written
