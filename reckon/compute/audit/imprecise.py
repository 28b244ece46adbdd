"""What is stated more narrowly than its inputs give: one number, or a narrower range, where these give a wide one."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.model.finding import Common, Finding, Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.agreement import IMPRECISE, IN_RANGE
from ..statements.claims import Check, column_of, figure_of, statement_of
from .common import called, counted, in_unit_of, numbered, places, stated_at
from .stated import cluster


def claim_imprecise(project: ProjectLedger, book: Book) -> Findings:
    """Notes on stated figures that are within what their inputs give, and say more than these; one entry for a column
    of a table, and for a figure."""
    checks = [check for check in book.checks.get(project.id, ()) if check.kind in IMPRECISE]
    seen = Counter[str]()
    found = [_finding(check, numbered(seen, check.figure.address)) for check in checks]
    keys = [(column_of(check), statement_of(check), figure_of(check)) for check in checks]
    for some in cluster(range(len(checks)), keys.__getitem__):
        by_value = group_by(some, lambda place: (figure_of(checks[place]), str(checks[place].claim.states)))
        first = [same[0] for same in by_value.values()]
        title = say(
            "{what} and {more} more are stated more precisely than their inputs give",
            what=called(checks[first[0]].figure),
            more=counted(len(first) - 1),
        )
        common = Common(found[first[0]].id, title if len(first) > 1 else ())
        yield from (replace(found[place], common=common, follows=place not in first) for place in some)


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
