"""The table of charges: who pays for the runs of each item, seed and card, day by day, and what that booked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import ZERO
from reckon.model.figure import Figures, Traits
from reckon.model.ledger import Ledger

from .bookings import bookings
from .payer_units import values_in
from .payers import Payers, ProjectCharges, charges_of
from .prices import ValueOf, rate_on, rates_between

UNNAMED = "unnamed"
_Key = tuple[str, str, str, Payers, int]
"""Item, seed, card, who could pay, and day."""


class ChargeRow(NamedTuple):
    """Hours held on a day on a card for an item and seed, and what their payer booked for them in its unit; nothing is
    booked of hours that the project pays for itself, or of which the payer is not named. Day 0 is that of runs without
    a date.

    What is paid in money has an `amount` in a `currency` (in that of its project, where this pays itself), and is
    `cost` in the currency of the project, at the `rate` of the day; None where that is not known. `price_list` names
    the lists by which hours were priced.
    """

    project: str
    item: str
    seed: str
    card: str
    day: int
    payer: str
    held: Fraction
    booked: Fraction | None
    unit: str
    price_list: str = ""
    amount: Fraction | None = None
    currency: str = ""
    rate: Fraction | None = None
    cost: Fraction | None = None


def charge_rows(ledger: Ledger, figures: Figures) -> Iterator[ChargeRow]:
    """The table of charges of all projects, in the order of item, seed, card, payer and day."""
    value_of = values_in(figures)
    for project_id, charges in charges_of(ledger).items():
        held: dict[_Key, Fraction] = defaultdict(Fraction)
        for days in charges.held(_work):
            for day, hours in days.days.items():
                held[(*days.key, days.card, days.payers, day)] += hours
        booked, lists = _booked(ledger, value_of, charges)
        own = charges.project.currency
        for key in sorted({*held, *booked}):
            item, seed, card, payers, day = key
            payer = payers[0] if len(payers) == 1 else UNNAMED * bool(payers)
            grant, amount = ledger.allocations.get(payer), booked.get(key)
            unit = grant.unit_words if grant else ""
            row = ChargeRow(project_id, item, seed, card, day, payer, held.get(key, ZERO), amount, unit)
            currency = grant.currency if grant else own
            if amount is not None and currency:
                rate = rate_on(rates_between(ledger, currency, own), day)
                value = rate.value(value_of) if rate else None
                cost = None if value is None else amount * value
                row = row._replace(price_list=" ".join(sorted(lists[key])), amount=amount, currency=currency.upper())
                row = row._replace(booked=amount if payer else None, rate=value, cost=cost)
            yield row


def _work(traits: Traits) -> tuple[str, str]:
    return traits.item, traits.seed


def _booked(
    ledger: Ledger, value_of: ValueOf, charges: ProjectCharges
) -> tuple[dict[_Key, Fraction], dict[_Key, set[str]]]:
    """What the payer of some hours booked, where it is known who that is, or what the project pays itself; and by which
    price lists."""
    found, lists = defaultdict[_Key, Fraction](Fraction), defaultdict[_Key, set[str]](set)
    for name in ("", *charges.rules.drawn):
        for each in bookings(ledger, charges, name, value_of, _work):
            for day, amount in each.days.items() if not each.payers[1:] and not each.lacks else ():
                key = (*each.key, each.card, each.payers, day)
                found[key] += amount
                lists[key].update(filter(None, [each.lists.get(day)]))
    return found, lists
