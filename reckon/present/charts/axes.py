"""Axes of amounts, plain or logarithmic, and of time; and the rows of a picture with headings above them.

Moments are numbers in UTC with ticks at round days, so that no time zone can show, and no picture depends on where it
is drawn.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from reckon.language.calendar_days import seconds
from reckon.language.quantity import ZERO, add_up

from . import palette
from .layout import LABEL_LENGTH, NUMBERS, Rows, Spec, amount, bold, layer, names_axis, word
from .words import drawable

FAR = 20
"""An axis is logarithmic where its largest amount is more than this many times its smallest."""

AIR = 0.06
"""The part of an axis that is left free at either end."""

HEADING_LENGTH = 70
"""The most characters of a heading; more are cut with an ellipsis."""

MANY = 30
"""A picture of more rows has its axis above them."""

MOST_TICKS = 6
"""As many as an axis may have by the common look: Vega would leave out every other one of more."""

MOST_POINTS = 1000

DRAWN_IN = "min(1, (scale('x', datum.high) - scale('x', datum.low)) / 4)"
GAP = {"strokeWidth": {"expr": DRAWN_IN}, "xOffset": {"expr": DRAWN_IN}, "x2Offset": {"expr": f"-{DRAWN_IN}"}}
"""The look of parts of a bar: ends drawn in by a pixel, with a line of a pixel around them, leave a gap of one. It is
all less where a part is short, so that none looks longer than it is."""

RANGE = {"color": palette.TEXT, "strokeWidth": 2, "yOffset": {"expr": "bandwidth('y') / 2 + 2"}}
"""The look of the range of where a bar ends: a line close below it."""

CUT = "clamp(datum.line || 0, datum.low, datum.high)"
MIDDLE = "(2 * datum.cut > datum.low + datum.high ? datum.low + datum.cut : datum.cut + datum.high) / 2"
HAS_ROOM = (
    "scale('x', max(datum.cut - datum.low, datum.high - datum.cut)) - scale('x', 0) > 10 + 6.6 * length(datum.inside)"
)
"""Where the name of a part of a bar stands, in Vega's language: in the middle of it, or of its longer side where a
`line` runs through it; and whether there is room for it. That is asked anew at every width."""

HOUR, DAY = 3_600_000, 86_400_000
"""Milliseconds."""

YEAR, MONDAY = 365 * DAY + 20_952_000, 4 * DAY
"""A mean year, and the time from the beginning of 1970 to the first Monday, in milliseconds."""

STEPS = (
    *((hours * HOUR, 0) for hours in (1, 2, 3, 6, 12)),
    *((DAY, 0), (2 * DAY, 0), (7 * DAY, MONDAY), (14 * DAY, MONDAY)),
)
"""The steps in milliseconds from one tick to the next, with the moment that each is counted from; then come months."""

MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24000)
"""The steps in months from one tick to the next."""

Point = tuple[int, float]
"""A moment in milliseconds and the level from then on."""

Amount = Fraction | float
"""A number of a picture; where it is added to others it is best exact. A float counts as exactly what it is.

