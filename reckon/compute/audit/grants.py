"""What is planned against what is left of allocations: the work to do that each pays for, and work that none pays for.

It is held against what is left of the allocation that pays for it, with what is left of those that follow it; where
several could pay, against what is left of all of these.
"""

from __future__ import annotations

from reckon.language.calendar_days import last_day
from reckon.model.finding import Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.payers import cards_of
from .common import is_above, places

MEANS = "Carried out as planned, the work needs more than was granted."
REMEDY = "Plan less, ask for more, or enter the grant that is missing."


def plan_above_grant(project: ProjectLedger, book: Book) -> Findings:
    """More is to be done than is left of the allocations that pay for it."""
    for name in book.ledger.grants_of(project.id):
        yield from _short_of(book, name)
    yield from _short_together(project, book)
    yield from _without_grant(project, book)


def _short_of(book: Book, name: str) -> Findings:
    """The work to do of one allocation is more than is left of it, or than is left of it at the most."""
    at = f"allocations.{name}"
    grant = book.allocations[name]
    to_do, left, short, most = book.get_all(at, "to_do", "left", "short_by", "left_at_most")
    if to_do is None or left is None or short is None:
        return
    words = "{to_do} of the work that it pays for are still to be done, "
    if short.use:
        words += "{left} are left of it"
        words += " and of those that follow it" if book.get(f"{at}.granted_in_turn") else ""
        arithmetic = say(words + ": short by {short}", to_do=to_do, left=left, short=short)
    elif short.missing and most is not None and is_above(to_do, most):
        arithmetic = say(words + "at most {most} are left of it", to_do=to_do, most=most)
    else:
        return
    yield make_finding(
        "plan-above-grant",
        at,
        say("{title}: more is to be done than is left", title=grant.title),
        arithmetic,
        MEANS,
        REMEDY,
        places(book.get(f"{at}.{grant.amount_key}")),
    )


def _short_together(project: ProjectLedger, book: Book) -> Findings:
    """The work to do for which several allocations could be charged is more than is left of all of them."""
    at = f"{project.id}.payers.unnamed"
    to_do, left = book.get_all(at, "to_do", "left")
    if to_do is None or left is None or not is_above(to_do, left):
        return
    yield make_finding(
        "plan-above-grant",
        at,
        "More is to be done than is left of the grants together",
        say("{to_do} are still to be done, {left} are left of all that could pay for it", to_do=to_do, left=left),
        MEANS,
        REMEDY,
        places(to_do),
    )


def _without_grant(project: ProjectLedger, book: Book) -> Findings:
    """Work is still to be done for which no allocation of the project is open any more."""
    to_do = book.find(project, "payers.none.to_do")
    if to_do is None or to_do.missing or not to_do.use:
        return
    cards = {project.card_for(item) for item in project.items.values()}
    ended = []
    for name, grant in book.ledger.grants_of(project.id).items():
        own = cards_of(book.ledger, grant)
        is_over = grant.until and book.get(f"allocations.{name}.days_since_end")
        if is_over and (own is None or own & cards):
            ended.append((last_day(str(grant.until)), name))
    if not ended:
        return
    _, name = max(ended)
    at = f"allocations.{name}"
    yield make_finding(
        "plan-above-grant",
        at,
        say("{title}: it has ended before the work", title=book.allocations[name].title),
        say("{to_do} are still to be done, and the last grant ended on {day}", to_do=to_do, day=book[f"{at}.end"]),
        MEANS,
        REMEDY,
        places(book.get(f"{at}.{book.allocations[name].amount_key}")),
    )
