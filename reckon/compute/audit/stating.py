"""What a ledger says that its documents state of each figure, and between which ends that can lie."""

from __future__ import annotations

from math import inf

from reckon.language.groups import group_by
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.claims import Check
from .common import Span

Stated = dict[str, list[Check]]
"""By address all that is stated of a figure, in the order of the claims."""


def stated_of(project: ProjectLedger, book: Book) -> Stated:
    """All that the claims of a project state of figures."""
    return group_by(book.checks[project.id], lambda check: check.figure.address)


def stated_span(check: Check) -> Span:
    """What is stated as it can have been before it was rounded, in base units; an open end is infinite."""
    low, _, high = check.value.ends
    unit = check.figure.unit
    least = -inf if low is None else unit.to_base(low - check.low)
    return Span(least, inf if high is None else unit.to_base(high + check.high))
