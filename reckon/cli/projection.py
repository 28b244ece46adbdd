"""`projection`: finds the projections that are asked for, and prints what they come to."""

from __future__ import annotations

from argparse import Namespace

from reckon.language.text import echoed
from reckon.present.terminal.lines import list_changes
from reckon.present.terminal.projection import list_missing, projected

from .arguments import Parser, format_option, set_option
from .books import answer, ask_for_projects, changed
from .output import CommandError, no_such, say

EPILOG = """\
Without a NAME it prints all. A figure without a value says which input is
missing, and where to write it. The exit code is 2 where the projection that
was named has no time at all without one: try a value with --set."""
MEND = "write its measurements.yaml and projections.yaml (see `budget guide measure`)"
Found = list[tuple[str, str]]
"""Projections, each by its project and id."""


def declare_projection(parser: Parser) -> None:
    """The command line of `projection`."""
    parser.does(projection, epilog=EPILOG)
    parser.option("name", "NAME", "such as small, projections.small or arpo.small", nargs="?")
    parser.option("--project", "PROJECT", "its project (default: the only one with that projection)")
    format_option(parser, "table", "json", "markdown")
    set_option(parser)


def projection(options: Namespace) -> None:
    """Prints projections; a named one that lacks an input is refused with what would settle it."""
    book = changed(options)
    ask_for_projects([options.project or None], book)
    found: Found = []
    for project_id, project in book.projects.items():
        if options.project in (None, project_id):
            found += [(project_id, key) for key in project.projections]
    if options.name is not None:
        found = [_find_projection(found, options.name)]
        if why := list_missing(book, *found[0]):
            raise CommandError(*list_changes(book), *why)
    none = not found and options.format != "json"
    say([_describe_none(options.project)] if none else answer(book, options, projected(book, found, options.format)))


def _describe_none(project_id: str | None) -> str:
    if project_id:
        return f"`{project_id}` has no projections; to project a time, {MEND}"
    return f"No project has projections. To project a time from measurements, {MEND}."


def _find_projection(every: Found, name: str) -> tuple[str, str]:
    """The one projection that a name means: `small`, `projections.small`, `arpo.small`, `arpo.projections.small`.

    Raises CommandError where there is none, or more than one.
    """
    matching = [pair for pair in every if name in _spellings(*pair)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        named = ", ".join(f"{project_id}.{key}" for project_id, key in matching[:12])
        raise CommandError(f"several projects have a projection `{echoed(name)}`; name one: {named}")
    if every:
        alike = 1 if name.startswith("projections.") else (0, 2, 3)[min(name.count("."), 2)]
        raise CommandError(no_such("projection", name, dict.fromkeys(_spellings(*pair)[alike] for pair in every)))
    raise CommandError(f"there is no projection `{echoed(name)}`, nor any other; {MEND}")


def _spellings(project_id: str, name: str) -> tuple[str, ...]:
    """How a projection can be named."""
    return name, f"projections.{name}", f"{project_id}.{name}", f"{project_id}.projections.{name}"
