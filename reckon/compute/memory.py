"""Whether a job fits into a GPU's memory. The one function that judges it; every document and finding uses it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from reckon.model.figure import Figure

FITS, TIGHT, NOT = "fits", "tight", "does not fit"


def judge(need: Fraction, usable: Fraction, reserve: Fraction = Fraction(0)) -> str:
    """fits: need <= usable - reserve; tight: need <= usable; else does not fit. All three in bytes, or all in GiB."""
    if need <= usable - reserve:
        return FITS
    return TIGHT if need <= usable else NOT


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a need stands to a card's memory at the low end, the planned value and the high end of the need."""

    subject: str
    card: str
    need: Figure
    usable: Figure
    low: str
    use: str
    high: str

    @property
    def words(self) -> str:
        """The verdict in words; at the planned value, with the end at which it changes."""
        if self.low == self.high:
            return self.use
        if self.use == self.high:
            return f"{self.use} ({self.low} at the low end)"
        return f"{self.use} ({self.high} at the high end)"


def verdict(subject: str, card: str, need: Figure, usable: Figure, reserve: Fraction = Fraction(0)) -> Verdict | None:
    """The verdict on a need and a card's usable memory; None where either is unknown. The reserve is in bytes."""
    have = usable.value.use
    ends = [need.value.low, need.value.use, need.value.high]
    known = [end for end in ends if end is not None]
    if have is None or not known:
        return None
    room = have * usable.unit.scale
    low, use, high = (judge((known[-1] if end is None else end) * need.unit.scale, room, reserve) for end in ends)
    return Verdict(subject, card, need, usable, low, use, high)
