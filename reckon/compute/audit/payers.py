"""What is not known of grants: which of them is charged for hours, and what one will be charged for work to come."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from reckon.model.figure import Worked
from reckon.model.finding import Finding, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.shared_grants import join_titles
from .common import is_above, places, shared_grants_of

if TYPE_CHECKING:
    from ..budget.shared_grants import SharedGrants
    from ..statements.conditions import PolicyResult


def payer_unknown(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Hours, or work to come, of which it is not known which grant is charged for them."""
    undecided = [result for result in book.policies.get(project.id, ()) if result.holds is None]
    for group in shared_grants_of(project, book):
        policies = [result for result in undecided if _rests_on(result, group.names, "shared")]
        yield _payer_finding(book, group.names[0], (*_shared(book, group), *_undecided(policies)))
    told: set[Sentence] = set()
    for name, grant in book.ledger.allocations.items():
        why = () if name in book.shared_grants else why_unknown(book, name) or why_unknown(book, name, extended=True)
        if project.id not in grant.projects or not why or why in told:
            continue
        told.add(why)
        policies = [result for result in undecided if _rests_on(result, [name], "payer", "gpu")]
        yield _payer_finding(book, name, (*why, *_undecided(policies)), is_mild=not policies)


def why_unknown(book: Book, name: str, extended: bool = False) -> Sentence:
    """Why it is not known what a grant was charged, or will be (with the extensions, if asked for); empty where both
    are known."""
    at = f"allocations.{name}"
    if group := book.shared_grants.get(name):
        titles = join_titles(book.ledger, group.rivals[name], "or")
        return say("{hours} could be charged to {titles}", hours=book[f"{at}.shared"], titles=titles)
    left = book.get(f"{at}.{'extended.' * extended}left_to_spend")
    unknown = left is not None and left.missing in ((f"{at}.payer",), (f"{at}.gpu",))
    if left is None or not unknown or not isinstance(left.origin, Worked):
        return ()
    return say("{with_them}{why}", with_them="with the extensions, " if extended else "", why=left.origin.how)


def _payer_finding(book: Book, name: str, arithmetic: Sentence, is_mild: bool = False) -> Finding:
    at = f"allocations.{name}"
    left = book.get(f"{at}.left_to_spend") or book.get(f"{at}.extended.left_to_spend")
    if name not in book.shared_grants and left and left.missing == (f"{at}.gpu",):
        title = "It is not known what a grant will be charged"
        remedy = "Name its card (`gpu`), or enter a grant for each card."
    else:
        title = "It is not known which grant is charged"
        remedy = (
            "Give each grant its days (`since`, `until`) and its card (`gpu`), or take a project that does not draw on "
            "one out of its `projects`, so that no two grants could be charged for the same hours."
        )
    means = "What was charged, or what will be left, cannot be said of a grant before that is known."
    place = places(book.get(f"{at}.{book.ledger.allocations[name].amount_key}"))
    return make_finding("payer-unknown", at, say(title), arithmetic, say(means), say(remedy), place, is_mild=is_mild)


def _shared(book: Book, group: SharedGrants) -> Sentence:
    """Which hours could be charged to which grants, and what is left of these."""
    first, told = f"allocations.{group.names[0]}", dict[tuple[str, ...], Sentence]()
    for name in group.names:
        told.setdefault(group.rivals[name], why_unknown(book, name))
    shared = joined(told.values())
    used, left, granted = (book.get(f"{first}.together.{key}") for key in ("used", "left", "granted"))
    if used and granted and is_above(used, granted):
        return shared + say("; {used} of {granted} are used of them together", used=used, granted=granted)
    if left and granted and not left.missing:
        shared += say("; {left} of {granted} are left of them together", left=left, granted=granted)
    # Each may have been charged for none of these hours, if another one was charged for all of them.
    each = joined((_left_at_most(book, group, name) for name in group.names), " and ")
    return (*shared, "; at most ", *each, " are left")


def _left_at_most(book: Book, group: SharedGrants, name: str) -> Sentence:
    grants, gpus = book.ledger.allocations, book.ledger.catalog.gpus
    card = grants[name].gpu
    differ = len({grants[each].gpu for each in group.names}) > 1
    on = f" on {gpus[card].title}" if card is not None and differ and card in gpus else ""
    left = book[f"allocations.{name}.left_at_most"]
    return say("{left} of “{title}”{on}", left=left, title=str(grants[name].title), on=on)


def _undecided(policies: Sequence[PolicyResult]) -> Sentence:
    """That policies are undecided by it."""
    titles = dict.fromkeys(f"“{result.policy.title or result.name}”" for result in policies)
    many = "policies" if len(titles) > 1 else "policy"
    return say("; the {many} {titles} cannot be decided", many=many, titles=", ".join(titles)) if titles else ()


def _rests_on(result: PolicyResult, names: Collection[str], *missing: str) -> bool:
    """Whether a policy is undecided because something of some grants is missing."""
    return any(f"allocations.{name}.{each}" in result.judged.missing for name in names for each in missing)
