"""What each allocation was granted and charged, what is left of it, its pace and its end.

It is charged for the runs that it pays for (`payers`), in its own unit: hours as those of its card, or as its projects
count where it names none; or units of its centre, so many for each GPU-hour. What its centre bills of a run may be more
than the run held (`billing`). Refunds, and what was booked without a run, count on their days; more or less that was
granted counts from its day on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import DATE, DAYS, LAST, last_day
from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS, Unit
from reckon.model import records as r
from reckon.model.figure import Figures, Stated
from reckon.model.ledger import Ids, Ledger

from ..sheet.cells import Addresses, Result, Term, formula_of, result, total_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .bookings import bookings, times
from .history import DailyHours, daily_hours
from .pace import Measure, measure_of
from .payer_units import hour_ratio, values_of
from .payers import cards_of, days_of_grant
from .prices import ValueOf
from .shared_grants import Charged, ChargedParts, SharedGrants, Tallies, find_shared_grants, write_shared_grants


class Granted(NamedTuple):
    """An allocation whose figures are written: its id, its record, its projects that are there, and its writer."""

    name: str
    grant: r.Allocation
    projects: Ids
    writer: FigureWriter

    @property
    def at(self) -> str:
        """Its address."""
        return self.writer.at

    @property
    def title(self) -> str:
        """Its title."""
        return self.writer.title

    @property
    def measure(self) -> Measure:
        """What it is granted in."""
        return measure_of(self.grant)

    @property
    def unit(self) -> Unit:
        """The unit of that."""
        return self.measure.unit

    def formula(self, key: str, words: str, formula: Term, late: bool = False) -> None:
        """Writes a figure in its unit."""
        self.writer.formula(key, words, formula, unit=self.unit, late=late)


class Booked(NamedTuple):
    """What an allocation was charged, in its unit, and the hours behind that, as hours of its card; each by day.

    `missing` are the inputs without which this is not known; `rates` what was billed of an hour on each card;
    `certain` is what no other allocation could be charged for, `shared` the rest; `whole` says whether it alone pays
    for all hours of its projects on its card, or on any if it names none. `outside` was charged on days that are not
    its own. `beyond` are the hours that were billed and not held, `charged_for` what was charged for runs of each
    project, and `held_for` the hours that these held.
    """

    charged: DailyHours
    held: DailyHours
    missing: Addresses
    rates: Mapping[str, Fraction]
    whole: bool
    certain: Fraction
    shared: Fraction
    outside: Fraction
    beyond: Fraction
    charged_for: Mapping[str, Fraction]
    held_for: Mapping[str, Fraction]


class AllocationCharges(NamedTuple):
    """An allocation with what it was charged, and the last day of data of its projects."""

    granted: Granted
    booked: Booked
    through: int

    @property
    def has_ended(self) -> bool:
        """Whether its last day is before that of the data: what it leaves can be spent no more."""
        return 0 < last_day(self.granted.grant.until or "") < self.through


def write_allocations(
    sheet: Sheet, ledger: Ledger, tallies: Tallies, charged: Charged
) -> tuple[dict[str, AllocationCharges], Mapping[str, SharedGrants]]:
    """Writes what was granted, used and is left of each allocation that projects draw on, and its end; gives what each
    was charged, and those that share hours."""
    groups = find_shared_grants(ledger, tallies, charged)
    found = {}
    known_through = max((_last_day(grant, tallies.values()) for grant in ledger.allocations.values()), default=0)
    for name, grant in ledger.allocations.items():
        projects = tuple(project for project in grant.projects if project in tallies)
        if projects:
            granted = Granted(name, grant, projects, FigureWriter(sheet, f"allocations.{name}", grant.title))
            through = _last_day(granted.grant, [tallies[project] for project in projects])
            booked = _find_booked(sheet, ledger, granted, tallies, charged)
            found[name] = AllocationCharges(granted, booked, through)
            _write_granted(ledger, granted, known_through or LAST)
    parts = {}
    for name, each in found.items():
        granted, booked, _ = each
        parts[name] = ChargedParts(granted.writer, booked.certain, booked.shared, granted.measure, each.has_ended)
    write_shared_grants(ledger, groups, parts)
    for name, each in found.items():
        _write_allocation(each, tallies, charged, name in groups)
    return found, groups


def _last_day(grant: r.Allocation, tallies: Iterable[Tally]) -> int:
    """The last day of data of an allocation and some projects: of a run, of a refund, or of what was booked without a
    run; 0 where there is none."""
    booked = [_day(change) for change in grant.changes if change.is_booking]
    return max([0, *booked, *(tally.spent.last for tally in tallies)])


def _write_granted(ledger: Ledger, granted: Granted, through: int) -> None:
    """Writes each change, and what was granted in all up to the last day of data of the ledger."""
    total = formula_of("{}", granted.grant.amount_key)
    for number, change in enumerate(granted.grant.changes, 1):
        words, origin = f"{change.kind}, {change.why}", Stated(str(change.amount), change.place)
        granted.writer.count(f"changes.{number}", words, granted.unit, change.amount, origin)
        if not change.is_booking and _day(change) <= through:
            total = formula_of("{} - {}" if change.kind == "moved" else "{} + {}", total, f"changes.{number}")
    for other, number, change in _moved_to(ledger, granted.name):
        if _day(change) <= through and ledger.allocations[other].amount_key == granted.grant.amount_key:
            total = formula_of("{} + {}", total, f"allocations.{other}.changes.{number}")
    granted.formula("granted", "granted, with its changes", total)


def _moved_to(ledger: Ledger, name: str) -> Iterator[tuple[str, int, r.Change]]:
    """What other allocations moved to this one: who, the number of the change, and the change."""
    for other, grant in ledger.allocations.items():
        for number, change in enumerate(grant.changes, 1):
            if change.to == name:
                yield other, number, change


def _day(change: r.Change) -> int:
    return last_day(change.date)


def granted_changes(ledger: Ledger, name: str) -> Iterator[tuple[str, int, Fraction]]:
    """The changes of an allocation: of which kind, on which day, and by how much; what it moved to others is below
    zero."""
    for change in ledger.allocations[name].changes:
        yield change.kind, _day(change), -change.amount if change.kind == "moved" else change.amount
    for _, _, change in _moved_to(ledger, name):
        yield change.kind, _day(change), change.amount


def _write_allocation(each: AllocationCharges, tallies: Tallies, charged: Charged, is_shared: bool) -> None:
    """Writes what an allocation was charged and what is left; `is_shared` says whether others could be charged for some
    of its hours."""
    granted, booked, through = each
    grant, writer = granted.grant, granted.writer
    missing = (*booked.missing, f"{granted.at}.shared") if is_shared else booked.missing
    _write_used(granted, tallies, charged, booked, missing)
    for project in granted.projects:
        own = FigureWriter(writer.sheet, f"{project}.payers.{granted.name}", granted.title)
        how = "what its runs that this allocation pays for took, day by day"
        own.count("charged", "charged for this project", granted.unit, booked.charged_for[project], how, missing)
        own.count("held", "held for this project", GPU_HOURS, booked.held_for[project], how, missing)
    if booked.outside:
        how = "charged for runs for which it is named, on days not its own"
        writer.count("outside_its_days", "charged outside its days", granted.unit, booked.outside, how)
    last = last_day(grant.until or "")
    # What was drawn beyond an ended grant stays.
    left = "min(granted - used, {})" if each.has_ended else "granted - used"
    granted.formula("left", "left", formula_of(left, granted.measure.nothing))
    writer.formula("used_share", "share used", "used / granted", "%", "granted")
    if grant.until and last:
        _write_end(granted, last, through)


def _write_used(
    granted: Granted,
    tallies: Tallies,
    charged: Charged,
    booked: Booked,
    missing: Addresses,
) -> None:
    """Writes what was charged; and the hours held, and billed beyond these, where the two may differ."""
    grant, writer, sums = granted.grant, granted.writer, _sums(granted)
    names_some = any(charged[project].project.names_some("allocation") for project in granted.projects)
    stated = any(tallies[project].project.rows.says("charged") for project in granted.projects)
    apart = grant.since or grant.until or grant.changes or grant.charge or grant.currency or stated or missing
    if booked.whole and sums and not apart:
        writer.hours("used", "used", total_of(sums))
        return
    how = "what its projects spent between its dates, if it has any; runs over several days count by the time in each"
    if names_some or grant.changes or grant.charge or stated:
        how = "what it pays for: runs for which it is named, or which it alone takes; by the time in each of their days"
    how = "what the runs that it pays for cost, as they state or by its prices" if grant.currency else how
    how += ", as its centre bills them" if grant.bills else ""
    how += ", less what was refunded, with what was booked without a run" if grant.changes else ""
    # What was refunded, or booked without a run, is part of it.
    sums += [f"{granted.at}.changes.{number}" for number, change in enumerate(grant.changes, 1) if change.is_booking]
    how = how if sums else "no run of its projects was on its GPU"

    def used(figures: Figures) -> Result:
        return result(booked.charged.total, how, (figures[summed] for summed in sums), missing)

    writer.compute("used", "used", granted.unit, sums, used)
    if grant.charge or grant.changes or grant.currency or stated:
        words = "hours of the runs that it pays for, as hours of its card"
        writer.count("held", "held", GPU_HOURS, booked.held.total, words, missing)
        writer.count("billed_beyond_held", "billed beyond held", GPU_HOURS, booked.beyond, words, missing)


def _sums(granted: Granted) -> list[str]:
    """The addresses of what its projects spent: in all, on the GPU that it is of, or in money."""
    last = f"actual.by_gpu.{granted.grant.gpu}" if granted.grant.gpu else "actual.total"
    last = "money.actual" if granted.grant.currency else last
    return [at for project in granted.projects if (at := f"{project}.{last}") in granted.writer.sheet.cells]


def _find_booked(sheet: Sheet, ledger: Ledger, granted: Granted, tallies: Tallies, charged: Charged) -> Booked:
    """What an allocation was charged by day, with what was refunded, and booked without a run. Where another could be
    charged for some hours too, these count."""
    value_of, (first, last) = values_of(sheet), days_of_grant(granted.grant)
    booked, missing = [*_booked_changes(granted.grant)], dict[str, None]()
    held = _find_held(ledger, granted, value_of, tallies, charged)
    billed, charged_for = defaultdict[str, Fraction](Fraction), defaultdict[str, Fraction](Fraction)
    shared = outside = ZERO
    for project in granted.projects:
        for each in bookings(ledger, charged[project], granted.name, value_of, _nothing):
            if each.lacks:
                missing[each.lacks] = None
                continue
            booked.append(each.days)
            charged_for[project] += each.days.total
            billed[each.card] += each.billed
            held.by_card[each.card] += each.held
            shared += each.days.total if len(each.payers) > 1 else 0
            outside += sum(part for day, part in each.days.items() if day and not first <= day <= last)
    rates = {card: billed[card] / its for card, its in held.by_card.items() if its}
    series = daily_hours(booked)
    beyond = add_up((rate - 1) * held.by_card[card] * held.ratios[card] for card, rate in rates.items())
    parts = (series.total - shared, shared, outside, beyond, charged_for, held.of_project)
    return Booked(series, daily_hours(held.days), tuple(missing), rates, held.is_whole, *parts)


def _booked_changes(grant: r.Allocation) -> Iterator[DailyHours]:
    """What was refunded, and booked without a run, on its day."""
    for change in grant.changes:
        if change.is_booking:
            yield DailyHours({_day(change): -change.amount if change.kind == "refunded" else change.amount})


class _Held(NamedTuple):
    """The hours that runs held that an allocation was charged for, as hours of its card, by day and by project; those
    of each card of which what is billed may differ, with the ratio of the card; and whether it alone pays for all hours
    of its projects on its cards."""

    days: list[DailyHours]
    of_project: Mapping[str, Fraction]
    by_card: dict[str, Fraction]
    ratios: Mapping[str, Fraction]
    is_whole: bool


def _find_held(ledger: Ledger, granted: Granted, value_of: ValueOf, tallies: Tallies, charged: Charged) -> _Held:
    name, grant, cards = granted.name, granted.grant, cards_of(ledger, granted.grant)
    held, is_whole = list[DailyHours](), True
    ratios, hours = dict[str, Fraction](), defaultdict[str, Fraction](Fraction)
    of_project = defaultdict[str, Fraction](Fraction)
    for project in granted.projects:
        for days in charged[project].held(_nothing):
            wanted = (name,) if cards is None or days.card in cards else ()
            is_whole = is_whole and tuple(payer for payer in days.payers if wanted or payer == name) == wanted
            if name in days.payers:
                ratio, _ = hour_ratio(value_of, grant, days.card, tallies[project].target)
                ratios[days.card] = ratio
                held.append(times(days.days, ratio))
                of_project[project] += held[-1].total
                # Of money, the runs that state what they cost tell nothing of what is billed.
                hours[days.card] += 0 if grant.currency else days.days.total
    return _Held(held, of_project, hours, ratios, is_whole)


def _nothing(_: object) -> str:
    """What all runs have in common."""
    return ""


def has_ended(granted: Granted) -> bool:
    """Whether the last day of a grant is before the last data of its projects, once its cells are written."""
    return granted.writer.has("days_since_end")


def _write_end(granted: Granted, last: int, through: int) -> None:
    """The last day of a grant, and the days to it from the last day of data of its projects."""
    grant, writer = granted.grant, granted.writer
    origin = Stated(str(grant.until), getattr(grant.until, "place", grant.place))
    writer.count("end", "last day", DATE, last, origin)
    if through:
        writer.count("days_to_end", "days from the last data to its end", DAYS, max(last - through, 0), origin)
    if through > last:
        writer.count("days_since_end", "days from its end to the last data", DAYS, through - last, origin)
