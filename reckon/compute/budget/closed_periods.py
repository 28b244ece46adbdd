"""What allocations were charged in a period: by project, item and card, and what of that closings do not say.

Hours count on the days on which they were charged, by the spread of `history`, and as the allocation counts them: a
grant on a kind of GPU counts the hours held on that kind, any other the hours that each project counts (`pace`). Days
outside the dates of a grant do not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import LAST, first_day, last_day
from reckon.model.closing import ChargedSum, Closing, Sums, added, less
from reckon.model.day_split import by_day, spread
from reckon.model.figure import USEFUL, Figure
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.inputs import ratio_address
from .history import Days
from .payers import grants_of, is_granted, takes

Spans = dict[tuple[str, str, bool], dict[range, Fraction]]


class Unadjusted(NamedTuple):
    """What a project was charged in a closed period beyond what was closed and adjusted; and the ratios of GPUs because
    of which that is not known."""

    allocation: str
    project: str
    period: str
    sums: Sums
    missing: tuple[str, ...] = ()


class _Charged(NamedTuple):
    """Hours on their own kind of GPU, by item, card, whether they were useful, and day; and stated costs alike."""

    hours: Mapping[tuple[str, str, bool], Days]
    usd: Mapping[tuple[str, str, bool], Days]


class Charges:
    """What the allocations of a ledger were charged on any days. The runs of a project are gone through once."""

    def __init__(self, ledger: Ledger, figures: Mapping[str, Figure]) -> None:
        self.ledger, self.figures = ledger, figures
        self._known: dict[str, _Charged] = {}

    def projects(self, allocation: str) -> list[str]:
        """The projects that draw on an allocation; none where there is no such allocation."""
        grant = self.ledger.allocations.get(allocation)
        return [str(name) for name in grant.projects if name in self.ledger.projects] if grant else []

    def sums(self, allocation: str, project: str, first: int, last: int) -> tuple[Sums, tuple[str, ...]]:
        """What a project was charged from one day to another, and the ratios that are missing for it.

        Day 0 is that of runs without a date, which counts within the dates of every grant.
        """
        if project not in self.projects(allocation):
            return (), ()
        grant, target = self.ledger.allocations[allocation], str(self.ledger.projects[project].project.gpu)
        since = first_day(str(grant.since or ""))
        until = last_day(str(grant.until or "")) or LAST
        found = self._charged(project)
        parts, missing = list[ChargedSum](), set[str]()
        for (item, gpu, useful), days in found.hours.items():
            if grant.gpu and gpu != grant.gpu:
                continue
            hours = _charged_between(days, first, last, since, until)
            ratio = Fraction(1) if grant.gpu or gpu == target else self._ratio(gpu, target)
            if ratio is None:
                missing |= {ratio_address(gpu, target)} if hours else set()
                continue
            costs = found.usd.get((item, gpu, useful))
            usd = None if costs is None else _charged_between(costs, first, last, since, until) or None
            parts.append(ChargedSum(item, gpu, hours * ratio, hours * ratio * useful, usd))
        return added(parts), tuple(sorted(missing))

    def shared(self, allocation: str, first: int, last: int) -> tuple[Fraction, tuple[str, ...]]:
        """The hours of a period for which other allocations could be charged, too, as hours of their own cards; and
        the ids of all allocations that could be."""
        grant = self.ledger.allocations[allocation]
        hours, named = Fraction(0), {allocation}
        for project in self.projects(allocation) if is_granted(grant) else ():
            others = grants_of(self.ledger, project)
            for (_, gpu, _), days in self._charged(project).hours.items():
                for day, amount in days.items():
                    takers = [name for name, other in others.items() if takes(other, gpu, day)]
                    if first <= day <= last and allocation in takers and len(takers) > 1:
                        hours += amount
                        named.update(takers)
        return hours, tuple(name for name in self.ledger.allocations if name in named)

    def known_through(self, allocation: str) -> int:
        """The last day that the ledger knows of for the projects of an allocation: of a run, of an export that was
        imported, or the date of a plan. No clock is asked."""
        found = [0]
        for name in self.projects(allocation):
            project = self.ledger.projects[name]
            found.append(first_day(str(project.project.as_of)))
            found += [last_day(str(moment)[:10]) for lock in project.locks.values() for moment in lock.exports.values()]
            found += [max(days) for days in self._charged(name).hours.values() if days]
        return max(found)

    def _ratio(self, gpu: str, target: str) -> Fraction | None:
        figure = self.figures.get(ratio_address(gpu, target))
        return figure.use if figure else None

    def _charged(self, project: str) -> _Charged:
        if project not in self._known:
            self._known[project] = _gathered(self.ledger.projects[project])
        return self._known[project]


def _gathered(project: ProjectLedger) -> _Charged:
    # By the days of a run first, which many share: a year has hundreds of days, to which each would be added.
    hours: Spans = defaultdict(lambda: defaultdict(Fraction))
    usd: Spans = defaultdict(lambda: defaultdict(Fraction))
    for _, run, traits in project.each_run():
        key = (traits.item, traits.gpu, traits.status in USEFUL)
        for when, share in spread(run, run.charged_hours):
            hours[key][when] += share
        if run.cost_usd is not None:
            for when, share in spread(run, run.cost_usd):
                usd[key][when] += share
    return _Charged(
        {key: by_day(spans) for key, spans in hours.items()}, {key: by_day(spans) for key, spans in usd.items()}
    )


def _charged_between(days: Days, first: int, last: int, since: int, until: int) -> Fraction:
    """What is charged from one day to another, within the dates of a grant."""
    return sum(
        (amount for day, amount in days.items() if first <= day <= last and (not day or since <= day <= until)),
        Fraction(0),
    )


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
