"""How fast hours are spent, and the day on which limits and grants are reached at that pace.

The pace is what the last days of data were charged, by the day: the last 28 unless the project says otherwise
(`pace_days`), fewer where the first run is nearer. The last day is that of the newest run: nothing here knows what day
it is today. A limit that has been exceeded has the day on which that happened.

A grant (allocation) is shared by projects. A grant on a kind of GPU is charged for the hours held on that kind; one
that names none, for the hours that each project counts. One with dates is charged for what was spent between them; runs
without a date are taken to lie there. Where more than one grant could be charged, `payers` says what is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.language.calendar_days import DATE, DAYS, LAST, first_day, last_day
from reckon.language.quantity import UNKNOWN, Value, point
from reckon.language.units import GPU_HOURS, PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked
from reckon.model.kinds import FINAL, TOTALS, budget_of, called
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Cell, Computed, total_of
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .actuals import Tally
from .drawdown import History
from .history import DailyHours, DayParts, daily_hours
from .payers import SharedGrants, find_shared_grants, write_left_to_spend, write_shared_grants

WINDOW = 28
PER_DAY = key_unit("gpu_hours_per_day")


def write_pace(sheet: Sheet, at: str, title: str, spent: DailyHours, window: int, missing: tuple[str, ...]) -> None:
    """Writes first and last day, months, and the pace of a series of hours; nothing where no run has a date."""
    if not spent.dated:
        return
    _date(sheet, f"{at}.first", f"{title}: first day", spent.first, "the first day of a run")
    _date(sheet, f"{at}.through", f"{title}: data through", spent.last, "the last day of a run")
    days = min(window, spent.last - spent.first + 1)
    origin = Worked(f"the last {window} days of data, or fewer where the first run is nearer")
    sheet.counted(Figure(f"{at}.days", f"{title}: days that the pace is taken from", DAYS, point(days), origin))
    hours = spent.between(spent.last - days + 1, spent.last)
    value = UNKNOWN if missing else point(hours)
    charged = Worked("hours charged on those days; runs over several days count by the time in each")
    sheet.counted(Figure(f"{at}.charged", f"{title}: charged on them", GPU_HOURS, value, charged, "", missing))
    sheet.formula(f"{at}.gpu_hours_per_day", f"{title}: pace", PER_DAY, "charged / days")


def write_months(sheet: Sheet, at: str, spent: DailyHours, missing: tuple[str, ...]) -> None:
    """Writes what was charged in each month, and all that was charged by its end."""
    so_far = spent.undated
    for month, hours in spent.months().items():
        so_far += hours
        for name, title, amount in (("", "charged in", hours), (".so_far", "charged by the end of", so_far)):
            value = UNKNOWN if missing else point(amount)
            address, words = f"{at}.{month}{name}", f"{title} {month}"
            how = Worked(f"hours {words}; runs over several days count by the time in each")
            sheet.counted(Figure(address, f"Actual, {words}", GPU_HOURS, value, how, "", missing))


def _date(sheet: Sheet, address: str, title: str, day: int, how: str) -> None:
    sheet.counted(Figure(address, title, DATE, point(day), Worked(how)))


def write_limits(sheet: Sheet, project: ProjectLedger, history: History) -> None:
    """Writes the months and the pace of a project and, for each of its limits, days left and the day it is reached."""
    base, whole, window = history.base, history.whole, project.project.pace_days or WINDOW
    write_months(sheet, f"{project.id}.actual.by_month", whole, history.missing)
    write_pace(sheet, f"{project.id}.pace", "Project", whole, window, history.missing)
    if not whole.dated:
        return
    for total in TOTALS.values():
        at = f"{project.id}.limits.{total.id}"
        limit, left = f"{project.id}.{total.hours}", f"{project.id}.{total.remaining}"
        if left in sheet.cells:
            spent = base if total is FINAL else whole
            write_reached(sheet, at, called(project.project, total.title), limit, left, spent, f"{project.id}.pace")


def write_end(sheet: Sheet, project_id: str) -> None:
    """Writes the day on which the hours of the forecast are spent at the present pace."""
    spent = budget_of(sheet.cells, project_id).actual
    at, needs = f"{project_id}.pace", [f"{project_id}.{name}" for name in ("forecast.p50", spent, "pace.through")]
    if any(address not in sheet.cells for address in needs):
        return
    left = f"max(forecast.p50 - {spent}, 0 gpu_hours)"
    rate = "pace.gpu_hours_per_day"
    sheet.formula(
        f"{at}.days_to_end", "Days to the end of the forecast, P50", DAYS, f"{left} / {rate}", over=rate, late=True
    )

    needs = [f"{at}.days_to_end", f"{at}.through"]
    title = "Work done at the present pace, P50"

    def end(figures: Mapping[str, Figure]) -> Figure:
        return _arrival(f"{at}.end", title, *(figures[address] for address in needs))

    sheet.write(Cell(f"{at}.end", title, DATE, Computed(tuple(needs), end), late=True))


def write_reached(
    sheet: Sheet, at: str, title: str, limit: str, left: str, spent: DailyHours, pace: str, to_spend: str = ""
) -> None:
    """Writes the days left to a limit at a pace, and the day on which it is reached, or was exceeded.

    `to_spend` is the address of what is left for the work to come, where that is not simply what is left.
    """
    rate, words = f"{pace}.gpu_hours_per_day", f"{title}: days left at the present pace"
    sheet.formula(f"{at}.days_left", words, DAYS, f"max({to_spend or left}, 0 gpu_hours) / {rate}", over=rate)
    needs = (limit, left, f"{at}.days_left", f"{pace}.through")

    def reached(figures: Mapping[str, Figure]) -> Figure:
        what, remains, days, through = (figures[address] for address in needs)
        if remains.use is None or what.use is None or remains.use >= 0:
            return _arrival(f"{at}.reached", f"{title}: reached at the present pace", days, through)
        day = spent.exceeded(what.use)
        value, missing = (point(day), ()) if day else (UNKNOWN, (f"{at}.date_of_runs",))
        origin = Worked("the day on which it was passed", (what,))
        return Figure(f"{at}.reached", f"{title}: passed", DATE, value, origin, "", missing)

    sheet.write(Cell(f"{at}.reached", f"{title}: reached", DATE, Computed(needs, reached)))


def _arrival(address: str, title: str, days: Figure, through: Figure) -> Figure:
    """The day so many days after the last day of data."""
    value = UNKNOWN
    if days.use is not None and through.use is not None:
        value = _day(through.use + days.use)
    missing = days.missing
    if not missing and value.use is None:
        missing = (days.address,)
    origin = Worked("last day of data + days left, in whole days", (through, days))
    return Figure(address, title, DATE, value, origin, "", missing)


def _day(day: Fraction) -> Value:
    """A day in the calendar; a limit some thousands of years away has none."""
    whole = -(-day.numerator // day.denominator)
    return point(whole) if whole <= LAST else UNKNOWN


def write_allocations(sheet: Sheet, ledger: Ledger, tallies: Mapping[str, Tally]) -> Mapping[str, SharedGrants]:
    """Writes what is used and left of each allocation, its pace and its end; gives those that share hours."""
    groups = find_shared_grants(ledger, tallies)
    write_shared_grants(sheet, ledger, tallies, groups)
    for name, grant in ledger.allocations.items():
        shared = [tallies[project] for project in grant.projects if project in tallies]
        if shared:
            to_spend = write_left_to_spend(sheet, ledger, name, tallies)
            _grant(sheet, f"allocations.{name}", grant, shared, name in groups, to_spend)
    return groups


def _grant(sheet: Sheet, at: str, grant: r.Allocation, shared: list[Tally], is_shared: bool, to_spend: str) -> None:
    """Writes the figures of a grant; `is_shared` says whether others could be charged for some of its hours, `to_spend`
    is the address of what is left of it for the work to come."""
    title = str(grant.title)
    first, last = first_day(str(grant.since or "")), last_day(str(grant.until or ""))
    spent = daily_hours(_days_between(days, first, last) for tally in shared for days in _daily_charges(grant, tally))
    missing = () if grant.gpu else tuple(dict.fromkeys(ratio for tally in shared for ratio in tally.missing))
    sums = _sums(sheet, grant, shared)
    if is_shared:
        missing = (*missing, f"{at}.shared")
    if first or last or is_shared or not sums:
        _dated(sheet, f"{at}.used", f"{title}: used", spent, sums, missing)
    else:
        sheet.formula(f"{at}.used", f"{title}: used", GPU_HOURS, total_of(sums))
    through = max(tally.spent.last for tally in shared)
    ended = bool(last) and through > last
    # What an ended grant leaves can be spent no more; what was drawn beyond it stays.
    left = "min(gpu_hours - used, 0 gpu_hours)" if ended else "gpu_hours - used"
    sheet.formula(f"{at}.left", f"{title}: left", GPU_HOURS, left)
    sheet.formula(f"{at}.used_share", f"{title}: share used", PLAIN, "used / gpu_hours", form="%", over="gpu_hours")
    write_pace(sheet, f"{at}.pace", title, spent, WINDOW, missing)
    if spent.dated:
        write_reached(sheet, at, title, f"{at}.gpu_hours", f"{at}.left", spent, f"{at}.pace", to_spend)
    if grant.until and last:
        _end(sheet, at, title, grant, last, through)


def has_ended(sheet: Sheet, at: str) -> bool:
    """Whether the last day of a grant is before the last data of its projects, once its cells are written."""
    return f"{at}.days_since_end" in sheet.cells


def _sums(sheet: Sheet, grant: r.Allocation, shared: list[Tally]) -> list[str]:
    """The addresses of what its projects spent: in all, or on the GPU that it is of."""
    last = f"by_gpu.{grant.gpu}" if grant.gpu else "total"
    return [at for tally in shared if (at := f"{tally.project.id}.actual.{last}") in sheet.cells]


def _dated(
    sheet: Sheet, address: str, title: str, spent: DailyHours, sums: list[str], missing: tuple[str, ...]
) -> None:
    """What was spent between the dates of a grant, out of all that its projects spent."""
    value = UNKNOWN if missing else point(spent.total)
    how = "what its projects spent between its dates, if it has any; runs over several days count by the time in each"

    def used(figures: Mapping[str, Figure]) -> Figure:
        parts = tuple(figures[summed] for summed in sums)
        origin = Worked(how if parts else "no run of its projects was on its GPU", parts)
        return Figure(address, title, GPU_HOURS, value, origin, "", missing)

    sheet.write(Cell(address, title, GPU_HOURS, Computed(tuple(sums), used)))


def _daily_charges(grant: r.Allocation, tally: Tally) -> list[DayParts]:
    if grant.gpu:
        return [tally.held[str(grant.gpu)]] if str(grant.gpu) in tally.held else []
    return [tally.spent.parts]


def _days_between(days: DayParts, first: int, last: int) -> DayParts:
    kept = {day: hours for day, hours in days.parts.items() if not day or (day >= first and (not last or day <= last))}
    return DayParts(kept, days.per)


def _end(sheet: Sheet, at: str, title: str, grant: r.Allocation, last: int, through: int) -> None:
    """The last day of a grant, and the days to it from the last day of data of its projects."""
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
        at = f"allocations.{name}"
        if f"{at}.days_to_end" not in sheet.cells:
            continue
        if has_ended(sheet, at):
            words = f"{grant.title}: left unused at its end"
            sheet.formula(f"{at}.unused", words, GPU_HOURS, "max(gpu_hours - used, 0 gpu_hours)")
            continue
        coming = "pace.gpu_hours_per_day * days_to_end" if f"{at}.pace.gpu_hours_per_day" in sheet.cells else ""
        if coming and f"{at}.forecast_p50" in sheet.cells:
            coming = f"min({coming}, forecast_p50 - used)"
        elif coming and (most := _to_come(sheet, ledger, grant)):
            coming = f"min({coming}, {most})"
        to_spend = "left_to_spend" if f"{at}.left_to_spend" in sheet.cells else "left"
        left = f"{to_spend} - {coming}" if coming else to_spend
        sheet.formula(f"{at}.unused", f"{grant.title}: left unused at its end", GPU_HOURS, f"max({left}, 0 gpu_hours)")
        words = f"{grant.title}: pace that uses it up by its end"
        formula = f"max({to_spend}, 0 gpu_hours) / days_to_end"
        sheet.formula(f"{at}.pace_to_use_up", words, PER_DAY, formula, over="days_to_end")


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
