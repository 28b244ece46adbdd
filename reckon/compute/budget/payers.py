"""Who pays for the hours of a project: the only place that asks.

The nearest that says so counts: a run, the rule and the source that it was imported by, its item, the phase of that,
the project. Where nothing says so, a grant of the project pays that takes the card on that day: one that is of this
card, or of none, and open then; hours without a date count within the dates of every grant. Where several do, it is not
known which of them pays; where none does, the project pays for itself. A grant that is only applied for pays where no
other one does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from itertools import count, pairwise
from math import lcm
from typing import Any, Generic, NamedTuple, TypeVar

from reckon.language.calendar_days import LAST, first_day, last_day
from reckon.language.quantity import Quantity
from reckon.model import records as r
from reckon.model.day_split import by_day, spread
from reckon.model.figure import COSTS, Traits
from reckon.model.fixed_point import Amounts
from reckon.model.ledger import Kinds, Ledger, ProjectLedger

from .billing import billed_hours
from .daily_hours import Charges
from .history import DailyHours

Key = TypeVar("Key", bound=Hashable)
KeyOf = Callable[[Traits], Key]
"""What is asked of kinds of runs, by which their hours are told apart."""
Payers = tuple[str, ...]
"""The grants that could be charged: one that is, several of which it is not known which, or none."""


class ChargedDays(NamedTuple, Generic[Key]):
    """Hours of runs on a card, as hours of that card by day, with the grants that could be charged for them; or, where
    they are `stated`, what their payer booked, in the unit of that."""

    key: Key
    card: str
    payers: Payers
    days: DailyHours
    stated: bool = False


class Lane(NamedTuple):
    """Work to come of which each hour takes the same: the grants that could be charged, the card, and the price list
    that is named for it. Of several grants it is not known which is charged, unless they follow each other and pay
    `in_turn`. Without any, the project pays for itself: because that is said (`in_turn`), or because no grant of it is
    open. `in_money` says whether one of these pays in money; `power` tells apart, where energy asks for it, what draws
    otherwise on the same card."""

    payers: Payers
    card: str
    in_turn: bool
    price: str = ""
    power: str = ""
    in_money: bool = False

    @property
    def known(self) -> bool:
        """Whether it is known who pays: one grant, several in turn, or the project itself."""
        return self.in_turn or len(self.payers) < 2

    @property
    def words(self) -> str:
        """What tells its draws from those of others."""
        return " ".join(["/".join(self.payers), self.card, *filter(None, (self.price, self.power))])


class PayerRules:
    """Which payer is named for the work of a project, and which grants take hours where none is."""

    def __init__(self, ledger: Ledger, project: ProjectLedger) -> None:
        self.project = project
        self.drawn = {name: grant for name, grant in ledger.allocations.items() if project.id in grant.projects}
        self.grants = {name: grant for name, grant in self.drawn.items() if is_granted(grant)}
        self.asked = {name: grant for name, grant in self.drawn.items() if name not in self.grants}
        self._cards = {name: cards_of(ledger, grant) for name, grant in self.drawn.items()}

    def payers(self, named: str, card: str, day: int, budgeted: bool = True) -> Payers:
        """The grants that could be charged for hours on a card and a day, for which a payer may be named; hours that
        are not `budgeted` are those of a line of money."""
        if self._counts(named, budgeted):
            return () if named == r.NOBODY else (named,)
        taking = self._taking(self.grants, card, day, budgeted)
        return taking or self._taking(self.asked, card, day, budgeted)

    def _counts(self, named: str, budgeted: bool) -> bool:
        """Whether the payer that is named counts: for a line of money, one that pays in money."""
        in_money = named == r.NOBODY or (named in self.drawn and bool(self.drawn[named].currency))
        return bool(named) and (budgeted or in_money)

    def _taking(self, grants: Mapping[str, r.Allocation], card: str, day: int, budgeted: bool) -> Payers:
        return tuple(
            name for name, grant in grants.items() if self._takes(name, card, budgeted) and is_open(grant, day)
        )

    def _takes(self, name: str, card: str, budgeted: bool) -> bool:
        """Whether a grant can be charged for hours on a card; of a line of money, for its money, where it is on a card
        for hours on this."""
        cards = self._cards[name]
        return (budgeted or bool(self.drawn[name].currency)) and (cards is None or not card or card in cards)

    @cached_property
    def _last_booking(self) -> int:
        """The last day on which something was refunded, or booked without a run: these are data, too."""
        changes = (change for grant in self.grants.values() for change in grant.changes)
        return max((last_day(change.date) for change in changes if change.is_booking), default=0)

    def coming(self, item: str, through: int) -> Lane:
        """Who pays for the work to come of an item: who is named, else the grants that take its card and are open after
        the last day of data, or begin later. Those that follow each other pay in turn."""
        record = self.project.items[item]
        card = record.gpu or (not record.currency and self.project.gpu) or ""
        price = self.project.named("price", item)
        named = self.project.named("allocation", item)
        in_turn, in_hours = True, not record.currency
        if self._counts(named, in_hours):
            payers = self.payers(named, card, 0, in_hours)
        else:
            through = max(through, self._last_booking)
            spans = self._open_after(self.grants, card, through, in_hours)
            spans = spans or self._open_after(self.asked, card, through, in_hours)
            payers = tuple(name for _, _, name in spans)
            # What is left of allocations that count otherwise cannot be added up.
            counted = {_counts_in(self.drawn[name]) for name in payers}
            in_turn = len(counted) == 1 and all(before[1] < after[0] for before, after in pairwise(spans))
        in_money = any(name in self.drawn and self.drawn[name].currency for name in payers)
        return Lane(payers, card, in_turn, price, in_money=in_money)

    def _open_after(
        self, grants: Mapping[str, r.Allocation], card: str, through: int, budgeted: bool
    ) -> list[tuple[int, int, str]]:
        """The first and the last day and the id of grants that take a card and have not ended on a day, in their
        order."""
        taking = ((*days_of_grant(grant), name) for name, grant in grants.items() if self._takes(name, card, budgeted))
        return sorted(span for span in taking if span[1] >= through)


class _Alike(NamedTuple):
    """Runs of a kind for which the same payer is named; `stated` says whether they say what it booked."""

    traits: Traits
    payer: str
    stated: bool


class ProjectCharges:
    """The hours of a project by who pays for them, and what each payer books. Runs are gone through as columns."""

    def __init__(self, ledger: Ledger, project: ProjectLedger) -> None:
        self.rules = PayerRules(ledger, project)
        self.project = project

    @cached_property
    def _kinds(self) -> tuple[Kinds, list[_Alike]]:
        """The runs by kind, by the payer that is named for them, and by whether they say what it booked."""
        kinds, rows = self.project.kinds, self.project.rows
        columns = [rows.column(name) for name in ("allocation", "imported.source", "imported.rule")]
        stated = [booked is not None for booked in rows.column("charged")]
        numbers: dict[tuple[Any, ...], int] = defaultdict(count().__next__)
        of = [*map(numbers.__getitem__, zip(kinds.of, stated, *columns, strict=True))]
        found = []
        for kind, is_stated, run, source, rule in numbers:
            traits = kinds.traits[kind]
            named = self.project.named("allocation", traits.item, run or "", source or "", rule or "")
            found.append(_Alike(traits, named, is_stated))
        return Kinds(rows, of, [each.traits for each in found]), found

    @cached_property
    def _held(self) -> Charges:
        return Charges(self.project, self._kinds[0])

    def payers_on(self, number: int, traits: Traits, day: int) -> Payers:
        """Who could be charged for a run, by its number, on a day."""
        kinds, alike = self._kinds
        return self.rules.payers(alike[kinds.of[number]].payer, traits.gpu, day, traits.budgeted)

    def held(self, key: KeyOf[Key]) -> Iterator[ChargedDays[Key]]:
        """The hours of the runs that have the same key, by card and by the grants that could be charged."""
        return self._by_payers(self._held, key)

    def costs(self, key: KeyOf[Key]) -> Iterator[tuple[str, ChargedDays[Key]]]:
        """What the runs that have the same key state that they cost, and entries without hours, each in a currency."""
        rows = self.project.rows
        for field in filter(rows.says, COSTS):
            amounts = rows.amounts(field)
            stated = Amounts([cost or 0 for cost in amounts.values], amounts.per)
            for days in self.by_payers(stated, key):
                yield field.removeprefix("cost_"), days
        for _, run, traits in self.project.each_addition():
            named = self.project.named_for("allocation", run)
            for field in traits.costs:
                for day, amount in by_day(dict(spread(run, getattr(run, field)))).items():
                    payers, part = self.rules.payers(named, "", day, budgeted=False), DailyHours({day: amount})
                    yield field.removeprefix("cost_"), ChargedDays(key(traits), "", payers, part)

    def booked(self, charge: r.Billing | None, key: KeyOf[Key]) -> Iterator[ChargedDays[Key]]:
        """What is billed of these hours by a payer that charges so; and what runs say that their payer booked, in the
        unit of that (`stated`)."""
        rows = self.project.rows
        if not rows.says("charged"):
            return self.billed(charge, key)
        billed = billed_hours(rows, charge) if charge is not None and charge.bills else rows.charged
        return self.by_payers(_stated_first(rows.amounts("charged"), billed), key)

    def billed(self, billing: r.Billing | None, key: KeyOf[Key]) -> Iterator[ChargedDays[Key]]:
        """What is billed of these hours, whatever runs say that their payer booked."""
        if billing is None or not billing.bills:
            return self.held(key)
        return self.by_payers(billed_hours(self.project.rows, billing), key)

    def by_payers(self, amounts: Amounts, key: KeyOf[Key]) -> Iterator[ChargedDays[Key]]:
        """Other amounts than the hours of the runs, one of each, in the same way."""
        return self._by_payers(Charges(self.project, self._kinds[0], amounts), key)

    def _by_payers(self, charges: Charges, key: KeyOf[Key]) -> Iterator[ChargedDays[Key]]:
        owners = []
        for traits, payer, stated in self._kinds[1]:
            owners.append((key(traits), traits.gpu, payer, stated, traits.budgeted))
        for (value, card, payer, stated, budgeted), days in charges.by_day(owners, [1] * len(owners)).items():
            parts: dict[Payers, dict[int, Any]] = defaultdict(dict)
            for day, hours in days.parts.items():
                parts[self.rules.payers(payer, card, day, budgeted)][day] = hours
            for payers, its in parts.items():
                yield ChargedDays(value, card, payers, DailyHours(its, days.per), stated)


def _stated_first(stated: Amounts, billed: Amounts) -> Amounts:
    """What is stated of each run, else what is billed of it."""
    per = lcm(stated.per, billed.per)
    pairs = zip(stated.scaled(per), billed.scaled(per), strict=True)
    return Amounts([own if own is not None else hours for own, hours in pairs], per)


def _counts_in(grant: r.Allocation) -> tuple[str, str, str]:
    """What an allocation counts in: hours or units, of which card, and what the units are called."""
    return grant.amount_key, grant.gpu or "", grant.charge.unit if grant.charge else ""


def charges_of(ledger: Ledger) -> Mapping[str, ProjectCharges]:
    """The hours of each project by who pays for them."""
    return {project.id: ProjectCharges(ledger, project) for project in ledger.projects.values()}


def is_granted(grant: r.Allocation) -> bool:
    """Whether hours were granted. Those of a grant that is only applied for are stated as unknown."""
    return not isinstance(grant.amount, Quantity) or grant.amount.value.use is not None


def days_of_grant(grant: r.Allocation) -> tuple[int, int]:
    """The first and the last day of a grant; 0 and the last of the calendar where it has none."""
    return first_day(grant.since or ""), last_day(grant.until or "") or LAST


def is_open(grant: r.Allocation, day: int) -> bool:
    """Whether a grant can be charged for hours of a day, or (day 0) without a date."""
    first, last = days_of_grant(grant)
    return not day or first <= day <= last


def cards_of(ledger: Ledger, grant: r.Allocation) -> frozenset[str] | None:
    """The cards whose hours a grant can be charged for; None for those of any."""
    if grant.currency:
        lists = (ledger.catalog.prices.get(name) for name in grant.prices)
        return frozenset(card for prices in lists if prices is not None for card in prices.cards)
    if grant.charge is not None and grant.charge.cards:
        return frozenset(grant.charge.cards)
    return None if grant.gpu is None else frozenset([grant.gpu])
