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

from msgspec.structs import replace

from reckon.language.expression import Formula
from reckon.language.quantity import ONE, ZERO, Quantity, point
from reckon.language.units import GPU_HOURS, PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Figures, Worked
from reckon.model.kinds import EXTENDED, FINAL, Total, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Result, chain_of, formula_of, read_formula, result, total_of
from ..sheet.inputs import phases_of, ratios_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally, by_seed, spent_outside
from .attempts import BASES, COMPLETED, COUNTED, NOTHING, SEEDLESS, STATED, SUITED, Told
from .progress import PieceOfWork

BAC, EAC = "budget at completion", "estimate at completion"
_BASES = {
    STATED: "Pieces of work whose progress is stated",
    COUNTED: "Pieces of work whose completed runs are counted",
    COMPLETED: "Pieces of work that completed runs have ended",
    SUITED: "Pieces of work with completed runs whose hours are near the plan",
    NOTHING: "Pieces of work whose progress is unknown",
}


class BegunPiece(NamedTuple):
    """A piece of work with runs: the address of its plan, how far it has come (None: `settle` says, by its plan)."""

    plan: str
    told: Told | None
    work: PieceOfWork
    settle: Callable[[Fraction | None], Told]


def write_earned_value(sheet: Sheet, tally: Tally, project: ProjectLedger) -> None:
    """Writes the earned value figures of each piece of work, item and phase, of the base budget and of the extended."""
    begun = [told for name, item in project.items.items() for told in _item(tally, name, item)]
    phases = dict(phases_of(project))
    for name, phase in phases.items():
        _phase(FigureWriter.of_phase(sheet, project, name), phase)
    base = [name for name, phase in phases.items() if not phase.extension]
    if base:
        _project(sheet, project, FINAL.earned, base, FINAL, "budget.subtotal.use")
    if len(phases) > len(base):
        at = EXTENDED.earned if base else FINAL.earned
        planned = "budget.subtotal.use + budget.extensions.use" if base else "budget.extensions.use"
        _project(sheet, project, at, list(phases), EXTENDED, planned)
    if begun:
        _bases(FigureWriter(sheet, f"{project.id}.performance.basis"), begun)


def _bases(writer: FigureWriter, begun: Sequence[BegunPiece]) -> None:
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

        writer.compute(basis, _BASES[basis], PLAIN, needs, count)


def _item(tally: Tally, name: str, item: r.Item) -> Iterator[BegunPiece]:
    """Writes the figures of an item and of each seed of it; gives those pieces of its work that have begun."""
    seeds, whole = by_seed(tally.project, item), tally.writer(name)
    whole.hours("bac", BAC, "total.use")
    if not seeds:
        yield from _piece(whole, tally, (name, ""))
        return
    ratios = ratios_of(tally.sheet.cells, tally.project, item)
    own = chain_of(" * ", ["gpu_hours.use", *(f"{ratio}.use" for ratio in ratios)])
    for seed in seeds:
        writer = tally.writer(name, seed)
        writer.hours("bac", BAC, own)
        yield from _piece(writer, tally, (name, seed))
    if tally.loose(name):
        told = Told(None, NOTHING, SEEDLESS)
        yield BegunPiece(f"{whole.at}.bac", told, PieceOfWork(), lambda _: told)
        _write_share(whole, told, "no_seed.seed")
        whole.hours("earned", "earned", "complete_share * bac")
        whole.hours("eac", EAC, "actual / complete_share")
    else:
        _sums(whole, [f"seeds.{seed}" for seed in seeds], ["no_seed.actual"] if whole.has("no_seed.actual") else [])
    _rest(whole)


def _piece(writer: FigureWriter, tally: Tally, key: tuple[str, str]) -> Iterator[BegunPiece]:
    """The figures of one piece of work, from its progress; gives it back if it has begun."""
    item, work = tally.project.items[key[0]], tally.work.get(key) or PieceOfWork()
    known: Told | None = None
    settle = lru_cache(maxsize=1)(work.told)
    if item.currency:
        known = _count_money(writer, work, tally.project, item)
    elif item.runs is not None:
        known = _count_completed(writer, item.runs, work)
    elif work.unsettled:
        _settled_by_plan(writer, settle)
    else:
        known = settle(None)
        _write_share(writer, known)
    # A line of money takes no hours of the budget, however far it is done.
    writer.hours("earned", "earned", "bac" if item.currency else "complete_share * bac")
    _expected(writer, Told(ZERO, NOTHING, "") if item.currency else known)
    _rest(writer)
    if work.begun and not item.currency:
        yield BegunPiece(f"{writer.at}.bac", known, work, settle)


def _count_completed(writer: FigureWriter, runs: Quantity, work: PieceOfWork) -> Told:
    """The share of a piece of work that takes several runs: those completed over all, unless its progress is stated."""
    told = work.counted(runs.value.use or ONE)
    how = "completed runs; one with a name counts once, with its progress until it is done"
    writer.count("runs_done", "completed runs", key_unit("runs"), work.completed_runs, how)
    if told.basis == COUNTED:
        writer.formula("complete_share", "complete", "min(runs_done / runs, 1)", "%")
    else:
        _write_share(writer, told)
    return told


