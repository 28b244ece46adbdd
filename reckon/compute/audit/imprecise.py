"""What is stated more narrowly than its inputs give: one number, or a narrower range, where these give a wide one."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from reckon.model.finding import Common, Finding, Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.agreement import IMPRECISE, IN_RANGE
from ..statements.claims import Check, figure_of
from .common import called, counted, in_unit_of, numbered, places, stated_at


def claim_imprecise(project: ProjectLedger, book: Book) -> Findings:
    """Notes on stated figures that are within what their inputs give, and say more than these: one entry for all of a
    document. What says the same of a figure once more follows from the first."""
    checks = [check for check in book.checks[project.id] if check.kind in IMPRECISE]
    seen = Counter[str]()
    said = Counter((figure_of(check), str(check.claim.states)) for check in checks)
    title = say("{many} stated figures are more precise than their inputs", many=counted(len(said)))
    common: Common | None = None
    for check in checks:
        found = _finding(check, numbered(seen, check.figure.address))
        common = common or Common(found.id, title if len(said) > 1 else ())
        is_again = said.pop((figure_of(check), str(check.claim.states)), None) is None
        yield replace(found, common=common, follows=is_again)


def _finding(check: Check, subject: str) -> Finding:
    stated = check.stated
    at = stated_at(check.claim)
    title = called(check.figure)
    calculated = in_unit_of(stated, check.figure)
    text = "{title}: {stated} is narrower than its inputs give, {figure}"
    if check.kind == IN_RANGE:
        text = "{title}: one number, {stated}, is stated for {figure}"
    return make_finding(
        "claim-imprecise",
        subject,
        say(text, title=title, stated=stated, figure=calculated),
        say("stated {stated} ({at}), calculated {figure}", stated=stated, at=at, figure=calculated),
        "The statement says more than its inputs give.",
        "State the whole range, or what makes it narrower.",
        (check.claim.place, *places(check.figure)[:10]),
        cells=((title,), (stated,), (calculated,), (), (at,)),
    )
