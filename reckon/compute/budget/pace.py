"""How fast hours are spent, and the day on which limits and grants are reached at that pace.

The pace is what the last days of data were charged, by the day: the last 28 unless the project says otherwise
(`pace_days`), fewer where the first run is nearer. The last day is that of the newest run: nothing here knows what day
it is today. A limit that has been exceeded has the day on which that happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import DATE, DAYS, LAST, first_day
from reckon.language.quantity import UNKNOWN, Value, point
from reckon.language.units import GPU_HOURS, Unit, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.kinds import FINAL, TOTALS, budget_of, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Cell, Computed
from ..sheet.sheet import Sheet
from .drawdown import History
from .forecast_draws import PERCENTS
from .history import DailyHours

WINDOW = 28
LEAST_DAYS = 7
"""With fewer days of data there is a pace, and no date."""
PER_DAY = key_unit("gpu_hours_per_day")


class Measure(NamedTuple):
    """What is spent: the end of the keys of it, its unit, that of its pace, and nothing of it, as formulas write it."""

    key: str
    unit: Unit
    per_day: Unit
    nothing: str


def measure_of(grant: r.Allocation) -> Measure:
    """What an allocation is granted in: hours, units, or a currency."""
    key = grant.amount_key
    return Measure(key, key_unit(key), key_unit(f"{key}_per_day"), "0" if key == "units" else f"0 {key}")


def write_pace(
    sheet: Sheet, at: str, title: str, spent: DailyHours, window: int, missing: tuple[str, ...], began: int = 0
) -> None:
    """Writes first and last day, and the pace of a series of hours; nothing where no run has a date. Data begin on the
    day on which the project `began` or, where that is not said, with the first run."""
    if not spent.dated:
        return
    _date(sheet, f"{at}.first", f"{title}: first day", spent.first, "the first day of a run")
    _date(sheet, f"{at}.through", f"{title}: data through", spent.last, "the last day of a run")
    of_data = max(spent.last - (began or spent.first) + 1, 1)
    origin = Worked("from the day on which the project began, or from its first run, to the last run")
    sheet.counted(Figure(f"{at}.days_of_data", f"{title}: days of data", DAYS, point(of_data), origin))
    days = min(window, of_data)
    origin = Worked(f"the last {window} days of data, or fewer where they begin later")
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
    began = first_day(str(project.project.began or ""))
    write_pace(sheet, f"{project.id}.pace", "Project", whole, window, history.missing, began)
    if not whole.dated:
        return
    for total in TOTALS.values():
        at = f"{project.id}.limits.{total.id}"
        limit, left = f"{project.id}.{total.hours}", f"{project.id}.{total.remaining}"
        if left in sheet.cells:
            spent = base if total is FINAL else whole
            write_reached(sheet, at, called(project.project, total.title), limit, left, spent, f"{project.id}.pace")


def write_end(sheet: Sheet, project_id: str) -> None:
    """Writes the days on which the hours of the forecast are spent at the present pace: P10, P50 and P90."""
    spent = budget_of(sheet.cells, project_id).actual
    needs = (f"{project_id}.{name}" for name in ("forecast.p50", spent, "pace.through"))
    if all(address in sheet.cells for address in needs):
        write_days(sheet, f"{project_id}.pace", "Work", "forecast.p", [spent], f"{project_id}.pace")


def write_days(
    sheet: Sheet, at: str, title: str, forecast: str, spent: Sequence[str], pace: str, done: tuple[str, int] = ("", 0)
) -> None:
    """Writes the days until hours that are forecast, less those that are spent, are spent at a pace, and the day on
    which that is: P50, and P10 and P90 beside it. `done` is a share that is 1 once no work is left, with the last day
    of the work then."""
    rate = "pace.gpu_hours_per_day"
    for percent in PERCENTS:
        suffix = "" if percent == 50 else f"_p{percent}"
        days, words = f"{at}.days_to_end{suffix}", f"{title}: days to its end at the present pace, P{percent}"
        left = f"max({forecast}{percent} - {' - '.join(spent)}, 0 gpu_hours)"
        sheet.formula(days, words, DAYS, f"{left} / {rate}", over=rate, late=True)
        needs = (days, f"{pace}.through", f"{pace}.days_of_data")
        _write_arrival(sheet, f"{at}.end{suffix}", f"{title}: done at the present pace, P{percent}", needs, done)


def _write_arrival(sheet: Sheet, address: str, title: str, needs: tuple[str, ...], done: tuple[str, int]) -> None:
    share, last = done

    def end(figures: Mapping[str, Figure]) -> Figure:
        if last and figures[share].use == 1:
            return Figure(address, title, DATE, point(last), Worked("the last day of its runs", (figures[share],)))
        return arrival(address, title, *(figures[name] for name in needs))

    sheet.write(Cell(address, title, DATE, Computed((*needs, *filter(None, [share])), end), late=True))


def write_reached(sheet: Sheet, at: str, title: str, limit: str, left: str, spent: DailyHours, pace: str) -> None:
    """Writes the days left to a limit at a pace, and the day on which it is reached, or was exceeded."""
    rate, words = f"{pace}.gpu_hours_per_day", f"{title}: days left at the present pace"
    sheet.formula(f"{at}.days_left", words, DAYS, f"max({left}, 0 gpu_hours) / {rate}", over=rate)
    needs = (limit, left, f"{at}.days_left", f"{pace}.through", f"{pace}.days_of_data")

    def reached(figures: Mapping[str, Figure]) -> Figure:
        what, remains, *of_pace = (figures[address] for address in needs)
        if remains.use is None or what.use is None or remains.use >= 0:
            return arrival(f"{at}.reached", f"{title}: reached at the present pace", *of_pace)
        day = spent.exceeded(what.use)
        value, missing = (point(day), ()) if day else (UNKNOWN, (f"{at}.date_of_runs",))
        origin = Worked("the day on which it was passed", (what,))
        return Figure(f"{at}.reached", f"{title}: passed", DATE, value, origin, "", missing)

    sheet.write(Cell(f"{at}.reached", f"{title}: reached", DATE, Computed(needs, reached)))


def arrival(address: str, title: str, days: Figure, through: Figure, data: Figure | None = None) -> Figure:
    """The day so many days after the last day of data; unknown where there are data of too few days."""
    if data and data.use is not None and data.use < LEAST_DAYS:
        why = Worked(f"under {LEAST_DAYS} days of data", (data,))
        return Figure(address, title, DATE, UNKNOWN, why, "", (data.address,))
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
