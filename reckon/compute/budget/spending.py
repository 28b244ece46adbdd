"""What the runs of a project cost, by item and card, at the prices of their days.

A run costs what it states, or else what is billed of its hours at the price of the card that it ran on: evenly over its
days where the price changes between them, and at the price of the list's `as_of` where it has none. An item whose
charges in a period are on a bill costs what is billed then, in place of its hours. Hours that were granted cost nothing
where nothing says what they are worth. What is stated in another currency is converted at the rate of its day.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

from msgspec.structs import replace

from reckon.language.calendar_days import iso
from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, Unit, key_unit
from reckon.model import records as r
from reckon.model.day_split import days_of, spread
from reckon.model.figure import COSTS, NO_RUN, OWN_HOURS, Figure, Selection, Tallied, Traits
from reckon.model.fixed_point import Amounts

from ..sheet.cells import total_of
from .billing import billed_hours
from .daily_hours import bill_days
from .priced_cards import PricedCards
from .prices import PricedCard, PriceSpan, rates_between

BILLED = -1
"""Stands for the price of hours that a bill covers: they cost what is on the bill."""
_Part = tuple[str | None, PricedCard, int]
"""An item (None: all), a card, and which of its prices held."""


class Spending:
    """What runs cost, as it is written of one selection of them after the other."""

    def __init__(self, cards: PricedCards) -> None:
        self.cards, self.project = cards, cards.project
        self.billed = bill_days(cards.project)
        # Which price counts may differ by run: by who pays for it, or by what its price list bills.
        self.by_run = cards.terms.differ
        self._billed_by: dict[str, Amounts | None] = {}

    @cached_property
    def used(self) -> list[PricedCard]:
        """The cards that runs were on, with what decides their price."""
        return sorted({used for _, used, _ in self.split}) if self.by_run else self.cards.ran_on

    def write(self, at: str, title: str, selection: Selection) -> None:
        """Writes what the runs of a selection cost as `.actual` below an address, with the parts that it is made of."""
        parts = [*self._stated(at, title, selection)]
        for used in self.used:
            named = used.named if self.cards.names_some else None
            hours = replace(selection, field=OWN_HOURS, gpu=used.card, lacks=COSTS, price=named)
            if self.by_run or self.cards.tally.has(hours):
                parts += self._card(f"{at}.{used.within}by_gpu.{used.card}", f"{title}, {used.words}", hours, used)
        self.cards.amounts.write(f"{at}.actual", title, total_of(parts) if parts else f"0 {self.cards.currency}")

    def _stated(self, at: str, title: str, selection: Selection) -> Iterator[str]:
        """Writes what runs state that they cost; gives the addresses."""
        cards = self.cards
        for field in COSTS:
            currency, stated = field.removeprefix("cost_"), replace(selection, field=field)
            if not cards.tally.has(stated):
                continue
            if currency == cards.currency:
                cards.tally.write(stated, f"{cards.id}.{at}.stated", f"{title}: cost that runs state")
                yield f"{at}.stated"
                continue
            words = f"{title}: cost that runs state in {currency.upper()}"
            yield from self._converted(f"{at}.stated_{currency}", words, stated, field)
        for currency in self.charged_in:
            words = f"{title}: what payers booked in {currency.upper()}"
            yield from self._converted(f"{at}.charged_{currency}", words, selection, f"charged_{currency}")

    def _converted(self, at: str, title: str, selection: Selection, field: str) -> Iterator[str]:
        """Writes money by the days over which one rate holds, converted; gives the addresses of that."""
        cards, currency = self.cards, field.rpartition("_")[2]
        for number, (day, rate) in enumerate(rates_between(cards.ledger, currency, cards.currency)):
            if found := self.stated.get((selection.item, field, number)):
                address = f"{at}.{iso(day) if day else 'first'}"
                cards.sheet.counted(found.figure(selection, f"{cards.id}.{address}", title, key_unit(currency)))
                yield cards.amounts.write(f"{address}.converted", title, f"{address}{rate.formula}")

    @property
    def charged_in(self) -> list[str]:
        """The currencies in which runs may say what their payer booked."""
        says = self.project.rows.says("charged")
        return sorted({grant.currency for grant in self.cards.terms.rules.drawn.values() if grant.currency and says})

    def _charged_to(self, number: int, run: r.Run, traits: Traits) -> str:
        """The currency in which a run says what its payer booked; empty where it does not, or not in money."""
        if run.charged is None or not self.charged_in:
            return ""
        payers = self.cards.charges.payers_on(number, traits, days_of(run)[-1])
        grant = self.cards.terms.rules.drawn.get(payers[0]) if len(payers) == 1 else None
        return grant.currency if grant is not None else ""

    def _card(self, at: str, title: str, selection: Selection, used: PricedCard) -> Iterator[str]:
        """Writes hours on one card and what they cost, at each price that held; gives the addresses of the costs."""
        cards, price = self.cards, self.cards.price(used)
        if not self.by_run and not self.billed and (price is None or len(price.spans) == 1):
            cards.tally.write(selection, f"{cards.id}.{at}.hours", f"{title}: hours")
            yield cards.cost(at, title, cards.last(used))
            return
        if found := self.split.get((selection.item, used, BILLED)):
            words = f"{title}, on a bill: hours"
            cards.sheet.counted(found.figure(selection, f"{cards.id}.{at}.billed.hours", words))
        if price is None or len(price.spans) == 1:
            if found := self.split.get((selection.item, used, 0)):
                cards.sheet.counted(found.figure(selection, f"{cards.id}.{at}.hours", f"{title}: hours"))
                yield cards.cost(at, title, cards.last(used))
            return
        for number, span in enumerate(price.spans):
            if found := self.split.get((selection.item, used, number)):
                yield self._span(at, title, selection, used, span, found)

    def _span(self, at: str, title: str, selection: Selection, used: PricedCard, span: PriceSpan, found: _Sum) -> str:
        """Writes hours on a card over the days of one of its prices, and what they cost."""
        cards, words, hours = self.cards, f"{title}, {span.words}", f"{at}.{span.name}.hours"
        days = replace(selection, days=(span.since, span.until))
        cards.sheet.counted(found.figure(days, f"{cards.id}.{hours}", f"{words}: hours"))
        price = cards.price(used)
        gap = price.gap if price else ""
        return cards.cost(f"{at}.{span.name}", words, span.address or cards.unpriced(used, gap))

    @cached_property
    def split(self) -> dict[_Part, _Sum]:
        """Hours of runs that state no cost: by item, card, and which of its prices held."""
        cards = self.cards
        changing = set()
        for used in () if self.by_run else cards.ran_on:
            price = cards.price(used)
            if self.billed or (price is not None and len(price.spans) > 1):
                changing.add(used)
        found: dict[_Part, _Sum] = defaultdict(_Sum)
        if not self.by_run and not changing:
            return found
        for number, (file, run, traits) in enumerate(self.project.each_run()):
            if traits.costs or (not self.by_run and _used(traits) not in changing):
                continue
            if self._charged_to(number, run, traits):
                continue
            held: dict[tuple[PricedCard, int, str], Fraction] = defaultdict(Fraction)
            on_bill = self.billed.get(traits.item, frozenset())
            for days, hours in spread(run, run.charged_hours):
                at = Counter(self._price_on(number, traits, day, day in on_bill) for day in days)
                for part, count in at.items():
                    held[part] += hours * count / len(days)
            for (used, span, biller), hours in held.items():
                if cards.terms.is_free(used):
                    continue
                billed = hours * self._billed_share(number, biller)
                for item in (None, traits.item):
                    found[item, used, span].add(file, billed, run.many)
        return found

    def _price_on(self, number: int, traits: Traits, day: int, on_bill: bool) -> tuple[PricedCard, int, str]:
        """The card of a run with what decides its price on a day, which of its prices that is, and by whose rules it is
        billed: the address of a grant or of a price list, or nothing."""
        used, biller = _used(traits), ""
        cards = self.cards
        if self.by_run:
            payers = cards.charges.payers_on(number, traits, day)
            used = cards.terms.used(traits.price, traits.gpu, payers)
            grant = cards.terms.rules.drawn.get(payers[0]) if len(payers) == 1 else None
            biller = f"allocations.{payers[0]}" if grant is not None and not grant.currency else ""
        price = cards.price(used)
        if on_bill or price is None:
            return used, BILLED if on_bill else 0, ""
        span = price.at(day)
        return used, span, biller or f"catalog.prices.{price.spans[span].listed}"

    def _billed_share(self, number: int, biller: str) -> Fraction:
        """What is billed of an hour of a run."""
        held = self.project.rows.charged
        if biller not in self._billed_by:
            self._billed_by[biller] = self._billing_of(biller)
        hours = self._billed_by[biller]
        if hours is None or not held.values[number]:
            return Fraction(1)
        return Fraction(hours.values[number], hours.per) / Fraction(held.values[number], held.per)

    def _billing_of(self, biller: str) -> Amounts | None:
        """The hours that are billed of each run by the rules of a grant or a price list; None where they are those that
        it held."""
        ledger, name = self.cards.ledger, biller.rpartition(".")[2]
        prices = ledger.catalog.prices.get(name)
        billing: r.Billing | None = prices.billing if prices is not None else None
        if biller.startswith("allocations."):
            billing = ledger.allocations[name].charge
        return billed_hours(self.project.rows, billing) if billing is not None and billing.bills else None

    @cached_property
    def stated(self) -> dict[tuple[str | None, str, int], _Sum]:
        """What runs state in another currency than that of the project: by item, field, and which rate held."""
        found: dict[tuple[str | None, str, int], _Sum] = defaultdict(_Sum)
        cards = self.cards
        for number, (file, run, traits) in enumerate(self.project.each_entry()):
            said = [(field, getattr(run, field)) for field in traits.costs]
            if not said and traits.status != NO_RUN and (currency := self._charged_to(number, run, traits)):
                said = [(f"charged_{currency}", run.charged)]
            for field, cost in said:
                rates = rates_between(cards.ledger, field.rpartition("_")[2], cards.currency)
                for days, amount in spread(run, cost) if rates else ():
                    for day in days:
                        held = [at for at, (begins, _) in enumerate(rates) if begins <= day or not day]
                        for item in (None, traits.item):
                            found[item, field, held[-1]].add(file, amount / len(days), run.many)
        return found


def _used(traits: Traits) -> PricedCard:
    return PricedCard(traits.price, traits.gpu)


class _Sum:
    """Hours or money of runs by file: how many runs, and how much of it."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, Fraction]] = {}

    def add(self, file: str, amount: Fraction, many: int) -> None:
        """Adds that of so many runs, or a part of them."""
        count, so_far = self.files.get(file, (0, Fraction(0)))
        self.files[file] = count + many, so_far + amount

    def figure(self, selection: Selection, address: str, title: str, unit: Unit = GPU_HOURS) -> Figure:
        """The sum, with its subtotals by file."""
        files = tuple((file, count, amount) for file, (count, amount) in sorted(self.files.items()))
        origin = Tallied(selection, sum(count for _, count, _ in files), lambda: files)
        return Figure(address, title, unit, point(sum((amount for *_, amount in files), Fraction(0))), origin)
