"""Amounts in several currencies: one currency a price list, and a rate wherever an amount is converted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reckon.language.text import Place, place_of
from reckon.language.units import DOLLAR
from reckon.model.figure import COSTS
from reckon.model.finding import Problem, Problems
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import PriceList


def check_currencies(ledger: Ledger) -> Problems:
    """A problem for each list with prices in several currencies or with the rate of another one, and for each amount
    that is to be converted without a rate."""
    converted = {*_lists_to_convert(ledger)}
    for name, prices in ledger.catalog.prices.items():
        if not ledger.unread(f"catalog.prices.{name}"):
            yield from _mixed(prices)
            yield from _rate(ledger, prices, name in converted)
    if not ledger.unread("catalog.rates"):
        for project in ledger.projects.values():
            yield from _amounts(ledger, project)


def _lists_to_convert(ledger: Ledger) -> Iterator[str]:
    """The price lists that somebody uses who counts in another currency."""
    catalog = ledger.catalog.prices
    users = [(project.currency, project.price_lists) for project in ledger.projects.values()]
    users += [(grant.currency, grant.prices) for grant in ledger.allocations.values() if grant.currency]
    used = {name for _, lists in users for name in lists}
    # Where nobody says in which currency it is used, it is compared in dollars.
    users.append((DOLLAR, tuple(name for name in catalog if name not in used)))
    for currency, lists in users:
        yield from (name for name in lists if name in catalog and catalog[name].currency != currency)


def _mixed(prices: PriceList) -> Problems:
    """A problem for each currency after the first; where one is not stated on an hour, it is on a month."""
    own = prices.currency
    others = dict[str, Place]()
    monthly = [(DOLLAR, prices.usd_per_month)] if prices.usd_per_month else []
    for currency, by_card in (*((each, by_card) for _, each, by_card in prices.tables()), *monthly):
        if currency != own:
            others.setdefault(currency, place_of(next(iter(by_card))))
    for other, place in others.items():
        wrong = f"this list has prices in {own.upper()} and in {other.upper()}"
        yield Problem(place, wrong, "write one list for each currency")


def _rate(ledger: Ledger, prices: PriceList, is_converted: bool) -> Problems:
    """A problem where the rate is missing, or of another currency."""
    own = prices.currency
    rates = prices.rate.currencies if prices.rate else ()
    if prices.rate and rates != (own,):
        right = "remove `rate`" if own == DOLLAR else f"state `usd_per_{own}` alone"
        stated = " and ".join(rate.upper() for rate in rates) or "no currency"
        yield Problem(prices.rate.place, f"the rate is of {stated}, the prices are in {own.upper()}", right)
    elif prices.rate is None and is_converted and not _has_rate(ledger, own):
        first = next(iter(next(by_card for *_, by_card in prices.tables())))
        yield Problem(place_of(first), f"the prices are in {own.upper()}, and no rate is given", _remedy(own))


def _has_rate(ledger: Ledger, currency: str) -> bool:
    """Whether there is a rate of a currency in the table of rates."""
    return currency == DOLLAR or any(currency in rates.currencies for rates in ledger.catalog.rates.values())


def _remedy(currency: str) -> str:
    return f"write `2026-01-02: {{usd_per_{currency}: …, source: …}}` in catalog/rates.yaml"


def _amounts(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each amount of a project, or of who pays for it, in a currency of which a rate is missing."""
    own = project.currency
    for currency, place in _stated(ledger, project):
        if currency != own and not (_has_rate(ledger, currency) and _has_rate(ledger, own)):
            lacking = own if _has_rate(ledger, currency) else currency
            wrong = f"this is in {currency.upper()}, the project counts in {own.upper()}, and no rate is given"
            yield Problem(place, wrong, _remedy(lacking))


def _stated(ledger: Ledger, project: ProjectLedger) -> Iterable[tuple[str, Place]]:
    """The currencies of a project, each with a place where an amount in it stands."""
    ceilings = [project.project.ceiling_money, *(phase.ceiling_money for phase in project.plan.values())]
    found = [(ceiling.unit.kinds[0][0].removeprefix("money:"), ceiling.place) for ceiling in ceilings if ceiling]
    found += [(item.currency, item.gpu_hours.place) for item in project.items.values() if item.currency]
    grants = ledger.grants_of(project.id).values()
    found += [(grant.currency, grant.amount.place) for grant in grants if grant.currency]
    for cost in filter(project.rows.says, COSTS):
        first, *_ = project.rows.where([cost], lambda stated: stated is not None)
        found.append((cost.removeprefix("cost_"), project.rows.place(first)))
    return found
