"""`projection`: finds the projections that are asked for, and prints what they come to."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from reckon.language.text import echoed

from .books import FINE, INVALID, changed, known
from .output import complain, no_such, say

if TYPE_CHECKING:
    from reckon.compute.book import Book

MEND = "write its measurements.yaml and projections.yaml (see `budget guide measuring`)"
Found = list[tuple[str, str]]
"""Projections, each by its project and id."""


def projection(options: Namespace) -> int:
    """Prints projections; a named one that lacks an input is refused with what would settle it."""
    from reckon.present import terminal

    book = changed(options)
    if book is None or not known([options.project] if options.project else [], book):
        return INVALID
    found = _found(book, options.project)
    if options.name is not None:
        if not (found := _named(found, options.name)):
            return INVALID
        if why := terminal.refused(book, *found[0]):
            complain(*terminal.changes(book.ledger), *why)
            return INVALID
    if not found and options.format != "json":
        say([_none(options.project)])
        return FINE
    say(terminal.changes(book.ledger) if options.format == "table" else [])
    say(terminal.projected(book, found, options.format))
    return FINE


def _found(book: Book, project: str | None) -> Found:
    """All projections of a project, or of all."""
    projects = book.ledger.projects.items()
    return [(name, str(one)) for name, ledger in projects if project in (None, name) for one in ledger.projections]


def _none(project: str | None) -> str:
    return (
        f"`{project}` has no projections; to project a time, {MEND}"
        if project
        else (f"No project has projections. To project a time from what was measured, {MEND}.")
    )


def _named(every: Found, name: str) -> Found:
    """The one projection that a name means: `small`, `projections.small`, `arpo.small`, `arpo.projections.small`."""
    matching = [(project, one) for project, one in every if name in _spellings(project, one)]
    if len(matching) == 1:
        return matching
    if matching:
        named = ", ".join(f"{project}.{one}" for project, one in matching[:12])
        complain(f"several projects have a projection `{echoed(name)}`; name one: {named}")
    elif every:
        alike = 1 if name.startswith("projections.") else 2 if name.count(".") == 1 else 3 if "." in name else 0
        no_such("projection", name, dict.fromkeys(_spellings(*pair)[alike] for pair in every))
    else:
        complain(f"there is no projection `{echoed(name)}`, nor any other; {MEND}")
    return []


def _spellings(project: str, name: str) -> tuple[str, ...]:
    """How a projection can be named."""
    return name, f"projections.{name}", f"{project}.{name}", f"{project}.projections.{name}"
