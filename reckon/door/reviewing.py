"""`review`: what a change does, as one text for whoever reviews it. It tells and does not judge: its exit code is 0."""

from __future__ import annotations

import re
from argparse import Namespace
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.model.ways import PEOPLE
from reckon.publish import files, journal, releases

from .commands import FINE, pages_of, read, settings_of
from .comparing import Asked, NotCompared, compared
from .output import program, put

if TYPE_CHECKING:
    from reckon.compute.book import Book

_MACHINERY = re.compile(r"(\.\./)*(\.github/workflows/|\.gitlab/|\.gitlab-ci\.yml$)|\.budget/|requirements\.txt$")

_RELEASED = re.compile(r"ledger/[^/]+/releases/[^/]+\.json$|docs/[^/]+/releases/[^/]+/")


def review(options: Namespace) -> int:
    """Prints what is wrong, which pages are stale and what moved since a revision, in markdown."""
    from reckon.present.review import Touched
    from reckon.present.review import review as reviewed

    book, problems = read(options.root)
    released, wrong = releases.intact(options.root, pages=True)
    problems = [*problems, *settings_of(options.root)[1], *journal.cut_off(options.root), *wrong]
    stale: list[str] = []
    people = book.ledger.settings.pages == PEOPLE
    if not problems:
        pages, problems = pages_of(book, options.root, released)
        stale = [one.path for one in files.compare(options.root, pages)] if people and pages else []
    moved = "" if problems else _moved(book, options)
    changed = _changed(options)
    carried = [] if people else [path for path in changed if _is_rendered(path)]
    quoted = [path for path in _changed(options, "DMT") if _RELEASED.match(path)]
    touched = Touched(stale, carried, [path for path in changed if _MACHINERY.match(path)], quoted)
    put(reviewed(book, problems, touched, moved, f"{program()} render"))
    return FINE


def _changed(options: Namespace, kinds: str = "") -> list[str]:
    """The files of the change, as far as git tells: none where what it is held against is no revision."""
    from reckon.load.git import NoTree, changed

    try:
        return changed(options.root, options.base, kinds) if options.base else []
    except NoTree:
        return []


def _is_rendered(path: str) -> bool:
    """Whether a file is a page or picture that a render would write."""
    home, *inner = path.split("/")
    kept = not inner or inner[0] in files.KEPT
    released = files.RELEASES in inner[1:] and inner[1:] != [files.RELEASES, files.INDEX]
    return home == files.HOME and not kept and not released


def _moved(book: Book, options: Namespace) -> str:
    """What `diff` says of the working tree against the revision, in markdown; why not, where it cannot."""
    from reckon.present.comparing import glance
    from reckon.present.escape import code, inline

    if not options.base:
        return ""
    if not options.base.strip("0"):  # what CI names where a branch is pushed for the first time
        return "There was nothing before that this could be held against."
    try:
        said, found = compared(Asked(options.root, options.base, ".", working=book), "markdown")
    except NotCompared as error:
        return f"What moves against {code(echoed(options.base))} cannot be told: {inline(' '.join(error.lines))}"
    head, first = f"### Against {code(echoed(options.base))}", "\n".join(glance(found)).strip()
    return "\n\n".join(one for one in (head, first, said.strip() or "No figure moves.") if one)
