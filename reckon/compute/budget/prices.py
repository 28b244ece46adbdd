"""The price of a card, from day to day: that of the price list that is named for the work, and of that alone; where
none is named, for each day that of the first of the project's price lists that has one.

A list has a price from the day on that it states; one without a day is the earlier one beside those with a day, and the
only one where there is no other. Before its first day a list says nothing, and the next list of the project is asked.
So it is where the first price is `unknown`; a later one that is unknown is a gap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import LAST, iso, last_day
from reckon.model.figure import NO_RUN
from reckon.model.ledger import Ledger, ProjectLedger

UNDATED = "undated"


class PricedCard(NamedTuple):
    """A card, and the price list that is named for hours on it; empty for the lists of the project."""

    named: str
    card: str

    @property
    def within(self) -> str:
        """Where the addresses of its money are, inside those of the whole."""
        return f"by_price.{self.named}." if self.named else ""

    @property
    def words(self) -> str:
        """In a title: `on a100`, `on a100 at the prices of spot`."""
        return f"on {self.card}" + (f" at the prices of {self.named}" if self.named else "")


def planned_on(project: ProjectLedger) -> Iterator[tuple[str, PricedCard]]:
    """Each item of the plan with the card that it is on, and the price list that is named for it."""
    for name, item in project.items.items():
        card = str(item.gpu or project.project.gpu)
        yield str(name), PricedCard(project.named("price", str(name)), card)


def ran_on(project: ProjectLedger) -> set[PricedCard]:
    """The cards that runs were on, with the price lists that are named for them."""
    return {PricedCard(traits.price, traits.gpu) for traits in project.kinds.traits if traits.status != NO_RUN}


class PriceSpan(Struct, frozen=True):
    """Days over which a card has one price: the first (0: from the beginning), the one after the last, and the address
    of the price; empty where no list has one. Runs without a date are at day 0."""

    since: int
    until: int
    address: str

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


class CardPrice(Struct, frozen=True):
    """The prices of a card: spans of days in their order, which of them is that of runs without a date, and the last
    known price. A span of such runs alone stands last, and not among the first days, `days`."""

    spans: tuple[PriceSpan, ...]
    days: tuple[int, ...]
    undated: int
    last: str

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


def price_of(ledger: Ledger, project: ProjectLedger, card: str, named: str = "") -> CardPrice | None:
    """The prices of a card in the list that is named, else in the project's lists; None where none of them has it."""
    spans: list[PriceSpan] = []  # the latest first
    until, undated = LAST + 1, ""
    for name in (named,) if named else project.project.prices:
        prices = ledger.catalog.prices.get(name)
        as_of = last_day(str(prices.as_of or "")) if prices else 0
        for day, at in reversed(prices.hourly(card)) if prices else ():
            address = f"catalog.prices.{name}.{at}" if at else ""
            undated = undated or (address if day <= as_of else "")
            if day < until:
                spans.append(PriceSpan(day, until, address))
                until = day
    if not spans:
        return None
    last = next(span.address for span in spans if span.address)
    spans = [*([PriceSpan(0, until, "")] if until > 1 else []), *reversed(spans)]
    days = tuple(span.since for span in spans)
    among = [number for number, span in enumerate(spans) if undated and span.address == undated]
    if not among:
        spans.append(PriceSpan(0, 1, undated))
    return CardPrice(tuple(spans), days, among[0] if among else len(spans) - 1, last)
