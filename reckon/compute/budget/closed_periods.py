"""What allocations were granted and charged in a period, and what of that closings do not say.

Runs count for the allocation that pays for them (`payers`), as it books them (`bookings`), on the days on which they
were charged (`day_split`). Refunds, and what was booked without a run, count on their days, for the project of their
item or the first that draws on the allocation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import first_day, last_day
from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.model import records as r
from reckon.model.closing import (
    ALLOCATION,
    CHARGED,
    FAILED,
    GRANTED,
    HELD,
    KEPT_FIRST,
    LEFT,
    USED,
    USEFUL,
    Cell,
    Closing,
    Sums,
    added,
    balance_of,
    items_of,
    less,
    total_of,
)
from reckon.model.figure import NO_RUN, Figures, Traits
from reckon.model.figure import USEFUL as USEFUL_STATUS
from reckon.model.ledger import Ids, Ledger

from ..sheet.cells import Addresses
from .allocations import granted_changes
from .bookings import bookings
from .history import DailyHours
from .payer_units import values_in
from .payers import ChargedDays, charges_of

Known = tuple[Sums, Addresses]
"""Sums, and the inputs that are missing for them."""


class Unadjusted(NamedTuple):
    """What a project was charged in a closed period beyond what was closed and adjusted; and the ratios of GPUs because
    of which that is not known. One of the projects has the balance of the allocation, too.

    `closed` is the closing of the project, or that of another one, where this draws on the allocation since.
    """

    closed: Closing
    project: str
    sums: Sums
    missing: Addresses = ()

    @property
    def moves_more(self) -> bool:
        """Whether more moved than what is left, which follows from what was charged."""
        return any(cell.column != LEFT for cell in self.sums)


class _Part(NamedTuple):
    """Amounts of a cell by day; `lacks` is the input without which they are not known."""

    cell: Cell
    days: DailyHours
    lacks: str = ""


class Charges:
    """What the allocations of a ledger were charged on any days. The runs of a project are gone through once."""

    def __init__(self, ledger: Ledger, figures: Figures) -> None:
        self.ledger, self.figures = ledger, figures
        self._projects = charges_of(ledger)
        self._parts: dict[tuple[str, str], list[_Part]] = {}
        self._stated: dict[str, list[tuple[str, ChargedDays[str]]]] = {}

    def projects(self, allocation: str) -> list[str]:
        """The projects that draw on an allocation; none where there is no such allocation."""
        grant = self.ledger.allocations.get(allocation)
        return [name for name in grant.projects if name in self.ledger.projects] if grant else []

    def sums(self, allocation: str, project: str, first: int, last: int) -> Known:
        """What a project was charged from one day to another.

        Day 0 is that of runs without a date, which counts within the dates of every grant.
        """
        if project not in self.projects(allocation):
            return {}, ()
        at = allocation, project
        if at not in self._parts:
            self._parts[at] = [*self._runs(*at), *self._changes(*at)]
        found: dict[Cell, Fraction] = defaultdict(Fraction)
        missing = set[str]()
        for cell, days, lacks in self._parts[at]:
            if lacks:
                missing |= {lacks} if any(first <= day <= last for day in days) else set()
            else:
                found[cell] += _between(days, first, last)
        return added(found), tuple(sorted(missing))

    def _runs(self, allocation: str, project: str) -> Iterator[_Part]:
        """What the runs of a project are booked as, what they held, and what they state that they cost."""
        charges = self._projects[project]
        for booked in bookings(self.ledger, charges, allocation, values_in(self.figures), _item_and_column):
            item, own = booked.key
            for column in (USED, own):
                yield _Part(_cell(item, booked.card, column), booked.days, booked.lacks)
        if project not in self._stated:
            stated = charges.costs(_item)
            costs = ((f"cost_{currency}", cost) for currency, cost in stated if not cost.stated)
            self._stated[project] = [*((HELD, held) for held in charges.held(_item)), *costs]
        for column, each in self._stated[project]:
            if allocation in each.payers:
                yield _Part(_cell(each.key, each.card, column), each.days)

    def _changes(self, allocation: str, project: str) -> Iterator[_Part]:
        """What was refunded, or booked without a run."""
        grant, names = self.ledger.allocations[allocation], self.projects(allocation)
        for change in filter(lambda each: each.is_booking, grant.changes):
            owner, item, card, own = self._subject(names, change)
            amount = change.amount if change.kind == "charged" else -change.amount
            for column in (USED, own) if owner == project else ():
                cell = _cell(item, grant.gpu or card, column)
                yield _Part(cell, DailyHours({last_day(change.date): amount}))

    def _subject(self, names: Sequence[str], change: r.Change) -> tuple[str, str, str, str]:
        """What a change is about: the project, item, card and column of the run of its job; else those of its item, or
        the first project."""
        for name in names:
            project = self.ledger.projects[name]
            jobs = project.rows.column("job") if change.job else ()
            if change.job in jobs:
                run = project.rows.run([*jobs].index(change.job))
                item = run.item if project.item_of(run) else ""
                return name, item, project.card_of(run), _column(run.status)
        item = change.item or ""
        owner = next((name for name in names if item in self.ledger.projects[name].items), "")
        card = self.ledger.projects[owner or names[0]].project.gpu or ""
        return owner or names[0], item if owner else "", card, USEFUL

    def balance(self, allocation: str, first: int, last: int) -> Known:
        """What an allocation was granted by the end of a period and had left then, and what changed in it. What an
        ended grant leaves can be spent no more."""
        charged = [self.sums(allocation, project, 0, last) for project in self.projects(allocation)]
        if not charged:
            return {}, ()
        grant = self.ledger.allocations[allocation]
        amount = self.figures[f"allocations.{allocation}.{grant.amount_key}"].use or ZERO
        found: dict[str, Fraction] = defaultdict(Fraction)
        found[GRANTED] = amount
        for kind, day, change in granted_changes(self.ledger, allocation):
            found[GRANTED] += change if day <= last and kind in ("granted", "moved") else 0
            found[f"{kind}_in_it"] += change if first <= day <= last else 0
        left = found[GRANTED] - sum(total_of(sums, USED) for sums, _ in charged)
        found[LEFT] = min(left, ZERO) if grant.until and last > last_day(grant.until) else left
        missing = {name for _, some in charged for name in some}
        return added({Cell(*ALLOCATION, column): amount for column, amount in found.items()}), tuple(sorted(missing))

    def shared(self, allocation: str, first: int, last: int) -> tuple[Fraction, Ids]:
        """The hours of a period for which other allocations could be charged, too, as hours of their own cards; and
        the ids of all allocations that could be."""
        hours, named = ZERO, {allocation}
        for project in self.projects(allocation):
            for days in self._projects[project].held(lambda traits: ""):
                if allocation in days.payers and len(days.payers) > 1 and (more := _between(days.days, first, last)):
                    hours += more
                    named.update(days.payers)
        return hours, tuple(name for name in self.ledger.allocations if name in named)

    def known_through(self, allocation: str) -> int:
        """The last day that the ledger knows of for the projects of an allocation: of a run, of an export that was
        imported, or the date of a plan. No clock is asked."""
        found = [0]
        for name in self.projects(allocation):
            project = self.ledger.projects[name]
            found.append(first_day(project.project.as_of))
            found += [last_day(moment[:10]) for lock in project.locks.values() for moment in lock.exports.values()]
            found += [max(each.days) for each in self._projects[name].held(lambda traits: "") if each.days]
        return max(found)


def _item(traits: Traits) -> str:
    return traits.item


def _item_and_column(traits: Traits) -> tuple[str, str]:
    return traits.item, _column(traits.status)


def _column(status: str) -> str:
    return USEFUL if status in (*USEFUL_STATUS, NO_RUN) else FAILED


def _cell(item: str, card: str, column: str) -> Cell:
    """A cell of an item; of what was on no card the file says `none`."""
    return Cell(item, card or r.NOBODY, column)


def _between(days: DailyHours, first: int, last: int) -> Fraction:
    """What is charged from one day to another."""
    return Fraction(sum(part for day, part in days.parts.items() if first <= day <= last), days.per)


def _is_kept_first(cell: Cell) -> bool:
    """Whether files of format 1 keep it: of what is on no card they know no cost."""
    return cell.column in KEPT_FIRST and (cell.column in CHARGED or cell.gpu != r.NOBODY)


def told_in(closings: Iterable[Closing]) -> dict[str, Sums]:
    """What closings of a period and their adjustments come to, by project. The balance is that of the first closing, as
    adjusted since by any of them, and stands without a project."""
    found: dict[str, Sums] = defaultdict(dict)
    for each in sorted(closings, key=lambda closing: closing.number > 0):
        balance = balance_of(each.sums)
        found[""] = added(found[""], balance) if each.number else balance
        found[each.project] = added(found[each.project], items_of(each.sums))
    return found


def unadjusted(
    charges: Charges, closings: Sequence[Closing], projects: Container[str] | None = None
) -> list[Unadjusted]:
    """What is true now of closed periods and is neither closed nor adjusted, by allocation, period and project; of some
    projects alone, if that is asked for. Of closings of format 1 only what they keep is asked for."""
    found = []
    periods = group_by(closings, lambda each: (each.allocation, each.days.first, each.period))
    for (allocation, *_), some in sorted(periods.items()):
        told, days = told_in(some), some[0].days
        drawing = sorted({each.project for each in some}.union(charges.projects(allocation)))
        asked = [project for project in drawing if projects is None or project in projects]
        for project in asked:
            now, missing = charges.sums(allocation, project, days.first, days.last)
            rest = added(now, less(told[project]))
            if some[0].format == 1:
                rest = {cell: rest[cell] for cell in rest if _is_kept_first(cell)}
            elif project == asked[0]:
                balance, unknown = charges.balance(allocation, days.first, days.last)
                rest, missing = added(rest, balance, less(told[""])), missing or unknown
            if rest or missing:
                own = next((each for each in some if each.project == project and not each.number), some[0])
                found.append(Unadjusted(own, project, rest, missing))
    return found