def _count_money(writer: FigureWriter, work: PieceOfWork, project: ProjectLedger, item: r.Item) -> Told | None:
    """The share of a line of money: the progress that is stated, else what of its money is spent. It is taken in the
    currency of the line, whatever the project counts in: no rate makes more or less of it done."""
    if told := work.stated:
        _write_share(writer, told)
        return told
    spent, planned, pattern = "money.actual", "money.planned.use", "min({} / {}, 1)"
    if item.currency != project.project.currency:
        spent, planned = f"money.actual_{item.currency}", f"{item.currency}.use"
        pattern = "min({} / {} / seeds, 1)" if item.scope == "per-seed" and project.seeds else pattern
    writer.formula("complete_share", "spent", formula_of(pattern, spent, planned), "%", planned)
    return None


def _settled_by_plan(writer: FigureWriter, settle: Callable[[Fraction | None], Told]) -> None:
    """The share of a piece of work that completed runs end if their hours suit its plan, which may be a formula."""

    def share(figures: Figures) -> Result:
        plan = figures[f"{writer.at}.bac"]
        told = settle(plan.use)
        return _share(writer, told, on=(plan,) if plan.use and told.basis in (SUITED, NOTHING) else ())

    writer.compute("complete_share", "complete", PLAIN, [f"{writer.at}.bac"], share, "%")


def _write_share(writer: FigureWriter, told: Told, wanted: str = "progress") -> None:
    """Writes the share of a piece of work that is done, whatever its plan."""
    share = _share(writer, told, wanted)
    writer.count("complete_share", "complete", PLAIN, share.value, share.origin, share.missing, "%")


def _share(writer: FigureWriter, told: Told, wanted: str = "progress", on: tuple[Figure, ...] = ()) -> Result:
    """The share of a piece of work that is done; where it is not known, what would settle it is named.

    It rests on the plan where that decided what completed runs say, and then on their hours too if these did not suit.
    """
    how, missing = told.how, [f"{writer.at}.{wanted}"] if told.share is None else []
    if told.hours is not None and on:
        how, title = "no completed run has hours near its plan", f"{writer.title}: longest completed run"
        on += (Figure("", title, GPU_HOURS, point(told.hours), Worked("hours of a run")),)
    return result(told.share or 0, Worked(how, on, told.place), (), missing)


def _expected(writer: FigureWriter, known: Told | None) -> None:
    """The estimate at completion: as planned where nothing is done yet, which only the plan may decide."""
    at_start, begun = "actual + bac - earned", "actual / complete_share"
    if known:
        writer.hours("eac", EAC, at_start if known.share == 0 else begun)
        return

    def expected(figures: Figures) -> Formula:
        return read_formula(at_start if figures[f"{writer.at}.complete_share"].use == 0 else begun)

    needs = (f"{writer.at}.{name}" for name in ("actual", "bac", "earned", "complete_share"))
    writer.compute("eac", EAC, GPU_HOURS, needs, expected)


def _sums(writer: FigureWriter, parts: Sequence[str], spent: Sequence[str]) -> None:
    """Earned and expected as sums over parts, and how far they have come; what was spent on none of them is added to
    what is expected."""
    writer.hours("earned", "earned", total_of([f"{part}.earned" for part in parts]))
    writer.hours("eac", EAC, total_of([*(f"{part}.eac" for part in parts), *spent]))
    writer.formula("complete_share", "complete", "earned / bac", "%", "bac")


def _rest(writer: FigureWriter, actual: str = "actual") -> None:
    """What follows from budget, earned, actual and expected hours."""
    writer.formula("used_share", "percent of plan", formula_of("{} / bac", actual), "%", "bac")
    writer.formula("cpi", "cost performance index", formula_of("earned / {}", actual), "%", actual)
    writer.hours("etc", "estimate to complete", formula_of("eac - {}", actual))
    writer.hours("vac", "variance at completion", "bac - eac")


def _phase(writer: FigureWriter, phase: r.Phase) -> None:
    writer.hours("bac", BAC, "planned.use")
    _sums(writer, [f"plan.{item}" for item in phase.items], [])
    _rest(writer)
    writer.formula("waste_share", "share lost", "waste / actual", "%", "actual")
    writer.formula("overrun_share", "spent above the plan", "max(actual, bac) / bac - 1", "%", "bac")


def _project(sheet: Sheet, project: ProjectLedger, name: str, phases: list[str], total: Total, planned: str) -> None:
    """A budget as a whole: its planned work, and what is left of the budget at the end. Hours of no item are spent and
    earn nothing."""
    writer = FigureWriter(sheet, f"{project.id}.{name}", called(project.project, total.title))
    writer.hours("bac", "planned work", planned)
    writer.hours("earned", "earned", total_of([f"phases.{phase}.earned" for phase in phases]))
    writer.formula("complete_share", "complete", "earned / bac", "%", "bac")
    writer.hours(
        "eac", EAC, total_of([*(f"phases.{phase}.eac" for phase in phases), *spent_outside(sheet, project.id)])
    )
    _rest(writer, total.actual)
    left = formula_of("{}.use - {}.eac", total.hours, name)
    replace(writer, at=project.id).hours(total.left_at_end, "left at the end", left)
