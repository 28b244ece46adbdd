"""A stated total of a budget beside the sums that its own document states."""

from __future__ import annotations

from collections.abc import Iterable

from reckon.language.lean import replace
from reckon.model.figure import Figure
from reckon.model.finding import Finding, joined, say
from reckon.model.kinds import TOTALS

from ..statements.claims import Check
from .common import in_unit_of, stated_at

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
        finding, title=say("{at}: the stated total is none of the document's own sums", at=stated_at(check.claim)),
        arithmetic=say("stated {stated}; its own sums are ", stated=check.stated)
        + joined(sums, " and "),
    )  # fmt: skip


def _reaches(stated: Figure, own: dict[str, Figure]) -> bool:
    """Whether one of the sums lies within what is stated."""
    low, high = stated.value.low, stated.value.high
    if low is None or high is None:
        return True
    least, most = stated.unit.to_base(low), stated.unit.to_base(high)
    return any(each.use is not None and least <= each.unit.to_base(each.use) <= most for each in own.values())
