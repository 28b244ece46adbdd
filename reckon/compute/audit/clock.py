"""One slip that many rules see: wall-clock hours of several GPUs, entered as GPU-hours."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace as replace_figure

from msgspec.structs import replace

from reckon.language.quantity import point
from reckon.model.figure import span_of
from reckon.model.finding import Common, Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.structure import recalculate
from .plans import gpus_of
from .totals import short_lines

CLOCK = "plan-unlike-its-estimate#clock"
WHOLE = "plan-unlike-its-estimate#whole"
NEAR = 2
"""A stated figure is that of the clock if it lies within this factor of it, as of the plan (`plans`)."""


def with_its_consequences(project: ProjectLedger, book: Book, findings: list[Finding]) -> list[Finding]:
    """The findings; those that one slip of the clock explains have it in common. None is lost.

    It explains that the plan as a whole is below its estimates if no other line is short, and that the hours stated for
    the line, or for a part of its estimate that counts the same GPUs, are those on the clock.
    """
    slips = {found.address: found for found in findings if found.judgement == CLOCK and not found.accepted}
    if not slips:
        return findings
    common = Common(next(iter(slips.values())).id, say("Wall-clock hours were entered as GPU-hours"))
    return [
        replace(found, common=common) if _is_explained(project, book, found, slips) else found for found in findings
    ]


def _is_explained(project: ProjectLedger, book: Book, found: Finding, slips: Collection[str]) -> bool:
    if found.accepted or found.follows:
        return False
    if found.judgement == WHOLE:
        return all(f"{project.id}.plan.{name}" in slips for name in short_lines(project, book))
    if found.rule == "claim-contradicted":
        return _is_on_the_clock(project, book, found.address, slips)
    return found.judgement == CLOCK


def _is_on_the_clock(project: ProjectLedger, book: Book, address: str, slips: Collection[str]) -> bool:
    """Whether a figure counts the GPUs that the estimate of one of these lines counts, or is what is left without them
    of such a figure of which the same number is stated; and all that is stated of it, and does not agree, is near
    that."""
    wrong = [check for check in book.checks[project.id] if not check.holds]
    spans = [span_of(check.stated) for check in wrong if check.figure.address == address]
    gpus = filter(None, (gpus_of(book[f"{at}.estimate"]) for at in slips))
    without = {each.address: replace_figure(each, value=point(1)) for each in gpus}
    for figure in (check.figure for check in wrong if span_of(check.stated) in spans):
        found = recalculate(figure, without)
        time = span_of(found[0]) if found and found[1] else None
        if time and (figure.address == address or time == span_of(book[address])):
            return all(time.low / NEAR <= span.low and span.high <= time.high * NEAR for span in spans)
    return False
