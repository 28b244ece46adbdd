"""What allocations were charged in a period: by project, item and card, and what of that closings do not say.

Runs count for the allocation that pays for them (`payers`), in its unit, on the days on which they were charged
(`day_split`). Refunds, and what was booked without a run, count on their days, for the project of their item or the
first that draws on the allocation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import first_day, last_day
from reckon.model import records as r
from reckon.model.closing import ChargedSum, Closing, Sums, added, less
from reckon.model.figure import NO_RUN, USEFUL, Figure, Traits
from reckon.model.ledger import Ledger

from .bookings import Booking, bookings
from .history import Days
from .payer_units import values_in
from .payers import ChargedDays, charges_of


class Unadjusted(NamedTuple):
    """What a project was charged in a closed period beyond what was closed and adjusted; and the ratios of GPUs because
    of which that is not known."""

    allocation: str
    project: str
    period: str
    sums: Sums
    missing: tuple[str, ...] = ()


DOLLAR = r.CURRENCIES[0]
_Key = tuple[str, bool]
"""An item, and whether its runs were useful."""


def _item_and_use(traits: Traits) -> _Key:
    return traits.item, traits.status in (*USEFUL, NO_RUN)


class Charges:
    """What the allocations of a ledger were charged on any days. The runs of a project are gone through once."""

    def __init__(self, ledger: Ledger, figures: Mapping[str, Figure]) -> None:
        self.ledger, self.figures = ledger, figures
        self._projects = charges_of(ledger)
        self._booked: dict[tuple[str, str], list[Booking[_Key]]] = {}
        self._costs: dict[str, list[tuple[str, ChargedDays[str]]]] = {}

    def projects(self, allocation: str) -> list[str]:
        """The projects that draw on an allocation; none where there is no such allocation."""
        grant = self.ledger.allocations.get(allocation)
        return [str(name) for name in grant.projects if name in self.ledger.projects] if grant else []

    def sums(self, allocation: str, project: str, first: int, last: int) -> tuple[Sums, tuple[str, ...]]:
        """What a project was charged from one day to another, and the inputs that are missing for it.

        Day 0 is that of runs without a date, which counts within the dates of every grant.
        """
        if project not in self.projects(allocation):
            return (), ()
        parts, missing = list[ChargedSum](), set[str]()
        for each in self._booked_of(allocation, project):
            amount = _between(each.days, first, last)
            if each.lacks:
                missing |= {each.lacks} if any(first <= day <= last for day in each.days) else set()
                continue
            item, useful = each.key
            # Of what was on no card the file says `none`.
            parts.append(ChargedSum(item, each.card or r.NOBODY, amount, amount * useful))
        parts += self._costs_of(allocation, project, first, last)
        parts += self._changes(allocation, project, first, last)
        return added(parts), tuple(sorted(missing))

    def _booked_of(self, allocation: str, project: str) -> list[Booking[_Key]]:
        """What an allocation booked of the runs of a project, by item and by whether they were useful."""
        at = allocation, project
        if at not in self._booked:
            charges, value_of = self._projects[project], values_in(self.figures)
            found = bookings(self.ledger, charges, allocation, value_of, _item_and_use)
            self._booked[at] = [*found]
        return self._booked[at]

    def _costs_of(self, allocation: str, project: str, first: int, last: int) -> Iterator[ChargedSum]:
        """What runs that an allocation pays for state that they cost."""
        if project not in self._costs:
            self._costs[project] = [*self._projects[project].costs(lambda traits: traits.item)]
        for currency, cost in self._costs[project]:
            usd = _between(cost.days, first, last)
            if currency == DOLLAR and cost.card and usd and allocation in cost.payers:
                yield ChargedSum(cost.key, cost.card, Fraction(0), Fraction(0), usd)

    def _changes(self, allocation: str, project: str, first: int, last: int) -> Iterator[ChargedSum]:
        """What was refunded, or booked without a run."""
        grant, names = self.ledger.allocations[allocation], self.projects(allocation)
        for change in grant.changes:
            if not change.is_booking or not first <= last_day(str(change.date)) <= last:
                continue
            owner, item, card, useful = self._subject(names, change)
            if owner == project:
                amount = change.amount if change.kind == "charged" else -change.amount
                yield ChargedSum(item, str(grant.gpu or card), amount, amount * useful)

    def _subject(self, names: Sequence[str], change: r.Change) -> tuple[str, str, str, bool]:
        """What a change is about: the project, item and card of the run of its job, and whether that was useful; else
        those of its item, or the first project."""
        for name in names:
            project = self.ledger.projects[name]
            jobs = project.rows.column("job") if change.job else ()
            if change.job in jobs:
                run = project.rows.run([*jobs].index(change.job))
                item = str(run.item) if project.item_of(run) else ""
                return name, item, str(project.card_of(run)), run.status in USEFUL
        item = str(change.item or "")
        owner = next((name for name in names if item in self.ledger.projects[name].items), "")
        card = str(self.ledger.projects[owner or names[0]].project.gpu)
        return owner or names[0], item if owner else "", card, True

    def shared(self, allocation: str, first: int, last: int) -> tuple[Fraction, tuple[str, ...]]:
        """The hours of a period for which other allocations could be charged, too, as hours of their own cards; and
        the ids of all allocations that could be."""
        hours, named = Fraction(0), {allocation}
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
            found.append(first_day(str(project.project.as_of)))
            found += [last_day(str(moment)[:10]) for lock in project.locks.values() for moment in lock.exports.values()]
            found += [max(each.days) for each in self._projects[name].held(lambda traits: "") if each.days]
        return max(found)


def _between(days: Days, first: int, last: int) -> Fraction:
    """What is charged from one day to another."""
    return sum((amount for day, amount in days.items() if first <= day <= last), Fraction(0))


def told_in(closings: Iterable[Closing]) -> dict[tuple[str, str], dict[str, Sums]]:
    """What closings and their adjustments come to, by allocation and period, and by project."""
    found: dict[tuple[str, str], dict[str, Sums]] = defaultdict(dict)
    for each in closings:
        its = found[each.allocation, each.period]
        its[each.project] = added(its.get(each.project, ()), each.sums)
    return dict(found)


def unadjusted(
    charges: Charges, closings: Sequence[Closing], projects: Iterable[str] | None = None
) -> list[Unadjusted]:
    """What is true now of closed periods and is neither closed nor adjusted, by allocation, period and project; of some
    projects alone, if that is asked for."""
    found = []
    told, asked = told_in(closings), None if projects is None else set(projects)
    periods = {(each.allocation, each.period): each.days for each in closings}
    for (allocation, name), its in sorted(told.items()):
        period = periods[allocation, name]
        for project in sorted({*its, *charges.projects(allocation)}):
            if asked is None or project in asked:
                now, missing = charges.sums(allocation, project, period.first, period.last)
                rest = added(now, less(its.get(project, ())))
                if rest or missing:
                    found.append(Unadjusted(allocation, project, name, rest, missing))
    return found
