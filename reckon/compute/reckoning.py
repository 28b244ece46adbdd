"""`reckon`: a Ledger -> its Book. The order of the calculation is the order of the lines here."""

from __future__ import annotations

from reckon.language.lean import replace
from reckon.language.text import Text
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger

from .audit import audit
from .book import Book, Written
from .budget.budget import write_budget
from .budget.drawdown import write_drawdown
from .budget.earned_value import write_earned_value
from .budget.energy import write_energy
from .budget.forecast import write_descoping, write_forecast, write_grants
from .budget.money import write_money
from .budget.pace import write_allocations, write_end, write_limits, write_unused
from .budget.schedule import write_phase_ends, write_schedule
from .budget.tally import write_actuals
from .choosing.market import check_markets, searches_of
from .choosing.memory import judge_hardware
from .choosing.setups import write_setups, write_workloads
from .choosing.tradeoff import weigh_all
from .fitting.fits import fits_of
from .fitting.needs import write_needs
from .fitting.times import write_times
from .measuring.bounds import write_bounds
from .measuring.measured import write_levers, write_measurements
from .measuring.projections import write_projections
from .sheet.inputs import check_changes, write_inputs
from .sheet.sheet import Sheet
from .statements.causes import traced
from .statements.claims import Check, check, check_addresses, check_words, each_claim, in_columns, read_claim
from .statements.conditions import judge_policies
from .statements.passages import say_texts
from .statements.ratios import check_ratios
from .statements.words import Known, titles, words_of, words_of_fits, words_of_measured


def write_sheet(ledger: Ledger) -> Written:
    """All cells of a ledger, not yet calculated."""
    sheet = Sheet(ledger.broken)
    write_inputs(sheet, ledger)
    tallies, outlooks, histories, setups = {}, {}, {}, {}
    for project in ledger.projects.values():
        write_budget(sheet, project)
        tallies[project.id] = tally = write_actuals(sheet, project)
        write_earned_value(sheet, tally, project)
        histories[project.id] = history = write_drawdown(sheet, tally)
        write_limits(sheet, project, history)
        outlooks[project.id] = write_forecast(sheet, tally)
        write_end(sheet, project.id)
        write_schedule(sheet, ledger, tally, history.whole.last)
        write_phase_ends(sheet, project, history.whole.last)
        write_descoping(sheet, outlooks[project.id], project)
        write_money(sheet, ledger, project, tally)
        write_energy(sheet, ledger, project, tally)
        write_measurements(sheet, project)
        write_projections(sheet, ledger, project)
        write_bounds(sheet, ledger, project)
        write_levers(sheet, project)
        write_needs(sheet, ledger, project)
        write_times(sheet, ledger, project)
        write_workloads(sheet, project)
        setups[project.id] = write_setups(sheet, ledger, project)
    write_allocations(sheet, ledger, tallies)
    write_grants(sheet, ledger, outlooks)
    write_unused(sheet, ledger)
    return Written(sheet, histories, setups)


def reckon(ledger: Ledger, audited: bool = True) -> tuple[Book, list[Problem]]:
    """The book of a ledger, and what is wrong with its formulas and addresses, sorted by place.

    The book of a ledger with problems, or where it is not to be audited, has what could be calculated, and is not
    audited.
    """
    sheet, histories, setups = write_sheet(ledger)
    sheet.reckon()
    projects = ledger.projects.values()
    tradeoffs = {project.id: tuple(weigh_all(sheet, ledger, project, setups[project.id])) for project in projects}
    own = [pair for project in projects for pair in words_of(sheet.figures, project, tradeoffs[project.id])]
    own += [pair for project in projects for pair in words_of_measured(sheet.figures, ledger, project)]
    fits = {project.id: tuple(fits_of(sheet.figures, ledger, project)) for project in projects}
    own += [pair for project in projects for pair in words_of_fits(ledger, project, fits[project.id])]
    known = Known(sheet, dict([*titles(ledger), *own]))
    judged = {project.id: judge_policies(known, ledger, project) for project in projects}
    said = {project.id: say_texts(known, project) for project in projects}
    unread = [problem for _, found in (*judged.values(), *said.values()) for problem in found]
    addressed = [*check_addresses(known, ledger, tradeoffs), *check_changes(sheet, ledger), *check_markets(ledger)]
    addressed += check_ratios(sheet, ledger)
    told = {*sheet.problems, *addressed, *unread}
    problems = sorted(problem for problem in told if problem.since <= ledger.held_to)
    book = Book(ledger, sheet.figures, known.words)
    if problems or ledger.broken or not ledger.sound or not audited:
        return book, problems
    book = replace(
        book,
        checks={project.id: tuple(_checks(book, project.id)) for project in projects},
        worded={
            project.id: tuple(check_words(book.figures, book.words, project.id, project.claims)) for project in projects
        },
        verdicts={project.id: tuple(judge_hardware(book.figures, project)) for project in projects},
        tradeoffs=tradeoffs,
        fits=fits,
        searches={
            project.id: tuple(searches_of(sheet.figures, ledger, project, tradeoffs[project.id]))
            for project in projects
        },
        texts={name: tuple(texts) for name, (texts, _) in said.items()},
        policies={name: tuple(kept) for name, (kept, _) in judged.items()},
        histories=histories,
    )
    return replace(book, findings=audit(book)), problems


def _checks(book: Book, project_id: str) -> list[Check]:
    found = []
    for claim in each_claim(book.ledger.projects[project_id].claims):
        figure = book.quoted(project_id, claim.of)
        if claim.states is not None and figure and not figure.missing:
            found.append(check(claim, figure, read_claim(claim, figure.unit), book.ledger.projects[project_id]))
    return traced(list(in_columns(found)), book.figures)


def priced_by(book: Book, project_id: str, lists: tuple[str, ...]) -> Book:
    """The figures of a book, and the setups of one project weighed, where these price lists are the project's.

    The same calculation on a changed ledger, which is kept nowhere. It is not audited.
    """
    own = book.ledger.projects[project_id]
    changed = replace(own, project=own.project.model_copy(update={"prices": tuple(Text(name) for name in lists)}))
    ledger = replace(book.ledger, projects={**book.ledger.projects, project_id: changed})
    sheet, _, setups = write_sheet(ledger)
    sheet.reckon()
    weighed = {project_id: tuple(weigh_all(sheet, ledger, changed, setups[project_id]))}
    return Book(ledger, sheet.figures, tradeoffs=weighed)
