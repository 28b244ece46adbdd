"""`digest`: what changed since a revision and what is at risk, as a short text for a job that sends it."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from reckon.compute.book import Book
from reckon.language.calendar_days import is_day
from reckon.load import git
from reckon.present.versions.digest import digest as digested
from reckon.present.versions.digest import is_quiet
from reckon.present.versions.review import calm

from .arguments import DAY, Parser
from .books import load_sound_book
from .diff import compared
from .output import CommandError, program, say, write_text

LONG = re.compile("[0-9a-f]{16,64}")
EPILOG = """\
Prints plain text, for mail, or markdown, for an issue or a chat. It sends nothing
itself. Where nothing changed, one line says so; with --if-any nothing is printed where
besides nothing is at risk. The exit code is 0 all the same; a ledger with problems
is said there too, so that what is sent is never empty by mistake, and it is 2."""


def declare_digest(parser: Parser) -> None:
    """The command line of `digest`."""
    parser.does(digest, None, EPILOG)
    parser.option(
        "--since",
        "REVISION",
        "a day, as 2026-02-03, or a revision, release or folder, as `diff` takes them",
        required=True,
    )
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="default: text")
    parser.flag("--if-any", "print nothing where nothing changed and nothing is at risk")


def digest(options: Namespace) -> None:
    """Prints what became of each project since a revision, and which are at risk now."""
    since, root = options.since, options.root
    if not since.strip() or Path(since) == Path():
        raise CommandError(
            "nothing can have changed since the working tree itself; "
            "write a day, as 2026-02-03, a revision, a release or another folder"
        )
    day = since if DAY.fullmatch(since) and not (Path(since).exists() or (root / since).exists()) else ""
    if day and not is_day(day):
        raise CommandError(f"there is no {day}; look at the calendar")
    revision = git.last_before(root, day) if day and not git.is_revision(root, day) else since
    found = compared(root, (revision, "."), "text", working=_load_sound_book(root))[1]
    if options.if_any and is_quiet(found):
        return
    lines = digested(found, options.format, git.dated(root, since) if LONG.fullmatch(since) else since)
    if options.format == "markdown":
        write_text(calm("".join(f"{line}\n" for line in lines)))
    else:
        say(lines)


def _load_sound_book(root: Path) -> Book:
    """The book of a tree; that it has problems is said in the text too, which is what somebody is sent. Raises
    CommandError."""
    try:
        return load_sound_book(root)
    except CommandError:
        say([f"Nothing can be told of the budgets: the ledger has problems. `{program()} check` lists them."])
        raise
