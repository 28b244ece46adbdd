"""What is stated more narrowly than its inputs give: one number, or a narrower range, where these give a wide one."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.model.finding import Common, Finding, Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.agreement import IMPRECISE, IN_RANGE
from ..statements.claims import Check, figure_of
from .common import called, counted, in_unit_of, numbered, places, stated_at


def claim_imprecise(project: ProjectLedger, book: Book) -> Findings:
    """Notes on stated figures that are within what their inputs give, and say more than these: one entry for all of a
    document. What says the same of a figure once more follows from the first."""
    checks = [check for check in book.checks.get(project.id, ()) if check.kind in IMPRECISE]
    seen = Counter[str]()
    by_value = group_by(checks, lambda check: (figure_of(check), str(check.claim.states)))
    first = {id(same[0]) for same in by_value.values()}
    title = say("{many} stated figures are more precise than their inputs", many=counted(len(first)))
    common: Common | None = None
    for check in checks:
        found = _finding(check, numbered(seen, check.figure.address))
        common = common or Common(found.id, title if len(first) > 1 else ())
        yield replace(found, common=common, follows=id(check) not in first)


def _finding(check: Check, subject: str) -> Finding:
    figure = check.figure
    stated = check.stated
    at = stated_at(check.claim)
    calculated = in_unit_of(stated, figure)
    text = "{title}: {stated} is narrower than its inputs give, {figure}"
    if check.kind == IN_RANGE:
        text = "{title}: one number, {stated}, is stated for {figure}"
    return make_finding(
        "claim-imprecise",
        subject,
        say(text, title=called(figure), stated=stated, figure=calculated),
        say("stated {stated} ({at}), calculated {figure}", stated=stated, at=at, figure=calculated),
        "The statement says more than its inputs give.",
        "State the whole range, or what makes it narrower.",
        (check.claim.place, *places(figure)[:10]),
        cells=(say("{title}", title=called(figure)), (stated,), (calculated,), (), say("{at}", at=at)),
    )
