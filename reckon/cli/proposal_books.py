"""Proposals as if they were adopted: what is calculated then, and what is wrong with that."""

from __future__ import annotations

from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load import reader
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger

from .books import ReadBook


def adopted(root: Path, ledger: Ledger, project_id: str, name: str, audited: bool = True) -> ReadBook:
    """The book as it would be with a proposal, and what is wrong with that. The ledger as it stands has no problems.

    Problems are found without the audit.
    """
    found, problems, _ = reader.proposed(root, ledger, project_id, name)
    after, more = calculate(found, audited)
    return after, [*problems, *more]


def wrong(root: Path, book: Book) -> list[Problem]:
    """What is wrong with proposals, where nothing else is wrong with the ledger."""
    every = ((project_id, name) for project_id, project in book.projects.items() for name in project.proposals)
    return [problem for project_id, name in every for problem in adopted(root, book.ledger, project_id, name, False)[1]]
