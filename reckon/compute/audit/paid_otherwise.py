"""Runs that were paid otherwise than their item plans: on another card, at another price, or by another payer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import ONE, ZERO, add_up
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.figure import Traits
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import NOBODY

from ..book import Book
from ..budget.payer_units import values_in
from ..budget.payers import ChargedDays, Payers, ProjectCharges
from ..budget.prices import PricedCard, Terms, price_of
from ..sheet.inputs import ratio_address
from .common import counted, places

_Work = tuple[str, str, bool]
"""An item, the price list that is named for it, and whether its runs state what they cost."""


class _Otherwise(NamedTuple):
    """How runs were paid, as the item plans it: the card, the price list and the payer; empty where nothing is said."""

    card: str
    price: str
    payer: str


def paid_otherwise(project: ProjectLedger, book: Book) -> Findings:
    """Runs of an item on another card, at another price list or from another payer than the item says, and what that
    moves in money."""
    if book.find(project, "money.actual") is None:
        return
    charges = ProjectCharges(book.ledger, project)
    judge = _Judge(project, book, charges)
    hours: dict[str, dict[_Otherwise, list[ChargedDays[_Work]]]] = {}
    billed = set[str]()
    for days in charges.held(_work):
        item, price, has_cost = days.key
        billed.update((item,) if has_cost else ())
        if has_cost or item not in project.items or project.items[item].currency:
            continue
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


def _work(traits: Traits) -> _Work:
    return traits.item, traits.price, bool(traits.costs)


class _Judge:
    """What the items of a project plan, and what hours cost by that and otherwise."""

    def __init__(self, project: ProjectLedger, book: Book, charges: ProjectCharges) -> None:
        self.project = project
        self.book = book
        self.terms = Terms(book.ledger, charges.rules)
        self.value_of = values_in(book.figures)

    def planned(self, item: str) -> _Otherwise:
        """What an item says of its runs."""
        payer = self.project.named("allocation", item)
        card = self.project.card_on(item, None)
        price = self.project.named("price", item)
        return _Otherwise(card, price, "" if payer == NOBODY else payer)

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
        """How many hours were paid otherwise, in which way, and what that moves in money; nothing where it moves none,
        or a price is not known."""
        moved = self._moved(item, ran, found)
        if not moved:
            return ()
        held = add_up(add_up(days.days.values()) for days in found)
        amount = counted(abs(moved), key_unit(self.project.currency))
        return say(
            "{hours} {how}: {amount} {more} than planned",
            hours=counted(held, GPU_HOURS),
            how=", ".join(self.words_of(item, ran)),
            amount=amount,
            more="less" if moved < 0 else "more",
        )

    def _moved(self, item: str, ran: _Otherwise, found: list[ChargedDays[_Work]]) -> Fraction | None:
        """What hours cost more than as planned, on the planned card by its ratio; None where a price is not known."""
        planned = self.planned(item)
        total = ZERO
        ratio = ONE if ran.card == planned.card else self.value_of(ratio_address(ran.card, planned.card))
        if ratio is None:
            return None
        for days in found:
            spent = self._price(PricedCard(ran.price, ran.card), days.payers)
            wanted = self._price(
                PricedCard(planned.price, planned.card), (planned.payer,) if planned.payer else days.payers
            )
            for day, hours in days.days.items():
                first = spent(day)
                second = wanted(day)
                if first is None or second is None:
                    return None
                total += hours * (first - ratio * second)
        return total

    def _price(self, on: PricedCard, payers: Payers) -> Callable[[int], Fraction | None]:
        """The price of an hour on a card on a day, for who pays."""
        used = self.terms.used(on.named, on.card, payers)
        if self.terms.is_free(used):
            return lambda day: ZERO
        price = price_of(self.book.ledger, self.project, used)
        return lambda day: price.spans[price.at(day)].price(self.value_of) if price else None
