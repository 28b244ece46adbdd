"""`review`: what a change does, as one text for whoever reviews it. It tells and does not judge: its exit code is 0."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.publish import files, journal, releases

from .commands import FINE, pages_of, read, settings_of
from .comparing import Asked, NotCompared, compared
from .output import program, put

if TYPE_CHECKING:
    from reckon.compute.book import Book


def review(options: Namespace) -> int:
    """Prints what is wrong, which pages are stale and what moved since a revision, in markdown."""
    from reckon.present.review import review as reviewed

    book, problems = read(options.root)
    released, wrong = releases.intact(options.root, pages=True)
    problems = [*problems, *settings_of(options.root)[1], *journal.cut_off(options.root), *wrong]
    stale: list[str] = []
    if not problems:
        pages, problems = pages_of(book, options.root, released)
        stale = [one.path for one in files.compare(options.root, pages)] if pages else []
    moved = "" if problems else _moved(book, options)
    put(reviewed(book, problems, stale, moved, f"{program()} render"))
    return FINE


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
