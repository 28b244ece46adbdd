"""What each allocation was granted and charged, what is left of it, its pace and its end.

It is charged for the runs that it pays for (`payers`), in its own unit: hours as those of its card, or as its projects
count where it names none; or units of its centre, so many for each GPU-hour. What its centre bills of a run may be more
than the run held (`billing`). Refunds, and what was booked without a run, count on their days; more or less that was
granted counts from its day on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import DATE, DAYS, last_day
from reckon.language.quantity import UNKNOWN, point
from reckon.language.units import GPU_HOURS, PLAIN, Unit
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked
from reckon.model.ledger import Ledger

from ..sheet.cells import Cell, Computed, total_of
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .actuals import Tally
from .history import DailyHours, DayParts, daily_hours
from .pace import IN_HOURS, IN_UNITS, WINDOW, Measure, write_pace, write_reached
from .payer_units import hour_ratio, unit_factor, values_of
from .payers import ChargedDays, ProjectCharges
from .shared_grants import SharedGrants, find_shared_grants, write_left_to_spend, write_shared_grants

Tallies = Mapping[str, Tally]
Charged = Mapping[str, ProjectCharges]


class Granted(NamedTuple):
    """An allocation whose figures are written: its address, its record, and its projects that are there."""

    at: str
    grant: r.Allocation
    projects: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its title."""
        return str(self.grant.title)

    @property
    def measure(self) -> Measure:
        """What it is granted in."""
        return IN_HOURS if self.grant.units is None else IN_UNITS

    @property
    def unit(self) -> Unit:
        """The unit of that."""
        return self.measure.unit


class Booked(NamedTuple):
    """What an allocation was charged, in its unit, and the hours behind that, as hours of its card; each by day.

    `missing` are the inputs without which this is not known.
    """

    charged: DailyHours
    held: DailyHours
    missing: tuple[str, ...]


def write_allocations(sheet: Sheet, ledger: Ledger, tallies: Tallies, charged: Charged) -> Mapping[str, SharedGrants]:
    """Writes what is used and left of each allocation, its pace and its end; gives those that share hours."""
    groups = find_shared_grants(ledger, tallies, charged)
    for name, grant in ledger.allocations.items():
        projects = tuple(str(project) for project in grant.projects if project in tallies)
        granted = Granted(f"allocations.{name}", grant, projects)
        if projects:
            through = max(_last_day(granted, tallies[project]) for project in projects)
            _write_granted(sheet, ledger, granted, name, through)
    write_shared_grants(sheet, ledger, tallies, groups)
    for name, grant in ledger.allocations.items():
        projects = tuple(str(project) for project in grant.projects if project in tallies)
        if projects:
            to_spend = write_left_to_spend(sheet, ledger, name, tallies)
            granted = Granted(f"allocations.{name}", grant, projects)
            _write_allocation(sheet, ledger, granted, tallies, charged, name in groups, to_spend)
    return groups


def _last_day(granted: Granted, tally: Tally) -> int:
    """The last day of data: of a run, of a refund, or of what was booked without one."""
    booked = (change for change in granted.grant.changes if change.kind in ("refunded", "charged"))
    return max([tally.spent.last, *(last_day(str(change.date)) for change in booked)])


def _write_granted(sheet: Sheet, ledger: Ledger, granted: Granted, name: str, through: int) -> None:
    """Writes each change, and what was granted in all up to the last day of data."""
    parts = [granted.grant.amount_key]
    for number, change in enumerate(granted.grant.changes, 1):
        address, words = f"{granted.at}.changes.{number}", f"{granted.title}: {change.kind}, {change.why}"
        origin = Stated(str(change.amount), change.place)
        sheet.counted(Figure(address, words, granted.unit, point(change.amount), origin))
        if change.kind in ("granted", "moved") and _day(change) <= through:
            sign = "-" if change.kind == "moved" else "+"
            parts.append(f"{sign} changes.{number}")
    for other, number, change in _moved_to(ledger, name):
        if _day(change) <= through:
            parts.append(f"+ allocations.{other}.changes.{number}")
    words = f"{granted.title}: granted, with its changes"
    sheet.formula(f"{granted.at}.granted", words, granted.unit, " ".join(parts))


def _moved_to(ledger: Ledger, name: str) -> Iterator[tuple[str, int, r.Change]]:
    """What other allocations moved to this one: who, the number of the change, and the change."""
    for other, grant in ledger.allocations.items():
        for number, change in enumerate(grant.changes, 1):
            if change.to == name:
                yield str(other), number, change


def _day(change: r.Change) -> int:
    return last_day(str(change.date))


