"""How fast hours are spent, and the day on which each limit is reached at that pace.

The pace is what the last days of data were charged, by the day: the last 28 unless the project says otherwise
(`pace_days`), fewer where the first run is nearer. The last day is that of the newest run: nothing here knows what day
it is today. A limit that is passed already has the day on which that happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.language.days import DATE, DAYS, LAST
from reckon.language.quantity import UNKNOWN, Value, point
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import ProjectLedger

from .cells import Cell, Computed
from .drawdown import History
from .history import Series
from .sheet import Sheet

WINDOW = 28
PER_DAY = key_unit("gpu_hours_per_day")


def write_pace(sheet: Sheet, at: str, title: str, spent: Series, window: int, missing: tuple[str, ...]) -> None:
    """Writes first and last day, months, and the pace of a series of hours; nothing where no run has a date."""
    if not spent.days:
        return
    _date(sheet, f"{at}.first", f"{title}: first day", spent.first, "the first day of a run")
    _date(sheet, f"{at}.through", f"{title}: data through", spent.last, "the last day of a run")
    days = min(window, spent.last - spent.first + 1)
    origin = Worked(f"the last {window} days of data, or fewer where the first run is nearer")
    sheet.counted(Figure(f"{at}.days", f"{title}: days that the pace is taken from", DAYS, point(days), origin))
    hours = spent.between(spent.last - days + 1, spent.last)
    value = UNKNOWN if missing else point(hours)
    charged = Worked("hours charged on those days; runs over several days count evenly")
    sheet.counted(Figure(f"{at}.charged", f"{title}: charged on them", GPU_HOURS, value, charged, "", missing))
    sheet.formula(f"{at}.gpu_hours_per_day", f"{title}: pace", PER_DAY, "charged / days")


def write_months(sheet: Sheet, at: str, spent: Series, missing: tuple[str, ...]) -> None:
    """Writes what was charged in each month, and all that was charged by its end."""
    so_far = spent.undated
    for month, hours in spent.months().items():
        so_far += hours
        for name, title, amount in (("", "charged in", hours), (".so_far", "charged by the end of", so_far)):
            value = UNKNOWN if missing else point(amount)
            sheet.counted(
                Figure(f"{at}.{month}{name}", f"Actual, {title} {month}", GPU_HOURS, value,
                       Worked(f"hours {title} {month}; runs over several days count evenly"), "", missing)
            )  # fmt: skip


def _date(sheet: Sheet, address: str, title: str, day: int, how: str) -> None:
    sheet.counted(Figure(address, title, DATE, point(day), Worked(how)))


def write_limits(sheet: Sheet, one: ProjectLedger, history: History) -> None:
    """Writes the months and the pace of a project and, for each of its limits, days left and the day it is reached."""
    base, whole, window = history.base, history.whole, one.project.pace_days or WINDOW
    write_months(sheet, f"{one.id}.actual.by_month", whole, history.missing)
    write_pace(sheet, f"{one.id}.pace", "Project", whole, window, history.missing)
    if not whole.days:
        return
    for name, title, limit, left, spent in (
        ("final", "Final budget", "budget.final", "budget.remaining", base),
        ("extended", "Extended budget", "budget.extended", "budget.extended_remaining", whole),
        ("ceiling", "Ceiling", "ceiling", "actual.below_ceiling", whole),
    ):
        if f"{one.id}.{left}" in sheet.cells:
            write_reached(
                sheet,
                f"{one.id}.limits.{name}",
                title,
                f"{one.id}.{limit}",
                f"{one.id}.{left}",
                spent,
                f"{one.id}.pace",
            )


def write_reached(sheet: Sheet, at: str, title: str, limit: str, left: str, spent: Series, pace: str) -> None:
    """Writes the days left to a limit at a pace, and the day on which it is reached, or was passed."""
    rate = f"{pace}.gpu_hours_per_day"
    sheet.formula(
        f"{at}.days_left",
        f"{title}: days left at the present pace",
        DAYS,
        f"max({left}, 0 gpu_hours) / {rate}",
        over=rate,
    )
    needs = (limit, left, f"{at}.days_left", f"{pace}.through")

    def reached(figures: Mapping[str, Figure]) -> Figure:
        what, remains, days, through = (figures[one] for one in needs)
        gone = remains.use is not None and what.use is not None and remains.use < 0
        how = (
            "the day on which it was passed"
            if gone
            else "last day of data + days left at the present pace, in whole days"
        )
        origin = Worked(how, (what,) if gone else (through, days))
        value, missing = UNKNOWN, (remains.missing or days.missing)
        if gone and what.use is not None and (day := spent.passed(what.use)):
            value, missing = point(day), ()
        elif gone:
            missing = (f"{at}.date_of_runs",)
        elif not missing and days.use is not None and through.use is not None:
            value = _day(through.use + days.use)
            missing = () if value.use is not None else (days.address,)
        return Figure(
            f"{at}.reached",
            f"{title}: {'passed' if gone else 'reached at the present pace'}",
            DATE,
            value,
            origin,
            "",
            missing,
        )

    sheet.write(Cell(f"{at}.reached", f"{title}: reached", DATE, Computed(needs, reached)))


def _day(day: Fraction) -> Value:
    """A day in the calendar; a limit some thousands of years away has none."""
    whole = -(-day.numerator // day.denominator)
    return point(whole) if whole <= LAST else UNKNOWN
