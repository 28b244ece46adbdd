"""What a stated figure agrees with though not with its own: whole hours, another figure of its place, a sum."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from math import ceil

from msgspec.structs import replace

from reckon.language.quantity import Value
from reckon.model.figure import Figure, Worked, planned, value_in
from reckon.model.finding import Finding, joined, say
from reckon.model.kinds import TOTALS

from ..book import Book
from ..statements.claims import Check
from ..statements.slips import distance
from .common import called, in_unit_of, span_of, stated_at
from .stating import statement_of

AGREES = "; it agrees if whole hours are billed"
_COST = re.compile(r"(.+\.projections\.[^.]+\.[^.]+)(\.costs\.[^.]+)?\.usd")
BUDGETS = {total.hours: total for total in TOTALS.values() if total.planned}
"""The totals that a plan adds up to, by their addresses in a project."""


def by_the_whole_hour(book: Book, check: Check, finding: Finding) -> Finding:
    """The finding as a note that says so, where a stated cost is that of whole hours; else as it is."""
    whole = _of_whole_hours(book, check.figure)
    if whole is None or check.way:
        return finding
    if distance(value_in(check.stated), value_in(whole), check.low, check.high):
        return finding
    told = finding.arithmetic + say(f"{AGREES}: {{whole}}", whole=whole)
    title, said, own, calculated = finding.cells
    shown = (title, said, own, calculated + say("; by whole hours {whole}", whole=whole))
    return replace(finding, severity="note", arithmetic=told, cells=shown)


def are_of_whole_hours(findings: Iterable[Finding]) -> bool:
    """Whether `by_the_whole_hour` has made a note of each of some findings."""
    return all(any(isinstance(part, str) and part.startswith(AGREES) for part in each.arithmetic) for each in findings)


def _of_whole_hours(book: Book, cost: Figure) -> Figure | None:
    """What a projection costs if begun hours are billed as whole ones, in its unit; None of other figures."""
    found = _COST.fullmatch(cost.address)
    hours = book.get(f"{found[1]}{found[2]}.billed_hours" if found[2] else f"{found[1]}.hours") if found else None
    if hours is None:
        return None
    ends = [
        None if paid is None or not lasts else paid / lasts * ceil(lasts)
        for paid, lasts in zip(cost.value.ends, hours.value.ends, strict=True)
    ]
    return dataclasses.replace(cost, address="", value=Value(*ends), origin=Worked("whole hours", (cost, hours)))


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