def change_granted(ledger: Ledger, name: str, day: int) -> Fraction:
    """By how much what was granted had changed by the end of a day."""
    own = [change for change in ledger.allocations[name].changes if change.kind in ("granted", "moved")]
    signed = [-change.amount if change.kind == "moved" else change.amount for change in own if _day(change) <= day]
    others = (change.amount for _, _, change in _moved_to(ledger, name) if _day(change) <= day)
    return sum((*signed, *others), Fraction(0))


def _write_allocation(
    sheet: Sheet,
    ledger: Ledger,
    granted: Granted,
    tallies: Tallies,
    charged: Charged,
    is_shared: bool,
    to_spend: str,
) -> None:
    """Writes what an allocation was charged and what is left; `is_shared` says whether others could be charged for some
    of its hours, `to_spend` is the address of what is left of it for the work to come."""
    at, grant, title = granted.at, granted.grant, granted.title
    booked = _booked(sheet, granted, tallies, charged)
    missing = (*booked.missing, f"{at}.shared") if is_shared else booked.missing
    _write_used(sheet, granted, tallies, charged, booked, missing)
    through = max(_last_day(granted, tallies[project]) for project in granted.projects)
    last = last_day(str(grant.until or ""))
    # What an ended grant leaves can be spent no more; what was drawn beyond it stays.
    left = f"min(granted - used, {granted.measure.nothing})" if last and through > last else "granted - used"
    sheet.formula(f"{at}.left", f"{title}: left", granted.unit, left)
    sheet.formula(f"{at}.used_share", f"{title}: share used", PLAIN, "used / granted", form="%", over="granted")
    write_pace(sheet, f"{at}.pace", title, booked.charged, WINDOW, missing, granted.measure)
    if booked.charged.dated:
        limit, left, pace = (f"{at}.{key}" for key in ("granted", "left", "pace"))
        write_reached(sheet, at, title, limit, left, booked.charged, pace, to_spend, granted.measure)
    if grant.until and last:
        _write_end(sheet, granted, last, through)


def _write_used(
    sheet: Sheet,
    granted: Granted,
    tallies: Tallies,
    charged: Charged,
    booked: Booked,
    missing: tuple[str, ...],
) -> None:
    """Writes what was charged; and the hours held, and billed beyond these, where the two may differ."""
    at, grant, title = granted.at, granted.grant, granted.title
    sums = _sums(sheet, granted)
    names_some = any(charged[project].rules.names_some for project in granted.projects)
    stated = any(tallies[project].project.rows.says("charged") for project in granted.projects)
    plain = not (grant.since or grant.until or grant.changes or grant.charge or names_some or stated or missing)
    if plain and sums:
        sheet.formula(f"{at}.used", f"{title}: used", GPU_HOURS, total_of(sums))
        return
    value = UNKNOWN if missing else point(booked.charged.total)
    how = "what its projects spent between its dates, if it has any; runs over several days count by the time in each"
    if names_some:
        how = "what it pays for: runs for which it is named, or which it alone takes; by the time in each of their days"

    def used(figures: Mapping[str, Figure]) -> Figure:
        parts = tuple(figures[summed] for summed in sums)
        origin = Worked(how if parts else "no run of its projects was on its GPU", parts)
        return Figure(f"{at}.used", f"{title}: used", granted.unit, value, origin, "", missing)

    sheet.write(Cell(f"{at}.used", f"{title}: used", granted.unit, Computed(tuple(sums), used)))
    if grant.charge or grant.changes or stated:
        held = UNKNOWN if missing else point(booked.held.total)
        origin = Worked("hours of the runs that it pays for, as hours of its card")
        sheet.counted(Figure(f"{at}.held", f"{title}: held", GPU_HOURS, held, origin, "", missing))


def _sums(sheet: Sheet, granted: Granted) -> list[str]:
    """The addresses of what its projects spent: in all, or on the GPU that it is of."""
    last = f"by_gpu.{granted.grant.gpu}" if granted.grant.gpu else "total"
    return [at for project in granted.projects if (at := f"{project}.actual.{last}") in sheet.cells]


def _booked(sheet: Sheet, granted: Granted, tallies: Tallies, charged: Charged) -> Booked:
    """What an allocation was charged by day. Where another could be charged for some hours too, these count."""
    name, missing = granted.at.partition(".")[2], dict[str, None]()
    booked, held = list[DayParts](), list[DayParts]()
    value_of = values_of(sheet)
    for project in granted.projects:
        target = tallies[project].target
        for days in _of_payer(charged[project].booked(granted.grant.charge, _nothing), name):
            factor, lacks = unit_factor(value_of, name, granted.grant, days.card, target)
            if lacks and not days.stated:
                missing[lacks] = None
            else:
                booked.append(_times(days.days, Fraction(1) if days.stated else factor))
        for days in _of_payer(charged[project].held(_nothing), name):
            held.append(_times(days.days, hour_ratio(value_of, granted.grant, days.card, target)[0]))
    changed = [change for change in granted.grant.changes if change.kind in ("refunded", "charged")]
    signed = {"refunded": -1, "charged": 1}
    booked += [DayParts({_day(change): signed[change.kind] * change.amount}, 1) for change in changed]
    return Booked(daily_hours(booked), daily_hours(held), tuple(missing))


