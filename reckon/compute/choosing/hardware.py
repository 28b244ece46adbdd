"""Every pair of a memory need and a card that the ledger recommends for it, with the verdict of `memory`."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .memory import Verdict, usable_at, verdict


def judge_hardware(book: Book, one: ProjectLedger) -> Iterator[Verdict]:
    """The verdicts on hardware for the work it is recommended for, and on items for the card they run on."""
    for name, hardware in one.project.hardware.items():
        for work in hardware.runs:
            need = book.get(f"{one.id}.memory.{work}.need_gib_per_gpu")
            for card in hardware.cards:
                yield from _judged(book, f"hardware.{name}", card, need)
    for name, item in one.items.items():
        own = str(item.gpu or one.project.gpu)
        yield from _judged(book, f"plan.{name}", own, book.get(f"{one.id}.plan.{name}.need_gib_per_gpu"))


def _judged(book: Book, subject: str, card: str, need: Figure | None) -> Iterator[Verdict]:
    have = book.get(usable_at(book.figures, card))
    if need and have and (found := verdict(subject, card, need, have)):
        yield found
