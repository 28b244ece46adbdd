"""An axis of amounts from what is shown: plain, or logarithmic where the amounts are far apart."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from reckon.present.charts.drawing.frame import LABEL_LENGTH
from reckon.present.charts.drawing.looks import NUMBERS
from reckon.present.charts.kinds.checks import FAR
from reckon.present.charts.words import bundled_glyphs, drawable

AIR, MOST_TICKS = 0.06, 6
"""The part of an axis that is left free at either end, and the most ticks of a logarithmic one."""


@dataclass(frozen=True)
class Scale:
    """From the amount `low` to `high`, both with a little air; no amount is below zero."""

    low: float
    high: float
    far: bool

    @classmethod
    def around(cls, amounts: Collection[float]) -> "Scale":
        """Return the scale that holds `amounts`; a plain one begins at zero unless that left half of it empty."""
        low, high = min(amounts), max(amounts)
        if 0 < low < high / FAR:
            air = AIR * math.log10(high / low)
            return cls(_power(math.log10(low) - air), _power(math.log10(high) + air), far=True)
        if low < high / 2:
            return cls(0.0, high + AIR * high, far=False)
        air = 2 * AIR * (high - low) or AIR * high or 1.0
        return cls(max(0.0, low - air), high + air, far=False)

    def along(self, amount: float) -> float:
        """Return how far `amount` is from the beginning (0) to the end (1)."""
        if self.far:
            return math.log(amount / self.low) / math.log(self.high / self.low)
        return (amount - self.low) / (self.high - self.low)

    def shown(self, what: str, unit: str) -> dict[str, Any]:
        """Return the title, scale and axis of a channel, for Altair."""
        import altair as alt

        said = drawable(unit, bundled_glyphs(), LABEL_LENGTH)
        title = f"{what} ({said}, logarithmic)" if self.far else f"{what} ({said})"
        axis = alt.Axis(values=self.ticks(), format=NUMBERS) if self.far else alt.Axis(format=NUMBERS, tickCount=5)
        kind = {"type": "log"} if self.far else {"zero": False}
        return {"title": title, "scale": alt.Scale(domain=[self.low, self.high], nice=False, **kind), "axis": axis}

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
