"""The price of a card, from day to day, in the currency of a project or of who pays.

The price list that is named for the work counts, and that alone. Where none is named, the lists of the payer are asked
in their order, then those of the project: for each day the first that has one. Hours that were granted cost no money
where their grant names no `prices`.

A list has a price from the day on that it states; one without a day is the earlier one beside those with a day, and the
only one where there is no other. Before its first day a list says nothing, and the next list is asked. So it is where
the first price is `unknown`; a later one that is unknown is a gap. A price in another currency is converted at the rate
of each day (`catalog/rates.yaml`, else the rate of the list); the first rate holds before its day, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.calendar_days import LAST, first_day, iso, last_day
from reckon.language.expression import Formula
from reckon.language.quantity import ONE
from reckon.language.units import DOLLAR
from reckon.model.figure import NO_RUN
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..sheet.cells import Term, formula_of
from .payers import Lane, PayerRules

UNDATED = "undated"
UNNAMED = "unnamed"
"""Stands for the payer of hours of which it is not known who pays."""
ValueOf = Callable[[str], Fraction | None]
"""The value at an address; None where it is not known."""


class PricedCard(NamedTuple):
    """A card, and the price list that is named for hours on it; else the `payer` whose terms count, which is empty
    where they are those of the project."""

    named: str
    card: str
    payer: str = ""

    @property
    def within(self) -> str:
        """Where the addresses of its money are, inside those of the whole."""
        if self.payer:
            return f"by_payer.{self.payer}."
        return f"by_price.{self.named}." if self.named else ""

    @property
    def words(self) -> str:
        """In a title: `on a100`, `on a100 at the prices of spot`, `on h100, paid by cloud`."""
        if self.payer:
            paid = ", payer not named" if self.payer == UNNAMED else f", paid by {self.payer}"
            return f"on {self.card}{paid}"
        return f"on {self.card}" + (f" at the prices of {self.named}" if self.named else "")


class Terms:
    """At which prices the hours of a project cost, by who pays for them."""

    def __init__(self, ledger: Ledger, rules: PayerRules) -> None:
        self.ledger, self.rules, self.project = ledger, rules, rules.project
        self.own = self.project.project.prices

    def lists(self, payer: str) -> Ids | None:
        """The price lists of hours that a payer pays for; None where they cost no money, or nobody knows."""
        grant = self.ledger.allocations.get(payer)
        if payer == UNNAMED:
            return None
        if grant is None or (not grant.prices and (grant.currency or self.ledger.settings.format < 3)):
            return self.own
        return tuple(dict.fromkeys((*grant.prices, *self.own))) if grant.prices else None

    def used(self, named: str, card: str, payers: Sequence[str]) -> PricedCard:
        """The card with the price list that is named for hours on it, and the payer that counts."""
        found = {self.lists(payer) for payer in payers}
        if len(found) > 1:
            return PricedCard("", card, UNNAMED)
        if not payers or found == {self.own}:
            return PricedCard(named, card)
        if found == {None}:
            return PricedCard("", card, payers[0])
        return PricedCard(named, card, "" if named else payers[0])

    def of_lane(self, lane: Lane) -> PricedCard:
        """The same of work to come. Where allocations follow each other the first pays."""
        payers = lane.payers[:1] if lane.in_turn else lane.payers
        return self.used(lane.price, lane.card, payers)

    def is_free(self, used: PricedCard) -> bool:
        """Whether hours cost no money, since they were granted and nothing says what they are worth."""
        return bool(used.payer) and used.payer != UNNAMED and self.lists(used.payer) is None

    @property
    def differ(self) -> bool:
        """Whether it depends on the payer what hours cost, or what is billed of them on the price list."""
        drawn = self.rules.drawn
        if any(self.lists(name) != self.own or grant.currency for name, grant in drawn.items()):
            return True
        if self.own and any(grant.bills for grant in drawn.values()):
            return True
        lists = (self.ledger.catalog.prices.get(name) for name in self.project.price_lists)
        return any(prices is not None and prices.billing.bills for prices in lists)


def planned_on(terms: Terms, through: int) -> Iterator[tuple[str, PricedCard]]:
    """Each item of the plan with the card that it is on, and the price list or the payer that counts; who pays is asked
    after the last day of data."""
    for name in terms.project.items:
        yield name, terms.of_lane(terms.rules.coming(name, through))


def ran_on(project: ProjectLedger) -> set[PricedCard]:
    """The cards that runs were on, with the price lists that are named for them."""
    return {PricedCard(traits.price, traits.gpu) for traits in project.kinds.traits if traits.status != NO_RUN}


class Rate(NamedTuple):
    """What one of a currency is in another: the addresses of what each of the two is in US dollars; empty for these."""

    own: str = ""
    other: str = ""

    def convert(self, amount: Term) -> Formula:
        """An amount in the other currency: `cost_eur * catalog.rates.2026-01-02.usd_per_eur`."""
        pattern = "{}" + " * {}" * bool(self.own) + " / {}" * bool(self.other)
        return formula_of(pattern, amount, *filter(None, self))

    def value(self, value_of: ValueOf) -> Fraction | None:
        """As a number; None where a rate is not known."""
        found = [value_of(address) if address else ONE for address in self]
        return found[0] / found[1] if found[0] is not None and found[1] else None


PAR = Rate()


def rates_between(ledger: Ledger, own: str, other: str, listed: str = "") -> list[tuple[int, Rate]]:
    """The rates from one currency to another, each with the day from which it holds, 0 for the first; none where a rate
    is missing. A price list may have one of its own."""
    if own == other:
        return [(0, PAR)]
    if not own:
        return []
    sides = [_in_dollars(ledger, own, listed), _in_dollars(ledger, other)]
    if not all(sides):
        return []
    days = sorted({day for side in sides for day, _ in side})
    return [(day, Rate(*(_held(side, day) for side in sides))) for day in days]


def rate_on(rates: Sequence[tuple[int, Rate]], day: int) -> Rate | None:
    """The one of some rates that holds on a day (0: without a date, the last one), if there is one."""
    held = [rate for begins, rate in rates if begins <= day or not day]
    return held[-1] if held else None


def _in_dollars(ledger: Ledger, currency: str, listed: str = "") -> list[tuple[int, str]]:
    """The addresses of what one of a currency is in US dollars, each with the day from which it holds."""
    if currency == DOLLAR:
        return [(0, "")]
    key = f"usd_per_{currency}"
    dated = [(first_day(day), day) for day, rates in ledger.catalog.rates.items() if getattr(rates, key) is not None]
    found = [(begins, f"catalog.rates.{day}.{key}") for begins, day in sorted(dated)]
    prices = ledger.catalog.prices.get(listed)
    if not found and prices is not None and prices.rate is not None and currency in prices.rate.currencies:
        found = [(0, f"catalog.prices.{listed}.rate.{key}")]
    return [(0, address) if number == 0 else (day, address) for number, (day, address) in enumerate(found)]


def _held(side: Iterable[tuple[int, str]], day: int) -> str:
    """The address that holds on a day."""
    return [address for begins, address in side if begins <= day][-1]


def last_rate(ledger: Ledger, own: str, other: str) -> Rate | None:
    """The rate of work to come from one currency to another; None where there is none."""
    rates = rates_between(ledger, own, other)
    return rates[-1][1] if rates else None


class PriceSpan(Struct, frozen=True):
    """Days over which a card has one price: the first (0: from the beginning), the one after the last, the address of
    the price (empty where no list has one), its list, and the rate at which it is converted. Runs without a date are at
    day 0."""

    since: int
    until: int
    address: str
    listed: str = ""
    rate: Rate = PAR

    @property
    def name(self) -> str:
        """What addresses call it."""
        if self.until == 1:
            return UNDATED
        if self.since:
            return f"since.{iso(self.since)}"
        return "first" if self.address else f"before.{iso(self.until)}"

    @property
    def words(self) -> str:
        """In a title: `since 2026-03-16`, `at the first price`, `in runs without a date`."""
        words = {UNDATED: "in runs without a date", "first": "at the first price"}
        return words.get(self.name, self.name.replace(".", " "))

    def price(self, value_of: ValueOf) -> Fraction | None:
        """The price of an hour; None where it is not known."""
        price, rate = value_of(self.address) if self.address else None, self.rate.value(value_of)
        return price * rate if price is not None and rate is not None else None


class CardPrice(Struct, frozen=True):
    """The prices of a card: spans of days in their order, which of them is that of runs without a date, and the last
    known price. A span of such runs alone stands last, and not among the first days, `days`."""

    spans: tuple[PriceSpan, ...]
    days: tuple[int, ...]
    undated: int
    last: PriceSpan

    def at(self, day: int) -> int:
        """Which of the spans a day lies in; day 0 is that of a run without a date."""
        return bisect_right(self.days, day) - 1 if day else self.undated

    @property
    def missing(self) -> tuple[PriceSpan, ...]:
        """The spans of which no list has the price."""
        return tuple(span for span in self.spans if not span.address)

    @property
    def gap(self) -> str:
        """When no list that counts has the price, as a sentence."""
        return f"no list that counts has the price of this card {' or '.join(span.words for span in self.missing)}"


def price_of(ledger: Ledger, project: ProjectLedger, used: PricedCard) -> CardPrice | None:
    """The prices of a card for work of a project, in its currency; None where no list has one."""
    return card_price(ledger, lists_of(ledger, project, used), used.card, project.currency)


def dollar_price(ledger: Ledger, project: ProjectLedger, used: PricedCard) -> CardPrice | None:
    """The prices of a card that lists state in US dollars; None where it depends on the payer which prices count."""
    found = price_of(ledger, project, used)
    if project.currency != DOLLAR or Terms(ledger, PayerRules(ledger, project)).differ:
        return None
    return found if found and all(span.rate == PAR for span in found.spans) else None


def lists_of(ledger: Ledger, project: ProjectLedger, used: PricedCard) -> Ids:
    """The price lists that are asked for the price of a card."""
    if used.named:
        return (used.named,)
    terms = Terms(ledger, PayerRules(ledger, project))
    return (terms.lists(used.payer) or ()) if used.payer else terms.own


def card_price(ledger: Ledger, lists: Iterable[str], card: str, currency: str) -> CardPrice | None:
    """The prices of a card from the first of some lists that has one, in a currency; None where none of them has it."""
    spans: list[PriceSpan] = []  # the latest first
    until, undated = LAST + 1, ""
    for name in lists:
        prices = ledger.catalog.prices.get(name)
        as_of = last_day(prices.as_of or "") if prices else 0
        for day, at in reversed(prices.hourly(card)) if prices else ():
            address = f"catalog.prices.{name}.{at}" if at else ""
            undated = undated or (address if day <= as_of else "")
            if day < until:
                spans.append(PriceSpan(day, until, address, name))
                until = day
    spans = [part for span in reversed(spans) for part in _converted(ledger, span, currency)]
    if not any(span.address for span in spans):
        return None
    last = next(span for span in reversed(spans) if span.address)
    spans = [*([PriceSpan(0, until, "")] if until > 1 else []), *spans]
    days = tuple(span.since for span in spans)
    among = [number for number, span in enumerate(spans) if undated and span.address == undated]
    if not among:
        first = PriceSpan(0, 1, undated, last.listed, last.rate)
        spans.append(first)
    return CardPrice(tuple(spans), days, among[-1] if among else len(spans) - 1, last)


def _converted(ledger: Ledger, span: PriceSpan, currency: str) -> Iterator[PriceSpan]:
    """A span of days cut where rates change, in a currency; without a price where no rate is known."""
    own = ledger.catalog.prices[span.listed].currency
    rates = rates_between(ledger, own, currency, span.listed)
    if not span.address or not rates:
        yield replace(span, address="")
        return
    ends = [*(day for day, _ in rates[1:]), LAST + 1]
    for (day, rate), end in zip(rates, ends, strict=True):
        since, until = max(span.since, day), min(span.until, end)
        if since < until:
            yield replace(span, since=since, until=until, rate=rate)
