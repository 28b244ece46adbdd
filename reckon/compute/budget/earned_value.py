"""Earned value: what the work done was planned to take, against what it took, and where that leads.

The terms are those of ANSI/EIA-748 and of PMI's Practice Standard for Earned Value Management; hours stand for cost:

- BAC, budget at completion: the planned hours (the value to plan with). Contingency has no work of its own; it is
  inside the baseline of the project (BAC = final budget) and belongs to no item.
- EV, earned value = share complete x BAC. The share comes from progress alone, never from hours used.
- AC, actual cost: all hours charged, wasted ones included.
- CPI, cost performance index = EV / AC; below 100% the work takes more than was planned.
- EAC, estimate at completion = BAC / CPI = AC / share complete for work that has begun. Where nothing is earned yet it
  is AC + (BAC - EV). Above a piece of work it is AC + the ETC of each (PMI's bottom-up estimate), so that parts add up.
- ETC, estimate to complete = EAC - AC. VAC, variance at completion = BAC - EAC; below zero is an overrun.
"""

from __future__ import annotations

from fractions import Fraction

from reckon.language.quantity import UNKNOWN, point
from reckon.language.units import GPU_HOURS, PLAIN
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.kinds import EXTENDED, FINAL, Total
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import total_of
from ..sheet.inputs import ratio_address, scopes, times_ratio
from ..sheet.sheet import Sheet
from .history import PieceOfWork
from .tally import Tally, by_seed


def write_performance(sheet: Sheet, tally: Tally, project: ProjectLedger) -> None:
    """Writes the earned value figures of each piece of work, item and phase, of the base budget and of the extended."""
    for _, _, name, item in scopes(project):
        _item(sheet, tally, name, item)
    for name, phase in project.plan.items():
        if phase.items:
            _phase(sheet, f"{project.id}.phases.{name}", phase)
    phases = {name: phase for name, phase in project.plan.items() if phase.items}
    base = [name for name, phase in phases.items() if not phase.extension]
    if base:
        _project(sheet, project, FINAL.earned, base, FINAL, "budget.subtotal.use")
    if len(phases) > len(base):
        at = EXTENDED.earned if base else FINAL.earned
        planned = "budget.subtotal.use + budget.extensions.use" if base else "budget.extensions.use"
        _project(sheet, project, at, list(phases), EXTENDED, planned)


def _item(sheet: Sheet, tally: Tally, name: str, item: r.Item) -> None:
    at, title, seeds = f"{tally.project.id}.plan.{name}", str(item.title), by_seed(tally.project, item)
    sheet.formula(f"{at}.bac", f"{title}: budget at completion", GPU_HOURS, "total.use")
    if not seeds:
        _piece(sheet, tally, (name, ""), at, title)
        return
    own = "gpu_hours.use" + ("" if not times_ratio(sheet, tally.project, item) else _ratio(tally.project, item))
    for seed in seeds:
        inner = f"{at}.seeds.{seed}"
        sheet.formula(f"{inner}.bac", f"{title}, seed {seed}: budget at completion", GPU_HOURS, own)
        _piece(sheet, tally, (name, seed), inner, f"{title}, seed {seed}")
    if tally.loose(name):
        _share(sheet, at, title, None, Worked("its runs name no seed"), "no_seed.seed")
        sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, "complete_share * bac")
        sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, "actual / complete_share")
    else:
        parts = [f"seeds.{seed}" for seed in seeds]
        spent = ["no_seed.actual"] if f"{at}.no_seed.actual" in sheet.cells else []
        _sums(sheet, at, title, parts, spent)
        sheet.formula(f"{at}.complete_share", f"{title}: complete", PLAIN, "earned / bac", form="%", over="bac")
    _rest(sheet, at, title)


def _ratio(project: ProjectLedger, item: r.Item) -> str:
    return f" * {ratio_address(str(item.gpu), str(project.project.gpu))}.use"


