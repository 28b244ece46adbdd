"""Price lists in other currencies than the US dollar: one currency a list, and the rate at which it is converted."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import Place, place_of
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger
from reckon.model.records import CURRENCIES, PriceList

DOLLAR = CURRENCIES[0]


def check_currencies(ledger: Ledger) -> Iterator[Problem]:
    """A problem for each list with prices in several currencies, without the rate of its own, or with another one."""
    for name, prices in ledger.catalog.prices.items():
        if not ledger.unread(f"catalog.prices.{name}"):
            yield from _mixed(prices)
            yield from _rate(prices)


def _mixed(prices: PriceList) -> Iterator[Problem]:
    """A problem for each currency after the first; where one is not stated on an hour, it is on a month."""
    own, others = prices.currency, dict[str, Place]()
    monthly = [(DOLLAR, prices.usd_per_month)] if prices.usd_per_month else []
    for currency, by_card in (*((each, by_card) for _, each, by_card in prices.tables()), *monthly):
        if currency != own:
            others.setdefault(currency, place_of(next(iter(by_card))))
    for other, place in others.items():
        wrong = f"this list has prices in {own.upper()} and in {other.upper()}"
        yield Problem(place, wrong, "write a list of its own for each currency")


def _rate(prices: PriceList) -> Iterator[Problem]:
    """A problem where the rate is missing, or of another currency."""
    own, rates = prices.currency, prices.rate.currencies if prices.rate else ()
    if prices.rate and rates != (own,):
        right = "leave `rate` out" if own == DOLLAR else f"state `usd_per_{own}` alone"
        stated = " and ".join(rate.upper() for rate in rates) or "no currency"
        yield Problem(prices.rate.place, f"the rate is of {stated}, the prices are in {own.upper()}", right)
    elif prices.rate is None and own != DOLLAR:
        first = next(iter(next(by_card for *_, by_card in prices.tables())))
        right = f"write `rate: {{usd_per_{own}: …, as_of: …, source: …}}`: sums of money are in USD"
        yield Problem(place_of(first), f"the prices are in {own.upper()}, and no rate is stated", right)
