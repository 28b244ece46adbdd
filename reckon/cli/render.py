"""`render`, `build` and `serve`: the pages of the ledger as they would be now, and where they go.

Only `render` writes into the tree. The others stage a copy of all that the builder is to see, somewhere else.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.model.tree import FILE, astray
from reckon.publish import files, journal, releases, site, staging
from reckon.publish.files import Blocked
from reckon.publish.staging import Sources

from .arguments import Commands, between, command
from .books import NOTHING, ask_for_projects, pages_of, read, settings_of, tell
from .output import DIFFERS, FINE, complain, progress, say, told_stale, written
from .tree import mend, reminder

if TYPE_CHECKING:
    from reckon.model.finding import Problem
    from reckon.model.records.tree import TreeSettings
    from reckon.model.tree import SiteSettings

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The pages of a tree as they are to be, how those differ that are there, and the settings of its site.

    `touched` is what of its releases is not as it was released, and `kept` how the tree is kept.
    """

    pages: Mapping[str, str]
    settings: SiteSettings | None
    kept: TreeSettings
    touched: Sequence[Problem] = ()
    differences: list[files.PageDifference] = field(default_factory=list)


def declare(commands: Commands) -> None:
    """The command line of `render`."""
    parser = command(commands, "render", "write the pages that the ledger makes", render, _goes_together)
    only = "write only their pages, and those that are shared"
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help=only)
    parser.add_argument("--check", action="store_true", help="write nothing; say which files are stale (exit code 1)")
    parser.add_argument("--diff", action="store_true", help="with --check: show how they differ")
    where = "write the pages, with all that the site is made of, into a new or empty folder, and leave the tree alone"
    parser.add_argument("--out", type=Path, metavar="DIR", help=where)
    _redraw(parser)


def declare_build(commands: Commands) -> None:
    """The command line of `build`."""
    parser = command(commands, "build", "render the pages aside, and build the site of them", build)
    parser.add_argument("--site-dir", type=Path, metavar="DIR", help="where to (default: site/ in the tree)")
    _redraw(parser)
    _trust(parser)


def declare_serve(commands: Commands) -> None:
    """The command line of `serve`."""
    parser = command(commands, "serve", "show the site here, made again when a ledger or template changes", serve)
    port = between(1, 65535, "port")
    parser.add_argument("--port", type=port, default=8000, metavar="PORT", help="default: 8000")
    _trust(parser)


def _redraw(parser: ArgumentParser) -> None:
    what = "draw all pictures anew: one that somebody put into docs/ can look current and be forged"
    parser.add_argument("--redraw", action="store_true", help=what)


def _trust(parser: ArgumentParser) -> None:
    what = "hand mkdocs.yml to MkDocs as it stands: it may run code; for a tree of your own"
    parser.add_argument("--trust", action="store_true", help=what)


def _goes_together(parser: ArgumentParser, options: Namespace) -> None:
    if options.diff and not options.check:
        parser.error("--diff goes with --check")
    if options.out and (options.check or options.projects):
        parser.error("--out takes all pages: it goes without --check, and without projects")


def render(options: Namespace) -> int:
    """Writes the pages, says which are stale, or stages them elsewhere. Releases are not touched, and a check and a
    stage look at them too."""
    if options.out:
        return _staged(options)
    return _checked(options) if options.check else write(options.root, options.projects, options.redraw)


def write(root: Path, projects: Collection[str] = (), redraw: bool = False) -> int:
    """Brings the pages up to date, where nothing is wrong, once what was cut off is completed."""
    say(journal.complete(root))
    found = _rendered(root, projects, asked=False, redraw=redraw)
    if isinstance(found, int):
        return found
    files.settle(root, found.differences)
    say([*written(found.differences, len(found.pages)), *reminder(found.kept)])
    return FINE


def _checked(options: Namespace) -> int:
    """Says which pages are stale, and what of releases was touched."""
    found = _rendered(options.root, options.projects, redraw=options.redraw)
    if isinstance(found, int):
        return found
    if found.touched:
        tell(found.touched)
    stale = found.differences or not found.touched
    return told_stale(found.differences, options.diff, mend(found.kept)) if stale else DIFFERS


def _rendered(
    root: Path,
    projects: Collection[str] = (),
    asked: bool = True,
    trust: bool = False,
    drawn: Mapping[str, str] = NOTHING,
    redraw: bool = False,
) -> Rendered | int:
    """The pages of a tree, or the exit code, with what is wrong told.

    Where pages are only `asked` for, and not written, releases are looked at too, and the order of the pages that
    lies in the tree. With `trust` nobody looks at the settings of the site. Pictures of the tree that are
    current are taken, unless they are to `redraw`.
    """
    book, problems = read(root)
    settings, more = (None, []) if trust else settings_of(root, ordered=asked)
    released, wrong = releases.releases(root)
    wrong += journal.cut_off(root)
    touched = releases.changed(root, released) if asked else []
    if problems or more:
        return tell([*problems, *more, *wrong, *touched])
    ask_for_projects(projects, book)
    if wrong:  # which pages there are to be is not known then
        tell([*wrong, *touched])
        return DIFFERS
    pages, problems = pages_of(book, root, released, drawn, redraw)
    if problems:
        return tell([*problems, *touched])
    return Rendered(pages, settings, book.ledger.settings, touched, files.compare(root, pages, projects))


def _sources(
    root: Path, trust: bool = False, look: bool = False, drawn: Mapping[str, str] = NOTHING, redraw: bool = False
) -> Sources | int:
    """What a site is made of, or the exit code, with what is wrong told. Raises Blocked for a stranger's file.

    Releases that are not as they were released are told; whoever only wants to `look` has them as they are.
    """
    from reckon.load.site import order

    found = _rendered(root, trust=trust and (root / FILE).is_file(), drawn=drawn, redraw=redraw)
    if isinstance(found, int):
        return found
    files.ask_for_room(found.differences)
    if found.touched:
        tell(found.touched)
        if not look:
            return DIFFERS
    pages, problems = order(found.pages[files.FIRST])
    return tell(problems) if problems else Sources(found.pages, found.settings, pages)


def _staged(options: Namespace) -> int:
    """Stages all that a builder of the site needs into a folder, and leaves the tree alone."""
    staging.ask_for_folder(options.root, options.out)
    sources = _sources(options.root, redraw=options.redraw)
    if isinstance(sources, int):
        return sources
    with progress("Staging"):
        count = staging.stage_into(options.root, sources, options.out)
    say([f"Staged {count:,} files in {options.out}"])
    return FINE


def build(options: Namespace) -> int:
    """Builds the site, strictly, from pages that are rendered for it."""
    folder = options.site_dir or options.root / "site"
    if not options.site_dir and (why := astray(options.root, folder)):
        raise Blocked(f"site {why}; remove it, or name another folder with --site-dir")
    site.ask_for_room(options.root.resolve(), folder.resolve())
    sources = _sources(options.root, options.trust, redraw=options.redraw)
    if isinstance(sources, int):
        return sources
    with progress("Building the site"):
        site.build(options.root, sources, folder)
    say([f"Built {folder}"])
    return FINE


def serve(options: Namespace) -> int:
    """Shows the site, made again when its sources change."""
    last: dict[str, str] = {}

    def again() -> Sources | int:
        found = _sources(options.root, options.trust, look=True, drawn=last)
        if isinstance(found, Sources):
            last.clear()
            last.update(found.pages)
        return found

    return site.serve(options.root, HOST, options.port, again, complain)
