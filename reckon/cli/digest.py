"""`digest`: what changed since a revision and what is at risk, as a short text for a job that sends it."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from reckon.compute.book import Book
from reckon.language.calendar_days import is_day, last_day
from reckon.load import git
from reckon.present.budget.expiry import expiring
from reckon.present.versions.digest import digest as digested
from reckon.present.versions.digest import is_quiet
from reckon.present.versions.review import calm

from .arguments import DAY, Parser, format_option
from .arguments import day as read_day
from .books import load_sound_book
from .diff import compared
from .output import CommandError, program, say, write_text

LONG = re.compile("[0-9a-f]{16,64}")
EPILOG = """\
Prints plain text for mail, or markdown for an issue or a chat; it sends nothing.
If nothing changed, it prints one line; with --if-any, nothing unless a limit is at risk.
The exit code is 0. If the ledger has problems, it prints that line and the exit code
is 2.

Example: budget digest --since 2026-02-03"""


def declare_digest(parser: Parser) -> None:
    """The command line of `digest`."""
    parser.does(digest, None, EPILOG)
    parser.option(
        "--since",
        "REVISION",
        "day (2026-02-03), revision, release or folder",
        required=True,
    )
    format_option(parser, "text", "markdown")
    parser.option("--today", "DAY", "list allocations that end within 30 days of this day", type=read_day, default=0)
    parser.flag("--if-any", "print nothing without changes, limits at risk or allocations that end")


def digest(options: Namespace) -> None:
    """Prints what became of each project since a revision, and which are at risk now."""
    since, root = options.since, options.root
    if not since.strip() or Path(since) == Path():
        raise CommandError(
            "`.` is the working tree itself; write a day such as 2026-02-03, a revision, a release or another folder"
        )
    day = since if DAY.fullmatch(since) and not (Path(since).exists() or (root / since).exists()) else ""
    if day and not is_day(day):
        raise CommandError(f"{day} is not in the calendar; check the date")
    revision = git.last_before(root, day) if day and not git.is_revision(root, day) else since
    found = compared(root, (revision, "."), "text", working=_load_sound_book(root))[1]
    soon = expiring(found.new.book, options.today, last_day(day)) if options.today else ()
    ending = [told for _, told in soon]
    if options.if_any and is_quiet(found) and not ending:
        return
    lines = digested(found, options.format, git.dated(root, since) if LONG.fullmatch(since) else since, ending)
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
        say([f"No digest: the ledger has problems. `{program()} check` lists them."])
        raise
