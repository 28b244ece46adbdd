"""What a projection costs at each of its price lists, as the table of costs shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from reckon.compute.measuring.projections import ListedPrice, offers_of
from reckon.compute.statements.words import Word
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import Open, open_inputs
from ..view import View
from .projection import Projected


class Cost(NamedTuple):
    """A price list in the table: its price of an hour with billed time and cost, or that of a month, or none."""

    offer: ListedPrice
    card: str
    prices: r.PriceList
    price: Figure | None
    billed: Figure | None
    usd: Figure | None
    monthly: Figure | None


@dataclass(frozen=True)
class Bill:
    """The costs of a projection on the device of one measurement: their span, and the cheapest list by reckoning."""

    measurement: str
    title: str
    card: str
    rows: tuple[Cost, ...]
    span: Figure | None
    cheapest: Word | None
    missing: tuple[Open, ...]

    @property
    def priced(self) -> bool:
        """Whether any list has a price of an hour."""
        return any(row.price for row in self.rows)


def bills(view: View, name: str) -> list[Bill]:
    """The costs of a projection for each of its measurements whose device is a card with price lists."""
    return list(_bills(view, Projected(view, name)))


def _bills(view: View, one: Projected) -> Iterator[Bill]:
    for measurement, record in zip(one.fields.measurements, one.measured, strict=True):
        rows = tuple(_cost(view, offer) for offer in offers_of(view.book.ledger, view.one, one.id, measurement))
        if rows:
            at = f"{one.at}.{measurement}"
            span, word = view.maybe(f"{at}.usd"), view.word(f"{at}.cheapest")
            known = word if word and not word.missing and word.id != "none" else None
            missing = open_inputs(view.book, (row.usd for row in rows))
            title, card = f"{one.title}, {record.title}", view.card(str(record.device))
            yield Bill(measurement, title, card, rows, span, known, tuple(missing))


def _cost(view: View, offer: ListedPrice) -> Cost:
    book = view.book
    price, monthly = (book.get(at) if at else None for at in (offer.hourly, offer.monthly))
    billed, usd = (view.maybe(f"{offer.at}.{key}") for key in ("billed_hours", "usd"))
    return Cost(offer, view.card(offer.card), book.ledger.catalog.prices[offer.id], price, billed, usd, monthly)
