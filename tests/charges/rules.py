"""Who pays for what, at which price and in which unit, by DESIGN of the charges alone.

The nearest that names a payer counts; where nothing does, the one payer pays that takes the card
on that day. Billed are whole GPUs for the time in steps; booked is that in the payer's unit, or at
the price of the day. No figure is made here: see `second`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from tests.charges.shorthand import NONE, Billing, Item, Ledger, Money, Payer, Run

ZERO, ONE = Fraction(0), Fraction(1)
PROJECT = "p"
Payers = tuple[str, ...]
"""One that is charged, or several of which none is named; where none is, the project pays."""
Time = Fraction | None
Priced = tuple[Money, Billing]
"""The price of an hour, and what its list bills."""


def total(amounts: Iterable[Fraction]) -> Fraction:
    return sum(amounts, ZERO)


def rounded_up(amount: Fraction, step: Fraction) -> Fraction:
    return -(-amount // step) * step if step else amount


def billed_time(billing: Billing, time: Fraction) -> Fraction:
    return max(billing.minimum, rounded_up(time, billing.step))


def is_open(payer: Payer, day: int | None) -> bool:
    """Whether a payer can be charged on a day; what has no date lies between its dates."""
    if day is None:
        return True
    return (payer.since or 0) <= day and (payer.until is None or day <= payer.until)


class Rules:
    """Who pays for what, at which price, in which unit."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @cached_property
    def last(self) -> int | None:
        """The last day of data: of runs that began, and of entries that book something."""
        begun = [run for run in self.ledger.runs if run.status != "queued"]
        days = [day for run in begun for day, _ in run.days if day]
        for payer in self.own_payers:
            days += [each.day for each in payer.changes if each.kind in ("charged", "refunded")]
        return max(days, default=None)

    @property
    def own_payers(self) -> list[Payer]:
        return [payer for payer in self.ledger.payers.values() if PROJECT in payer.projects]

    def ratio(self, card: str, other: str) -> Fraction:
        """What an hour on a card counts as on another one."""
        return ONE if card == other else self.ledger.counts_as[card, other]

    def dollars(self, currency: str, day: int | None) -> Fraction:
        """What one of a currency is in US dollars on a day; the last rate where no day is named."""
        rates = self.ledger.rates[currency]
        if not rates:
            raise LookupError(f"no rate of {currency}")
        held = [rate for since, rate in rates if day is None or since <= day]
        return held[-1] if held else rates[0][1]

    def convert(self, money: Money, currency: str, day: int | None) -> Fraction:
        own, amount = money
        if own == currency:
            return amount
        return amount * self.dollars(own, day) / self.dollars(currency, day)

    # Who pays

    def takes(self, payer: Payer, card: str, money_alone: bool) -> bool:
        """Whether a payer takes hours on a card, or where none is named a line of money."""
        if payer.currency:
            cards = {card for name in payer.prices for card in self.ledger.lists[name].cards}
            return not card or card in cards
        if money_alone or not card:
            return False
        if payer.charge.by_card is not None:
            return card in payer.charge.by_card
        return payer.gpu in ("", card)

    def payers_on(self, run: Run, day: int | None) -> Payers:
        """Who pays for a run on a day."""
        if run.allocation:
            return () if run.allocation == NONE else (run.allocation,)
        item = self.ledger.items.get(run.item)
        money = bool(item and item.currency)
        takers = [each for each in self.own_payers if self.takes(each, run.gpu, money)]
        return tuple(each.id for each in takers if is_open(each, day))

    def payers_to_come(self, item: Item) -> Payers:
        """Who pays for the work of an item that is not done."""
        if item.allocation:
            return () if item.allocation == NONE else (item.allocation,)
        card = item.gpu if item.currency else self.card(item)
        takers = [each for each in self.own_payers if self.takes(each, card, bool(item.currency))]
        last = self.last
        later = [each for each in takers if last is None or each.until is None or each.until > last]
        return tuple(each.id for each in sorted(later, key=lambda each: each.since or 0))

    def follow_each_other(self, names: Payers) -> bool:
        """Whether several payers are one row, as one begins when the other has ended."""
        payers = [self.ledger.payers[name] for name in names]
        pairs = [(one.until, other.since) for one, other in pairwise(payers)]
        return len(names) > 1 and all(end and begin and end < begin for end, begin in pairs)

    def payer_of(self, names: Payers) -> Payer | None:
        """The one that pays, or the first of several that follow each other."""
        if len(names) == 1 or self.follow_each_other(names):
            return self.ledger.payers[names[0]]
        return None

    # What is billed and what it costs

    def card(self, item: Item) -> str:
        return item.gpu or self.ledger.gpu

    def counts(self, item: Item) -> Fraction:
        """What a planned hour of an item counts as in the budget of hours."""
        return self.ratio(self.card(item), self.ledger.gpu)

    def units(self, payer: Payer, card: str) -> Fraction:
        """Units of a payer for an hour that is billed on a card."""
        if payer.charge.by_card is not None:
            return payer.charge.by_card[card]
        return self.ratio(card, payer.gpu or self.ledger.gpu) * payer.charge.rate

    def price(self, named: str, payer: Payer | None, card: str, day: int | None) -> Priced | None:
        """The price of an hour on a card: of the list named, of the payer's, of the project's.

        The hours of a grant without prices cost no money.
        """
        if payer and not payer.currency and not payer.prices:
            return None
        for name in (named, *(payer.prices if payer else ()), *self.ledger.prices):
            found = self.ledger.lists.get(name)
            prices = found.since if found else ()
            held = [by_card for since, by_card in prices if day is None or since <= day]
            known = [by_card[card] for by_card in held if card in by_card]
            if found and known:
                return (found.currency, known[-1]), found.billing
        return None

    def billing(self, payer: Payer | None, of_list: Billing) -> Billing:
        """What is billed of a run: by the unit of a grant, else by the price list."""
        return payer.charge.billing if payer and not payer.currency else of_list

    def billed(self, run: Run, payer: Payer | None, billing: Billing, time: Time) -> Fraction:
        """The hours that are billed of so long a run; where its GPUs are not known, as held."""
        hours, as_held = run.hours or ZERO, billing == Billing() and time == run.time
        if run.gpus is not None and time is not None and not as_held:
            hours = rounded_up(run.gpus, billing.whole) * billed_time(billing, time)
        for key, factors in payer.charge.factors.items() if payer else ():
            hours *= factors.get(run.words[key], ONE)
        return hours

    def cost(self, run: Run, payer: Payer | None, day: int | None) -> Money | None:
        """What a run costs in all: as stated, else its billed hours at the price of a day."""
        if run.cost is not None:
            return run.cost
        if payer and payer.currency and run.charged is not None:
            return payer.currency, run.charged
        return self.priced(run, payer, day, run.time)

    def priced(self, run: Run, payer: Payer | None, day: int | None, time: Time) -> Money | None:
        """What so long a run costs by its price; None where nothing states that."""
        found = self.price(run.price, payer, run.gpu, day) if run.hours is not None else None
        if found is None:
            return None
        (currency, price), of_list = found
        return currency, price * self.billed(run, payer, self.billing(payer, of_list), time)

    def booked(self, run: Run, payer: Payer, day: int | None) -> Fraction:
        """What a payer books for a run in all, in its unit."""
        if run.charged is not None:
            return run.charged
        if payer.currency:
            cost = self.cost(run, payer, day)
            return self.convert(cost, payer.currency, day) if cost else ZERO
        return self.calculated(run, payer, day, run.time)

    def calculated(self, run: Run, payer: Payer, day: int | None, time: Time) -> Fraction:
        """What a payer would book for a run that took so long, if nothing else is stated."""
        if payer.currency:
            cost = self.priced(run, payer, day, time)
            return self.convert(cost, payer.currency, day) if cost else ZERO
        if run.hours is None:
            return ZERO
        return self.billed(run, payer, payer.charge.billing, time) * self.units(payer, run.gpu)

    def shape(self, item: Item, billing: Billing) -> Fraction:
        """Hours that are billed for an hour that is planned, by the GPUs and runs of the plan."""
        if not item.gpus:
            return ONE
        share = rounded_up(item.gpus, billing.whole) / item.gpus
        time = item.plan / item.runs / item.gpus if item.runs else ZERO
        return share * billed_time(billing, time) / time if time else share
