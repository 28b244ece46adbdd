"""`render`, `build` and `serve`: the pages of the ledger as they would be now, and where they go.

Only `render` writes into the tree. The others stage a copy of all that the builder is to see, somewhere else.
"""

from __future__ import annotations

import traceback
from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from reckon.compute.book import Book
from reckon.language.text import Place
from reckon.load.site import order
from reckon.model.finding import Problem
from reckon.model.tree import FILE, SiteSettings, astray
from reckon.present.pages import draw_each, present
from reckon.present.site_data import make_site_data
from reckon.present.template_cache import remembered
from reckon.present.terminal.messages import list_problems
from reckon.publish import closings, files, journal, package_files, releases, site, staging
from reckon.publish.releases import Releases
from reckon.publish.staging import Sources
from reckon.user_cache import Aids

from .arguments import Parser, between
from .books import ask_for_projects, read, refusal, settings_of, sound
from .drawing import draw_beside
from .output import DIFFERS, CommandError, ask_for_libraries, complain, progress, say, told_stale, written
from .proposal_results import proposed
from .release_steps import version_steps
from .tree import mend, reminder

Pages = Mapping[str, str]
"""Pages, pictures and other files of a site, by their paths."""
NOTHING: Pages = {}


class Rendered(NamedTuple):
    """The pages of a tree as they are to be, how those differ that are there, and the settings of its site.

    `touched` is what of its releases is not as it was released.
    """

    book: Book
    pages: Pages
    settings: SiteSettings | None
    touched: Sequence[Problem]
    differences: list[files.PageDifference]


def declare_render(parser: Parser) -> None:
    """The command line of `render`."""
    parser.does(render, _goes_together)
    parser.option("projects", "PROJECT", "write only their pages and shared pages", nargs="*")
    parser.flag("--check", "write nothing; list outdated files (exit code 1)")
    parser.flag("--diff", "with --check: show the differences")
    parser.option(
        "--out",
        "DIR",
        "write the site's source files to a new folder",
        type=Path,
    )
    _redraw(parser)


def declare_build(parser: Parser) -> None:
    """The command line of `build`."""
    parser.does(build, _builds)
    parser.option("--site-dir", "DIR", "folder of the site (default: site/)", type=Path)
    parser.flag("--offline", "build for reading without a server (no search)")
    _redraw(parser)
    _built_by(parser)


def declare_serve(parser: Parser) -> None:
    """The command line of `serve`."""
    parser.does(serve, _builds)
    parser.option("--port", "PORT", "default: 8000", type=between(1, 65535, "port"), default=8000)
    _built_by(parser)


def _redraw(parser: Parser) -> None:
    parser.flag("--redraw", "redraw all pictures, also those that look current")


def _built_by(parser: Parser) -> None:
    parser.add_argument(
        "--builder",
        choices=tuple(site.BUILDERS),
        default=site.MATERIAL,
        help="what makes the site (default: material)",
    )
    parser.flag("--trust", "let mkdocs.yml run code, in a repository you trust")


def _builds(parser: Parser, options: Namespace) -> None:
    if options.trust and options.builder != site.MATERIAL:
        parser.error("--trust needs --builder material")


def _goes_together(parser: Parser, options: Namespace) -> None:
    if options.diff and not options.check:
        parser.error("--diff needs --check")
    if options.out and (options.check or options.projects):
        parser.error("--out writes all pages; remove --check and the projects")


def render(options: Namespace) -> int | None:
    """Writes the pages, says which are stale, or stages them elsewhere. Releases are not touched, and a check and a
    stage look at them too."""
    ask_for_libraries("vl_convert")
    if options.check:
        return _checked(options)
    if options.out:
        _stage(options)
    else:
        write(options.root, options.projects, options.redraw, options.aids)
    return None


def write(root: Path, projects: Collection[str] = (), redraw: bool = False, aids: Aids | None = None) -> None:
    """Brings the pages up to date, where nothing is wrong, once what was cut off is completed."""
    say(journal.complete(root))
    found = _rendered(root, projects, asked=False, redraw=redraw, aids=aids)
    files.settle(root, found.differences)
    say([*written(found.differences, len(found.pages)), *reminder(found.book.ledger.settings)])


def _checked(options: Namespace) -> int:
    """Says which pages are stale, and what of releases was touched."""
    found = _rendered(options.root, options.projects, redraw=options.redraw)
    if found.touched:
        complain(*list_problems(found.touched))
        if not found.differences:
            return DIFFERS
    return told_stale(found.differences, options.diff, mend(found.book.ledger.settings))


def _rendered(
    root: Path,
    projects: Collection[str] = (),
    asked: bool = True,
    trust: bool = False,
    drawn: Pages = NOTHING,
    redraw: bool = False,
    aids: Aids | None = None,
) -> Rendered:
    """The pages of a tree. Raises CommandError where anything is wrong.

    Where pages are only `asked` for, and not written, releases are looked at too, and the order of the pages that
    lies in the tree. With `trust` nobody looks at the settings of the site. Pictures of the tree that are
    current are taken, unless they are to `redraw`, and whatever was kept that `aids` has.
    """
    book, problems = read(root)
    settings, more = (None, []) if trust else settings_of(root, ordered=asked)
    released, wrong = releases.releases(root)
    wrong += [*closings.closings(root)[1], *journal.cut_off(root)]
    touched = releases.changed(root, released) if asked else []
    if problems or more:
        raise refusal([*problems, *more, *wrong, *touched])
    ask_for_projects(projects, book)
    if wrong:  # which pages there are to be is not known then
        raise refusal([*wrong, *touched], DIFFERS)
    pages, problems = pages_of(book, root, released, drawn, redraw, aids)
    if problems:
        raise refusal([*problems, *touched])
    return Rendered(book, pages, settings, touched, files.compare(root, pages, projects))


