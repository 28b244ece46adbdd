"""`reckon`: a Ledger -> its Book. The order of reckoning is the order of the lines here."""

from __future__ import annotations

from dataclasses import replace

from reckon.language.text import Text
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger

from .audit import audit
from .book import Book, Written
from .budget.allocations import write_allocations, write_unused
from .budget.budget import write_budget
from .budget.descoping import write_descoping
from .budget.drawdown import write_drawdown
from .budget.earned_value import write_performance
from .budget.forecast import write_forecast, write_grants
from .budget.money import write_money
from .budget.pace import write_end, write_limits
from .budget.tally import write_actuals
from .choosing.market import check_markets, searches_of
from .choosing.memory import judge_hardware
from .choosing.setups import write_setups, write_workloads
from .choosing.tradeoff import weigh_all
from .fitting.fits import fits_of
from .fitting.needs import write_needs
from .fitting.times import write_times
from .measuring.bounds import write_bounds
from .measuring.levers import write_levers
from .measuring.measured import write_measurements
from .measuring.projections import write_projections
from .sheet.changes import check_changes
from .sheet.inputs import write_inputs
from .sheet.sheet import Sheet
from .statements.claims import Check, check, check_addresses, check_words, each_claim, read_claim, traced
from .statements.passages import say_texts
from .statements.policies import judge_policies
from .statements.words import Known, titles, words_of, words_of_fits, words_of_measured


def write_sheet(ledger: Ledger) -> Written:
    """All cells of a ledger, not yet reckoned."""
    sheet = Sheet(ledger.broken)
    write_inputs(sheet, ledger)
    tallies, outlooks, histories, setups = {}, {}, {}, {}
    for one in ledger.projects.values():
        write_budget(sheet, one)
        tallies[one.id] = tally = write_actuals(sheet, one)
        write_performance(sheet, tally, one)
        histories[one.id] = history = write_drawdown(sheet, tally)
        write_limits(sheet, one, history)
        outlooks[one.id] = write_forecast(sheet, tally)
        write_end(sheet, one.id)
        write_descoping(sheet, outlooks[one.id], one)
        write_money(sheet, ledger, one)
        write_measurements(sheet, one)
        write_projections(sheet, ledger, one)
        write_bounds(sheet, ledger, one)
        write_levers(sheet, one)
        write_needs(sheet, ledger, one)
        write_times(sheet, ledger, one)
        write_workloads(sheet, one)
        setups[one.id] = write_setups(sheet, ledger, one)
    write_allocations(sheet, ledger, tallies)
    write_grants(sheet, ledger, outlooks)
    write_unused(sheet, ledger)
    return Written(sheet, histories, setups)


def reckon(ledger: Ledger) -> tuple[Book, list[Problem]]:
    """The book of a ledger, and what is wrong with its formulas and addresses, sorted by place.

    The book of a ledger with problems holds what could be reckoned, and is not audited.
    """
    sheet, histories, setups = write_sheet(ledger)
    sheet.reckon()
    projects = ledger.projects.values()
    tradeoffs = {one.id: tuple(weigh_all(sheet, ledger, one, setups[one.id])) for one in projects}
    own = [pair for one in projects for pair in words_of(sheet.figures, one, tradeoffs[one.id])]
    own += [pair for one in projects for pair in words_of_measured(sheet.figures, ledger, one)]
    fits = {one.id: tuple(fits_of(sheet.figures, ledger, one)) for one in projects}
    own += [pair for one in projects for pair in words_of_fits(ledger, one, fits[one.id])]
    known = Known(sheet, dict([*titles(ledger), *own]))
    judged = {one.id: judge_policies(known, ledger, one) for one in projects}
    said = {one.id: say_texts(known, one) for one in projects}
    unread = [problem for _, found in (*judged.values(), *said.values()) for problem in found]
    addressed = [*check_addresses(known, ledger, tradeoffs), *check_changes(sheet, ledger), *check_markets(ledger)]
    problems = sorted({*sheet.problems, *addressed, *unread})
    book = Book(ledger, sheet.figures, known.words)
    if problems or ledger.broken or not ledger.sound:
        return book, problems
    book = replace(
        book,
        checks={one.id: tuple(_checks(book, one.id)) for one in projects},
        worded={one.id: tuple(check_words(book.figures, book.words, one.id, one.claims)) for one in projects},
        verdicts={one.id: tuple(judge_hardware(book.figures, one)) for one in projects},
        tradeoffs=tradeoffs,
        fits=fits,
        searches={one.id: tuple(searches_of(sheet.figures, ledger, one, tradeoffs[one.id])) for one in projects},
        texts={name: tuple(texts) for name, (texts, _) in said.items()},
        policies={name: tuple(kept) for name, (kept, _) in judged.items()},
        histories=histories,
    )
    return replace(book, findings=audit(book)), problems


def _checks(book: Book, project: str) -> list[Check]:
    found = []
    for claim in each_claim(book.ledger.projects[project].claims):
        figure = book.quoted(project, claim.of)
        if claim.states is not None and figure and not figure.missing:
            found.append(check(claim, figure, read_claim(claim, figure.unit)))
    return list(traced(found))


def priced_by(book: Book, project: str, lists: tuple[str, ...]) -> Book:
    """The figures of a book, and the setups of one project weighed, where these price lists are the project's.

    The same calculation on a changed ledger, which is kept nowhere. It is not audited.
    """
    own = book.ledger.projects[project]
    changed = replace(own, project=own.project.model_copy(update={"prices": tuple(Text(name) for name in lists)}))
    ledger = replace(book.ledger, projects={**book.ledger.projects, project: changed})
    sheet, _, setups = write_sheet(ledger)
    sheet.reckon()
    weighed = {project: tuple(weigh_all(sheet, ledger, changed, setups[project]))}
    return Book(ledger, sheet.figures, tradeoffs=weighed)
