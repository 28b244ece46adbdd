"""The pages of a book as commands need them, with what changed from one release to the next."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from reckon.compute.book import Book
from reckon.compute.reckoning import write_sheet
from reckon.compute.versions import changes, difference, reasons
from reckon.language.text import Place
from reckon.load import git, trees
from reckon.model.finding import Problem
from reckon.model.release import Snapshot
from reckon.present.export import found_in
from reckon.present.pages import present
from reckon.present.versions.page import VersionStep
from reckon.publish import files, shipped, staging
from reckon.publish.releases import NONE, Releases

from .books import side_of
from .output import progress

NOTHING: Mapping[str, str] = MappingProxyType({})


def pages_of(
    book: Book, root: Path, released: Releases = NONE, drawn: Mapping[str, str] = NOTHING, redraw: bool = False
) -> tuple[Mapping[str, str], list[Problem]]:
    """The pages of a book; or, where a template does not work, the problem with it.

    Pictures that are as they would be drawn, among what was `drawn` before or in the tree, are not drawn again; those
    in the tree are to `redraw`, where a stranger may have put them there.
    """
    folders = shipped.template_folders(root)
    with progress("Rendering"):
        try:
            steps, there = version_steps(book, released), files.existing(root, pictures=not redraw)
            return present(book, folders, lambda path: drawn.get(path) or there(path), releases=released,
                           version_steps=steps, own=staging.guide_pages(root)), []  # fmt: skip
        except Exception as error:
            if problem := _template_problem(error, folders):
                return {}, [problem]
            raise


def _template_problem(error: Exception, folders: Sequence[Path]) -> Problem | None:
    """The innermost line of a template that an error passed through, as a problem; None where there is none.

    Templates are input too: what is wrong with one is told at its line.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        for folder in folders:
            if file.is_relative_to(folder):
                place = Place(f"templates/{file.relative_to(folder).as_posix()}", frame.lineno or 1, 1)
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                return Problem(place, f"the template does not work: {said}", "correct this line")
    return None


def version_steps(book: Book, released: Releases) -> Mapping[str, Sequence[VersionStep]]:
    """What changed in each project with releases, from one to the next and to today, the newest first.

    Each release is calculated again from its snapshot; the first follows on nothing.
    """
    return {name: _steps(book, some) for name, some in released.items() if name in book.ledger.projects}


def _steps(book: Book, some: Sequence[Snapshot]) -> list[VersionStep]:
    project_id = some[0].project
    now = difference.Side("today", book, findings=found_in(book))
    ends = [(snapshot, _side(snapshot)) for snapshot in reversed(some)]
    found = [VersionStep(None, some[-1])]
    for (old, was), (new, side) in zip(ends, [*ends[1:], (None, now)], strict=True):
        moved = difference.compare(was, side, write_sheet, [project_id]) if was and side else None
        own = next((part for part in moved.parts if part.id == project_id), None) if moved else None
        found.append(VersionStep(old, new, moved, own))
    return found[::-1]


def unmatched(book: Book, released: Releases, project_id: str, version: str) -> list[str]:
    """What a version gives reasons for though it did not change since the newest release: addresses, as written there.

    Nothing where that release cannot be read any more.
    """
    entries = book.ledger.projects[project_id].project.versions.items()
    given = [str(address) for number, entry in entries if number == version for address in entry.reasons]
    some = released.get(project_id, ())
    if not given or not some:
        return given
    side = _side(some[0])
    return reasons.unmatched(given, changes.changes(side.book.ledger, book.ledger), project_id) if side else []


def _side(snapshot: Snapshot) -> difference.Side | None:
    """A release calculated again; None where this program cannot read its ledger any more."""
    with TemporaryDirectory(prefix="budget-") as folder:
        try:
            side, problems = side_of(trees.released(Path(folder), snapshot), snapshot.version)
        except git.NoTree:
            return None
    return None if problems or snapshot.project not in side.book.ledger.projects else side
