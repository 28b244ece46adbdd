"""How fast hours are spent, and the day on which limits and grants are reached at that pace.

The pace is what the last days of data were charged, by the day: the last 28 unless the project says otherwise
(`pace_days`), fewer where the first run is nearer. The last day is that of the newest run: nothing here knows what day
it is today. A limit that has been exceeded has the day on which that happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import NamedTuple

from reckon.language.calendar_days import DATE, DAYS, LAST, first_day
from reckon.language.expression import Formula
from reckon.language.units import GPU_HOURS, Unit, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Figures
from reckon.model.kinds import FINAL, TOTALS, budget_of, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Addresses, Result, chain_of, formula_of, result
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .drawdown import History
from .history import DailyHours
from .simulation import PERCENTS

WINDOW = 28
LEAST_DAYS = 7
"""With fewer days of data there is a pace, and no date."""
PER_DAY = key_unit("gpu_hours_per_day")


class Measure(NamedTuple):
    """What is spent: the end of the keys of it, its unit, that of its pace, and nothing of it, as a formula."""

    key: str
    unit: Unit
    per_day: Unit
    nothing: Formula


def measure_of(grant: r.Allocation) -> Measure:
    """What an allocation is granted in: hours, units, or a currency."""
    key = grant.amount_key
    nothing = "0" if key == "units" else "0 {}"
    return Measure(key, key_unit(key), key_unit(f"{key}_per_day"), formula_of(nothing, key))


def write_pace(sheet: Sheet, project: ProjectLedger, spent: DailyHours, missing: Addresses) -> None:
    """Writes first and last day of all runs, and their pace. Data begin on the day on which the project began or, where
    that is not said, with the first run."""
    began, window = first_day(project.project.began or ""), project.project.pace_days or WINDOW
    writer = FigureWriter(sheet, f"{project.id}.pace", "Project")
    writer.count("first", "first day", DATE, spent.first, "the first day of a run")
    writer.count("through", "data through", DATE, spent.last, "the last day of a run")
    of_data = max(spent.last - (began or spent.first) + 1, 1)
    how = "from the day on which the project began, or from its first run, to the last run"
    writer.count("days_of_data", "days of data", DAYS, of_data, how)
    days = min(window, of_data)
    how = f"the last {window} days of data, or fewer where they begin later"
    writer.count("days", "days that the pace is taken from", DAYS, days, how)
    hours = spent.between(spent.last - days + 1, spent.last)
    how = "hours charged on those days; runs over several days count by the time in each"
    writer.count("charged", "charged on them", GPU_HOURS, hours, how, missing)
    writer.formula("gpu_hours_per_day", "pace", "charged / days", unit=PER_DAY)


def write_months(writer: FigureWriter, spent: DailyHours, missing: Addresses) -> None:
    """Writes what was charged in each month, and all that was charged by its end."""
    so_far = spent.undated
    for month, hours in spent.months().items():
        so_far += hours
        for name, title, amount in (("", "charged in", hours), (".so_far", "charged by the end of", so_far)):
            words = f"{title} {month}"
            how = f"hours {words}; runs over several days count by the time in each"
            writer.count(f"{month}{name}", f"Actual, {words}", GPU_HOURS, amount, how, missing)


def write_limits(sheet: Sheet, project: ProjectLedger, history: History) -> None:
    """Writes the months and the pace of a project and, for each of its limits, days left and the day it is reached."""
    base, whole = history.base, history.whole
    write_months(FigureWriter(sheet, f"{project.id}.actual.by_month"), whole, history.missing)
    if not whole.dated:
        return
    write_pace(sheet, project, whole, history.missing)
    for total in TOTALS.values():
        at = f"{project.id}.limits.{total.id}"
        limit, left = f"{project.id}.{total.hours}", f"{project.id}.{total.remaining}"
        if left in sheet.cells:
            spent = base if total is FINAL else whole
            writer = FigureWriter(sheet, at, called(project.project, total.title))
            write_reached(writer, limit, left, spent, f"{project.id}.pace")


def write_end(sheet: Sheet, project_id: str) -> None:
    """Writes the days on which the hours of the forecast are spent at the present pace: P10, P50 and P90."""
    spent = budget_of(sheet.cells, project_id).actual
    writer = FigureWriter(sheet, project_id)
    if all(map(writer.has, ("forecast.p50", spent, "pace.through"))):
        at = f"{project_id}.pace"
        write_days(FigureWriter(sheet, at, "Work"), "forecast.p", [spent], at)


def write_days(
    writer: FigureWriter, forecast: str, spent: Sequence[str], pace: str, done: tuple[str, int] = ("", 0)
) -> None:
    """Writes the days until hours that are forecast, less those that are spent, are spent at a pace, and the day on
    which that is: P50, and P10 and P90 beside it. `done` is a share that is 1 once no work is left, with the last day
    of the work then."""
    rate = "pace.gpu_hours_per_day"
    for percent in PERCENTS:
        suffix = "" if percent == 50 else f"_p{percent}"
        key, left = f"days_to_end{suffix}", chain_of(" - ", [f"{forecast}{percent}", *spent])
        words = f"days to its end at the present pace, P{percent}"
        days = formula_of("max({}, 0 gpu_hours) / {}", left, rate)
        writer.formula(key, words, days, over=rate, unit=DAYS, late=True)
        needs = (f"{writer.at}.{key}", f"{pace}.through", f"{pace}.days_of_data", *filter(None, done[:1]))
        end = partial(_find_end, needs[:3], done)
        writer.compute(f"end{suffix}", f"done at the present pace, P{percent}", DATE, needs, end, late=True)


def _find_end(pace: Sequence[str], done: tuple[str, int], figures: Figures) -> Result:
    share, last = done
    if last and figures[share].use == 1:
        return result(last, "the last day of its runs", [figures[share]])
    days, through, data = (figures[name] for name in pace)
    return arrival(days, through, data)


def write_reached(writer: FigureWriter, limit: str, left: str, spent: DailyHours, pace: str) -> None:
    """Writes the days left to a limit at a pace, and the day on which it is reached, or was exceeded."""
    rate = f"{pace}.gpu_hours_per_day"
    days = formula_of("max({}, 0 gpu_hours) / {}", left, rate)
    writer.formula("days_left", "days left at the present pace", days, over=rate, unit=DAYS)
    needs = (limit, left, f"{writer.at}.days_left", f"{pace}.through", f"{pace}.days_of_data")

    def reached(figures: Figures) -> Result:
        what, remains, days, through, data = (figures[address] for address in needs)
        by_pace = arrival(days, through, data, f"{writer.title}: reached at the present pace")
        return passed(writer, spent, what, remains) or by_pace

    writer.compute("reached", "reached", DATE, needs, reached)


def passed(writer: FigureWriter, spent: DailyHours, what: Figure, left: Figure) -> Result | None:
    """The day on which a limit was passed; None where that did not happen, or is not known."""
    if left.use is None or what.use is None or left.use >= 0:
        return None
    day = spent.exceeded(what.use)
    missing = [] if day else [f"{writer.at}.date_of_runs"]
    return result(day, "the day on which it was passed", [what], missing, title=f"{writer.title}: passed")


def arrival(days: Figure, through: Figure, data: Figure | None = None, title: str = "") -> Result:
    """The day so many days after the last day of data; unknown where there are data of too few days."""
    if data and data.use is not None and data.use < LEAST_DAYS:
        return result(0, f"under {LEAST_DAYS} days of data", [data], [data.address], title=title)
    how = "last day of data + days left, in whole days"
    return day_after(through.use or 0, days, how, (through, days), title=title)


def day_after(
    first: Fraction | int, days: Figure, how: str, rests_on: Iterable[Figure], least: int = 0, title: str = ""
) -> Result:
    """The day so many days after another one, in whole days; one some thousands of years away is not known."""
    day = LAST + 1 if days.use is None else max(ceil(first + days.use), least)
    missing = days.missing or ([days.address] if day > LAST else [])
    return result(day, how, rests_on, missing, title=title)
