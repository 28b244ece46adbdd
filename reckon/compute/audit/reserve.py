"""A plan that has no reserve below a limit that others set, such as the ceiling or a grant."""

from __future__ import annotations

from reckon.model.finding import Findings, make_finding, say
from reckon.model.kinds import CEILING, MONEY_CEILING, as_planned
from reckon.model.ledger import ProjectLedger
from reckon.model.shares import MOST_CHANCE

from ..book import Book
from .common import is_done, places
from .planned import above_allocations, above_ceilings


def planned_without_reserve(project: ProjectLedger, book: Book) -> Findings:
    """A limit that others set is as likely exceeded as not by the plan itself, before anything begins. Of one that more
    is planned for than it allows, that is told instead."""
    if is_done(book, project.id):
        return
    ceiling = f"{project.id}.{CEILING.hours}"
    if not any(above_ceilings(book, project)):
        yield from _without(book, f"{project.id}.{CEILING.chance}", ceiling, ceiling, "the ceiling")
        money = f"{project.id}.{MONEY_CEILING.hours}"
        yield from _without(book, f"{project.id}.{MONEY_CEILING.chance}", money, money, "the ceiling in money")
    if any(above_allocations(book, project)):
        return
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        if not book.get(f"{at}.days_since_end"):
            yield from _without(book, f"{at}.probability_over", f"{at}.granted", at, f"“{grant.title}”")


def _without(book: Book, chance: str, limit: str, subject: str, words: str) -> Findings:
    planned = book.get(as_planned(chance))
    allowed = book.get(limit)
    if planned is None or allowed is None or planned.use is None or planned.use < MOST_CHANCE:
        return
    yield make_finding(
        "planned-without-reserve",
        subject,
        say("The plan leaves no reserve below {limit}", limit=words),
        say("the plan itself exceeds {allowed} with a chance of {planned}", allowed=allowed, planned=planned),
        "Half of such plans exceed the limit although nothing goes wrong that the plan does not allow for.",
        "Plan less, have more granted, or accept the finding with the reason.",
        places(allowed),
    )