Floats would do for the eye, but not for the bytes: from Python 3.12 on, `sum` adds them up more closely than before.
"""


@dataclass(frozen=True)
class BarPart:
    """A part of a bar, `amount` long, in the picture's unit; `value` is the amount as printed, shown on hover.

    Parts of one `use` are told apart by two shades of its colour.
    """

    name: str
    amount: Amount
    value: str
    use: str = ""


def total(parts: Iterable[BarPart]) -> Fraction:
    """Return the exact sum of the amounts of some parts."""
    return add_up(Fraction(part.amount) for part in parts)


def stacked(parts: Iterable[BarPart]) -> Iterator[tuple[BarPart, dict[str, float]]]:
    """Yield parts that lie end to end, each with where it begins and ends; what is nothing is left out."""
    end = ZERO
    for part in parts:
        start, end = end, end + Fraction(part.amount)
        if part.amount:
            yield part, {"low": float(start), "high": float(end)}


def bars_x(low: float, high: float, unit: str, above: bool) -> Spec:
    """Return the horizontal places of bars, from `low` to `high` in their rows, on an axis below or above the bars."""
    axis = {"orient": "top" if above else "bottom"}
    scale = {"domain": [low, high], "nice": False, "zero": True}
    x = amount("low", title=drawable(unit, LABEL_LENGTH), axis=axis, scale=scale)
    return {"x": x, "x2": {"field": "high"}}


def zero_line() -> Spec:
    """Return the layer of the line from which bars begin."""
    return layer("rule", {"color": palette.TEXT}, [{"zero": 0}], x=amount("zero"))


def names_inside(rows: Rows, inks: Mapping[str, str], **shared: Any) -> Spec:
    """Return the layer of the names `inside` parts of bars that have room, in the ink of what they lie `on`; beside
    `inks` that is a page."""
    tests = [{"test": f"datum.on == '{on}'", "value": ink} for on, ink in inks.items()]
    fill = {"condition": tests, "value": palette.TEXT}
    rim = {"condition": {"test": "datum.on == 'page'", "value": palette.PAGE}, "value": None}
    text = {"condition": word("inside", test=HAS_ROOM), "value": ""}
    names = layer("text", {"fontSize": 11}, rows, x=amount("middle"), text=text, fill=fill, stroke=rim, **shared)
    return {**names, "transform": [{"calculate": CUT, "as": "cut"}, {"calculate": MIDDLE, "as": "middle"}]}


class Scale(NamedTuple):
    """From the amount `low` to `high`, both with a little air; logarithmic where the amounts are `far` apart."""

    low: float
    high: float
    far: bool

    @classmethod
    def around(cls, amounts: Collection[float]) -> Scale:
        """Return the scale that holds `amounts`; a plain one begins at zero unless that left half of it empty."""
        low, high = min(amounts), max(amounts)
        if 0 < low < high / FAR:
            air = AIR * math.log10(high / low)
            return cls(_power(math.log10(low) - air), _power(math.log10(high) + air), far=True)
        if low < high / 2:
            return cls(0.0, high + AIR * high, far=False)
        air = 2 * AIR * (high - low) or AIR * high or 1.0
        return cls(max(0.0, low - air), high + air, far=False)

    def along(self, at: float) -> float:
        """Return how far the amount `at` is from the beginning (0) to the end (1)."""
        if self.far:
            # As in `_power`: what is rounded is the same on every machine, and so are words beside it.
            return round(math.log(at / self.low) / math.log(self.high / self.low), 9)
        return (at - self.low) / (self.high - self.low)

    def channel(self, field: str, what: str, unit: str) -> Spec:
        """Return the place of the amounts in `field`, which are of `what` in `unit`."""
        said = f"{drawable(unit, LABEL_LENGTH)}{', logarithmic' if self.far else ''}"
        ticks = {"values": self.ticks()} if self.far else {}
        kind = {"type": "log"} if self.far else {"zero": False}
        scale = {"domain": [self.low, self.high], "nice": False, **kind}
        return amount(field, title=f"{what} ({said})", scale=scale, axis={"format": NUMBERS, **ticks})

    def ticks(self) -> list[float]:
        """Return round amounts for a logarithmic axis, at most six: 1, 2 and 5 of each power of ten, or fewer."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for step, leading in ((1, (1, 2, 5)), (1, (1, 3)), *((step, (1,)) for step in range(1, len(powers)))):
            # Written and read as text, since ten to a power below zero is not exact.
            ticks = [float(f"{lead}e{power}") for power in powers if power % step == 0 for lead in leading]
            kept = [tick for tick in ticks if self.low <= tick <= self.high]
            if len(kept) <= MOST_TICKS:
                return kept
        return [self.low, self.high]


def _power(logarithm: float) -> float:
    # Libraries of mathematics differ in the last digit; what is rounded is the same on every machine.
    return float(f"{10**logarithm:.12g}")


def moment(text: str) -> int:
    """Return the milliseconds from 1970 in UTC to `text`, a date or a time as ledgers write them.

    Of a day, month or year it is the beginning; a time without an offset is UTC.
    """
    return (seconds(text) - seconds("1970")) * 1000


