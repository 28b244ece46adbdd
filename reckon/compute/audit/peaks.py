"""Operations in a time that no card of the project can do."""

from __future__ import annotations

from reckon.model.figure import Figure, planned
from reckon.model.finding import Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .common import places, times_as_much

WHOLE_NUMBERS = "int"
"""Peaks of number formats that begin so are of no training or inference that is counted in floating point."""
RATE = (("flop", 1), ("gpu", -1), ("time", -1))


def rate_above_peak(project: ProjectLedger, book: Book) -> Findings:
    """Operations a second on each GPU, stated or implied, above the highest dense peak of the card."""
    for address, figure in book.own(project.id).items():
        card, peak = _peak(project, book, address) if figure.unit.kinds == RATE else ("", None)
        if peak and not figure.missing and planned(figure) > planned(peak):
            told = say("{rate}, where {card} does {peak} at most", rate=figure, card=card, peak=peak)
            told += times_as_much(figure, peak, ": {ratio} of its peak")
            yield make_finding("rate-above-peak", address, figure.title, told, places=places(figure, peak))


def _peak(project: ProjectLedger, book: Book, address: str) -> tuple[str, Figure | None]:
    """The card that a figure is about, that of its item or of the project, and its highest dense peak."""
    _, kind, name, *_ = [*address.split("."), "", ""]
    item = project.items.get(name) if kind == "plan" else None
    card = (item.gpu if item else None) or project.project.gpu
    record = book.catalog.gpus.get(card)
    if record is None:
        return card, None
    formats = [name for name in record.dense_tflops if not name.startswith(WHOLE_NUMBERS)]
    peaks = (book[f"catalog.gpus.{card}.dense_tflops.{name}"] for name in formats)
    return record.title, max(peaks, key=planned, default=None)
