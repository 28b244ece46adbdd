"""`review`: what a change does, as one text for whoever reviews it. It tells and does not judge: its exit code is 0."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Collection, Mapping
from pathlib import Path

from reckon.compute.book import Book
from reckon.extras import is_installed
from reckon.language.text import Unable, echoed
from reckon.model.kinds import PROPOSALS
from reckon.model.tree import NONE, PEOPLE
from reckon.present.versions import review as reviewing
from reckon.present.versions.review_summary import glance
from reckon.publish import files, journal, releases

from . import adjustments
from .arguments import Parser
from .books import read, settings_of
from .check import altered, touched
from .diff import compared
from .output import CommandError, program, write_text
from .proposal_results import proposed
from .render import pages_of

_MACHINERY = re.compile(
    r"(\.\./)*(\.github/(workflows|actions)/|\.gitlab/|\.gitlab-ci\.yml$)|\.budget/|requirements\.txt$"
)


def declare_review(parser: Parser) -> None:
    """The command line of `review`."""
    parser.does(review)
    parser.option("base", "A", "compare with this revision, release or folder", nargs="?")


def review(options: Namespace) -> None:
    """Prints what is wrong, which pages are stale and what moved since a revision, in markdown."""
    root = options.root
    book, problems = read(root)
    released, wrong = releases.intact(root)
    wrong = [*wrong, *adjustments.problems(root, None if problems else book)]
    problems = [*problems, *settings_of(root)[1], *journal.cut_off(root, tree=True), *wrong]
    stale: list[str] = []
    own: list[str] = []
    way = book.ledger.settings.pages
    drawn = is_installed("vl_convert")
    if not problems:
        pages, problems = pages_of(book, root, released)
        differences = _differences(options, pages, way)
        if not drawn:
            differences = [file for file in differences if not file.path.endswith(files.PICTURES)]
        own = files.foreign(differences)
        stale = [file.path for file in differences if file.path not in own] if way == PEOPLE else []
    found, brought = (reviewing.Compared(), set()) if problems else _compared(book, options)
    changed = touched(root, options.base)
    first = "\n\n".join(filter(None, (found.first, _proposed(book, root, brought))))
    carried = [path for path in changed if way != PEOPLE and _is_rendered(path) and path not in own]
    if way == NONE:  # pages that it removes are to go
        carried = [path for path in carried if os.path.lexists(root / path)]
    machinery = [path for path in changed if _MACHINERY.match(path)]
    kept = altered(root, options.base)
    new = adjustments.new_in(root, set(changed) - set(kept), book)
    beside = reviewing.Touched(stale, carried, machinery, kept, own, new, drawn)
    write_text(reviewing.review(book, problems, beside, found._replace(first=first), f"{program()} render"))


def _differences(options: Namespace, pages: Mapping[str, str], way: str) -> list[files.PageDifference]:
    """What differs from the pages. Where a link or folder stands in the way of one, the job that makes them says so."""
    try:
        return files.compare(options.root, pages) if pages else []
    except files.Blocked:
        if way == PEOPLE:
            raise
        return []


def _changed(options: Namespace, book: Book) -> Collection[str] | None:
    """The projects whose files a change touched; None where that is not known, or what projects share is among them."""
    paths = touched(options.root, options.base)
    names = {path.split("/")[1] for path in paths if path.startswith("ledger/")}
    return names if names and names <= book.projects.keys() else None


def _proposed(book: Book, root: Path, asked: Collection[tuple[str, str]]) -> str:
    """What some proposals come to, by project and id."""
    only = sorted({project_id for project_id, _ in asked})
    found = proposed(root, book, only)[0] if only else {}
    return reviewing.proposals(
        [(name, step) for name, some in found.items() for step in some if (name, step.id) in asked]
    )


def _is_rendered(path: str) -> bool:
    """Whether a file is a page or picture that a render would write."""
    home, *inner = path.split("/")
    kept = not inner or inner[0] in files.KEPT
    released = files.RELEASES in inner[1:] and inner[1:] != [files.RELEASES, files.INDEX]
    return home == files.HOME and not kept and not released


def _compared(book: Book, options: Namespace) -> tuple[reviewing.Compared, Collection[tuple[str, str]]]:
    """What the working tree does to the budgets of the revision, and what `diff` says of both, in markdown; why not,
    where it cannot. And the proposals that it brings or alters, by project and id: all of them, where it is held
    against nothing."""
    every = {(name, id_) for name, project in book.projects.items() for id_ in project.proposals}
    if not options.base:
        return reviewing.Compared(), every
    if not options.base.strip("0"):  # what CI names where a branch is pushed for the first time
        return reviewing.Compared(first="There is no earlier state to compare with."), every
    try:
        said, found = compared(options.root, (options.base, "."), "markdown", working=book)
    except (CommandError, Unable) as why:
        first, names = reviewing.untold(echoed(options.base), why.args), _changed(options, book)
        return reviewing.Compared(first=first, touched=names), {pair for pair in every if not names or pair[0] in names}
    first = "\n".join(glance(found)) or "No figure changes."
    words = (change.address.split(".") for part in found.parts for change in part.changes)
    brought = {(word[0], word[2]) for word in words if len(word) > 2 and word[1] == PROPOSALS.id}
    projects = {part.id for part in found.parts if part.id}
    return reviewing.Compared(echoed(options.base), first, said, projects), brought & every
