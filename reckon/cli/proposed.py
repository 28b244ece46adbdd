"""What proposals come to: each is calculated as the ledger would be, and compared with the plan as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.reckoning import reckon, write_sheet
from reckon.compute.versions import difference
from reckon.load import reader
from reckon.model.finding import Problem
from reckon.present.export import found_in
from reckon.present.versions.proposed import PLAN, Proposed

from .output import progress


def adopted(root: Path, book: Book, project_id: str, name: str) -> tuple[Book, list[Problem]]:
    """The book as it would be with a proposal, and what is wrong with that. The book as it stands has no problems."""
    with reader.collector_paused():
        ledger, problems, _ = reader.proposed(root, book.ledger, project_id, name)
        after, more = reckon(ledger)
    return after, [*problems, *more]


def proposed(root: Path, book: Book) -> tuple[Mapping[str, Sequence[Proposed]], list[Problem]]:
    """The proposals of all projects, each held against the plan; and what is wrong with them."""
    found: dict[str, list[Proposed]] = {}
    problems: list[Problem] = []
    for project_id, project in book.ledger.projects.items():
        for name in project.proposals:
            with progress(f"Calculating the proposal {name}"):
                after, wrong = adopted(root, book, project_id, name)
                problems += wrong
                if not wrong:
                    found.setdefault(project_id, []).append(_step(book, after, project_id, name))
    return found, problems


def _step(book: Book, after: Book, project_id: str, name: str) -> Proposed:
    record = book.ledger.projects[project_id].proposals[name]
    sides = [difference.Side(said, side, findings=found_in(side)) for said, side in ((PLAN, book), ("proposed", after))]
    moved = difference.compare(sides[0], sides[1], write_sheet, [project_id])
    own = next((part for part in moved.parts if part.id == project_id), None)
    return Proposed(None, None, moved, own, name, record)


def wrong(root: Path, book: Book) -> list[Problem]:
    """What is wrong with proposals, where nothing else is wrong with the ledger."""
    every = ((project_id, name) for project_id, project in book.ledger.projects.items() for name in project.proposals)
    return [problem for project_id, name in every for problem in adopted(root, book, project_id, name)[1]]
