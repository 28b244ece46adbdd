"""The table of charges: who pays for the runs of each item, seed and card, day by day, and what that booked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from reckon.model.figure import Figure, Traits
from reckon.model.ledger import Ledger

from .bookings import bookings
from .payer_units import ValueOf, payer_currency, values_in
from .payers import Payers, ProjectCharges, charges_of
from .prices import rate_on, rates_between

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


class _Booked(NamedTuple):
    """What was booked of some work, and the price lists of its hours."""

    amount: Fraction = Fraction(0)
    lists: frozenset[str] = frozenset()


def charge_rows(ledger: Ledger, figures: Mapping[str, Figure]) -> Iterator[ChargeRow]:
    """The table of charges of all projects, in the order of item, seed, card, payer and day."""
    value_of = values_in(figures)
    for project_id, charges in charges_of(ledger).items():
        held: dict[_Key, Fraction] = defaultdict(Fraction)
        for days in charges.held(_work):
            for day, hours in days.days.items():
                held[(*days.key, days.card, days.payers, day)] += hours
        booked = _booked(ledger, value_of, charges)
        own = str(charges.project.project.currency)
        for key in sorted({*held, *booked}):
            item, seed, card, payers, day = key
            payer = payers[0] if len(payers) == 1 else UNNAMED * bool(payers)
            unit = ledger.allocations[payer].unit_words if len(payers) == 1 else ""
            amount, lists = booked.get(key, (None, ()))
            row = ChargeRow(project_id, item, seed, card, day, payer, held.get(key, Fraction(0)), None, unit)
            row = row._replace(booked=amount if payer else None, price_list=" ".join(sorted(lists)))
            currency = payer_currency(ledger, charges.project, payer) if amount is not None else ""
            if amount is not None and currency:
                rate = rate_on(rates_between(ledger, currency, own), day, value_of)
                cost = None if rate is None else amount * rate
                row = row._replace(amount=amount, currency=currency.upper(), rate=rate, cost=cost)
            yield row


def _work(traits: Traits) -> tuple[str, str]:
    return traits.item, traits.seed


def _booked(ledger: Ledger, value_of: ValueOf, charges: ProjectCharges) -> dict[_Key, _Booked]:
    """What the payer of some hours booked, where it is known who that is; or what the project pays itself."""
    found: dict[_Key, _Booked] = defaultdict(_Booked)
    for name in ("", *charges.rules.drawn):
        for each in bookings(ledger, charges, name, value_of, _work):
            if each.payers == ((name,) if name else ()) and not each.lacks:
                for day, amount in each.days.items():
                    key = (*each.key, each.card, each.payers, day)
                    so_far = found[key]
                    found[key] = _Booked(so_far.amount + amount, so_far.lists | {*filter(None, [each.listed])})
    return found
