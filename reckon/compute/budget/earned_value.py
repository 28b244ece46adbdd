"""Earned value: what the work done was planned to take, against what it took, and where that leads.

The terms are those of ANSI/EIA-748 and of PMI's Practice Standard for Earned Value Management; hours stand for cost:

- BAC, budget at completion: the planned hours (the value to plan with), of a budget without its contingency, which has
  no work of its own. What EAC leaves of the final budget is a figure of its own (`budget.left_at_end`).
- EV, earned value = share complete x BAC. The share comes from what runs say was done (`progress`).
- AC, actual cost: all hours charged, those of failed attempts included.
- CPI, cost performance index = EV / AC; below 100% the work takes more than was planned.
- EAC, estimate at completion = BAC / CPI = AC / share complete for work that has begun. Where nothing is earned yet it
  is AC + (BAC - EV). Above a piece of work it is AC + the ETC of each (PMI's bottom-up estimate), so that parts add up.
- ETC, estimate to complete = EAC - AC. VAC, variance at completion = BAC - EAC; below zero is an overrun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from reckon.language.expression import Formula
from reckon.language.quantity import UNKNOWN, Quantity, point
from reckon.language.units import GPU_HOURS, PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.kinds import EXTENDED, FINAL, Total, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Figures, Result, read_formula, result, total_of
from ..sheet.inputs import phases_of, scopes, times_ratio
from ..sheet.sheet import Sheet
from .actuals import Tally, by_seed, spent_outside
from .attempts import BASES, COMPLETED, COUNTED, NOTHING, SEEDLESS, STATED, SUITED, Told
from .progress import PieceOfWork

_BASES = {
    STATED: "Pieces of work whose progress is stated",
    COUNTED: "Pieces of work whose completed runs are counted",
    COMPLETED: "Pieces of work that completed runs have ended",
    SUITED: "Pieces of work with completed runs whose hours are near the plan",
    NOTHING: "Pieces of work of which nothing says how much is done",
}


class BegunPiece(NamedTuple):
    """A piece of work with runs: the address of its plan, how far it has come (None: `settle` says, by its plan)."""

    plan: str
    told: Told | None
    work: PieceOfWork
    settle: Callable[[Fraction | None], Told]


def write_earned_value(sheet: Sheet, tally: Tally, project: ProjectLedger) -> None:
    """Writes the earned value figures of each piece of work, item and phase, of the base budget and of the extended."""
    begun = [told for _, _, name, item in scopes(project) for told in _item(sheet, tally, name, item)]
    phases = dict(phases_of(project))
    for name, phase in phases.items():
        _phase(sheet, f"{project.id}.phases.{name}", phase)
    base = [name for name, phase in phases.items() if not phase.extension]
    if base:
        _project(sheet, project, FINAL.earned, base, FINAL, "budget.subtotal.use")
    if len(phases) > len(base):
        at = EXTENDED.earned if base else FINAL.earned
        planned = "budget.subtotal.use + budget.extensions.use" if base else "budget.extensions.use"
        _project(sheet, project, at, list(phases), EXTENDED, planned)
    if begun:
        _bases(sheet, f"{project.id}.performance.basis", begun)


def _bases(sheet: Sheet, at: str, begun: Sequence[BegunPiece]) -> None:
    """How many pieces of work that have begun rest on what, or on nothing."""
    known = {piece.told.basis for piece in begun if piece.told}
    undecided = [piece for piece in begun if not piece.told]
    if undecided:
        known |= {COMPLETED, SUITED, NOTHING}
        known |= {STATED} if any(run.latest for piece in undecided for run in piece.work.runs.values()) else set()
    needs = tuple(piece.plan for piece in undecided)
    for basis in (basis for basis in BASES if basis in known):

        def count(figures: Figures, basis: str = basis) -> Result:
            found = (piece.told or piece.settle(figures[piece.plan].use) for piece in begun)
            return result(sum(told.basis == basis for told in found), "pieces of work that have begun")

        sheet.compute(f"{at}.{basis}", _BASES[basis], PLAIN, needs, count)


def _item(sheet: Sheet, tally: Tally, name: str, item: r.Item) -> Iterator[BegunPiece]:
    """Writes the figures of an item and of each seed of it; gives those pieces of its work that have begun."""
    at, title, seeds = f"{tally.project.id}.plan.{name}", str(item.title), by_seed(tally.project, item)
    sheet.formula(f"{at}.bac", f"{title}: budget at completion", GPU_HOURS, "total.use")
    if not seeds:
        yield from _piece(sheet, tally, (name, ""), at, title)
        return
    ratio = times_ratio(sheet, tally.project, item)
    own = "gpu_hours.use" + (f"{ratio}.use" if ratio else "")
    for seed in seeds:
        inner = f"{at}.seeds.{seed}"
        sheet.formula(f"{inner}.bac", f"{title}, seed {seed}: budget at completion", GPU_HOURS, own)
        yield from _piece(sheet, tally, (name, seed), inner, f"{title}, seed {seed}")
    if tally.loose(name):
        told = Told(None, NOTHING, SEEDLESS)
        yield BegunPiece(f"{at}.bac", told, PieceOfWork(), lambda _: told)
        sheet.counted(_share(at, title, told, "no_seed.seed"))
        sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, "complete_share * bac")
        sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, "actual / complete_share")
    else:
        parts = [f"seeds.{seed}" for seed in seeds]
        spent = ["no_seed.actual"] if f"{at}.no_seed.actual" in sheet.cells else []
        _sums(sheet, at, title, parts, spent)
        sheet.formula(f"{at}.complete_share", f"{title}: complete", PLAIN, "earned / bac", form="%", over="bac")
    _rest(sheet, at, title)


def _piece(sheet: Sheet, tally: Tally, key: tuple[str, str], at: str, title: str) -> Iterator[BegunPiece]:
    """The figures of one piece of work, from its progress; gives it back if it has begun."""
    item, work = tally.project.items[key[0]], tally.work.get(key) or PieceOfWork()
    known: Told | None = None
    settle = lru_cache(maxsize=1)(work.told)
    if item.currency:
        known = _count_money(sheet, work, at, title)
    elif item.runs is not None:
        known = _count_completed(sheet, item.runs, work, at, title)
    elif work.unsettled:
        _settled_by_plan(sheet, settle, at, title)
    else:
        known = settle(None)
        sheet.counted(_share(at, title, known))
    # A line of money takes no hours of the budget, however far it is done.
    earned = "bac" if item.currency else "complete_share * bac"
    sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, earned)
    told = Told(Fraction(0), NOTHING, "") if item.currency else known
    _expected(sheet, at, f"{title}: estimate at completion", told)
    _rest(sheet, at, title)
    if work.begun and not item.currency:
        yield BegunPiece(f"{at}.bac", known, work, settle)


def _count_completed(sheet: Sheet, runs: Quantity, work: PieceOfWork, at: str, title: str) -> Told:
    """The share of a piece of work that takes several runs: those completed over all, unless its progress is stated."""
    done, told = work.completed_runs, work.counted(runs.value.use or Fraction(1))
    how = "completed runs; one with a name counts once, with its progress until it is done"
    sheet.count(f"{at}.runs_done", f"{title}: completed runs", key_unit("runs"), done, how)
    if told.basis == COUNTED:
        sheet.formula(f"{at}.complete_share", f"{title}: complete", PLAIN, "min(runs_done / runs, 1)", form="%")
    else:
        sheet.counted(_share(at, title, told))
    return told


def _count_money(sheet: Sheet, work: PieceOfWork, at: str, title: str) -> Told | None:
    """The share of a line of money: the progress that is stated, else what of its money is spent."""
    whole = work.runs.get("")
    if whole and whole.latest:
        told = Told(whole.latest.share, STATED, "done of total in its latest attempt", whole.latest.place)
        sheet.counted(_share(at, title, told))
        return told
    spent = "min(money.actual / money.planned.use, 1)"
    sheet.formula(f"{at}.complete_share", f"{title}: spent", PLAIN, spent, form="%", over="money.planned.use")
    return None


def _settled_by_plan(sheet: Sheet, settle: Callable[[Fraction | None], Told], at: str, title: str) -> None:
    """The share of a piece of work that completed runs end if their hours suit its plan, which may be a formula."""

    def share(figures: Figures) -> Result:
        plan = figures[f"{at}.bac"]
        told = settle(plan.use)
        found = _share(at, title, told, on=(plan,) if plan.use and told.basis in (SUITED, NOTHING) else ())
        return result(found.value, found.origin, (), found.missing)

    sheet.compute(f"{at}.complete_share", f"{title}: complete", PLAIN, [f"{at}.bac"], share, "%")


def _share(at: str, title: str, told: Told, wanted: str = "progress", on: tuple[Figure, ...] = ()) -> Figure:
    """The share of a piece of work that is done; where it is not known, what would settle it is named.

    It rests on the plan where that decided what completed runs say, and then on their hours too if these did not suit.
    """
    value = UNKNOWN if told.share is None else point(told.share)
    missing = (f"{at}.{wanted}",) if told.share is None else ()
    how = told.how
    if told.hours is not None and on:
        how = "no completed run has hours near its plan"
        on += (Figure("", f"{title}: longest completed run", GPU_HOURS, point(told.hours), Worked("hours of a run")),)
    return Figure(f"{at}.complete_share", f"{title}: complete", PLAIN, value, Worked(how, on, told.place), "%", missing)


def _expected(sheet: Sheet, at: str, title: str, known: Told | None) -> None:
    """The estimate at completion: as planned where nothing is done yet, which only the plan may decide."""
    at_start, begun = "actual + bac - earned", "actual / complete_share"
    if known:
        sheet.formula(f"{at}.eac", title, GPU_HOURS, at_start if known.share == 0 else begun)
        return

    def expected(figures: Figures) -> Formula:
        return read_formula(at_start if figures[f"{at}.complete_share"].use == 0 else begun)

    needs = (f"{at}.{name}" for name in ("actual", "bac", "earned", "complete_share"))
    sheet.compute(f"{at}.eac", title, GPU_HOURS, needs, expected)


def _sums(sheet: Sheet, at: str, title: str, parts: list[str], spent: list[str]) -> None:
    """Earned and expected as sums over parts; what was spent on none of them is added to what is expected."""
    sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, total_of([f"{part}.earned" for part in parts]))
    expected = total_of([*(f"{part}.eac" for part in parts), *spent])
    sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, expected)


def _rest(sheet: Sheet, at: str, title: str, actual: str = "actual") -> None:
    """What follows from budget, earned, actual and expected hours."""
    shares = (
        ("used_share", "percent of plan", f"{actual} / bac", "bac"),
        ("cpi", "cost performance index", f"earned / {actual}", actual),
    )
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
    sheet.formula(f"{at}.waste_share", f"{title}: share lost", PLAIN, "waste / actual", form="%", over="actual")
    over = "max(actual, bac) / bac - 1"
    sheet.formula(f"{at}.overrun_share", f"{title}: spent above the plan", PLAIN, over, form="%", over="bac")


def _project(sheet: Sheet, project: ProjectLedger, name: str, phases: list[str], total: Total, planned: str) -> None:
    """A budget as a whole: its planned work, and what is left of the budget at the end. Hours of no item are spent and
    earn nothing."""
    at, title = f"{project.id}.{name}", called(project.project, total.title)
    sheet.formula(f"{at}.bac", f"{title}: planned work", GPU_HOURS, planned)
    done = total_of([f"phases.{phase}.earned" for phase in phases])
    sheet.formula(f"{at}.earned", f"{title}: earned", GPU_HOURS, done)
    sheet.formula(f"{at}.complete_share", f"{title}: complete", PLAIN, "earned / bac", form="%", over="bac")
    parts = total_of([*(f"phases.{phase}.eac" for phase in phases), *spent_outside(sheet, project.id)])
    sheet.formula(f"{at}.eac", f"{title}: estimate at completion", GPU_HOURS, parts)
    _rest(sheet, at, title, total.actual)
    left = f"{total.hours}.use - {name}.eac"
    sheet.formula(f"{project.id}.{total.left_at_end}", f"{title}: left at the end", GPU_HOURS, left)
