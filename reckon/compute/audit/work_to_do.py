"""More of the planned work is to do, without any contingency, than is left of a limit that others set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Worked
from reckon.model.finding import Finding, make_finding, say
from reckon.model.kinds import CEILING
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .common import is_above, places


def work_above_ceiling(book: Book, project: ProjectLedger) -> Iterator[Finding]:
    """More work is to do, as planned and without contingency, than is left of the ceiling."""
    at = f"{project.id}.{CEILING.hours}"
    left, to_do = book.get(f"{project.id}.{CEILING.remaining}"), _to_do(book, [project], "")
    yield from _above("plan-above-ceiling", at, "the ceiling", book.get(at), left, to_do)


def work_above_grant(book: Book, project: ProjectLedger) -> Iterator[Finding]:
    """More work is to do than is left of a grant that all of it is charged to, on the card that its projects count
    in."""
    for name, grant in book.ledger.allocations.items():
        at, sharing = f"allocations.{name}", [book.ledger.projects[each] for each in grant.projects]
        known = f"{at}.probability_as_planned" in book.figures and not has_ended(book, name)
        if project in sharing and known and all(grant.gpu in (None, each.project.gpu) for each in sharing):
            left, to_do = book.get(f"{at}.left"), _to_do(book, sharing, str(grant.gpu or ""))
            yield from _above("plan-above-grant", at, f"“{grant.title}”", book.get(f"{at}.gpu_hours"), left, to_do)


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


def _to_do(book: Book, projects: Iterable[ProjectLedger], card: str) -> Figure | None:
    """The work of base budgets, or of what there is, that is planned on a card (empty: on any) and not done; None where
    some of it is not known."""
    found = []
    for project in projects:
        has_base = any(phase.items and not phase.extension for phase in project.plan.values())
        for phase in project.plan.values():
            for name, item in phase.items.items() if not (has_base and phase.extension) else ():
                if card in ("", str(item.gpu or project.project.gpu)):
                    at = f"{project.id}.plan.{name}"
                    found.append((book[f"{at}.bac"].use, book[f"{at}.earned"].use))
    known = [max(plan - done, Fraction(0)) for plan, done in found if plan is not None and done is not None]
    if len(known) < len(found):
        return None
    return Figure("", "work to do", GPU_HOURS, point(sum(known)), Worked("planned work that is not done"))


def has_ended(book: Book, name: str) -> bool:
    """Whether the last day of a grant is before the last data of its projects."""
    return book.get(f"allocations.{name}.days_since_end") is not None
