"""What is left of a budget by phase: the hours of work that is not done, what finished work left, and contingency.

Parts of a plan are taken as contingency takes them (`drawdown`): what a piece of work took above its plan comes out of
the contingency, and never out of another phase; what a finished piece left of its plan belongs to none.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import ZERO, add_up
from reckon.model.figure import Figure, Figures, use_at
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.ledger import ProjectLedger

from ..sheet.inputs import phases_of

FREED, RESERVE = "Saved by finished work", "Contingency"
BOTH = "Contingency and what finished work saved"


class Share(NamedTuple):
    """A part of some hours: the phase that it is of (empty for none), what it is called, and GPU-hours."""

    phase: str
    title: str
    hours: Fraction


def shares(figures: Figures, project: ProjectLedger, figure: Figure) -> list[Share]:
    """The hours of a budget, or of what remains of it, by phase, contingency last; they add up to it exactly.

    Empty where the figure is neither, or where its parts are not known.
    """
    within = figure.address.removeprefix(f"{project.id}.")
    if within in (FINAL.remaining, EXTENDED.remaining):
        return _divide_remaining(figures, project, figure, extended=within == EXTENDED.remaining)
    return _divide_planned(figures, project, figure)


def is_whole(project: str, address: str) -> bool:
    """Whether an address is that of a whole budget, of which hours may be charged already."""
    return address in (f"{project}.{FINAL.hours}", f"{project}.{EXTENDED.hours}")


def _divide_planned(figures: Figures, project: ProjectLedger, figure: Figure) -> list[Share]:
    """The planned hours of phases and contingency, where the figure is their sum: the final or the extended budget."""
    rows: list[Share] = []
    for extension, reserve, title in (
        (False, "contingency", RESERVE),
        (True, "extensions_contingency", f"{RESERVE} on extensions"),
    ):
        own = [(str(name), phase) for name, phase in phases_of(project) if bool(phase.extension) == extension]
        found = [(name, str(phase.title), f"phases.{name}.planned") for name, phase in own]
        found.append(("", title, f"budget.{reserve}"))
        known = [(name, words, use_at(figures, f"{project.id}.{at}")) for name, words, at in found]
        rows += [Share(name, words, hours) for name, words, hours in known if hours]
        if rows and sum(row.hours for row in rows) == figure.use:
            return rows
    return []


def _divide_remaining(figures: Figures, project: ProjectLedger, figure: Figure, extended: bool) -> list[Share]:
    """Where phases have more to do than remains, contingency is used up, and each has its share of what remains."""
    whole, rows = figure.use or ZERO, []
    for name, phase in phases_of(project):
        left = _find_work_to_do(figures, f"{project.id}.phases.{name}")
        if left is None:
            return []
        if left > 0 and (extended or not phase.extension):
            rows.append(Share(str(name), str(phase.title), left))
    work = add_up(row.hours for row in rows)
    if rows and work >= whole:
        return [row._replace(hours=row.hours * whole / work) for row in rows]
    freed = use_at(figures, f"{project.id}.contingency.freed") or ZERO
    reserve = use_at(figures, f"{project.id}.contingency.left") or ZERO
    if min(freed, reserve) >= 0 and work + freed + reserve == whole:
        parts = ((FREED, freed), (RESERVE, reserve))
        return [*rows, *(Share("", title, hours) for title, hours in parts if hours)]
    title = BOTH if f"{project.id}.budget.contingency" in figures else FREED
    return [*rows, Share("", title, whole - work)]


def _find_work_to_do(figures: Figures, at: str) -> Fraction | None:
    """The planned hours of what is not done of a phase, less what it was charged; None where that is not known."""
    left, done = use_at(figures, f"{at}.remaining"), use_at(figures, f"{at}.complete_share")
    if left is None:
        return None
    if done == 1:
        return ZERO
    drawn = use_at(figures, f"{at}.contingency.drawn") or ZERO
    freed = use_at(figures, f"{at}.contingency.freed") or ZERO
    return max(left + drawn - freed, ZERO)