def ends(dates: Iterable[str]) -> tuple[int, int]:
    """Return the first and the last of `dates` as moments, half a day further apart on either side where
    there is less than an hour between them."""
    moments = [moment(date) for date in dates]
    low, high = min(moments), max(moments)
    return (low, high) if high - low >= HOUR else (low - DAY // 2, high + DAY // 2)


def time_x(field: str, low: int, high: int, **axis: Any) -> Spec:
    """Return the horizontal place of the moments in `field`, from `low` to `high`; `axis` adds to its axis."""
    ticks, label = _ticks(low, high)
    scale = {"domain": [low, high], "nice": False, "zero": False}
    return amount(field, title=None, axis={"values": ticks, "labelExpr": label, **axis}, scale=scale)


def _ticks(low: int, high: int) -> tuple[list[int], str]:
    """Return the ticks, at most six, and how they are labelled, in Vega's language."""
    # Years that have a calendar: from one that is not after `low` to one that is not before `high`.
    first, last = max(1, 1969 + low // YEAR), min(9999, 1971 + high // YEAR)
    year_of = partial(bisect_right, [moment(f"{year:04}") for year in range(first, last + 1)])
    for step, origin in STEPS:
        found = range(low + (origin - low) % step, high + 1, step)
        if len(found) <= MOST_TICKS and step < DAY:
            return list(found), _label(found, lambda tick: tick // DAY, "%H:%M", "%-d %b %Y")
        if len(found) <= MOST_TICKS:
            return list(found), _label(found, year_of, "%-d %b", "%Y")
    for step in MONTHS:
        months = range(-(-first * 12 // step) * step, last * 12 + 12, step)  # counted from the year 0
        starts = [moment(f"{month // 12:04}-{month % 12 + 1:02}") for month in months]
        ticks = [tick for tick in starts if low <= tick <= high]
        if len(ticks) <= MOST_TICKS:
            break
    if step < 12:
        return ticks, _label(ticks, year_of, "%b", "%Y")
    return ticks, "utcFormat(datum.value, '%Y')"


def _label(ticks: Sequence[int], above: Callable[[int], int], first: str, second: str) -> str:
    """Return the label: with a second line for the day or year where that is another one than at the tick before."""
    new = [next(some) for _, some in groupby(ticks, above)]
    upper, lower = (f"utcFormat(datum.value, '{form}')" for form in (first, second))
    return f"indexof({new}, +datum.value) < 0 ? {upper} : [{upper}, {lower}]"


def thinned(line: Sequence[Point]) -> Sequence[Point]:
    """Return at most 1000 points of `line` (oldest first) that draw the same: the ends and extremes of strips of time.

    A line that only rises is cut into strips of about a pixel, one that also falls into strips of two.
    """
    if len(line) <= MOST_POINTS:
        return line
    fine = _thinned(line, MOST_POINTS // 2)
    return fine if len(fine) <= MOST_POINTS else _thinned(line, MOST_POINTS // 4)


def _thinned(line: Sequence[Point], strips: int) -> list[Point]:
    start, length = line[0][0], max(1, line[-1][0] - line[0][0])
    kept = set()
    for _, strip in groupby(enumerate(line), lambda found: min(strips - 1, (found[1][0] - start) * strips // length)):
        places = [place for place, _ in strip]
        # The first of the smallest and the last of the largest: on a line that only rises, these are its ends.
        lowest = min(places, key=lambda place: line[place][1])
        highest = max(places, key=lambda place: (line[place][1], place))
        kept |= {places[0], lowest, highest, places[-1]}
    return [line[place] for place in sorted(kept)]


class Lanes(NamedTuple):
    """Every line of a picture by its key, its rows in their order, each with its key, and the headings as rows of
    data."""

    lines: list[str]
    rows: list[tuple[str, Any]]
    headings: Rows

    @property
    def y(self) -> Spec:
        """The vertical place of a row, with its label at the axis."""
        scale = {"domain": self.lines, "paddingInner": 0.3, "paddingOuter": 0.2}
        return {"field": "key", "type": "ordinal", "title": None, "sort": None, "scale": scale, "axis": names_axis(4)}

    @property
    def longest(self) -> int:
        """The length of the longest label."""
        return max(map(len, self.lines))

    def headed(self) -> Spec:
        """Return the layer of headings: each begins where the bars begin, just above the first of its rows."""
        look = bold(baseline="middle", dx=4, dy=4, limit=420)
        return layer("text", look, self.headings, x={"value": 0}, y=self.y, text=word("heading"))

    def beside(self, rows: Rows, field: str) -> Spec:
        """Return the layer of the words in `field` beside the plane, where no rule and no line of the grid is."""
        return layer("text", bold(dx=10), rows, x={"value": "width"}, y=self.y, text=word(field))


def lanes(rows: Iterable[Any]) -> Lanes:
    """Return the lines for rows, each with its `group` and its `label`; a key is never shared, and ends in the label.

    Rows that follow each other and have the same group stand under one heading. An empty group has none, and is
    a line away from the rows before it.
    """
    found = Lanes([], [], [])
    for group, some in groupby(rows, key=lambda row: row.group):
        heading = drawable(group, HEADING_LENGTH)
        if heading or found.lines:
            key = f"{len(found.lines):04}"
            found.lines.append(key)
            found.headings.append({"key": key, "heading": heading})
        for row in some:
            key = f"{len(found.lines):04}{drawable(row.label, LABEL_LENGTH)}"
            found.lines.append(key)
            found.rows.append((key, row))
    return found
