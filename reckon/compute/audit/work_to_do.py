"""More of the planned work is to do, without any contingency, than is left of the ceiling."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, missing_of
from reckon.model.finding import Finding, make_finding, say
from reckon.model.kinds import CEILING
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .common import counted, is_above, places


def work_above_ceiling(book: Book, project: ProjectLedger) -> Iterator[Finding]:
    """More work is to do, as planned and without contingency, than is left of the ceiling; what was exceeded already,
    another rule tells."""
    ceiling, left = book.get(f"{project.id}.{CEILING.hours}"), book.get(f"{project.id}.{CEILING.remaining}")
    to_do = _to_do(book, project)
    if left is None or to_do is None or (left.use or 0) < 0 or not is_above(to_do, left):
        return
    yield make_finding(
        "plan-above-ceiling",
        f"{project.id}.{CEILING.hours}",
        "More is to do than is left of the ceiling",
        say("{to_do} of the planned work are to do, {left} are left", to_do=to_do, left=left),
        "Carried out as planned, the work exceeds the ceiling.",
        "Plan less, or have the ceiling raised.",
        places(ceiling),
    )


def _to_do(book: Book, project: ProjectLedger) -> Figure | None:
    """The work of the base budget, or of what there is, that is not done; None where some of it is not known."""
    phases = [phase for phase in project.plan.values() if phase.items]
    base = [phase for phase in phases if not phase.extension] or phases
    parts = [book[f"{project.id}.plan.{name}.to_do"] for phase in base for name in phase.items]
    if missing_of(parts):
        return None
    total = sum((part.use or Fraction(0) for part in parts), Fraction(0))
    return counted(total, "work to do", "planned work that is not done", GPU_HOURS)
