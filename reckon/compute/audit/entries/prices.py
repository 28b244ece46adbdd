"""What an hour on a card costs a project."""

from __future__ import annotations

from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ...book import Book


def price_of(project: ProjectLedger, book: Book, card: str, day: int) -> Figure | None:
    """The price of an hour on a card on a day: of the first list named by the project that has the card.

    None where no list has it, or it is not known. Lists state one price for all days.
    """
    found = (book.get(f"catalog.prices.{name}.usd_per_gpu_hour.{card}") for name in project.project.prices)
    return next((price for price in found if price is not None and price.use), None)
