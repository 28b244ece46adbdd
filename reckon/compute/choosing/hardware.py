"""Every pair of a memory need and a card that the ledger recommends for it, with the verdict of `memory`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from .memory import Verdict, usable_at, verdict


def judge_hardware(figures: Mapping[str, Figure], project: ProjectLedger) -> Iterator[Verdict]:
    """The verdicts on hardware for the work it is recommended for, and on items for the card they run on."""
    for name, hardware in project.project.hardware.items():
        for work in hardware.runs:
            need = figures.get(f"{project.id}.memory.{work}.need_gib_per_gpu")
            for card in hardware.cards:
                yield from _judged(figures, f"hardware.{name}", card, need)
    for name, item in project.items.items():
        need = figures.get(f"{project.id}.plan.{name}.need_gib_per_gpu")
        yield from _judged(figures, f"plan.{name}", str(item.gpu or project.project.gpu), need)


def _judged(figures: Mapping[str, Figure], subject: str, card: str, need: Figure | None) -> Iterator[Verdict]:
    have = figures.get(usable_at(figures, card))
    if need and have and (found := verdict(subject, card, need, have)):
        yield found
