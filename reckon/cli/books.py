"""What commands share: the ledger of a tree read and calculated, its pages, and what is wrong with either."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from reckon.publish import files, shipped, staging
from reckon.publish.releases import NONE, Releases

from .output import INVALID, Declined, complain, no_such, program, progress

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.compute.versions.difference import Side
    from reckon.model.finding import Problem
    from reckon.model.release import Snapshot
    from reckon.model.tree import SiteSettings
    from reckon.present.versions.page import VersionStep

NOTHING: Mapping[str, str] = MappingProxyType({})
MOST_ECHOED = 10  # of many names that are wrong


def read(root: Path, changes: Sequence[tuple[str, str]] = ()) -> tuple[Book, list[Problem]]:
    """The book of a tree's ledger, changed where that is asked for, and all problems of reading and calculating it."""
    from reckon.compute.reckoning import reckon
    from reckon.load.reader import collector_paused, load

    with collector_paused():
        with progress("Reading the ledger"):
            ledger, problems = load(root, changes)
        with progress("Reckoning"):
            book, more = reckon(ledger)
    return book, problems + more


def changed(options: Namespace) -> Book:
    """The book with what --set changes. Raises Declined where there are problems."""
    from reckon.present import terminal

    book, problems = read(options.root, options.changes)
    if problems:
        raise Declined(*terminal.changes(book.ledger), *terminal.problems(problems))
    return book


def settings_of(root: Path, ordered: bool = True) -> tuple[SiteSettings, list[Problem]]:
    """The settings of a tree's site, and all that is wrong with them; ours where it has none."""
    from reckon.load.site import settings

    return settings(root, shipped.settings().read_bytes().decode("utf-8"), ordered)


def pages_of(
    book: Book, root: Path, released: Releases = NONE, drawn: Mapping[str, str] = NOTHING, redraw: bool = False
) -> tuple[Mapping[str, str], list[Problem]]:
    """The pages of a book; or, where a template does not work, the problem with it.

    Pictures that are as they would be drawn, among what was `drawn` before or in the tree, are not drawn again; those
    in the tree are to `redraw`, where a stranger may have put them there.
    """
    from reckon.present.pages import present

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
    import traceback

    from reckon.language.text import Place
    from reckon.model.finding import Problem

    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        for folder in folders:
            if file.is_relative_to(folder):
                place = Place(f"templates/{file.relative_to(folder).as_posix()}", frame.lineno or 1, 1)
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                return Problem(place, f"the template does not work: {said}", "correct this line")
    return None


def tell(problems: Iterable[Problem]) -> int:
    """Tells problems, by place, and gives the exit code."""
    from reckon.present import terminal

    complain(*terminal.problems(problems))
    return INVALID


def ask_for_projects(names: Iterable[str | None], book: Book) -> None:
    """Makes sure that the projects that were named exist. Raises Declined."""
    unknown = [name for name in names if name is not None and name not in book.ledger.projects]
    mend = f"`{program()} status` shows them"
    if unknown:
        raise Declined(*(no_such("project", name, book.ledger.projects, mend) for name in unknown[:MOST_ECHOED]))


def version_steps(book: Book, released: Releases) -> Mapping[str, Sequence[VersionStep]]:
    """What changed in each project with releases, from one to the next and to today, the newest first.

    Each release is calculated again from its snapshot; the first follows on nothing.
    """
    return {name: _steps(book, some) for name, some in released.items() if name in book.ledger.projects}


def _steps(book: Book, some: Sequence[Snapshot]) -> list[VersionStep]:
    from reckon.compute.reckoning import write_sheet
    from reckon.compute.versions.difference import Side, compare
    from reckon.present.export import found_in
    from reckon.present.versions.page import VersionStep

    project_id = some[0].project
    now = Side("today", book, findings=found_in(book))
    ends = [(snapshot, _side(snapshot)) for snapshot in reversed(some)]
    found = [VersionStep(None, some[-1])]
    for (old, was), (new, side) in zip(ends, [*ends[1:], (None, now)], strict=True):
        difference = compare(was, side, write_sheet, [project_id]) if was and side else None
        parts = [part for part in difference.parts if part.id == project_id] if difference else []
        found.append(VersionStep(old, new, difference, parts[0] if parts else None))
    return found[::-1]


def unmatched(book: Book, released: Releases, project_id: str, version: str) -> list[str]:
    """What a version gives reasons for though it did not change since the newest release: addresses, as written there.

    Nothing where that release cannot be read any more.
    """
    from reckon.compute.versions.change import unmatched as without
    from reckon.compute.versions.changes import changes

    entries = book.ledger.projects[project_id].project.versions.items()
    given = [str(address) for number, entry in entries if number == version for address in entry.reasons]
    some = released.get(project_id, ())
    if not given or not some:
        return given
    side = _side(some[0])
    return without(given, changes(side.book.ledger, book.ledger), project_id) if side else []


def _side(snapshot: Snapshot) -> Side | None:
    """A release calculated again; None where this program cannot read its ledger any more."""
    from tempfile import TemporaryDirectory

    from reckon.compute.reckoning import reckon
    from reckon.compute.versions.difference import Side
    from reckon.load.git import NoTree
    from reckon.load.reader import collector_paused
    from reckon.load.trees import ledger_of, released

    with TemporaryDirectory(prefix="budget-") as folder, collector_paused():
        try:
            ledger, problems = ledger_of(released(Path(folder), snapshot))
        except NoTree:
            return None
        book, more = reckon(ledger)
    if problems or more or snapshot.project not in ledger.projects:
        return None
    return Side(snapshot.version, book, snapshot.project, snapshot.figures, {snapshot.project: snapshot.findings})
