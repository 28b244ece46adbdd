"""`reckon`: a Ledger -> its Book. The book holds every figure by address, the findings, and the ledger it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reckon.model.figure import Figure
from reckon.model.finding import Finding
from reckon.model.ledger import Ledger
from reckon.model.problem import Problem

from .actuals import write_actuals
from .allocations import write_allocations
from .budget import write_budget
from .inputs import write_inputs
from .projections import write_projections
from .sheet import Sheet


@dataclass(frozen=True, slots=True)
class Book:
    """Every figure of a ledger by its address, in the order in which they were written, and what the audit found."""

    ledger: Ledger
    figures: Mapping[str, Figure]
    findings: tuple[Finding, ...] = field(default=())

    def __getitem__(self, address: str) -> Figure:
        return self.figures[address]

    def get(self, address: str) -> Figure | None:
        """The figure at an address, or None."""
        return self.figures.get(address)


def write_sheet(ledger: Ledger) -> Sheet:
    """All cells of a ledger, not yet reckoned."""
    sheet = Sheet(ledger.broken)
    write_inputs(sheet, ledger)
    for one in ledger.projects.values():
        write_budget(sheet, one)
        write_actuals(sheet, one, ledger)
        write_projections(sheet, one)
    write_allocations(sheet, ledger)
    return sheet


def reckon(ledger: Ledger) -> tuple[Book, list[Problem]]:
    """The book of a ledger, and what is wrong with its formulas, sorted by place. Findings are there if nothing is wrong."""
    from .audit import audit

    sheet = write_sheet(ledger)
    sheet.reckon()
    problems = sorted(set(sheet.problems))
    book = Book(ledger, sheet.figures)
    return (book, problems) if problems or ledger.broken else (Book(ledger, sheet.figures, audit(book)), problems)
