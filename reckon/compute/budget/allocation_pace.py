"""How fast an allocation is charged, and when it is used up.

Its pace is that of its projects, each by the share of the work to do that the allocation pays for; of money, what it
was charged lately. It is used up on a
day only where that work is more than is left of it, and only after a week of data; else the work ends first, or nobody
knows yet. What the end of an allocation leaves unused follows from the same pace.
"""

from __future__ import annotations

from collections.abc import Sequence

from reckon.language.calendar_days import DATE, DAYS
from reckon.language.quantity import ONE, ZERO
from reckon.model.figure import Figures, missing_of

from ..sheet.cells import Result, formula_of, result
from ..sheet.sheet import Sheet
from .allocations import Booked, Granted, has_ended
from .history import DailyHours
from .pace import LEAST_DAYS, arrival, passed


def write_allocation_pace(sheet: Sheet, granted: Granted, booked: Booked, through: int, unknown: Sequence[str]) -> None:
    """Writes the pace of an allocation, the day on which it is used up, and what its end leaves unused. `unknown` is
    the address of what is left for the work to come, where that may not be known."""
    writer = granted.writer
    rates = [f"{project}.pace.gpu_hours_per_day" for project in granted.projects]
    if all(rate not in sheet.cells for rate in rates) or not through:
        return
    how = "the last day of a run, of a refund or of what was booked without one"
    writer.count("pace.through", "data through", DATE, through, how)
    if granted.grant.currency:
        _write_spent_rate(sheet, granted, booked.charged, through)
    else:
        _write_rate(sheet, granted, unknown)
    rate, left = f"pace.{granted.measure.key}_per_day", (*unknown, f"{granted.at}.left")[0]
    formula = formula_of("max({}, {}) / {}", left, granted.measure.nothing, rate)
    writer.formula("days_left", "days left at the present pace", formula, over=rate, unit=DAYS, late=True)
    _write_used_up(sheet, granted, booked.charged)
    _write_unused(granted, rate, left)


def _write_spent_rate(sheet: Sheet, granted: Granted, charged: DailyHours, through: int) -> None:
    """The pace of an allocation in money: what it was charged on the days that the pace of its projects is taken from.
    Hours say nothing of lines of money."""
    days = [f"{project}.pace.days" for project in granted.projects if f"{project}.pace.days" in sheet.cells]

    def pace(figures: Figures) -> Result:
        found = [figures[name] for name in days]
        window = max((figure.use or ONE for figure in found), default=ONE)
        spent = charged.between(through - int(window) + 1, through)
        return result(spent / window, "what it was charged on these days", found)

    key = f"pace.{granted.measure.key}_per_day"
    granted.writer.compute(key, "pace", granted.measure.per_day, days, pace, late=True)


def _write_rate(sheet: Sheet, granted: Granted, unknown: Sequence[str]) -> None:
    """The pace of its projects, by the share of their work to do that it pays for."""
    shares = []
    for project in granted.projects:
        rate, to_do = f"{project}.pace.gpu_hours_per_day", f"{project}.payers.{granted.name}.to_do"
        if rate in sheet.cells and to_do in sheet.cells:
            shares.append((rate, to_do, f"{project}.work_to_do"))
    how = "the pace of its projects, by the share of their work to do that it pays for"
    known = [name for names in shares for name in names]
    needs = [*unknown, *known]

    def pace(figures: Figures) -> Result:
        total = ZERO
        for names in shares:
            rate, own, whole = (figures[name].use for name in names)
            if rate and own and whole:
                total += rate * own / whole
        missing = missing_of(figures[name] for name in needs)
        return result(total, how, (figures[name] for name in known), missing)

    key = f"pace.{granted.measure.key}_per_day"
    granted.writer.compute(key, "pace", granted.measure.per_day, needs, pace, late=True)


def _write_used_up(sheet: Sheet, granted: Granted, charged: DailyHours) -> None:
    """The day on which it was overdrawn, or will be used up."""
    at, title = granted.at, granted.title
    keys = ("granted", "left", "short_by", "days_left", "pace.through")
    days = [f"{project}.pace.days_of_data" for project in granted.projects]
    known = [address for address in days if address in sheet.cells]
    needs = (*(f"{at}.{key}" for key in keys), *known)

    def used_up(figures: Figures) -> Result:
        what, left, short, days_left, through = (figures[f"{at}.{key}"] for key in keys)
        if exceeded := passed(granted.writer, charged, what, left):
            return exceeded
        words = f"{title}: used up at the present pace"
        most = max((figures[address].use or 0 for address in known), default=0)
        if short.missing or short.use == 0 or most < LEAST_DAYS:
            lacks = short.missing or (short.address if short.use == 0 or not known else known[0],)
            why = "the work to do is not more than is left" if short.use == 0 else f"under {LEAST_DAYS} days of data"
            return result(0, why, (short, left), lacks, title=words)
        return arrival(days_left, through, title=words)

    for key in ("reached", "used_up"):
        granted.writer.compute(key, "used up", DATE, needs, used_up, late=True)


def _write_unused(granted: Granted, rate: str, left: str) -> None:
    """Writes what its end leaves unused, and the pace that would use it up.

    What is still charged to it is what the present pace comes to, or all work to come (P50) where that is less: work
    that ends before the allocation does spends no more.
    """
    writer, nothing, words = granted.writer, granted.measure.nothing, "left unused at its end"
    if not writer.has("days_to_end"):
        return
    if has_ended(granted):
        granted.formula("unused", words, formula_of("max(granted - used, {})", nothing), late=True)
        return
    coming = formula_of("{} * days_to_end", rate)
    if writer.has("forecast_p50"):
        coming = formula_of("min({}, forecast_p50 - used)", coming)
    granted.formula("unused", words, formula_of("max({} - {}, {})", left, coming, nothing), late=True)
    formula, unit = formula_of("max({}, {}) / days_to_end", left, nothing), granted.measure.per_day
    words = "pace that uses it up by its end"
    writer.formula("pace_to_use_up", words, formula, over="days_to_end", unit=unit, late=True)
