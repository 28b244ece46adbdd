"""More of the planned work is to do, without any contingency, than is left of a limit that others set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reckon.language.expression import names
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure
from reckon.model.finding import Finding, make_finding, say
from reckon.model.kinds import CEILING, FINAL
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..sheet.cells import read_formula, sum_of
from ..sheet.evaluate import derive
from .common import is_above, places


def work_above_ceiling(book: Book, project: ProjectLedger) -> Iterator[Finding]:
    """More work is to do, as planned and without contingency, than is left of the ceiling."""
    ceiling, left = book.get(f"{project.id}.{CEILING.hours}"), book.get(f"{project.id}.{CEILING.remaining}")
    to_do = _sum(book, [f"max({project.id}.{FINAL.earned}.bac - {project.id}.{FINAL.earned}.earned, 0 gpu_hours)"])
    yield from _above("plan-above-ceiling", f"{project.id}.{CEILING.hours}", "the ceiling", ceiling, left, to_do)


def _above(
    rule: str, subject: str, limit: str, stated: Figure | None, left: Figure | None, to_do: Figure | None
) -> Iterator[Finding]:
    """That more is to do than is left; what was exceeded already, another rule tells."""
    if left is None or to_do is None or (left.use or 0) < 0 or not is_above(to_do, left):
        return
    yield make_finding(
        rule,
        subject,
        say("More is to do than is left of {limit}", limit=limit),
        say("{to_do} of the planned work are to do, {left} are left", to_do=to_do, left=left),
        say("Carried out as planned, the work exceeds {limit}.", limit=limit),
        say("Plan less, or have more granted."),
        places(stated),
    )


def _sum(book: Book, parts: Sequence[str]) -> Figure | None:
    """The sum of some parts; None where one of them is not known."""
    formula = sum_of([read_formula(part) for part in parts])
    found = {name.name: book.get(name.name) for name in names(formula.tree)}
    known = {name: figure for name, figure in found.items() if figure and not figure.missing}
    return derive(formula, known, GPU_HOURS, title="work to do") if len(known) == len(found) else None
