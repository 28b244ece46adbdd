"""`calculate`: a Ledger -> its Book. The order of the calculation is the order of the lines here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reckon.language.text import Text
from reckon.model.finding import Problem
from reckon.model.lazy import LateMapping, LateValues
from reckon.model.ledger import ByProject, Ids, Ledger, ProjectLedger

from .audit import audit
from .book import Book, Written
from .budget.actuals import write_actuals
from .budget.allocation_forecast import write_allocation_forecasts
from .budget.allocations import write_allocations
from .budget.budget import write_budget
from .budget.drawdown import write_drawdown
from .budget.earned_value import write_earned_value
from .budget.energy import write_energy
from .budget.forecast import write_descoping, write_forecast
from .budget.idle_hours import write_idle
from .budget.lost_hours import write_lost
from .budget.money import write_money
from .budget.money_ceiling import write_phase_ceilings
from .budget.money_lines import money_lines
from .budget.pace import write_end, write_limits
from .budget.payers import charges_of
from .budget.schedule import write_phase_ends, write_schedule
from .budget.unpaid import write_unpaid
from .budget.work_to_do import write_work_to_do
from .choosing.market_search import check_markets, searches_of
from .choosing.memory import judge_hardware
from .choosing.pareto import Tradeoff, weigh_all
from .choosing.setups import Choice, write_setups, write_workloads
from .fitting.memory_needs import write_needs
from .fitting.times import write_times
from .fitting.verdict import Fitted, fits_of
from .measuring.bounds import write_bounds
from .measuring.projections import write_projections
from .measuring.results import write_levers, write_measurements
from .sheet.inputs import check_changes, write_inputs
from .sheet.sheet import Sheet
from .statements.causes import explain
from .statements.claims import Check, check, check_addresses, check_words, each_claim
from .statements.conditions import judge_policies
from .statements.outcome_words import words_of_fits, words_of_measured, words_of_setups
from .statements.ratios import check_ratios
from .statements.text_blocks import say_texts
from .statements.words import Known, Word, titles, titles_in


def write_sheet(ledger: Ledger) -> Written:
    """All cells of a ledger, not yet calculated."""
    sheet = Sheet(ledger.broken)
    write_inputs(sheet, ledger)
    tallies, outlooks, histories, setups, pieces, lines = {}, {}, {}, {}, {}, {}
    charged = charges_of(ledger)
    for project in ledger.projects.values():
        write_budget(sheet, project)
        tallies[project.id] = tally = write_actuals(sheet, project)
        lossy = write_lost(tally)
        write_idle(tally)
        write_earned_value(sheet, tally, project)
        histories[project.id] = history = write_drawdown(sheet, tally)
        write_limits(sheet, project, history)
        outlooks[project.id] = outlook = write_forecast(sheet, tally, lossy, charged[project.id].rules)
        pieces[project.id] = write_work_to_do(sheet, project, outlook)
        write_end(sheet, project.id)
        write_schedule(sheet, ledger, tally, history.whole.last)
        write_phase_ends(sheet, tally, outlook)
        write_descoping(sheet, outlooks[project.id], project)
        lines[project.id] = money_lines(project, charged[project.id].rules, tally.spent.last)
        write_phase_ceilings(sheet, project)
        write_money(sheet, ledger, tally, charged[project.id], outlook, pieces[project.id].values(), lines[project.id])
        write_energy(sheet, ledger, project, tally, outlook)
        setups[project.id] = _write_records(sheet, ledger, project)
    allocations, shared = write_allocations(sheet, ledger, tallies, charged)
    write_allocation_forecasts(sheet, ledger, allocations, outlooks, pieces, lines, charged)
    for name, tally in tallies.items():
        write_unpaid(sheet, ledger, tally, charged[name], outlooks[name], pieces[name], shared)
    return Written(sheet, histories, setups, shared)


def _write_records(sheet: Sheet, ledger: Ledger, project: ProjectLedger) -> Mapping[str, tuple[Choice, ...]]:
    """Writes what comes of records that few projects have; gives back the setups."""
    write_measurements(sheet, project)
    write_projections(sheet, ledger, project)
    write_bounds(sheet, ledger, project)
    write_levers(sheet, project)
    write_needs(sheet, ledger, project)
    write_times(sheet, ledger, project)
    write_workloads(sheet, project)
    return write_setups(sheet, ledger, project)


def calculate(ledger: Ledger, audited: bool = True) -> tuple[Book, list[Problem]]:
    """The book of a ledger, and what is wrong with its formulas and addresses, sorted by place.

    The book of a ledger with problems, or where it must not be audited, has what could be calculated, and is not
    audited.
    """
    sheet, histories, setups, shared_grants = write_sheet(ledger)
    sheet.reckon()
    projects = ledger.projects.values()
    tradeoffs = {each.id: tuple(weigh_all(sheet, ledger, each, setups[each.id])) for each in projects}
    fits = {each.id: tuple(fits_of(sheet.figures, ledger, each)) for each in projects}
    known = Known(sheet, _find_words(sheet, ledger, tradeoffs, fits))
    judged = {each.id: judge_policies(known, ledger, each) for each in projects}
    said = {each.id: say_texts(known, each) for each in projects}
    unread = [problem for _, found in (*judged.values(), *said.values()) for problem in found]
    told = {*sheet.problems, *_check_addresses(known, ledger, tradeoffs), *unread}
    problems = sorted(problem for problem in told if problem.since <= ledger.held_to)
    book = Book(ledger, sheet.figures, known.words)
    if problems or ledger.broken or not ledger.sound or not audited:
        return book, problems
    book = replace(
        _with_judgements(book, tradeoffs),
        tradeoffs=tradeoffs,
        fits=fits,
        texts={name: tuple(found) for name, (found, _) in said.items()},
        policies={name: tuple(found) for name, (found, _) in judged.items()},
        histories=histories,
        shared_grants=shared_grants,
    )
    return replace(book, findings=LateMapping(lambda: audit(book, calculate))), problems


def _find_words(
    sheet: Sheet, ledger: Ledger, tradeoffs: ByProject[Tradeoff], fits: ByProject[Fitted]
) -> dict[str, Word]:
    """What records are called, and words for what came of them, by address."""
    words = dict(titles(ledger))
    projects = ledger.projects.values()
    for project in projects:
        words.update(titles_in(project))
        words.update(words_of_setups(sheet.figures, project, tradeoffs[project.id]))
    for project in projects:
        words.update(words_of_measured(sheet.figures, ledger, project))
    for project in projects:
        words.update(words_of_fits(ledger, project, fits[project.id]))
    return words


def _check_addresses(known: Known, ledger: Ledger, tradeoffs: ByProject[Tradeoff]) -> Iterator[Problem]:
    """What is wrong with addresses that the ledger names, and with what it says of markets and ratios of cards."""
    yield from check_changes(known.sheet, ledger)
    yield from check_addresses(known, ledger, tradeoffs)
    yield from check_markets(ledger)
    yield from check_ratios(known.sheet, ledger)


def _with_judgements(book: Book, tradeoffs: ByProject[Tradeoff]) -> Book:
    """The book with what claims state held against it, memory judged, and what is to be searched for."""
    projects, figures = book.projects.values(), book.figures
    return replace(
        book,
        checks=LateValues(book.projects, lambda name: tuple(_checks(book, name))),
        worded={each.id: tuple(check_words(figures, book.words, each.id, each.claims)) for each in projects},
        verdicts={each.id: tuple(judge_hardware(figures, each)) for each in projects},
        searches={each.id: tuple(searches_of(figures, book.ledger, each, tradeoffs[each.id])) for each in projects},
    )


def _checks(book: Book, project_id: str) -> list[Check]:
    found = []
    project = book.projects[project_id]
    for claim in each_claim(project.claims):
        figure = book.quoted(project_id, claim.of)
        if claim.states is not None and figure:
            found.append(check(claim, figure, project))
    return explain(found, book.figures, project)


def priced_by(book: Book, project_id: str, lists: Ids) -> Book:
    """The figures of a book, and the setups of one project weighed, where these price lists are the project's.

    The same calculation on a changed ledger, which is kept nowhere. It is not audited.
    """
    own = book.projects[project_id]
    changed = replace(own, project=own.project.model_copy(update={"prices": tuple(Text(name) for name in lists)}))
    ledger = replace(book.ledger, projects={**book.projects, project_id: changed})
    sheet, _, setups, _ = write_sheet(ledger)
    sheet.reckon()
    weighed = {project_id: tuple(weigh_all(sheet, ledger, changed, setups[project_id]))}
    return Book(ledger, sheet.figures, tradeoffs=weighed)
