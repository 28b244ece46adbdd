"""What is not known of grants: which of them is charged for hours, and which will be for work to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reckon.language.text import Place
from reckon.model.figure import Worked, is_known
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import Ids, ProjectLedger

from ..book import Book
from ..budget.shared_grants import join_titles
from .common import is_above, places, shared_grants_of

if TYPE_CHECKING:
    from ..budget.shared_grants import SharedGrants


NAMED_AT = "on the run, on the source or the rule that it is imported by, on its item or phase, or on the project"


def payer_not_named(project: ProjectLedger, book: Book) -> Findings:
    """Hours for which several grants could be charged, and none is named."""
    for group in shared_grants_of(project, book):
        name = group.names[0]
        yield make_finding(
            "payer-not-named",
            f"allocations.{name}",
            "",
            _shared(book, group) + _undecided(project, book, group.names, "shared"),
            remedy=f"Name who pays, as `allocation: {name}`: {NAMED_AT}.",
            places=_granted_at(book, name),
        )


def payer_unknown(project: ProjectLedger, book: Book) -> Findings:
    """Work to come for which several grants could be charged, and none is named."""
    told: set[Sentence] = set()
    for name in book.ledger.grants_of(project.id):
        why = () if name in book.shared_grants else why_unknown(book, name) or why_unknown(book, name, extended=True)
        if why and why not in told:
            told.add(why)
            undecided = _undecided(project, book, [name], "payer")
            yield make_finding(
                "payer-unknown",
                f"allocations.{name}",
                "",
                why + undecided,
                remedy=f"Name who pays for the items that are to be done, as `allocation: {name}`, or for their phase.",
                places=_granted_at(book, name),
                is_mild=not undecided,
            )


def _granted_at(book: Book, name: str) -> tuple[Place, ...]:
    """Where it is written what is granted."""
    return places(book.get(f"allocations.{name}.{book.allocations[name].amount_key}"))


def charged_outside(project: ProjectLedger, book: Book) -> Findings:
    """An allocation is charged for runs for which it is named, on days before its first or after its last."""
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        outside = book.get(f"{at}.outside_its_days")
        if outside:
            days = " ".join(f"{word} {day}" for word, day in (("from", grant.since), ("to", grant.until)) if day)
            told = "{outside} were charged on days that are not its own; it goes {days}"
            lines = _granted_at(book, name)
            arithmetic = say(told, outside=outside, days=days)
            yield make_finding("charged-outside-its-days", at, grant.title, arithmetic, places=lines)


def refunded_too_much(project: ProjectLedger, book: Book) -> Findings:
    """More was refunded of an allocation than it was charged."""
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        used = book.get(f"{at}.used")
        if is_known(used) and (used.use or 0) < 0:
            refunds = [number for number, change in enumerate(grant.changes, 1) if change.kind == "refunded"]
            lines = places(*(book.get(f"{at}.changes.{number}") for number in refunds))
            told = say("with what was refunded it was charged {used}", used=used)
            yield make_finding("refunded-above-charged", at, grant.title, told, places=lines)


def why_unknown(book: Book, name: str, extended: bool = False) -> Sentence:
    """Why it is not known what a grant was charged, or will be (with the extensions, if asked for); empty where both
    are known."""
    at = f"allocations.{name}"
    if group := book.shared_grants.get(name):
        titles = join_titles(book.ledger, group.rivals[name], "or")
        return say("{hours} could be charged to {titles}", hours=book[f"{at}.shared"], titles=titles)
    left = book.get(f"{at}.{'extended.' * extended}left_to_spend")
    if left is None or left.missing != (f"{at}.payer",) or not isinstance(left.origin, Worked):
        return ()
    return say("{with_them}{why}", with_them="with the extensions, " if extended else "", why=left.origin.how)


def _shared(book: Book, group: SharedGrants) -> Sentence:
    """Which hours could be charged to which grants, and what is left of these."""
    first = f"allocations.{group.names[0]}"
    told = dict[Ids, Sentence]()
    for name in group.names:
        told.setdefault(group.rivals[name], why_unknown(book, name))
    shared = joined(told.values())
    used, left, granted = book.get_all(f"{first}.together", "used", "left", "granted")
    if used and granted and is_above(used, granted):
        return shared + say("; {used} of {granted} are used of them together", used=used, granted=granted)
    if left and granted and not left.missing:
        shared += say("; {left} of {granted} are left of them together", left=left, granted=granted)
    # Each may have been charged for none of these hours, if another one was charged for all of them.
    each = joined((_left_at_most(book, group, name) for name in group.names), " and ")
    return (*shared, "; at most ", *each, " are left")


def _left_at_most(book: Book, group: SharedGrants, name: str) -> Sentence:
    cards = {each: book.allocations[each].gpu for each in group.names}
    card = book.catalog.gpus.get(cards[name] or "") if len(set(cards.values())) > 1 else None
    on = f" on {card.title}" if card else ""
    left = book[f"allocations.{name}.left_at_most"]
    return say("{left} of “{title}”{on}", left=left, title=book.allocations[name].title, on=on)


def _undecided(project: ProjectLedger, book: Book, names: Iterable[str], lacking: str) -> Sentence:
    """That policies are undecided because something of some grants is missing."""
    wanted = {f"allocations.{name}.{lacking}" for name in names}
    undecided = [result for result in book.policies[project.id] if result.holds is None]
    lacking_it = [result for result in undecided if not wanted.isdisjoint(result.judged.missing)]
    titles = dict.fromkeys(f"“{result.policy.title or result.name}”" for result in lacking_it)
    many = "policies" if len(titles) > 1 else "policy"
    return say("; the {many} {titles} cannot be decided", many=many, titles=", ".join(titles)) if titles else ()
