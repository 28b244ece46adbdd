"""What proposals come to: each is calculated as the ledger would be, and compared with the plan as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.calculation import write_sheet
from reckon.compute.versions import difference
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger
from reckon.model.records import Proposal
from reckon.present.export import found_in
from reckon.present.versions.proposal_pages import PLAN, Proposed, make_proposed

from .books import sound
from .output import progress
from .proposal_books import adopted


def proposed(
    root: Path, book: Book, only: Sequence[str] = ()
) -> tuple[Mapping[str, Sequence[Proposed]], list[Problem]]:
    """The proposals of all projects, or of some, each held against the plan; and what is wrong with them."""
    found: dict[str, list[Proposed]] = {}
    problems: list[Problem] = []
    for project_id, project in book.projects.items():
        if only and project_id not in only:
            continue
        for name in project.proposals:
            with progress(f"Calculating the proposal {name}"):
                after, wrong = adopted(root, book.ledger, project_id, name)
                problems += wrong
                if not wrong:
                    record = project.proposals[name]
                    found.setdefault(project_id, []).append(_step(book, after, project_id, name, record))
    return found, problems


def calculate_draft(root: Path, book: Book, ledger: Ledger, project_id: str, name: str) -> Proposed:
    """A proposal that a ledger has beside what the book was read from, held against that. Raises CommandError."""
    after = sound(adopted(root, ledger, project_id, name))
    return _step(book, after, project_id, name, ledger.projects[project_id].proposals[name])


def _step(book: Book, after: Book, project_id: str, name: str, record: Proposal) -> Proposed:
    sides = [difference.Side(said, side, findings=found_in(side)) for said, side in ((PLAN, book), ("proposed", after))]
    moved = difference.compare(sides[0], sides[1], write_sheet, [project_id])
    return make_proposed(moved, next((part for part in moved.parts if part.id == project_id), None), name, record)
