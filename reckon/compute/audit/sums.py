"""A stated figure beside others of its document: sums of a budget, and what the same is stated of."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from reckon.model.figure import Figure, planned
from reckon.model.finding import Finding, joined, say
from reckon.model.kinds import TOTALS

from ..statements.claims import Check
from .common import called, in_unit_of, stated_at
from .stating import span_of, statement_of

BUDGETS = {total.hours: total for total in TOTALS.values() if total.planned}
"""The totals that a plan adds up to, by their addresses in a project."""


def none_of_the_sums(check: Check, finding: Finding, checks: Iterable[Check]) -> Finding:
    """The finding of a stated total; told as none of its document's sums, where that states several and all agree.

    Which of them the total was meant to be is then nobody's to say.
    """
    own: dict[str, Figure] = {}
    for other in checks:
        address = other.figure.address.partition(".")[2]
        if other.holds and address in BUDGETS and other.claim.source == check.claim.source:
            own.setdefault(address, in_unit_of(check.stated, other.figure))
    if check.way or check.figure.address.partition(".")[2] not in own or len(own) < 2 or _reaches(check.stated, own):
        return finding
    sums = (say("{hours} (" + BUDGETS[address].words + ")", hours=figure) for address, figure in own.items())
    return replace(
        finding,
        title=say("{at}: the stated total is none of the document's own sums", at=stated_at(check.claim)),
        arithmetic=say("stated {stated}; its own sums are ", stated=check.stated) + joined(sums, " and "),
    )


def agrees_with_another(check: Check, finding: Finding, checks: Iterable[Check]) -> Finding:
    """The finding of a stated figure; where its place states the same of another figure, which has it, told so."""
    others = (other for other in checks if other.holds and statement_of(other) == statement_of(check))
    other = None if check.way else next(others, None)
    if other is None:
        return finding
    told = say(
        "; the same is stated there of {what}, and agrees: {figure}",
        what=called(other.figure),
        figure=in_unit_of(check.stated, other.figure),
    )
    return replace(finding, arithmetic=finding.arithmetic + told)


def _reaches(stated: Figure, own: dict[str, Figure]) -> bool:
    """Whether one of the sums lies within what is stated."""
    span = span_of(stated)
    known = [planned(each) for each in own.values() if each.use is not None]
    return span is None or any(span.low <= use <= span.high for use in known)
