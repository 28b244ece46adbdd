"""Runs that were paid otherwise than their item plans: on another card, at another price, or by another payer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.language.quantity import ONE, ZERO
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import NOBODY

from ..book import Book
from ..budget.payer_units import values_in
from ..budget.payers import ChargedDays, Payers, ProjectCharges
from ..budget.prices import Terms, price_of
from ..sheet.inputs import ratio_address
from .common import counted, places

_Work = tuple[str, str, bool]
"""An item, the price list that is named for it, and whether its runs state what they cost."""


class _Otherwise(NamedTuple):
    """How runs were paid, or how an item plans it: the card, the price list and the payer; empty where nothing is
    said."""

    card: str
    price: str
    payer: str


def paid_otherwise(project: ProjectLedger, book: Book) -> Findings:
    """Runs of an item on another card, at another price list or from another payer than the item says, and what that
    moves in money."""
    if book.find(project, "money.actual") is None:
        return
    charges = ProjectCharges(book.ledger, project)
    judge = _Judge(project, book, Terms(book.ledger, charges.rules))
    hours: dict[str, dict[_Otherwise, list[ChargedDays[_Work]]]] = {}
    billed = set[str]()
    for days in charges.held(lambda traits: (traits.item, traits.price, bool(traits.costs))):
        item, price, has_cost = days.key
        if has_cost:
            billed.add(item)
        elif item in project.items and not project.items[item].currency:
            ran = _Otherwise(days.card, price, days.payers[0] if len(days.payers) == 1 else "")
            if judge.words_of(item, ran):
                hours.setdefault(item, {}).setdefault(ran, []).append(days)
    for item, by_way in hours.items():
        told = joined(filter(None, (judge.say(item, ran, found) for ran, found in by_way.items())))
        if told:
            told += say("; runs that state a cost are not counted") if item in billed else ()
            lines = places(book.find(project, f"plan.{item}.gpu_hours"))
            title = project.items[item].title
            yield make_finding("paid-otherwise", f"{project.id}.plan.{item}", title, told, places=lines)


class _Judge(Struct, frozen=True):
    """What the items of a project plan, and what hours cost by that and otherwise."""

    project: ProjectLedger
    book: Book
    terms: Terms

    def planned(self, item: str) -> _Otherwise:
        """What an item says of its runs."""
        payer = self.project.named("allocation", item)
        card = self.project.card_on(item, None)
        return _Otherwise(card, self.project.named("price", item), "" if payer == NOBODY else payer)

    def words_of(self, item: str, ran: _Otherwise) -> list[str]:
        """In which way runs were paid otherwise than planned; nothing where they were not."""
        planned = self.planned(item)
        known = (
            ("on", "catalog.gpus.", "", ran.card, planned.card),
            ("at", "catalog.prices.", "the usual prices", ran.price, planned.price),
            ("paid by", "allocations.", "the project", ran.payer, planned.payer or ran.payer),
        )
        return [
            f"{how} {self._title_of(at + one, nothing)} in place of {self._title_of(at + other, nothing)}"
            for how, at, nothing, one, other in known
            if one != other
        ]

    def _title_of(self, address: str, nothing: str) -> str:
        """What a record is called, or its id as one; `nothing` where none is named."""
        name = address.rpartition(".")[2]
        known = self.book.words.get(address) or self.book.catalog.prices.get(name)
        return (known.title if known else "") or (f"`{name}`" if name else nothing)

    def say(self, item: str, ran: _Otherwise, found: list[ChargedDays[_Work]]) -> Sentence:
        """How many hours were paid otherwise, in which way, and what that moves in money, on the planned card by its
        ratio; nothing where it moves none, or a price is not known."""
        value_of = values_in(self.book.figures)
        planned = self.planned(item)
        ratio = ONE if ran.card == planned.card else value_of(ratio_address(ran.card, planned.card))
        held = moved = ZERO
        for days in found:
            payers = (planned.payer,) if planned.payer else days.payers
            spent, wanted = self._price(ran, days.payers), self._price(planned, payers)
            for day, hours in days.days.items():
                first = spent(day)
                second = wanted(day)
                if ratio is None or first is None or second is None:
                    return ()
                held += hours
                moved += hours * (first - ratio * second)
        if not moved:
            return ()
        return say(
            "{hours} {how}: {amount} {more} than planned",
            hours=counted(held, GPU_HOURS),
            how=", ".join(self.words_of(item, ran)),
            amount=counted(abs(moved), key_unit(self.project.currency)),
            more="less" if moved < 0 else "more",
        )

    def _price(self, way: _Otherwise, payers: Payers) -> Callable[[int], Fraction | None]:
        """The price of an hour on a card on a day, for who pays."""
        used = self.terms.used(way.price, way.card, payers)
        if self.terms.is_free(used):
            return lambda day: ZERO
        price = price_of(self.book.ledger, self.project, used)
        value_of = values_in(self.book.figures)
        return lambda day: price.spans[price.at(day)].price(value_of) if price else None
