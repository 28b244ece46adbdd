"""Work to do: the planned hours of the work that is not done, of each item, and of a project.

What is done of a piece of work is what its runs say (`progress`). Where that is not known, it is taken to be done to
its useful hours over its planned ones, and never beyond the plan. Failed attempts do not lower what is to be done.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from msgspec import Struct

from reckon.language.quantity import ONE, ZERO, add_up
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figures, missing_of
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Addresses, Result, result, total_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .billing import billed_of_plan
from .forecast_inputs import Outlook

HOW = "planned hours of the work that is not done"


class Piece(Struct, frozen=True):
    """A piece of work: its address, its item, and the addresses of its planned hours on its own card. `factors` are the
    addresses of what these hours are multiplied by."""

    at: str
    item: str
    hours: str
    factors: Addresses = ()

    @property
    def needs(self) -> Addresses:
        """The addresses that it reads."""
        own = (f"{self.at}.{name}" for name in ("bac", "actual", "waste", "complete_share"))
        return (self.hours, *self.factors, *own)

    def planned(self, figures: Figures) -> Fraction:
        """Its planned hours on its own card; 0 where they are not known."""
        found = figures[self.hours].use or ZERO
        for factor in self.factors:
            found *= figures[factor].use or ZERO
        return found

    def share_done(self, figures: Figures) -> Fraction:
        """How much of it is done, from 0 to 1."""
        known, plan = figures[f"{self.at}.complete_share"].use, figures[f"{self.at}.bac"].use
        if known is None and plan:
            spent, lost = (figures[f"{self.at}.{name}"].use or ZERO for name in ("actual", "waste"))
            known = (spent - lost) / plan
        return min(max(known or ZERO, ZERO), ONE)

    def to_do(self, figures: Figures) -> Fraction:
        """The hours of it that are not done, on its own card."""
        return self.planned(figures) * (1 - self.share_done(figures))

    def billed_to_do(self, figures: Figures, item: r.Item, billing: r.Billing | None) -> Fraction:
        """The same as they would be billed, in the runs that the plan says."""
        runs = item.runs_a_piece
        left = 1 - self.share_done(figures)
        return billed_of_plan(self.to_do(figures), billing, runs * left if runs else None, item.gpus)

    def missing(self, figures: Figures) -> Addresses:
        """The inputs without which that is not known."""
        if figures[f"{self.at}.complete_share"].use == 1:
            return ()
        return tuple(name for at in (self.hours, *self.factors) for name in figures[at].missing)


def pieces_of(sheet: Sheet, project: ProjectLedger, outlook: Outlook) -> dict[str, Piece]:
    """The pieces of work of a project, by address."""
    found = {}
    for at in chain.from_iterable(outlook.phases.values()):
        item, seed = outlook.part_of(at)
        seeds = f"{project.id}.seeds"
        is_whole = not seed and project.items[item].scope == "per-seed" and seeds in sheet.cells
        factors = (seeds,) if is_whole else ()
        found[at] = Piece(at, item, f"{project.id}.plan.{item}.gpu_hours", factors)
    return found


def write_work_to_do(sheet: Sheet, project: ProjectLedger, outlook: Outlook) -> dict[str, Piece]:
    """Writes the work to do of each item, in hours of the project's card, and of the base budget (of extensions, where
    there is nothing else); gives the pieces of work."""
    pieces = pieces_of(sheet, project, outlook)
    for name in project.items:
        own = [piece for piece in pieces.values() if piece.item == name]
        if own:
            writer = FigureWriter.of_item(sheet, project, name)
            write_to_do(writer, "work to do", own)
    if pieces:
        total = total_of([f"plan.{name}.to_do" for name in base_items(project)])
        FigureWriter(sheet, project.id).hours("work_to_do", "Work to do", total, late=True)
    return pieces


def base_items(project: ProjectLedger) -> list[str]:
    """The items of the base budget, or of extensions where there is nothing else."""
    phases = [phase for phase in project.plan.values() if phase.items]
    base = [phase for phase in phases if not phase.extension]
    return [name for phase in base or phases for name in phase.items]


def write_to_do(writer: FigureWriter, words: str, pieces: Sequence[Piece]) -> None:
    """Writes the work to do of some pieces, in hours of the project's card, as `to_do`."""
    shown = [f"{piece.at}.{name}" for piece in pieces for name in ("bac", "complete_share")]

    def to_do(figures: Figures) -> Result:
        plans = [(figures[f"{piece.at}.bac"], piece.share_done(figures)) for piece in pieces]
        missing = missing_of(plan for plan, done in plans if done != 1)
        hours = add_up((plan.use or ZERO) * (1 - done) for plan, done in plans)
        return result(hours, HOW, (figures[address] for address in shown), missing)

    needs = (need for piece in pieces for need in piece.needs)
    writer.compute("to_do", words, GPU_HOURS, needs, to_do, late=True)
