"""`tidy`: entries in files of their own are folded into the files of their months, all of a project or none.

Nothing is lost: lines go over with their comments, and the ledger as it would be is read and calculated before anything
is written. What cannot be carried over is left where it is, and said.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.versions.canonical import essence
from reckon.language.groups import group_by
from reckon.language.text import list_first
from reckon.load.run_format import Loose, loose, together
from reckon.model.kinds import IMPORTED
from reckon.model.runs import RunFile
from reckon.publish import journal
from reckon.publish.files import Blocked
from reckon.publish.write_plan import FileChange, takes

from .arguments import Parser
from .books import ask_for_projects, figures_of, read, refusal
from .clock import day_of
from .output import DIFFERS, FINE, CommandError, complain, program, refused, say
from .transaction import Draft, run_transaction, try_changes
from .tree import next_step

_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")


class _Entry(NamedTuple):
    """An entry in a file of its own: the file with its text, the day that it is filed under, and what it holds."""

    file: str
    text: str
    day: str
    loose: Loose

    @property
    def month(self) -> str:
        """The path of the file of its month."""
        return PurePosixPath(self.file).with_name(f"{self.day[:7]}.yaml").as_posix()


class _Fold(NamedTuple):
    """What is to be done in a project: the files changed, the entries moved; and why others stay where they are."""

    changes: Sequence[FileChange] = ()
    moved: Sequence[_Entry] = ()
    left: Sequence[str] = ()


def declare_tidy(parser: Parser) -> None:
    """The command line of `tidy`."""
    parser.does(
        tidy,
        epilog="Comments are kept; entries that cannot be moved stay in their files, and are listed.",
    )
    parser.option("projects", "PROJECT", "merge only their files", nargs="*")
    parser.flag("--check", "write nothing; list files to merge (exit code 1)")


def tidy(options: Namespace) -> int:
    """Folds the entries of some projects, or of all; with --check it only says which."""
    if not options.check:
        say(journal.complete(options.root))
    book, problems = read(options.root)
    problems += journal.cut_off(options.root)  # with --check it is not completed, and the ledger is half of each
    if problems:
        raise refusal(problems)
    ask_for_projects(options.projects, book)
    moved: list[_Entry] = []
    code = FINE
    for project_id in dict.fromkeys(options.projects or book.projects):
        fold = _fold(options.root, book, project_id)
        if fold.moved and not options.check:
            try:
                fold = _folded(options.root, project_id)
            except Blocked as why:  # what was folded before is to be said
                fold, code = _Fold(), refused(why)
        complain(*fold.left)
        moved += fold.moved
    did = "would merge" if options.check else "merged"
    say(list_first([f"{did} {entry.file} into {entry.month}" for entry in moved]))
    if moved:
        say([f"Next: {program()} tidy"] if options.check else ["", next_step(book.ledger.settings)])
    elif code == FINE:
        say(["Nothing to merge."])
    return DIFFERS if moved and options.check else code


def _folded(root: Path, project_id: str) -> _Fold:
    """Folds what there is in a project, and gives it. Raises Blocked."""
    done: list[_Fold] = []

    def attempt(book: Book) -> Draft:
        done.append(_fold(root, book, project_id))
        _verify_fold(book, project_id, done[0])
        return Draft(done[0].changes)

    run_transaction(root, project_id, attempt)
    return done[0]


def _fold(root: Path, book: Book, project_id: str) -> _Fold:
    """What there is to fold in a project."""
    named = _accepted(book, project_id)
    found = [_entry(root, project_id, file, named) for file in book.projects[project_id].runs if _is_own(file)]
    left = [why for why in found if isinstance(why, str)]
    own = [entry for entry in found if isinstance(entry, _Entry)]
    own.sort(key=lambda entry: (entry.day, entry.file))
    changes: list[FileChange] = []
    moved: list[_Entry] = []
    for month, entries in group_by(own, lambda entry: entry.month).items():
        was = journal.current(root, month)
        text = together(was or "", [entry.loose for entry in entries])
        if text is None:
            left += [f"{entry.file} stays: {month} takes no lines at its end" for entry in entries]
            continue
        changes += [FileChange(month, was, text), *(FileChange(entry.file, entry.text, None) for entry in entries)]
        moved += entries
    return _Fold(changes, moved, left)


def _is_own(file: RunFile) -> bool:
    """Whether a file holds one entry and is not that of a month: all others are people's own, or the importer's."""
    path = PurePosixPath(file.file)
    return len(file.runs) == 1 and not _MONTH.fullmatch(path.stem) and path.parent.name != IMPORTED


def _accepted(book: Book, project_id: str) -> set[str]:
    """The files of runs that accepted findings are about: the id of one has the place of a run in it."""
    about = (finding for finding in book.findings[project_id] if finding.subject.startswith(f"{project_id}.runs."))
    return {place.file for finding in about if finding.accepted for place in finding.places}


def _entry(root: Path, project_id: str, file: RunFile, named: Collection[str]) -> _Entry | str:
    """The entry of a file; why it stays where it is, where it does."""
    path = root / file.file
    if path.is_symlink() or not path.is_file() or not takes(f"ledger/{project_id}", file.file):
        return f"{file.file} stays: it is a link, or `budget` did not name it"
    if file.file in named:
        return f"{file.file} stays: an accepted finding names its place"
    text = journal.current(root, file.file) or ""
    entry = loose(text)
    if entry is None:
        return (
            f"{file.file} stays: its entry or comments cannot follow others; begin it with `- `, or remove the comment"
        )
    day = day_of(entry.fields)
    if not _MONTH.fullmatch(day[:7]):
        return f"{file.file} stays: its run names no month"
    return _Entry(file.file, text, day, entry)


def _verify_fold(before: Book, project_id: str, fold: _Fold) -> None:
    """Makes sure that the ledger would hold the runs that it holds, and come to the same figures."""
    after, problems = try_changes(before, project_id, fold.changes, "the ledger")
    if problems:
        raise CommandError(f"merging would break the ledger: {problems[0]}; nothing written")
    if _runs(before, project_id) != _runs(after, project_id) or figures_of(before) != figures_of(after):
        raise CommandError(f"merging would change what ledger/{project_id} says; nothing written")


def _runs(book: Book, project_id: str) -> Counter[Hashable]:
    return Counter(essence(run) for run in book.projects[project_id].rows)
