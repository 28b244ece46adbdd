"""Stated costs that agree if every hour that is begun is billed as a whole one, as some offers do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import ceil

from msgspec import structs

from reckon.language.quantity import Value
from reckon.model.figure import Figure, Worked, value_in
from reckon.model.finding import Finding, say

from ..book import Book
from ..statements.claims import Check
from ..statements.slips import distance

AGREES = "; it agrees if whole hours are billed"
_COST = re.compile(r"(.+\.projections\.[^.]+\.[^.]+)(\.costs\.[^.]+)?\.usd")


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
    return structs.replace(finding, severity="note", arithmetic=told, cells=shown)


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
    return replace(cost, address="", value=Value(*ends), origin=Worked("whole hours", (cost, hours)))