def _nothing(_: object) -> str:
    """What all runs have in common."""
    return ""


def _of_payer(rows: Iterator[ChargedDays[str]], name: str) -> Iterator[ChargedDays[str]]:
    """The hours for which an allocation could be charged."""
    return (days for days in rows if name in days.payers)


def _times(days: DayParts, factor: Fraction) -> DayParts:
    """Hours by day, times a factor."""
    if factor == 1:
        return days
    return DayParts({day: hours * factor.numerator for day, hours in days.parts.items()}, days.per * factor.denominator)


def has_ended(sheet: Sheet, at: str) -> bool:
    """Whether the last day of a grant is before the last data of its projects, once its cells are written."""
    return f"{at}.days_since_end" in sheet.cells


def _write_end(sheet: Sheet, granted: Granted, last: int, through: int) -> None:
    """The last day of a grant, and the days to it from the last day of data of its projects."""
    at, title, grant = granted.at, granted.title, granted.grant
    origin = Stated(str(grant.until), getattr(grant.until, "place", grant.place))
    sheet.counted(Figure(f"{at}.end", f"{title}: last day", DATE, point(last), origin))
    if through:
        days, words = max(last - through, 0), f"{title}: days from the last data to its end"
        sheet.counted(Figure(f"{at}.days_to_end", words, DAYS, point(days), origin))
    if through > last:
        days, words = through - last, f"{title}: days from its end to the last data"
        sheet.counted(Figure(f"{at}.days_since_end", words, DAYS, point(days), origin))


def write_unused(sheet: Sheet, ledger: Ledger) -> None:
    """Writes what the end of each grant leaves unused, and the pace that would use it up.

    What is still charged to it is what the present pace comes to, or all work to come (P50) where that is less: work
    that ends before the grant does spends no more. Of a grant on another GPU than its projects count in nobody knows
    how much of that work it will be charged: at most all of it.
    """
    for name, grant in ledger.allocations.items():
        granted = Granted(f"allocations.{name}", grant, ())
        at, nothing, rate = granted.at, granted.measure.nothing, f"pace.{granted.measure.key}_per_day"
        if f"{at}.days_to_end" not in sheet.cells:
            continue
        if has_ended(sheet, at):
            words = f"{grant.title}: left unused at its end"
            sheet.formula(f"{at}.unused", words, granted.unit, f"max(granted - used, {nothing})")
            continue
        coming = f"{rate} * days_to_end" if f"{at}.{rate}" in sheet.cells else ""
        if coming and f"{at}.forecast_p50" in sheet.cells:
            coming = f"min({coming}, forecast_p50 - used)"
        elif coming and (most := _to_come(sheet, ledger, grant)):
            coming = f"min({coming}, {most})"
        to_spend = "left_to_spend" if f"{at}.left_to_spend" in sheet.cells else "left"
        left = f"{to_spend} - {coming}" if coming else to_spend
        sheet.formula(f"{at}.unused", f"{grant.title}: left unused at its end", granted.unit, f"max({left}, {nothing})")
        words = f"{grant.title}: pace that uses it up by its end"
        formula = f"max({to_spend}, {nothing}) / days_to_end"
        sheet.formula(f"{at}.pace_to_use_up", words, granted.measure.per_day, formula, over="days_to_end")


def _to_come(sheet: Sheet, ledger: Ledger, grant: r.Allocation) -> str:
    """All work to come (P50) of the projects of a grant, in hours of its GPU, as a formula; empty where a ratio or a
    forecast of them is not there."""
    parts = []
    for project in grant.projects:
        own = str(ledger.projects[project].project.gpu) if project in ledger.projects else ""
        ratio, p50, spent = ratio_address(str(grant.gpu), own), f"{project}.forecast.p50", f"{project}.actual.base"
        if not grant.gpu or p50 not in sheet.cells or spent not in sheet.cells:
            return ""
        if own != grant.gpu and ratio not in sheet.cells:
            return ""
        part = f"max({p50} - {spent}, 0 gpu_hours)"
        parts.append(part if own == grant.gpu else f"{part} / {ratio}")
    return " + ".join(parts)
