"""The setups of a project at the prices of one provider: the same reckoning on a changed ledger, kept nowhere."""

from __future__ import annotations

from dataclasses import replace

from reckon.language.text import Text
from reckon.model.ledger import Ledger

from ..book import Book
from ..reckoning import write_sheet
from .tradeoff import weigh_all


def lists_of(ledger: Ledger, project: str, provider: str) -> tuple[str, ...]:
    """The price lists of a provider: those that the project names; where it names none, all there are, newest first."""
    every = [name for name, prices in ledger.catalog.prices.items() if prices.provider == provider]
    named = [str(name) for name in ledger.projects[project].project.prices if name in every]
    return tuple(named or sorted(every, key=lambda name: str(ledger.catalog.prices[name].as_of or ""), reverse=True))


def priced_by(book: Book, project: str, lists: tuple[str, ...]) -> Book:
    """The figures of a book, and the setups of one project weighed, where these price lists are the project's."""
    one = book.ledger.projects[project]
    changed = replace(one, project=one.project.model_copy(update={"prices": tuple(Text(name) for name in lists)}))
    ledger = replace(book.ledger, projects={**book.ledger.projects, project: changed})
    sheet, _, setups = write_sheet(ledger)
    sheet.reckon()
    weighed = {project: tuple(weigh_all(sheet, ledger, changed, setups[project]))}
    return Book(ledger, sheet.figures, tradeoffs=weighed)