def _sources(
    options: Namespace,
    trust: bool = False,
    look: bool = False,
    drawn: Pages = NOTHING,
    redraw: bool = False,
    flat: bool = False,
) -> Sources:
    """What a site is made of. Raises CommandError where anything is wrong, and Blocked for a stranger's file.

    Releases that are not as they were released are told; whoever only wants to `look` has them as they are. Pages of a
    `flat` site are files, whatever its settings say.
    """
    trusted = trust and (options.root / FILE).is_file()
    found = _rendered(options.root, trust=trusted, drawn=drawn, redraw=redraw, aids=options.aids)
    files.ask_for_room(found.differences)
    if found.touched:
        if not look:
            raise refusal(found.touched, DIFFERS)
        complain(*list_problems(found.touched))
    with progress("Gathering figures and runs"):
        more = _make_site_data(options.root, found, flat)
    listed = sound(order(more[files.FIRST]))
    return Sources({**found.pages, **more}, _unordered(found, more), listed)


def _make_site_data(root: Path, found: Rendered, flat: bool) -> Pages:
    """What the site has beside its pages. Raises CommandError where its template does not work."""
    folders = package_files.template_folders(root)
    settings = found.settings.values if found.settings else {}
    try:
        return make_site_data(found.book, folders, found.pages, flat or settings.get("use_directory_urls") is False)
    except Exception as error:
        raise refusal([_template_problem(error, folders)]) from None


def _unordered(found: Rendered, more: Pages) -> SiteSettings | None:
    """The settings of the site. Where they have an order of their own, and want it to name every page, it need not name
    those that only a site has."""
    settings = found.settings
    if settings is None or settings.ordered:
        return settings
    asked = settings.values.get("validation") or {}
    if "warn" not in (asked.get("omitted_files"), (asked.get("nav") or {}).get("omitted_files")):
        return settings
    own = sorted(path.removeprefix(files.HOME) for path in more if path.endswith(".md") and path not in found.pages)
    listed = "\n".join([str(settings.values.get("not_in_nav", "")), *own])
    return replace(settings, values={**settings.values, "not_in_nav": listed})


def _stage(options: Namespace) -> None:
    """Stages all that a builder of the site needs into a folder, and leaves the tree alone."""
    staging.ask_for_folder(options.root, options.out)
    sources = _sources(options, redraw=options.redraw)
    with progress("Staging"):
        count = staging.stage_into(options.root, sources, options.out)
    say([f"Staged {count:,} files in {options.out}"])


def build(options: Namespace) -> None:
    """Builds the site, strictly, from pages that are rendered for it."""
    ask_for_libraries(site.BUILDERS[options.builder], "vl_convert")
    root = options.root
    folder = options.site_dir or root / "site"
    if not options.site_dir and (why := astray(root, folder)):
        raise CommandError(f"site {why}; remove it, or name another folder with --site-dir")
    site.ask_for_room(root.resolve(), folder.resolve())
    sources = _sources(options, options.trust, redraw=options.redraw, flat=options.offline)
    with progress("Building", "pages") as far:
        site.build(root, sources, folder, offline=options.offline, builder=options.builder, far=far)
    say([f"Built {folder}"])


def serve(options: Namespace) -> None:
    """Shows the site, made again when its sources change."""
    ask_for_libraries(site.BUILDERS[options.builder], "vl_convert")
    last: dict[str, str] = {}

    def again() -> Sources:
        found = _sources(options, options.trust, look=True, drawn=last)
        last.clear()
        last.update(found.pages)
        return found

    site.serve(options.root, options.port, again, complain, options.builder)


def pages_of(
    book: Book,
    root: Path,
    released: Releases = releases.NONE,
    drawn: Pages = NOTHING,
    redraw: bool = False,
    aids: Aids | None = None,
) -> tuple[Pages, list[Problem]]:
    """The pages of a book; or, where a template does not work or a proposal cannot be made, the problems with it.

    Pictures that are as they would be drawn, among what was `drawn` before or in the tree, are not drawn again; those
    in the tree are to `redraw`, where a stranger may have put them there. With `aids`, what was kept is
    taken where that has it, and pictures are drawn by other processes.
    """
    folders = package_files.template_folders(root)
    with progress("Rendering", "pages") as far:
        proposals, problems = proposed(root, book)
        if problems:
            return {}, problems
        try:
            steps = version_steps(book, released, aids.steps if aids else None)
            there = files.existing(root, pictures=not redraw)
            closed = closings.closings(root)[0]
            with remembered(folders[-1], aids.templates if aids else None):
                return present(
                    book,
                    folders,
                    lambda path: drawn.get(path) or there(path),
                    releases=released,
                    version_steps=steps,
                    own=staging.guide_pages(root),
                    proposals=proposals,
                    closings=closed,
                    draw_all=partial(draw_beside, store=aids.drawings) if aids else draw_each,
                    far=far,
                ), []
        except Exception as error:
            return {}, [_template_problem(error, folders)]


def _template_problem(error: Exception, folders: Sequence[Path]) -> Problem:
    """The innermost line of a template that an error passed through, as a problem. Raises the error where it is none.

    Templates are input too: what is wrong with one is told at its line.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        for folder in folders:
            if file.is_relative_to(folder):
                place = Place(f"templates/{file.relative_to(folder).as_posix()}", frame.lineno or 1, 1)
                return Problem(
                    place,
                    f"the template does not work: {type(error).__name__}: {' '.join(str(error).split())[:200]}",
                    "correct this line",
                )
    raise error
