"""Axes of amounts, plain or logarithmic, and the rows of a picture from top to bottom with headings above them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, groupby, pairwise

from .frame import LABEL_LENGTH, NUMBERS, Rows, Spec, amount, bold, layer, word
from .time_axis import MOST_TICKS
from .words import drawable

FAR = 20
"""An axis is logarithmic where its largest amount is more than this many times its smallest."""

AIR = 0.06
"""The part of an axis that is left free at either end."""

HEADING_LENGTH = 70
"""The most characters of a heading; more are cut with an ellipsis."""

MANY = 30
"""A picture of more rows has its axis above them."""

Amount = Fraction | float
"""A number of a picture; where it is added to others it is best exact. A float counts as exactly what it is.

Floats would do for the eye, but not for the bytes: from Python 3.12 on, `sum` adds them up more closely than before.
"""


def total(amounts: Iterable[Amount]) -> Fraction:
    """Return the exact sum of some amounts."""
    return sum((Fraction(part) for part in amounts), Fraction(0))


def stacked(amounts: Iterable[Amount]) -> list[tuple[float, float]]:
    """Return where each of some amounts begins and ends when they lie end to end."""
    ends = accumulate((Fraction(part) for part in amounts), initial=Fraction(0))
    return list(pairwise(map(float, ends)))


def bars_x(low: float, high: float, unit: str, above: bool) -> Spec:
    """Return the horizontal place of bars that begin at `low` in their rows, on an axis below or above the bars."""
    axis = {"orient": "top" if above else "bottom"}
    scale = {"domain": [low, high], "nice": False, "zero": True}
    return amount("low", title=drawable(unit, LABEL_LENGTH), axis=axis, scale=scale)


@dataclass(frozen=True)
class Scale:
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
            return math.log(at / self.low) / math.log(self.high / self.low)
        return (at - self.low) / (self.high - self.low)

    def channel(self, field: str, what: str, unit: str) -> Spec:
        """Return the place of the amounts in `field`, which are of `what` in `unit`."""
        said = drawable(unit, LABEL_LENGTH)
        title = f"{what} ({said}, logarithmic)" if self.far else f"{what} ({said})"
        ticks = {"values": self.ticks()} if self.far else {"tickCount": 5}
        kind: Spec = {"type": "log"} if self.far else {"zero": False}
        scale = {"domain": [self.low, self.high], "nice": False, **kind}
        return amount(field, title=title, scale=scale, axis={"format": NUMBERS, **ticks})

    def ticks(self) -> list[float]:
        """Return round amounts for a logarithmic axis, at most six: 1, 2 and 5 of each power of ten, or fewer."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        steps = ((1, (1, 2, 5)), (1, (1, 3)), *((each, (1,)) for each in range(1, len(powers))))
        for each, leading in steps:
            # Written and read as text, since ten to a power below zero is not exact.
            ticks = [float(f"{lead}e{power}") for power in powers if power % each == 0 for lead in leading]
            kept = [tick for tick in ticks if self.low <= tick <= self.high]
            if len(kept) <= MOST_TICKS:
                return kept
        return [self.low, self.high]


def _power(logarithm: float) -> float:
    # Libraries of mathematics differ in the last digit; what is rounded is the same on every machine.
    return float(f"{10**logarithm:.12g}")


@dataclass(frozen=True)
class Lanes:
    """Every line of a picture by its key, those of its rows in their order, and the headings as rows of data."""

    lines: list[str]
    rows: list[str]
    headings: Rows

    @property
    def y(self) -> Spec:
        """The vertical place of a row, with its label at the axis."""
        scale = {"domain": self.lines, "paddingInner": 0.3, "paddingOuter": 0.2}
        axis = {"labelExpr": "slice(datum.value, 4)"}
        return {"field": "key", "type": "ordinal", "title": None, "sort": None, "scale": scale, "axis": axis}

    @property
    def longest(self) -> int:
        """The length of the longest label."""
        return max(map(len, self.lines))

    def headed(self) -> Spec:
        """Return the layer of headings: each begins where the bars begin, just above the first of its rows."""
        look = bold(baseline="middle", dy=4, limit=420)
        return layer("text", look, self.headings, x={"value": 0}, y=self.y, text=word("heading"))

    def beside(self, rows: Rows, field: str) -> Spec:
        """Return the layer of the words in `field` beside the plane, where no rule and no line of the grid is."""
        return layer("text", bold(dx=10), rows, x={"value": "width"}, y=self.y, text=word(field))


def lanes(named: Iterable[tuple[str, str]]) -> Lanes:
    """Return the lines for rows with a group and a label; a key is never shared, and ends in the label."""
    found = Lanes([], [], [])
    for group, rows in groupby(named, key=lambda row: row[0]):
        if heading := drawable(group, HEADING_LENGTH):
            key = f"{len(found.lines):04}"
            found.lines.append(key)
            found.headings.append({"key": key, "heading": heading})
        for _, label in rows:
            key = f"{len(found.lines):04}{drawable(label, LABEL_LENGTH)}"
            found.lines.append(key)
            found.rows.append(key)
    return found
