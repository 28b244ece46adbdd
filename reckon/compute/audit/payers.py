"""What is not known of grants: which of them is charged for hours, and which will be for work to come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from reckon.model.figure import Worked
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import Ids, ProjectLedger

from ..book import Book
from ..budget.shared_grants import join_titles
from .common import is_above, places, shared_grants_of

if TYPE_CHECKING:
    from ..budget.shared_grants import SharedGrants
    from ..statements.conditions import PolicyResult


def payer_not_named(project: ProjectLedger, book: Book) -> Findings:
    """Hours for which several grants could be charged, and none is named."""
    for group in shared_grants_of(project, book):
        policies = _undecided_for(project, book, group.names, "shared")
        name = group.names[0]
        yield make_finding(
            "payer-not-named",
            f"allocations.{name}",
            "It is not said which grant pays",
            _shared(book, group) + _undecided(policies),
            "What each of them was charged, and what is left of it, cannot be said before that is known.",
            f"Name who pays, as `allocation: {name}`: {NAMED_AT}.",
            places(book.get(f"allocations.{name}.{book.allocations[name].amount_key}")),
        )


def payer_unknown(project: ProjectLedger, book: Book) -> Findings:
    """Work to come for which several grants could be charged, and none is named."""
    told: set[Sentence] = set()
    for name, grant in book.ledger.grants_of(project.id).items():
        why = () if name in book.shared_grants else why_unknown(book, name) or why_unknown(book, name, extended=True)
        if not why or why in told:
            continue
        told.add(why)
        policies = _undecided_for(project, book, [name], "payer")
        yield make_finding(
            "payer-unknown",
            f"allocations.{name}",
            "It is not known which grant will pay",
            why + _undecided(policies),
            "What each of them will be charged, and what will be left of it, cannot be said before that is known.",
            f"Name who pays for the items that are to be done, as `allocation: {name}`, or for their phase.",
            places(book.get(f"allocations.{name}.{grant.amount_key}")),
            is_mild=not policies,
        )


def charged_outside(project: ProjectLedger, book: Book) -> Findings:
    """An allocation is charged for runs for which it is named, on days before its first or after its last."""
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        outside = book.get(f"{at}.outside_its_days")
        if outside is None:
            continue
        days = " ".join(f"{word} {day}" for word, day in (("from", grant.since), ("to", grant.until)) if day)
        yield make_finding(
            "charged-outside-its-days",
            at,
            say("{title}: it is charged outside its days", title=grant.title),
            say("{outside} were charged on days that are not its own; it goes {days}", outside=outside, days=days),
            "It is charged because runs name it; its owner may not accept that.",
            "Name another payer of these runs, or mend the days of the allocation.",
            places(book.get(f"{at}.{grant.amount_key}")),
        )


def refunded_too_much(project: ProjectLedger, book: Book) -> Findings:
    """More was refunded of an allocation than it was charged."""
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        used = book.get(f"{at}.used")
        if used is None or used.missing or used.use is None or used.use >= 0:
            continue
        refunds = [number for number, change in enumerate(grant.changes, 1) if change.kind == "refunded"]
        yield make_finding(
            "refunded-above-charged",
            at,
            say("{title}: more was refunded than it was charged", title=grant.title),
            say("with what was refunded it was charged {used}", used=used),
            "What is left of it is more than was granted, so that work seems to be paid for that is not.",
            "Correct the amount of the refund, or enter the runs that it is for.",
            places(*(book.get(f"{at}.changes.{number}") for number in refunds)),
        )


NAMED_AT = "on the run, on the source or the rule that it is imported by, on its item or phase, or on the project"


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
    grants = book.allocations
    gpus = book.catalog.gpus
    card = grants[name].gpu
    differ = len({grants[each].gpu for each in group.names}) > 1
    on = f" on {gpus[card].title}" if card is not None and differ and card in gpus else ""
    left = book[f"allocations.{name}.left_at_most"]
    return say("{left} of “{title}”{on}", left=left, title=grants[name].title, on=on)


def _undecided(policies: Sequence[PolicyResult]) -> Sentence:
    """That policies are undecided by it."""
    titles = dict.fromkeys(f"“{result.policy.title or result.name}”" for result in policies)
    many = "policies" if len(titles) > 1 else "policy"
    return say("; the {many} {titles} cannot be decided", many=many, titles=", ".join(titles)) if titles else ()


def _undecided_for(project: ProjectLedger, book: Book, names: Iterable[str], lacking: str) -> list[PolicyResult]:
    """The policies that are undecided because something of some grants is missing."""
    wanted = {f"allocations.{name}.{lacking}" for name in names}
    undecided = (result for result in book.policies.get(project.id, ()) if result.holds is None)
    return [result for result in undecided if not wanted.isdisjoint(result.judged.missing)]
