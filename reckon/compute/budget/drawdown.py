"""Contingency and what draws on it, for each phase and in all.

What a piece of work took above its plan draws on the contingency, and so does every unplanned run; imported runs that
no rule assigns draw nothing. Work that ended below its plan gives nothing back: what it freed is told beside, so that
what is left never grows again by itself. Useful runs that name no seed are covered by what the seeds leave of their
plans, and draw beyond that; all else that names none draws in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from reckon.language.calendar_days import DATE
from reckon.language.expression import Formula
from reckon.language.units import GPU_HOURS, PLAIN
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Figures, Result, read_formula, result, sum_of, total_of
from ..sheet.inputs import phases_of, scopes
from ..sheet.sheet import Sheet
from .actuals import Tally, by_seed
from .budget import BudgetLine, budget_lines, contingency_of
from .history import DailyHours, daily_hours

NONE = "0 gpu_hours"
LEFT = f"max(bac - actual, {NONE})"


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
    missing: tuple[str, ...]


def write_drawdown(sheet: Sheet, tally: Tally) -> History:
    """Writes what draws on the contingency of a project, and what is left; gives back what was charged when."""
    project, lines = tally.project, budget_lines(tally.project)
    found = tuple(_sources(tally))
    for _, _, name, item in scopes(project):
        _item(sheet, tally, name, item)
    for source in found:
        _since(sheet, source)
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


def _item(sheet: Sheet, tally: Tally, name: str, item: r.Item) -> None:
    at, title, seeds = f"{tally.project.id}.plan.{name}", str(item.title), by_seed(tally.project, item)
    if not seeds:
        _piece(sheet, at, title)
        return
    for seed in seeds:
        _piece(sheet, f"{at}.seeds.{seed}", f"{title}, seed {seed}")
    strays = ["no_seed"] if f"{at}.no_seed.actual" in sheet.cells else []
    if strays:
        _strays(sheet, at, title, seeds)
    parts = [f"seeds.{seed}" for seed in seeds] + strays
    drawn = total_of([f"{part}.drawn" for part in parts])
    sheet.formula(f"{at}.drawn", f"{title}: above its plan", GPU_HOURS, drawn)
    if not tally.loose(name):
        _freed(sheet, f"{at}.freed", title, [f"{at}.seeds.{seed}.freed" for seed in seeds])


def _strays(sheet: Sheet, at: str, title: str, seeds: Sequence[str]) -> None:
    """What the plans of the seeds cover of the hours that name none, and what of them draws on the contingency."""
    room = sum_of([read_formula(f"max(seeds.{seed}.bac - seeds.{seed}.actual, {NONE})") for seed in seeds])
    named = f"{title}, no seed named"
    sheet.formula(f"{at}.no_seed.room", f"{title}: what the seeds leave of their plans", GPU_HOURS, room)
    sheet.formula(f"{at}.no_seed.covered", f"{named}: within the plan", GPU_HOURS, "min(room, useful)")
    sheet.formula(f"{at}.no_seed.drawn", f"{named}: above the plan", GPU_HOURS, "actual - covered")


def _piece(sheet: Sheet, at: str, title: str) -> None:
    """What a piece of work took above its plan; and what it left of it, once it is done."""
    sheet.formula(f"{at}.drawn", f"{title}: above its plan", GPU_HOURS, f"max(actual - bac, {NONE})")
    share, words = sheet.cells[f"{at}.complete_share"].content, f"{title}: left of its plan at its end"
    if not isinstance(share, Figure):
        needs = (f"{at}.complete_share", f"{at}.bac", f"{at}.actual")

        def freed(figures: Figures) -> Result | Formula:
            return read_formula(LEFT) if figures[needs[0]].use == 1 else result(0, "not known to be done")

        sheet.compute(f"{at}.freed", words, GPU_HOURS, needs, freed)
    elif share.use == 1:
        sheet.formula(f"{at}.freed", words, GPU_HOURS, LEFT)


def _freed(sheet: Sheet, at: str, title: str, parts: list[str]) -> None:
    """What finished parts left of their plan; nothing where none has finished."""
    if ended := [part for part in parts if part in sheet.cells]:
        sheet.formula(at, f"{title}: left of its plan at its end", GPU_HOURS, total_of(ended))


def _since(sheet: Sheet, source: ContingencyUse) -> None:
    """The day on which a piece of work began to draw on the contingency, for pieces that can have one."""
    if not source.spent.dated:
        return
    needs = [source.plan] if source.plan else []
    how = "the day on which its hours passed its plan" if needs else "the day of the first of its runs"

    def since(figures: Figures) -> Result:
        limits = [figures[plan] for plan in needs]
        limit = limits[0].use if limits else Fraction(0)
        day = 0 if limit is None else source.spent.exceeded(limit)
        return result(day, how, limits, [] if day else [f"{source.at}.drawn"])

    sheet.compute(f"{source.at}.drawn_since", "Above its plan since", DATE, needs, since)


def _phase(sheet: Sheet, project_id: str, name: str, phase: r.Phase, lines: list[BudgetLine]) -> None:
    at, title = f"{project_id}.phases.{name}.contingency", str(phase.title)
    drawn = total_of([f"plan.{line.item}.drawn" for line in lines])
    sheet.formula(f"{at}.drawn", f"{title}: above its plan", GPU_HOURS, drawn)
    _freed(sheet, f"{at}.freed", title, [f"{project_id}.plan.{line.item}.freed" for line in lines])
    if planned := contingency_of([(line.rate, f"plan.{line.item}.total") for line in lines], f"phases.{name}.planned"):
        sheet.formula(f"{at}.planned", f"{title}: contingency", GPU_HOURS, planned)
        _write_left(sheet, at, f"{title}: contingency left", "planned")


def _write_totals(sheet: Sheet, project: ProjectLedger) -> None:
    phases = [name for name, phase in phases_of(project) if not phase.extension]
    unplanned = ["actual.unplanned"] if f"{project.id}.actual.unplanned" in sheet.cells else []
    drawn = total_of([*(f"phases.{name}.contingency.drawn" for name in phases), *unplanned])
    sheet.formula(f"{project.id}.contingency.drawn", "Drawn from contingency", GPU_HOURS, drawn)
    freed = [f"{project.id}.phases.{name}.contingency.freed" for name in phases]
    _freed(sheet, f"{project.id}.contingency.freed", "All finished work", freed)
    _write_left(sheet, f"{project.id}.contingency", "Contingency left", "budget.contingency")


def _write_left(sheet: Sheet, at: str, title: str, planned: str) -> None:
    """What is left of a contingency. Each range of the plan moves the share one way only, so that any number may."""
    sheet.formula(f"{at}.left", title, GPU_HOURS, f"{planned} - drawn")
    sheet.formula(f"{at}.left_share", f"{title}, share", PLAIN, f"1 - drawn / {planned}", form="%", over=planned)
