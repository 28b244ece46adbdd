"""Whether a job fits into a GPU's memory. The one function that judges it; every document and finding uses it."""

from __future__ import annotations

from collections.abc import Container
from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import ZERO
from reckon.model.figure import Figure, Figures
from reckon.model.ledger import ProjectLedger

FITS, TIGHT, NOT, UNKNOWN = "fits", "tight", "does not fit", "not known"


def judge(need: Fraction, usable: Fraction, reserve: Fraction = ZERO) -> str:
    """fits: need <= usable - reserve; tight: need <= usable; else does not fit. All three in bytes, or all in GiB."""
    if need <= usable - reserve:
        return FITS
    return TIGHT if need <= usable else NOT


def usable_at(known: Container[str], card: str) -> str:
    """The address of the memory of a card that a process can use; of the nominal one where no other is stated."""
    found = (f"catalog.gpus.{card}.{key}" for key in ("usable_vram_gib", "vram_gib"))
    return next((address for address in found if address in known), "")


class Verdict(Struct, frozen=True):
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


def verdict(subject: str, card: str, need: Figure, usable: Figure, reserve: Fraction = ZERO) -> Verdict | None:
    """The verdict on a need and a card's usable memory; None where either is unknown. The reserve is in bytes."""
    have, value = usable.value.use, need.value
    if have is None or value.unknown:
        return None
    room, scale = have * usable.unit.scale, need.unit.scale
    ends = [None if end is None else judge(end * scale, room, reserve) for end in value.ends]
    # An open end is not known to fit; where the other end does not fit already, nothing beyond it does.
    otherwise = NOT if ends[0] == NOT else UNKNOWN
    low, use, high = (otherwise if end is None else end for end in ends)
    return Verdict(subject, card, need, usable, low, use, high)


def verdict_on(figures: Figures, subject: str, card: str, need: Figure | None) -> Verdict | None:
    """The verdict on a need and the memory of a card, without a reserve; None where either is not there or unknown."""
    have = figures.get(usable_at(figures, card))
    return verdict(subject, card, need, have) if need and have else None


def judge_hardware(figures: Figures, project: ProjectLedger) -> tuple[Verdict, ...]:
    """The verdicts on hardware for the work it is recommended for, and on items for the card they run on."""
    found: list[Verdict | None] = []
    for name, hardware in project.project.hardware.items():
        for work in hardware.runs:
            need = figures.get(f"{project.id}.memory.{work}.need_gib_per_gpu")
            for card in hardware.cards:
                found.append(verdict_on(figures, f"hardware.{name}", card, need))
    for name, item in project.items.items():
        need = figures.get(f"{project.id}.plan.{name}.need_gib_per_gpu")
        found.append(verdict_on(figures, f"plan.{name}", project.card_for(item), need))
    return tuple(filter(None, found))
