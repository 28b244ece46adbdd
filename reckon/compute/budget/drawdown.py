"""Contingency and what draws on it, for each phase and in all.

What a piece of work took above its plan draws on the contingency, and so does every unplanned run; imported runs that
no rule assigns draw nothing. Work that ended below its plan gives nothing back: what it freed is told beside, so that
what is left never grows again by itself. Useful runs that name no seed are covered by what the seeds leave of their
plans, and draw beyond that; all else that names none draws in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.calendar_days import DATE
from reckon.language.expression import Formula
from reckon.language.quantity import ZERO
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figure, Figures
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Addresses, Result, formula_of, read_formula, result, sum_of, total_of
from ..sheet.inputs import phases_of, scopes
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally, by_seed
from .budget import BudgetLine, budget_lines, contingency_of
from .history import DailyHours, daily_hours

LEFT, LEFT_AT_END = "max(bac - actual, 0 gpu_hours)", "left of its plan at its end"


class ContingencyUse(Struct, frozen=True):
    """Something that can draw on the contingency: its address, phase, plan (empty for none) and hours by day."""

    at: str
    phase: str
    plan: str
    spent: DailyHours


class History(Struct, frozen=True):
    """What a project was charged when: the base budget, everything, and each thing that can draw on contingency.

    It is not known because `missing`, ratios of GPUs, are missing.
    """

    base: DailyHours
    whole: DailyHours
    sources: tuple[ContingencyUse, ...]
    missing: Addresses


def write_drawdown(sheet: Sheet, tally: Tally) -> History:
    """Writes what draws on the contingency of a project, and what is left; gives back what was charged when."""
    project, lines = tally.project, budget_lines(tally.project)
    found = tuple(_sources(tally))
    for name, item in project.items.items():
        _item(tally, name, item)
    for source in found:
        _since(FigureWriter(sheet, source.at), source)
    for name, phase in phases_of(project):
        _phase(sheet, project.id, name, phase, [line for line in lines if line.phase == name])
    if f"{project.id}.budget.contingency" in sheet.cells:
        _write_totals(sheet, project)
    beyond = {item for _, phase, item, _ in scopes(project) if phase.extension}
    own = [days for (item, _), days in tally.days.items() if item not in beyond]
    return History(daily_hours(own) if beyond else tally.spent, tally.spent, found, tally.missing)


def _sources(tally: Tally) -> Iterator[ContingencyUse]:
    """The pieces of work, and the hours that belong to none of them."""
    project = tally.project
    for phase, _, name, item in scopes(project):
        at, seeds = f"{project.id}.plan.{name}", by_seed(project, item)
        for seed in seeds:
            spent = tally.days.get((name, seed), DailyHours({}))
            yield ContingencyUse(f"{at}.seeds.{seed}", phase, f"{at}.seeds.{seed}.bac", spent)
        if seeds and (name, "") in tally.days:
            yield ContingencyUse(f"{at}.no_seed", phase, f"{at}.no_seed.covered", tally.days[name, ""])
        if not seeds:
            spent = daily_hours(days for key, days in tally.days.items() if key[0] == name)
            yield ContingencyUse(at, phase, f"{at}.bac", spent)
    if ("", "") in tally.days:
        yield ContingencyUse(f"{project.id}.actual.unplanned", "", "", tally.days["", ""])


def _item(tally: Tally, name: str, item: r.Item) -> None:
    seeds, whole = by_seed(tally.project, item), tally.writer(name)
    if not seeds:
        _piece(whole)
        return
    for seed in seeds:
        _piece(tally.writer(name, seed))
    parts = [f"seeds.{seed}" for seed in seeds]
    if whole.has("no_seed.actual"):
        _strays(FigureWriter(tally.sheet, f"{whole.at}.no_seed", f"{whole.title}, no seed named"), whole, seeds)
        parts.append("no_seed")
    whole.hours("drawn", "above its plan", total_of([f"{part}.drawn" for part in parts]))
    if not tally.loose(name):
        _freed(whole, [f"{whole.at}.seeds.{seed}.freed" for seed in seeds])


def _strays(strays: FigureWriter, whole: FigureWriter, seeds: Sequence[str]) -> None:
    """What the plans of the seeds cover of the hours that name none, and what of them draws on the contingency."""
    room = sum_of([formula_of("max({0}.bac - {0}.actual, 0 gpu_hours)", f"seeds.{seed}") for seed in seeds])
    whole.hours("no_seed.room", "what the seeds leave of their plans", room)
    strays.hours("covered", "within the plan", "min(room, useful)")
    strays.hours("drawn", "above the plan", "actual - covered")


def _piece(writer: FigureWriter) -> None:
    """What a piece of work took above its plan; and what it left of it, once it is done."""
    writer.hours("drawn", "above its plan", "max(actual - bac, 0 gpu_hours)")
    share = writer.sheet.cells[f"{writer.at}.complete_share"].content
    if not isinstance(share, Figure):
        needs = (f"{writer.at}.complete_share", f"{writer.at}.bac", f"{writer.at}.actual")

        def freed(figures: Figures) -> Result | Formula:
            return read_formula(LEFT) if figures[needs[0]].use == 1 else result(0, "not known to be done")

        writer.compute("freed", LEFT_AT_END, GPU_HOURS, needs, freed)
    elif share.use == 1:
        writer.hours("freed", LEFT_AT_END, LEFT)


def _freed(writer: FigureWriter, parts: list[str]) -> None:
    """What finished parts left of their plan; nothing where none has finished."""
    if ended := [part for part in parts if part in writer.sheet.cells]:
        writer.hours("freed", LEFT_AT_END, total_of(ended))


def _since(writer: FigureWriter, source: ContingencyUse) -> None:
    """The day on which a piece of work began to draw on the contingency, for pieces that can have one."""
    if not source.spent.dated:
        return
    needs = [source.plan] if source.plan else []
    how = "the day on which its hours passed its plan" if needs else "the day of the first of its runs"

    def since(figures: Figures) -> Result:
        limits = [figures[plan] for plan in needs]
        limit = limits[0].use if limits else ZERO
        day = 0 if limit is None else source.spent.exceeded(limit)
        return result(day, how, limits, [] if day else [f"{source.at}.drawn"])

    writer.compute("drawn_since", "Above its plan since", DATE, needs, since)


def _phase(sheet: Sheet, project_id: str, name: str, phase: r.Phase, lines: list[BudgetLine]) -> None:
    writer = FigureWriter(sheet, f"{project_id}.phases.{name}.contingency", phase.title)
    writer.hours("drawn", "above its plan", total_of([f"plan.{line.item}.drawn" for line in lines]))
    _freed(writer, [f"{project_id}.plan.{line.item}.freed" for line in lines])
    if planned := contingency_of([(line.rate, f"plan.{line.item}.total") for line in lines], f"phases.{name}.planned"):
        writer.hours("planned", "contingency", planned)
        _write_left(writer, "contingency left", "planned")


def _write_totals(sheet: Sheet, project: ProjectLedger) -> None:
    phases = [name for name, phase in phases_of(project) if not phase.extension]
    unplanned = ["actual.unplanned"] if f"{project.id}.actual.unplanned" in sheet.cells else []
    drawn = total_of([*(f"phases.{name}.contingency.drawn" for name in phases), *unplanned])
    writer = FigureWriter(sheet, f"{project.id}.contingency")
    writer.hours("drawn", "Drawn from contingency", drawn)
    freed = [f"{project.id}.phases.{name}.contingency.freed" for name in phases]
    _freed(replace(writer, title="All finished work"), freed)
    _write_left(writer, "Contingency left", "budget.contingency")


def _write_left(writer: FigureWriter, words: str, planned: str) -> None:
    """What is left of a contingency. Each range of the plan moves the share one way only, so that any number may."""
    writer.hours("left", words, formula_of("{} - drawn", planned))
    writer.formula("left_share", f"{words}, share", formula_of("1 - drawn / {}", planned), "%", planned)
