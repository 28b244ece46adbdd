"""What a payer booked for the runs of a project, day by day, in its own unit.

Of hours and units that is what is billed of a run (`billing`) times so many units for an hour of its card. Of money it
is what a run states that it cost, else what is billed of it at the price of the day; where a bill has charges of an
item, these stand in place of its hours on those days. What is stated as `charged` goes before all of this. In the same
way a project pays in its currency for what no allocation is charged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from reckon.language.quantity import ZERO
from reckon.model import records as r
from reckon.model.figure import Traits
from reckon.model.ledger import Ledger

from .daily_hours import bill_days
from .history import DailyHours
from .payer_units import PayerTerms
from .payers import ChargedDays, KeyOf, Payers, ProjectCharges
from .prices import CardPrice, ValueOf, rate_on, rates_between

Key = TypeVar("Key", bound=Hashable)
NOBODY = ("",)


class Booking(NamedTuple, Generic[Key]):
    """What runs on a card (empty: of none) booked by day, and the payers that could have been charged for them.

    `billed` are the GPU-hours behind it, and `held`, of a payer in money, those that runs without a stated cost held;
    `lacks` is the input without which the booking is not known (it is 0 then). `lists` has the price list of each day.
    """

    key: Key
    card: str
    payers: Payers
    days: DailyHours
    billed: Fraction = ZERO
    lacks: str = ""
    held: Fraction = ZERO
    lists: Mapping[int, str] = MappingProxyType({})


def bookings(
    ledger: Ledger, charges: ProjectCharges, name: str, value_of: ValueOf, key: KeyOf[Key]
) -> Iterator[Booking[Key]]:
    """What an allocation booked, or could have booked, of the runs of a project that have the same key; without a name,
    what the project pays itself."""
    terms = PayerTerms(ledger, charges.project, name)
    if terms.currency:
        yield from _MoneyBookings(terms, charges, value_of, key).all()
        return
    for days in charges.booked(terms.grant.charge, lambda traits: (key(traits), traits.budgeted)):
        if name not in days.payers:
            continue
        own, budgeted = days.key
        factor, lacks = terms.factor(value_of, days.card)
        amount = days.days.total
        if days.stated:
            yield Booking(own, days.card, days.payers, days.days, amount / factor if factor else ZERO)
        elif budgeted:  # hours of a line of money are paid in money
            yield Booking(own, days.card, days.payers, times(days.days, factor), amount, lacks)


_Work = tuple[str, str, bool]
"""Item, price list that is named, and whether what it cost is stated."""


class _MoneyBookings(Generic[Key]):
    """What a payer in money booked of the runs of a project; without a name, the project itself."""

    def __init__(self, terms: PayerTerms, charges: ProjectCharges, value_of: ValueOf, key: KeyOf[Key]) -> None:
        self.terms, self.charges, self.value_of, self.key = terms, charges, value_of, key
        self.price_lists = terms.ledger.catalog.prices
        self.billed_days = bill_days(charges.project)

    def all(self) -> Iterator[Booking[Key]]:
        """All of it: what is stated as charged, what runs state that they cost, and hours at prices."""
        for days in self._hours(None):
            if days.stated and self.terms.name:  # what a project pays itself, nobody books
                yield Booking(days.key[0], days.card, days.payers, days.days)
        yield from self._costs()
        yield from self._priced()

    def _hours(self, billing: r.Billing | None) -> Iterator[ChargedDays[tuple[Key, _Work]]]:
        """Hours that it could be charged for, as a price list bills them."""

        def work(traits: Traits) -> tuple[Key, _Work]:
            return self.key(traits), (traits.item, traits.price, bool(traits.costs))

        read = self.charges.booked if self.terms.name else self.charges.billed
        return (days for days in read(billing, work) if self.terms.name in (days.payers or NOBODY))

    def _costs(self) -> Iterator[Booking[Key]]:
        """What runs and entries without hours state that they cost, at the rate of each day."""
        for currency, days in self.charges.costs(self.key):
            if days.stated or self.terms.name not in (days.payers or NOBODY):
                continue
            rates = rates_between(self.terms.ledger, currency, self.terms.currency)
            parts, lacks = dict[int, Fraction](), "" if rates else f"catalog.rates.usd_per_{currency}"
            for day, amount in days.days.items():
                rate = rate_on(rates, day)
                value = rate.value(self.value_of) if rate else None
                lacks = lacks or ("" if value is not None or not rate else rate.own or rate.other)
                parts[day] = amount * (value or 0)
            yield Booking(days.key, days.card, days.payers, DailyHours(parts), lacks=lacks)

    def _priced(self) -> Iterator[Booking[Key]]:
        """Hours of runs that state no cost, at the prices of their days."""
        every = {name: prices.billing for name, prices in self.price_lists.items()}
        bills = {name: billing for name, billing in every.items() if billing.bills}
        for listed in ("", *bills):
            for days in self._hours(bills.get(listed)):
                key, (item, named, costs) = days.key
                if costs or (days.stated and self.terms.name):
                    continue
                price = self.terms.price(days.card, named)
                yield from self._at_prices(key, days, price, listed, self.billed_days.get(item, frozenset()))

    def _at_prices(
        self,
        key: Key,
        days: ChargedDays[tuple[Key, _Work]],
        price: CardPrice | None,
        listed: str,
        on_bill: frozenset[int],
    ) -> Iterator[Booking[Key]]:
        """Hours on a card at the prices of a list (empty: of those that bill what is held) and of their days."""
        parts, lists, billed, held, lacks = dict[int, Fraction](), dict[int, str](), ZERO, ZERO, ""
        for day, hours in days.days.items():
            span = price.spans[price.at(day)] if price else None
            its = span.listed if span else ""
            bills = bool(its) and self.price_lists[its].billing.bills
            held += hours if not listed and day not in on_bill else 0
            if day in on_bill or (its if bills else "") != listed:
                continue
            found = span.price(self.value_of) if span else None
            if found is None:
                lacks = self.terms.lacking_price(days.card)
            parts[day], lists[day], billed = hours * (found or 0), its, billed + hours
        if parts or held:
            yield Booking(key, days.card, days.payers, DailyHours(parts), billed, lacks, held, lists)


def times(days: DailyHours, factor: Fraction) -> DailyHours:
    """Hours by day, times a factor."""
    parts = {day: hours * factor.numerator for day, hours in days.parts.items()}
    return DailyHours(parts, days.per * factor.denominator)