def _piece(sheet: Sheet, tally: Tally, key: tuple[str, str], at: str, title: str) -> None:
    """The figures of one piece of work, from its progress."""
    work = tally.work.get(key) or PieceOfWork()
    how, place = work.how
    share = work.share
    _share(sheet, at, title, share, Worked(how, place=place), "progress")
    sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, "complete_share * bac")
    formula = "actual + bac - earned" if share == 0 else "actual / complete_share"
    sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, formula)
    _rest(sheet, at, title)


def _share(sheet: Sheet, at: str, title: str, share: Fraction | None, origin: Worked, wanted: str) -> None:
    """The share of a piece of work that is done; where it is not known, what would settle it is named."""
    value = UNKNOWN if share is None else point(share)
    missing = (f"{at}.{wanted}",) if share is None else ()
    sheet.counted(Figure(f"{at}.complete_share", f"{title}: complete", PLAIN, value, origin, "%", missing))


def _sums(sheet: Sheet, at: str, title: str, parts: list[str], spent: list[str]) -> None:
    """Earned and expected as sums over parts; what was spent on none of them is added to what is expected."""
    sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, total_of([f"{part}.earned" for part in parts]))
    expected = total_of([*(f"{part}.eac" for part in parts), *spent])
    sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, expected)


def _rest(sheet: Sheet, at: str, title: str, actual: str = "actual") -> None:
    """What follows from budget, earned, actual and expected hours."""
    shares = (("used_share", "percent of plan", f"{actual} / bac", "bac"),
              ("cpi", "cost performance index", f"earned / {actual}", actual))  # fmt: skip
    for name, words, formula, over in shares:
        sheet.formula(f"{at}.{name}", f"{title}: {words}", PLAIN, formula, form="%", over=over)
    sheet.formula(f"{at}.etc", f"{title}: estimate to complete", GPU_HOURS, f"eac - {actual}")
    sheet.formula(f"{at}.vac", f"{title}: variance at completion", GPU_HOURS, "bac - eac")


def _phase(sheet: Sheet, at: str, phase: r.Phase) -> None:
    title = str(phase.title)
    sheet.formula(f"{at}.bac", f"{title}: budget at completion", GPU_HOURS, "planned.use")
    _sums(sheet, at, title, [f"plan.{item}" for item in phase.items], [])
    sheet.formula(f"{at}.complete_share", f"{title}: complete", PLAIN, "earned / bac", form="%", over="bac")
    _rest(sheet, at, title)
    sheet.formula(f"{at}.waste_share", f"{title}: share wasted", PLAIN, "waste / actual", form="%", over="actual")
    over = "max(actual, bac) / bac - 1"
    sheet.formula(f"{at}.overrun_share", f"{title}: spent above the plan", PLAIN, over, form="%", over="bac")


def _project(sheet: Sheet, project: ProjectLedger, name: str, phases: list[str], total: Total, planned: str) -> None:
    """A budget as a whole; unplanned hours are spent and earn nothing. Its contingency is earned with its work."""
    at, title = f"{project.id}.{name}", total.title
    sheet.formula(f"{at}.bac", f"{title}: budget at completion", GPU_HOURS, f"{total.hours}.use")
    sheet.formula(f"{at}.work", f"{title}: planned work, without contingency", GPU_HOURS, planned)
    done = total_of([f"phases.{phase}.earned" for phase in phases])
    sheet.formula(f"{at}.done", f"{title}: planned hours of the work done", GPU_HOURS, done)
    sheet.formula(f"{at}.complete_share", f"{title}: complete", PLAIN, "done / work", form="%", over="work")
    sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, "complete_share * bac")
    spent = ["actual.unplanned"] if f"{project.id}.actual.unplanned" in sheet.cells else []
    parts = total_of([*(f"phases.{phase}.eac" for phase in phases), *spent])
    sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, parts)
    _rest(sheet, at, title, total.actual)
