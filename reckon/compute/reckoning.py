"""`reckon`: a Ledger -> its Book. The order of reckoning is the order of the lines here."""

from __future__ import annotations

from reckon.model.ledger import Ledger
from reckon.model.problem import Problem

from .actuals import write_actuals
from .addresses import check_addresses
from .allocations import write_allocations
from .audit import audit
from .book import Book
from .budget import write_budget
from .claims import Check, check, read_claim
from .forecasts import write_forecast, write_grants
from .hardware import judge_hardware
from .inputs import write_inputs
from .performance import write_performance
from .projections import write_projections
from .sheet import Sheet


def write_sheet(ledger: Ledger) -> Sheet:
    """All cells of a ledger, not yet reckoned."""
    sheet = Sheet(ledger.broken)
    write_inputs(sheet, ledger)
    outlooks = {}
    for one in ledger.projects.values():
        write_budget(sheet, one)
        tally = write_actuals(sheet, one)
        write_performance(sheet, tally, one)
        outlooks[one.id] = write_forecast(sheet, tally)
        write_projections(sheet, one)
    write_allocations(sheet, ledger)
    write_grants(sheet, ledger, outlooks)
    return sheet


def reckon(ledger: Ledger) -> tuple[Book, list[Problem]]:
    """The book of a ledger, and what is wrong with its formulas and addresses, sorted by place.

    The book of a ledger with problems holds what could be reckoned, and is not audited.
    """
    sheet = write_sheet(ledger)
    sheet.reckon()
    problems = sorted(set(sheet.problems + check_addresses(sheet, ledger)))
    book = Book(ledger, sheet.figures)
    if problems or ledger.broken:
        return book, problems
    checks = {name: tuple(_checks(book, name)) for name in ledger.projects}
    verdicts = {one.id: tuple(judge_hardware(book, one)) for one in ledger.projects.values()}
    book = Book(ledger, sheet.figures, checks, verdicts)
    return Book(ledger, sheet.figures, checks, verdicts, audit(book)), problems


def _checks(book: Book, project: str) -> list[Check]:
    found = []
    for claim in book.ledger.projects[project].claims:
        figure = book.quoted(project, claim.of)
        if claim.states is not None and figure and not figure.missing:
            found.append(check(claim, figure, read_claim(claim, figure.unit)))
    return found
