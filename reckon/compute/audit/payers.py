"""What is not known of grants: which of them is charged for hours, and which will be for work to come; and runs that
were paid otherwise than their item plans: on another card, at another price, or by another payer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.language.quantity import ONE, ZERO
from reckon.language.text import Place
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.figure import Worked, is_known, places_of
from reckon.model.figure import planned as planned_of
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import Ids, ProjectLedger
from reckon.model.records import NOBODY

from ..book import Book
from ..budget.payer_units import values_in
from ..budget.payers import ChargedDays, Payers, ProjectCharges
from ..budget.prices import Terms, price_of
from ..budget.shared_grants import SharedGrants, join_titles
from ..sheet.inputs import ratio_address
from .common import counted, is_above, shared_grants_of

SLIGHT = Fraction(1, 100)
"""What moves no more than this share of what a project cost is not told."""
NAMED_AT = "on the run, on the source or the rule that it is imported by, on its item or phase, or on the project"


def payer_not_named(project: ProjectLedger, book: Book) -> Findings:
    """Hours for which several grants could be charged, and none is named."""
    for group in shared_grants_of(project, book):
        name = group.names[0]
        yield make_finding(
            "payer-not-named",
            f"allocations.{name}",
            "",
            _shared(book, group) + _undecided(project, book, group.names, "shared"),
            remedy=f"Name who pays, as `allocation: {name}`: {NAMED_AT}.",
            places=_granted_at(book, name),
        )


def payer_unknown(project: ProjectLedger, book: Book) -> Findings:
    """Work to come for which several grants could be charged, and none is named."""
    told: set[Sentence] = set()
    for name in book.ledger.grants_of(project.id):
        why = () if name in book.shared_grants else why_unknown(book, name) or why_unknown(book, name, extended=True)
        if why and why not in told:
            told.add(why)
            undecided = _undecided(project, book, [name], "payer")
            yield make_finding(
                "payer-unknown",
                f"allocations.{name}",
                "",
                why + undecided,
                remedy=f"Name who pays for the items with work to do, as `allocation: {name}`, or for their phase.",
                places=_granted_at(book, name),
                is_mild=not undecided,
            )


def _granted_at(book: Book, name: str) -> tuple[Place, ...]:
    """Where it is written what is granted."""
    return places_of(book.get(f"allocations.{name}.{book.allocations[name].amount_key}"))


def charged_outside(project: ProjectLedger, book: Book) -> Findings:
    """An allocation is charged for runs for which it is named, on days before its first or after its last."""
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        outside = book.get(f"{at}.outside_its_days")
        if outside:
            days = " ".join(f"{word} {day}" for word, day in (("from", grant.since), ("to", grant.until)) if day)
            told = "{outside} were charged on days that are not its own; it goes {days}"
            lines = _granted_at(book, name)
            arithmetic = say(told, outside=outside, days=days)
            yield make_finding("charged-outside-its-days", at, grant.title, arithmetic, places=lines)


def refunded_too_much(project: ProjectLedger, book: Book) -> Findings:
    """More was refunded of an allocation than it was charged."""
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        used = book.get(f"{at}.used")
        if planned_of(used) < 0:
            told = say("with what was refunded it was charged {used}", used=used)
            yield make_finding("refunded-above-charged", at, grant.title, told)


def why_unknown(book: Book, name: str, extended: bool = False) -> Sentence:
    """Why it is not known what a grant was charged, or will be (with the extensions, if asked for); empty where both
    are known."""
    at = f"allocations.{name}"
    if group := book.shared_grants.get(name):
        titles = join_titles(book.ledger, group.rivals[name], "or")
        return say("{hours} could be charged to {titles}", hours=book[f"{at}.shared"], titles=titles)
    left = book.get(f"{at}.{'extended.' * extended}left_to_spend")
    if left is None or left.missing != (f"{at}.payer",) or not isinstance(left.origin, Worked):
        return ()
    return say("{with_them}{why}", with_them="with the extensions, " if extended else "", why=left.origin.how)


def _shared(book: Book, group: SharedGrants) -> Sentence:
    """Which hours could be charged to which grants, and what is left of these."""
    first = f"allocations.{group.names[0]}"
    told = dict[Ids, Sentence]()
    for name in group.names:
        told.setdefault(group.rivals[name], why_unknown(book, name))
    shared = joined(told.values())
    used, left, granted = book.get_all(f"{first}.together", "used", "left", "granted")
    if is_above(used, granted):
        return shared + say("; {used} of {granted} are used of them together", used=used, granted=granted)
    if is_known(left):
        shared += say("; {left} of {granted} are left of them together", left=left, granted=granted)
    # Each may have been charged for none of these hours, if another one was charged for all of them.
    each = joined((_left_at_most(book, group, name) for name in group.names), " and ")
    return (*shared, "; at most ", *each, " are left")


def _left_at_most(book: Book, group: SharedGrants, name: str) -> Sentence:
    cards = {each: book.allocations[each].gpu for each in group.names}
    card = book.catalog.gpus.get(cards[name] or "") if len(set(cards.values())) > 1 else None
    on = f" on {card.title}" if card else ""
    left = book[f"allocations.{name}.left_at_most"]
    return say("{left} of “{title}”{on}", left=left, title=book.allocations[name].title, on=on)


def _undecided(project: ProjectLedger, book: Book, names: Iterable[str], lacking: str) -> Sentence:
    """That policies are undecided because something of some grants is missing."""
    wanted = {f"allocations.{name}.{lacking}" for name in names}
    undecided = [
        result
        for result in book.policies[project.id]
        if result.holds is None and not wanted.isdisjoint(result.judged.missing)
    ]
    titles = dict.fromkeys(f"“{result.policy.title or result.name}”" for result in undecided)
    many = "policies" if len(titles) > 1 else "policy"
    return say("; the {many} {titles} cannot be decided", many=many, titles=", ".join(titles)) if titles else ()


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
            lines = places_of(book.find(project, f"plan.{item}.gpu_hours"))
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
            spent = self._price(ran, days.payers)
            wanted = self._price(planned, payers)
            for day, hours in days.days.items():
                first = spent(day)
                second = wanted(day)
                if ratio is None or first is None or second is None:
                    return ()
                held += hours
                moved += hours * (first - ratio * second)
        if abs(moved) <= SLIGHT * planned_of(self.book.find(self.project, "money.actual")):
            return ()
        return say(
            "{hours} {how}. They cost {amount} {more} than planned",
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
