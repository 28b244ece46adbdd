"""Grants of hours: what the projects that share one have spent of it, how fast, and what its end leaves unused.

A grant on a kind of GPU is charged for the hours held on that kind; one that names none, for the hours that each
project counts. One with dates is charged for what was spent between them; runs without a date are taken to lie there.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.language.days import DATE, DAYS, first_day, last_day
from reckon.language.quantity import UNKNOWN, point
from reckon.language.units import GPU_HOURS, PLAIN
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked
from reckon.model.ledger import Ledger

from ..sheet.cells import Cell, Computed
from ..sheet.formulas import total_of
from ..sheet.sheet import Sheet
from .history import Series, series
from .pace import PER_DAY, WINDOW, write_pace, write_reached
from .tally import Tally


def write_allocations(sheet: Sheet, ledger: Ledger, tallies: Mapping[str, Tally]) -> dict[str, Series]:
    """Writes what is used and left of each allocation, its pace and its end; gives back what it was charged by day."""
    found: dict[str, Series] = {}
    for name, grant in ledger.allocations.items():
        shared = [tallies[project] for project in grant.projects if project in tallies]
        if shared:
            found[name] = _grant(sheet, f"allocations.{name}", grant, shared)
    return found


def _grant(sheet: Sheet, at: str, grant: r.Allocation, shared: list[Tally]) -> Series:
    title = str(grant.title)
    first, last = first_day(str(grant.since or "")), last_day(str(grant.until or ""))
    spent = series(_within(days, first, last) for tally in shared for days in _charged(grant, tally))
    missing = () if grant.gpu else tuple(dict.fromkeys(one for tally in shared for one in tally.missing))
    sums = _sums(sheet, grant, shared)
    if first or last or not sums:
        _dated(sheet, f"{at}.used", f"{title}: used", spent, sums, missing)
    else:
        sheet.formula(f"{at}.used", f"{title}: used", GPU_HOURS, total_of(sums))
    sheet.formula(f"{at}.left", f"{title}: left", GPU_HOURS, "gpu_hours - used")
    sheet.formula(f"{at}.used_share", f"{title}: share used", PLAIN, "used / gpu_hours", form="%", over="gpu_hours")
    write_pace(sheet, f"{at}.pace", title, spent, WINDOW, missing)
    if spent.days:
        write_reached(sheet, at, title, f"{at}.gpu_hours", f"{at}.left", spent, f"{at}.pace")
    if grant.until and last:
        _end(sheet, at, title, grant, last, series(days for tally in shared for days in tally.days.values()).last)
    return spent


def _sums(sheet: Sheet, grant: r.Allocation, shared: list[Tally]) -> list[str]:
    """The addresses of what its projects spent: in all, or on the GPU that it is of."""
    last = f"by_gpu.{grant.gpu}" if grant.gpu else "total"
    return [at for tally in shared if (at := f"{tally.one.id}.actual.{last}") in sheet.cells]


def _dated(sheet: Sheet, address: str, title: str, spent: Series, sums: list[str], missing: tuple[str, ...]) -> None:
    """What was spent between the dates of a grant, out of all that its projects spent."""
    value = UNKNOWN if missing else point(spent.total)
    how = "what was charged between its dates, of all that its projects spent; runs over several days count evenly"

    def used(figures: Mapping[str, Figure]) -> Figure:
        origin = Worked(how if sums else "no run of its projects was on its GPU", tuple(figures[one] for one in sums))
        return Figure(address, title, GPU_HOURS, value, origin, "", missing)

    sheet.write(Cell(address, title, GPU_HOURS, Computed(tuple(sums), used)))


def _charged(grant: r.Allocation, tally: Tally) -> list[Mapping[int, Fraction]]:
    if grant.gpu:
        return [tally.held[str(grant.gpu)]] if str(grant.gpu) in tally.held else []
    return list(tally.days.values())


def _within(days: Mapping[int, Fraction], first: int, last: int) -> dict[int, Fraction]:
    return {day: hours for day, hours in days.items() if not day or (day >= first and (not last or day <= last))}


def _end(sheet: Sheet, at: str, title: str, grant: r.Allocation, last: int, through: int) -> None:
    """The last day of a grant, and the days to it from the last day of data of its projects."""
    origin = Stated(str(grant.until), getattr(grant.until, "place", grant.place))
    sheet.counted(Figure(f"{at}.end", f"{title}: last day", DATE, point(last), origin))
    if through:
        days, words = max(last - through, 0), f"{title}: days from the last data to its end"
        sheet.counted(Figure(f"{at}.days_to_end", words, DAYS, point(days), origin))


def write_unused(sheet: Sheet, ledger: Ledger) -> None:
    """Writes what the end of each grant leaves unused, and the pace that would use it up.

    What is still charged to it is what the present pace comes to, or all work to come (P50) where that is less: work
    that ends before the grant does spends no more.
    """
    for name, grant in ledger.allocations.items():
        at = f"allocations.{name}"
        if f"{at}.days_to_end" not in sheet.cells:
            continue
        coming = "pace.gpu_hours_per_day * days_to_end" if f"{at}.pace.gpu_hours_per_day" in sheet.cells else ""
        if coming and f"{at}.forecast_p50" in sheet.cells:
            coming = f"min({coming}, forecast_p50 - used)"
        left = f"left - {coming}" if coming else "left"
        sheet.formula(f"{at}.unused", f"{grant.title}: left unused at its end", GPU_HOURS, f"max({left}, 0 gpu_hours)")
        sheet.formula(f"{at}.pace_to_use_up", f"{grant.title}: pace that uses it up by its end", PER_DAY,
                      "max(left, 0 gpu_hours) / days_to_end", over="days_to_end")  # fmt: skip
