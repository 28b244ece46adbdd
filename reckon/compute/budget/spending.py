"""What the runs of a project cost, by item and card, at the prices of their days.

A run costs what it states, or else what is billed of its hours at the price of the card that it ran on: evenly over its
days where the price changes between them, and at the price of the list's `as_of` where it has none. An item whose
charges in a period are on a bill costs what is billed then, in place of its hours. Hours that were granted cost nothing
where nothing says what they are worth. What is stated in another currency is converted at the rate of its day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, partial
from math import ceil

from msgspec.structs import replace

from reckon.language.calendar_days import iso
from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model import records as r
from reckon.model.day_split import by_day, spread
from reckon.model.figure import COSTS, NO_RUN, OWN_HOURS, ByFile, Selection, Tallied, Traits
from reckon.model.fixed_point import Amounts

from ..sheet.cells import total_of
from .daily_hours import bill_days
from .payers import ChargedDays, Payers, ProjectCharges
from .priced_cards import PricedCards
from .prices import PricedCard, PriceSpan, rates_between

BILLED = -1
"""Stands for the price of hours that a bill covers: they cost what is on the bill."""
_Part = tuple[str | None, PricedCard, int]
"""An item (None: all), a card, and which of its prices held."""
_Work = tuple[str, str, bool]
"""An item, the price list that is named for it, and whether its runs state what they cost."""


_Read = Callable[[r.Billing | None], Iterator[ChargedDays[_Work]]]
"""What is read for who bills so."""


class Spending:
    """What runs cost, as it is written of one selection of them after the other."""

    def __init__(self, cards: PricedCards) -> None:
        self.cards, self.project = cards, cards.project
        self.billed = bill_days(cards.project)
        # Which price counts may differ by run: by who pays for it, or by what its price list bills.
        self.by_run = cards.terms.differ
        self._shares: dict[PricedCard, Fraction | None] = {}

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
                files = [(file, *its) for file, its in sorted(found.items())]
                origin = Tallied(selection, None, partial(tuple, files))
                address = f"{at}.{iso(day) if day else 'first'}"
                cards.writer.count(address, title, key_unit(currency), add_up(part for *_, part in files), origin)
                yield cards.amounts.write(f"{address}.converted", title, rate.convert(address))

    @property
    def charged_in(self) -> list[str]:
        """The currencies in which runs may say what their payer booked."""
        says = self.project.rows.says("charged")
        return sorted({grant.currency for grant in self.cards.terms.rules.drawn.values() if grant.currency and says})

    def _currency_of(self, payers: Payers) -> str:
        """The currency in which it is known to be paid; empty where it is not known, or not in money."""
        grant = self.cards.terms.rules.drawn.get(payers[0]) if len(payers) == 1 else None
        return grant.currency if grant is not None else ""

    def _card(self, at: str, title: str, selection: Selection, used: PricedCard) -> Iterator[str]:
        """Writes hours on one card and what they cost, at each price that held; gives the addresses of the costs."""
        cards, price = self.cards, self.cards.price(used)
        if not self.by_run and not self.billed and (price is None or len(price.spans) == 1):
            cards.tally.write(selection, f"{cards.id}.{at}.hours", f"{title}: hours")
            yield cards.cost(at, title, cards.last(used))
            return
        if (part := (selection.item, used, BILLED)) in self.split:
            self._write_hours(part, selection, f"{at}.billed", f"{title}, on a bill")
        if price is None or len(price.spans) == 1:
            if (part := (selection.item, used, 0)) in self.split:
                self._write_hours(part, selection, at, title)
                yield cards.cost(at, title, cards.last(used))
            return
        for number, span in enumerate(price.spans):
            if (part := (selection.item, used, number)) in self.split:
                yield self._span(at, title, selection, part, span)

    def _span(self, at: str, title: str, selection: Selection, part: _Part, span: PriceSpan) -> str:
        """Writes hours on a card over the days of one of its prices, and what they cost."""
        cards, words = self.cards, f"{title}, {span.words}"
        days = replace(selection, days=(span.since, span.until))
        self._write_hours(part, days, f"{at}.{span.name}", words)
        price = cards.price(part[1])
        gap = price.gap if price else ""
        return cards.cost(f"{at}.{span.name}", words, span.address or cards.unpriced(part[1], gap))

    @cached_property
    def split(self) -> Mapping[_Part, Fraction]:
        """Hours of runs that state no cost: by item, card, and which of its prices held."""
        if self.by_run or self.billed:
            return self._split(self.cards.charges)
        prices = (self.cards.price(used) for used in self.cards.ran_on)
        changes = any(price is not None and len(price.spans) > 1 for price in prices)
        return self._split(self.cards.charges) if changes else {}

    def billed_so_far(self, used: PricedCard) -> Fraction | None:
        """How many hours were billed of an hour on a card; None where none was held at its prices."""
        if used not in self._shares:
            held = add_up(hours for (item, on, _), hours in self._held.items() if on == used and item is None)
            billed = (hours for (item, on, _), hours in self.split.items() if on == used and item is None)
            self._shares[used] = add_up(billed) / held if held else None
        return self._shares[used]

    @cached_property
    def _held(self) -> Mapping[_Part, Fraction]:
        """The hours that were held where others may be billed."""
        charges = self.cards.charges
        return self._split(charges, lambda _: charges.held(_work)) if self.by_run else {}

    def _split(self, charges: ProjectCharges, read: _Read | None = None) -> Mapping[_Part, Fraction]:
        """The same of some runs of the project; or of what is read in place of the hours that a biller bills."""
        found: dict[_Part, Fraction] = defaultdict(Fraction)
        for biller, billing in self._billers.items():
            for days in read(billing) if read else charges.billed(billing, _work):
                item, _, has_cost = days.key
                if has_cost or self._is_booked_in_money(days):
                    continue
                for part, hours in self._priced(days, biller):
                    for whose in (None, item):
                        found[(whose, *part)] += hours
        return found

    @cached_property
    def _billers(self) -> Mapping[str, r.Billing | None]:
        """By whose rules runs are billed: the addresses of grants and price lists that bill other hours than those that
        were held, and nothing for all others."""
        found: dict[str, r.Billing | None] = {"": None}
        if not self.by_run:
            return found
        for name, grant in self.cards.terms.rules.drawn.items():
            if grant.bills:
                found[f"allocations.{name}"] = grant.charge
        for name, prices in self.cards.ledger.catalog.prices.items():
            if prices.billing.bills:
                found[f"catalog.prices.{name}"] = prices.billing
        return found

    def _is_booked_in_money(self, days: ChargedDays[_Work]) -> bool:
        """Whether runs say what their payer booked, and that is money: that is what they cost."""
        return days.stated and self._currency_of(days.payers) != ""

    def _priced(self, days: ChargedDays[_Work], biller: str) -> Iterator[tuple[tuple[PricedCard, int], Fraction]]:
        """The hours on a card that are billed by the rules of one biller, by which of its prices held."""
        item, named, _ = days.key
        cards, used = self.cards, PricedCard(named, days.card)
        grant = cards.terms.rules.drawn.get(days.payers[0]) if len(days.payers) == 1 else None
        own = f"allocations.{days.payers[0]}" if grant is not None and not grant.currency else ""
        if self.by_run:
            used = cards.terms.used(named, days.card, days.payers)
        if cards.terms.is_free(used):
            return
        price, on_bill = cards.price(used), self.billed.get(item, frozenset())
        for day, hours in days.days.items():
            if day in on_bill or price is None:
                span, its = BILLED if day in on_bill else 0, ""
            else:
                span = price.at(day)
                its = own or f"catalog.prices.{price.spans[span].listed}"
            if (its if its in self._billers else "") == biller:
                yield (used, span), hours

    def _write_hours(self, part: _Part, selection: Selection, at: str, title: str) -> None:
        """Writes the hours of a part, with its subtotals by file, which are only worked out for who asks."""
        origin = Tallied(selection, None, lambda: self._files.get(part, ()))
        self.cards.writer.count(f"{at}.hours", f"{title}: hours", GPU_HOURS, self.split[part], origin)

    @cached_property
    def _files(self) -> Mapping[_Part, ByFile]:
        """The hours of each part by file, with how many runs they are of."""
        found: dict[_Part, list[tuple[str, int, Fraction]]] = defaultdict(list)
        for file in self.project.runs:
            charges = ProjectCharges(self.cards.ledger, replace(self.project, runs=(file,)))
            runs = Amounts(charges.project.rows.many, 1)
            counts = self._split(charges, lambda _, its=charges, runs=runs: its.by_payers(runs, _work))  # type: ignore[misc]
            for part, hours in self._split(charges).items():
                found[part].append((file.file, ceil(counts[part]), hours))
        return {part: tuple(sorted(files)) for part, files in found.items()}

    @cached_property
    def stated(self) -> Mapping[tuple[str | None, str, int], Mapping[str, tuple[int, Fraction]]]:
        """What runs state in another currency than that of the project, by item, field, and which rate held: by file,
        with how many runs state it."""
        found: dict[tuple[str | None, str, int], dict[str, tuple[int, Fraction]]] = defaultdict(dict)
        cards = self.cards
        for number, (file, run, traits) in enumerate(self.project.each_entry()):
            said = [(field, getattr(run, field)) for field in traits.costs]
            if not said and traits.status != NO_RUN and run.charged is not None and self.charged_in:
                said = [("charged", run.charged)]
            for field, cost in said:
                for day, amount in by_day(dict(spread(run, cost))).items():
                    own = field
                    if field == "charged":
                        own = f"charged_{self._currency_of(cards.charges.payers_on(number, traits, day))}"
                    rates = rates_between(cards.ledger, own.rpartition("_")[2], cards.currency)
                    held = [at for at, (begins, _) in enumerate(rates) if begins <= day or not day]
                    for item in (None, traits.item) if held else ():
                        files = found[item, own, held[-1]]
                        many, so_far = files.get(file, (0, ZERO))
                        files[file] = many + run.many, so_far + amount
        return found


def _work(traits: Traits) -> _Work:
    return traits.item, traits.price, bool(traits.costs)
