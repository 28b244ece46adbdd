"""Try, check, write, tell: how every command changes the ledger of a project.

A command says what it would change once it knows the ledger (an `Attempt`), and what it says of it when it is written
(a `Trial`). Nobody else writes from before the ledger is read; nothing is written where anything is wrong.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load import files
from reckon.load.reader import with_texts
from reckon.present.render.escape import terminal
from reckon.publish import job_files, journal
from reckon.publish.write_plan import TREE, FileChange

from . import clock
from .adjustments import TODAY, Learned, adjusted
from .books import ReadBook, read, refusal, sound
from .output import CommandError, no_such, progress, say


class Draft(NamedTuple):
    """Changes of a project's files that were tried and found sound, and what is said once they are written."""

    changes: Sequence[FileChange]
    told: Sequence[str] = ()
    after: Book | None = None
    """The ledger as it would be, where runs change: what that does to closed periods is written with it."""
    learned: Learned = TODAY
    """When and how that was learned."""
    beside: Mapping[str, bytes | Path] = MappingProxyType({})
    """Files of jobs that the ledger will name: written before, because no other is overwritten."""
    gone: Collection[str] = ()
    """Those that it will name no more."""


Attempt = Callable[[Book], Draft]
"""Drafts a change of a ledger that has no problems, and tries it. Raises CommandError where it cannot be."""


def run_transaction(
    root: Path,
    project_id: str,
    attempt: Attempt,
    read_all: Callable[[Path], ReadBook] = read,
) -> None:
    """Attempts a change of a project on the ledger as it is, or with an empty id of a whole tree; writes all of it or
    nothing, and tells it.

    What was cut off there before is completed first. Raises CommandError where the ledger or the attempt has problems,
    and Blocked where files cannot be written.
    """
    homes = [f"ledger/{project_id}"] if project_id else [TREE, *(f"ledger/{name}" for name in projects(root))]
    with ExitStack() as held:
        for home in homes:
            with progress("Waiting for another `budget` command to finish"):
                say(held.enter_context(journal.opened(root, home)))
        before = sound(read_all(root))
        try:
            trial = attempt(before)
        except CommandError:
            len(before.figures)  # of a book that is worked out late: what is wrong with the ledger is said instead
            raise
        more, said = _closed(root, before, trial)
        job_files.write_job_files(root, trial.beside)
        journal.apply_changes(root, homes[0], [*trial.changes, *(more if trial.changes else ())])
        job_files.drop(root, trial.gone)
    say(map(terminal, [*trial.told, *said]))


def _closed(root: Path, before: Book, trial: Draft) -> tuple[list[FileChange], list[str]]:
    """The adjustments of closed periods that go with a change, and what is told of them."""
    if trial.after is None:
        return [], []
    day = trial.learned.day or f"{clock.current_time():%Y-%m-%d}"
    more, said = adjusted(root, before, trial.after, trial.learned._replace(day=day))
    return more, ["", *said] if said else []


def try_changes(before: Book, project_id: str, changes: Sequence[FileChange], what: str) -> ReadBook:
    """The book as it would be with these changes of a project's runs and measurements, and all problems with it."""
    with progress(f"Trying {what}"):
        ledger, found = with_texts(before.ledger, project_id, {change.path: change.text for change in changes})
        after, more = calculate(ledger)
    return after, [*found, *more]


def only_project(root: Path, *also: str) -> str:
    """The one project of a tree. Raises CommandError where there are none or several, with what `also` is wrong."""
    found = projects(root)
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{project_id}`" for project_id in found)
    said = f"name the project; there are {names}" if found else "there is no project; see `budget guide start`"
    raise CommandError(said, *also)


def known_project(root: Path, project_id: str | None) -> str:
    """A project that is named, or the only one. Raises CommandError where there is no such one, or no ledger."""
    if not (root / "ledger").is_dir():
        raise refusal(read(root)[1])
    named = project_id or only_project(root)
    if said := no_project(root, named):
        raise CommandError(said)
    return named


def asked_project(options: Namespace) -> str:
    """The project that a command line names, or the only one. Raises CommandError as `known_project` does."""
    return known_project(options.root, options.project)


def projects(root: Path) -> list[str]:
    """The projects of a tree, by id."""
    return [path.name for path in files.projects(root, [])]


def no_project(root: Path, project_id: str) -> str:
    """What is said of a project that there is not; empty where there is one."""
    known = projects(root)
    return "" if project_id in known else no_such("project", project_id, known, "a project is a folder under ledger/")
