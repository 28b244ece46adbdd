"""What is planned against what limits allow: the ceilings of a project, and the allocations that pay for its work.

Work to do is held against what is left of a limit, without contingency. Of allocations, it is held against what is left
of the one that pays for it, with what is left of those that follow it; where several could pay, against what is left of
all of these.
"""

from __future__ import annotations

from collections.abc import Iterable

from reckon.language.calendar_days import last_day
from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS, Unit
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.kinds import CEILING, FINAL
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Allocation

from ..book import Book
from ..budget.payers import cards_of
from .common import counted, is_above, places


def plan_above_limit(project: ProjectLedger, book: Book) -> Findings:
    """More is planned than limits allow, or more is to be done than is left of them."""
    yield from above_ceilings(project, book)
    yield from above_allocations(project, book)


def _finding(subject: str, title: str, told: Sentence, *figures: Figure | None) -> Finding:
    return make_finding("plan-above-limit", subject, title, told, places=places(*figures))


def above_ceilings(project: ProjectLedger, book: Book) -> Findings:
    """More is planned than the ceiling allows, or more is to do than is left of it, of that in money, or of one of a
    phase. What was exceeded already, another rule tells."""
    final = book.find(project, FINAL.hours)
    ceiling = book.find(project, CEILING.hours)
    if final and ceiling and is_above(final, ceiling):
        told = say("the final budget is {final}, the ceiling {ceiling}", final=final, ceiling=ceiling)
        yield _finding(final.address, "More is planned than the ceiling allows", told, ceiling)
    else:
        phases = [phase for phase in project.plan.values() if phase.items]
        base = [phase for phase in phases if not phase.extension] or phases
        to_do = _add_up(project, book, [name for phase in base for name in phase.items], "to_do", GPU_HOURS)
        yield from _short_of_ceiling(ceiling, book.find(project, CEILING.remaining), to_do, "the ceiling")
    left, to_do, ceiling = book.get_all(f"{project.id}.money", "below_ceiling", "paid_to_do", "ceiling")
    yield from _short_of_ceiling(ceiling, left, to_do, "the ceiling in money")
    for name, phase in project.plan.items():
        for within in ("", "money."):
            ceiling, left = book.get_all(f"{project.id}.phases.{name}", f"{within}ceiling", f"{within}below_ceiling")
            if left:
                to_do = _add_up(project, book, phase.items, f"{within}to_do", left.unit)
                yield from _short_of_ceiling(ceiling, left, to_do, f"the ceiling of {phase.title}")


def _short_of_ceiling(ceiling: Figure | None, left: Figure | None, to_do: Figure | None, words: str) -> Findings:
    """That more is to do than is left of a ceiling."""
    if ceiling and left and (left.use or 0) >= 0 and is_above(to_do, left):
        title = f"More is to do than is left of {words}"
        text = "{to_do} of the planned work are to do, {left} are left of {limit}"
        yield _finding(ceiling.address, title, say(text, to_do=to_do, left=left, limit=words), ceiling)


def _add_up(project: ProjectLedger, book: Book, items: Iterable[str], what: str, unit: Unit) -> Figure | None:
    """The work to do of some items; None where some of it is not known."""
    parts = [book.find(project, f"plan.{name}.{what}") for name in items]
    known = [part.use or ZERO for part in parts if is_known(part)]
    return counted(add_up(known), unit) if len(known) == len(parts) else None


def above_allocations(project: ProjectLedger, book: Book) -> Findings:
    """More is to be done than is left of the allocations that pay for it, or of all that could; or none is open."""
    grants = book.ledger.grants_of(project.id)
    amounts = {name: book.get(f"allocations.{name}.{grant.amount_key}") for name, grant in grants.items()}
    for name, grant in grants.items():
        short = _short_of(book, f"allocations.{name}")
        if short:
            title = f"{grant.title}: more is to be done than is left"
            yield _finding(f"allocations.{name}", title, short, amounts[name])
    at = f"{project.id}.payers"
    to_do, left, alone = book.get_all(at, "unnamed.to_do", "unnamed.left", "none.to_do")
    if is_above(to_do, left):
        text = "{to_do} are still to be done, {left} are left of all that could pay for it"
        title = "More is to be done than is left of the grants together"
        yield _finding(f"{at}.unnamed", title, say(text, to_do=to_do, left=left), to_do)
    cards = {project.card_for(item) for item in project.items.values()}
    ended = [name for name, grant in grants.items() if _has_ended(book, name, grant, cards)]
    if ended and is_known(alone) and alone.use:
        name = max(ended, key=lambda name: (last_day(str(grants[name].until)), name))
        title = f"{grants[name].title}: it has ended before the work"
        text = "{to_do} are still to be done, and the last grant ended on {day}"
        told = say(text, to_do=alone, day=book[f"allocations.{name}.end"])
        yield _finding(f"allocations.{name}", title, told, amounts[name])


def _short_of(book: Book, at: str) -> Sentence:
    """By how much the work to do of one allocation is more than is left of it, or than is left of it at the most;
    nothing where it is not."""
    to_do, left, short, most = book.get_all(at, "to_do", "left", "short_by", "left_at_most")
    if to_do is None or left is None or short is None:
        return ()
    words = "{to_do} of the work that it pays for are still to be done, "
    if short.use:
        words += "{left} are left of it{more}: short by {short}"
        more = " and of those that follow it" if book.get(f"{at}.granted_in_turn") else ""
        return say(words, to_do=to_do, left=left, more=more, short=short)
    is_short = short.missing and is_above(to_do, most)
    return say(words + "at most {most} are left of it", to_do=to_do, most=most) if is_short else ()


def _has_ended(book: Book, name: str, grant: Allocation, cards: set[str]) -> bool:
    """Whether an allocation that could pay for work on some cards is over."""
    own = cards_of(book.ledger, grant)
    is_over = grant.until and book.get(f"allocations.{name}.days_since_end")
    return bool(is_over) and (own is None or bool(own & cards))
