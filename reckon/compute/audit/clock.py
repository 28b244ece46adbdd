"""One slip that many rules see: hours on the clock of several GPUs, booked as GPU-hours."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure
from reckon.model.finding import Common, Finding, joined, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .common import span_of
from .plans import gpus_of
from .totals import short_lines

CLOCK, BELOW = "plan-unlike-its-estimate#clock", "plan-unlike-its-estimate#below"
WHOLE = "plan-unlike-its-estimate#whole"
NEAR = 2
"""A stated figure is that of the clock if it lies within this factor of it, as of the plan (`plans`)."""


def with_its_consequences(project: ProjectLedger, book: Book, findings: Iterable[Finding]) -> list[Finding]:
    """The findings; those that one slip of the clock explains have it in common. None is lost.

    It explains that the estimate of such a line is above its plan, that the plan as a whole is below its estimates if
    no other line is short, and that the hours stated for the line, or for a part of its estimate that counts the same
    GPUs, are those on the clock.
    """
    every = list(findings)
    slips = {found.address: found for found in every if found.judgement == CLOCK and not found.accepted}
    if not slips:
        return every
    items = {name: item.title for name, item in project.items.items() if f"{project.id}.plan.{name}" in slips}
    title = say("Hours on the clock are booked as GPU-hours")
    told = joined(
        say("{line}: ", line=line) + slips[f"{project.id}.plan.{name}"].arithmetic for name, line in items.items()
    )
    common = Common(next(iter(slips.values())).id, title, told)
    causes = [found.common.key for found in every if found.common]
    alone = [
        found.common is None or found.judgement in (CLOCK, BELOW) or causes.count(found.common.key) == 1
        for found in every
    ]
    return [
        replace(found, common=common) if free and _explained(project, book, found, set(slips)) else found
        for found, free in zip(every, alone, strict=True)
    ]


def _explained(project: ProjectLedger, book: Book, found: Finding, slips: set[str]) -> bool:
    if found.accepted or found.follows:
        return False
    if found.judgement in (CLOCK, BELOW):
        return found.address in slips
    if found.judgement == WHOLE:
        return {f"{project.id}.plan.{name}" for name in short_lines(project, book)} <= slips
    address = found.address
    return (
        found.rule == "claim-contradicted" and _is_of(book, address, slips) and _is_of_the_clock(project, book, address)
    )


def _is_of(book: Book, address: str, slips: set[str]) -> bool:
    """Whether a figure is the estimate of one of these lines, or GPU-hours on the GPUs that one of them counts."""
    if address.removesuffix(".estimate") in slips:
        return True
    figure = book.get(address)
    gpus = gpus_of(figure) if figure and figure.unit.kinds == GPU_HOURS.kinds else None
    estimates = (book.get(f"{slip}.estimate") for slip in slips)
    counted = {its.address for each in estimates if each and (its := gpus_of(each))}
    return gpus is not None and bool(gpus.address) and gpus.address in counted


def _is_of_the_clock(project: ProjectLedger, book: Book, address: str) -> bool:
    """Whether all that is stated of an estimate, and does not agree with it, is near its hours on the clock."""
    gpus = gpus_of(book[address])
    stated = [check.stated for check in book.checks[project.id] if check.figure.address == address and not check.holds]
    return gpus is not None and gpus.use is not None and all(_near(each, book[address], gpus.use) for each in stated)


def _near(stated: Figure, estimate: Figure, gpus: Fraction) -> bool:
    said = span_of(stated)
    own = span_of(estimate)
    if said is None or own is None:
        return False
    return own.low / gpus / NEAR <= said.low and said.high <= own.high / gpus * NEAR
