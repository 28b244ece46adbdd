"""The tables of the page of findings: what is stated somewhere, held against what follows from the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reckon.compute.statements.claims import Check, Worded
from reckon.model.finding import Finding

from .table import As, Bold, Cell, Code, LedgerLines, Table, below, figures, words
from .view import View


@dataclass(frozen=True)
class Findings:
    """What the audit of a project shows in tables."""

    view: View

    def gathered(self, findings: Sequence[Finding]) -> Table:
        """Stated figures that do not hold, where there are too many for sections of their own."""
        rows = [[below(found.title, Code(found.id)), found.arithmetic, LedgerLines(found.places)] for found in findings]
        return Table([*map(words, ("Figure", "Arithmetic", "Ledger line"))], rows)

    @property
    def checks(self) -> Table:
        """Stated figures."""
        columns = [words("Figure"), figures("Stated"), figures("Reckoned"), words("Holds"), words("Where")]
        return Table(columns, [
            [check.figure.title, As(check.stated), As(check.figure), _holds(check), check.claim.at]
            for check in self.view.book.checks[self.view.id]
        ])  # fmt: skip

    @property
    def worded(self) -> Table:
        """Stated words."""
        columns = [*map(words, ("What", "Stated", "Reckoned", "Holds", "Where"))]
        return Table(columns, [
            [claim.word.about, claim.stated.title, claim.word.title, _said(claim), claim.claim.at]
            for claim in self.view.book.worded[self.view.id]
        ])  # fmt: skip


def _holds(check: Check) -> Cell:
    if check.holds:
        return "yes"
    return (Bold("no"), ": ", check.slip) if check.slip else Bold("no")


def _said(claim: Worded) -> Cell:
    if claim.holds is None:
        return "not decided"
    return "yes" if claim.holds else Bold("no")
