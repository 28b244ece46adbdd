"""`review`: what a change does, as one text for whoever reviews it. It tells and does not judge: its exit code is 0."""

from __future__ import annotations

import io
from argparse import Namespace
from contextlib import redirect_stderr, redirect_stdout

from reckon.publish import files, releases

from .commands import FINE, INVALID, pages_of, read
from .output import program


def review(options: Namespace) -> int:
    """Prints what is wrong, which pages are stale and what moved since a revision, in markdown."""
    from reckon.present.review import review as reviewed

    book, problems = read(options.root)
    released, wrong = releases.intact(options.root, pages=True)
    problems, stale = [*problems, *wrong], []
    if not problems:
        pages, problems = pages_of(book, options.root, released)
        stale = [one.path for one in files.compare(options.root, pages)] if pages else []
    moved = "" if problems else _moved(options)
    print(reviewed(book, problems, stale, moved, f"{program()} render"), end="")
    return FINE


def _moved(options: Namespace) -> str:
    """What `diff` says of the working tree against the revision, in markdown; why not, where it cannot."""
    from reckon.present.escape import code, inline

    from . import main

    if not options.base:
        return ""
    if not options.base.strip("0"):  # what CI names where a branch is pushed for the first time
        return "There was nothing before that this could be held against."
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            done = main(["--root", str(options.root), "diff", options.base, "--format", "markdown"])
        except SystemExit:  # it is no argument, as with a dash at its head
            done = INVALID
    if done:
        return f"What moves cannot be told: {inline(err.getvalue())}"
    said = out.getvalue().strip()
    return f"### Against {code(options.base)}\n\n{said or 'No figure moves.'}"
