"""More of the planned work is to do, without any contingency, than is left of the ceiling."""

from __future__ import annotations

from collections.abc import Sequence

from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS, Unit
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Findings, make_finding, say
from reckon.model.kinds import CEILING, MONEY_CEILING
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .common import counted, is_above, places


def work_above_ceiling(book: Book, project: ProjectLedger) -> Findings:
    """More work is to do, as planned and without contingency, than is left of the ceiling; what was exceeded already,
    another rule tells."""
    left = book.find(project, CEILING.remaining)
    yield from _above(book, f"{project.id}.{CEILING.hours}", left, _to_do(book, project), "the ceiling")


def money_above_ceiling(book: Book, project: ProjectLedger) -> Findings:
    """More of what is paid for in money is to do than is left of the ceiling in money."""
    left, to_do = book.get_all(f"{project.id}.money", "below_ceiling", "paid_to_do")
    yield from _above(book, f"{project.id}.{MONEY_CEILING.hours}", left, to_do, "the ceiling in money")


def work_above_phase_ceilings(book: Book, project: ProjectLedger) -> Findings:
    """More of a phase is to do than is left of its own ceiling, in hours or in money."""
    for name, phase in project.plan.items():
        at = f"{project.id}.phases.{name}"
        for within, unit_of in ((at, "to_do"), (f"{at}.money", "money.to_do")):
            left = book.get(f"{within}.below_ceiling")
            limit = f"{within}.ceiling"
            parts = [book.find(project, f"plan.{item}.{unit_of}") for item in phase.items]
            if left is not None:
                yield from _above(book, limit, left, _sum_up(parts, left.unit), f"the ceiling of {phase.title}")


def _above(book: Book, limit: str, left: Figure | None, to_do: Figure | None, words: str) -> Findings:
    """That more is to do than is left of a limit; what was exceeded already, another rule tells."""
    if left is None or to_do is None or (left.use or 0) < 0 or not is_above(to_do, left):
        return
    yield make_finding(
        "plan-above-ceiling",
        limit,
        say("More is to do than is left of {limit}", limit=words),
        say("{to_do} of the planned work are to do, {left} are left of {limit}", to_do=to_do, left=left, limit=words),
        "Carried out as planned, the work exceeds the ceiling.",
        "Plan less, or have the ceiling raised.",
        places(book.get(limit)),
    )


def _to_do(book: Book, project: ProjectLedger) -> Figure | None:
    """The work of the base budget, or of what there is, that is not done; None where some of it is not known."""
    phases = [phase for phase in project.plan.values() if phase.items]
    base = [phase for phase in phases if not phase.extension] or phases
    return _sum_up([book[f"{project.id}.plan.{name}.to_do"] for phase in base for name in phase.items], GPU_HOURS)


def _sum_up(parts: Sequence[Figure | None], unit: Unit) -> Figure | None:
    """Work to do that is added up; None where some of it is not known."""
    known = [part for part in parts if is_known(part)]
    if len(known) < len(parts):
        return None
    total = add_up(part.use or ZERO for part in known)
    return counted(total, unit)
