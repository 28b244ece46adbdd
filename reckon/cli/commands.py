"""One function a command: options in, exit code out. What they do is done in the other rooms."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from reckon.publish import files, journal, releases, shipped
from reckon.publish.releases import NONE, Releases
from reckon.publish.staging import guide_pages

from .output import complain, no_such, program, progress, say
from .since import undone
from .stale import told_stale

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.model.finding import Problem
    from reckon.model.tree import SiteSettings

NOTHING: Mapping[str, str] = MappingProxyType({})
FINE, DIFFERS, INVALID, FINDINGS = 0, 1, 2, 3
MOST_ECHOED = 10  # of many names that are wrong


def read(root: Path, changes: Sequence[tuple[str, str]] = ()) -> tuple[Book, list[Problem]]:
    """The book of a tree's ledger, changed where that is asked for, and all problems of reading and reckoning it."""
    from reckon.compute.reckoning import reckon
    from reckon.load.reader import collector_paused, load

    with collector_paused():
        with progress("Reading the ledger"):
            ledger, problems = load(root, changes)
        with progress("Reckoning"):
            book, more = reckon(ledger)
    return book, problems + more


def settings_of(root: Path, ordered: bool = True) -> tuple[SiteSettings, list[Problem]]:
    """The settings of a tree's site, and all that is wrong with them; ours where it has none."""
    from reckon.load.site import settings

    return settings(root, shipped.settings().read_bytes().decode("utf-8"), ordered)


def pages_of(
    book: Book, root: Path, released: Releases = NONE, drawn: Mapping[str, str] = NOTHING, redraw: bool = False
) -> tuple[Mapping[str, str], list[Problem]]:
    """The pages of a book; or, where a template does not work, the problem with it.

    Pictures that are as they would be drawn, among what was `drawn` before or in the tree, are not drawn again; those
    in the tree are to `redraw`, where a stranger may have put them there.
    """
    from reckon.present.pages import present

    from .history import leaps
    from .mistakes import template_problem

    folders = shipped.template_folders(root)
    with progress("Rendering"):
        try:
            leapt, own, there = leaps(book, released), guide_pages(root), files.existing(root, pictures=not redraw)
            return present(book, folders, lambda path: drawn.get(path) or there(path), releases=released, leaps=leapt,
                           own=own), []  # fmt: skip
        except Exception as error:
            if problem := template_problem(error, folders):
                return {}, [problem]
            raise


def tell(problems: Iterable[Problem]) -> int:
    """Tells problems, by place, and gives the exit code."""
    from reckon.present import terminal

    complain(*terminal.problems(problems))
    return INVALID


def known(projects: Collection[str], book: Book) -> bool:
    """Whether all projects that were named exist; says which does not."""
    unknown = [name for name in projects if name not in book.ledger.projects]
    for name in unknown[:MOST_ECHOED]:
        no_such("project", name, book.ledger.projects, f"`{program()} status` shows them")
    return not unknown


def written(differences: list[files.PageDifference], pages: int) -> Iterator[str]:
    """What was done to each file."""
    for one in differences:
        yield f"{'removed' if one.kind == files.LEFT_OVER else 'wrote'} {one.path}"
    if not differences:
        yield f"All {pages} files are up to date."


def check(options: Namespace) -> int:
    """Tells problems and findings in the format asked for."""
    from reckon.present import terminal

    book, problems = read(options.root)
    problems = [*problems, *settings_of(options.root)[1]]
    wrong = [*journal.cut_off(options.root, tree=True), *releases.intact(options.root)[1]]
    wrong += undone(options.root, options.against)
    told = terminal.report(book, [*problems, *wrong], options.format, _base(options.root), judged=not problems)
    say(told, commands=options.format == "github")
    if problems or wrong:
        return INVALID if problems else DIFFERS
    grave = {"error": ("error",), "warning": ("error", "warning"), "never": ()}[options.fail_on]
    return FINDINGS if any(one.severity in grave for some in book.findings.values() for one in some) else FINE


def _base(root: Path) -> str:
    """What leads from the current folder to the root, for annotations: a forge counts paths from its checkout."""
    here, there = Path.cwd(), root.resolve()
    return f"{there.relative_to(here).as_posix()}/" if there != here and there.is_relative_to(here) else ""


def changed(options: Namespace) -> Book | None:
    """The book with what --set changes; None where there are problems, which are told."""
    from reckon.present import terminal

    book, problems = read(options.root, options.changes)
    if problems:
        complain(*terminal.changes(book.ledger))
        tell(problems)
        return None
    return book


def explain(options: Namespace) -> int:
    """Prints the derivation of a figure, or the list of figures."""
    from reckon.present import terminal

    book = changed(options)
    if book is None:
        return INVALID
    if options.list:
        say(terminal.changes(book.ledger))
        say(terminal.listing(book, options.address or ""))
        return FINE
    found = terminal.resolve(book, options.address)
    if isinstance(found, str):
        complain(found)
        return INVALID
    say(terminal.changes(book.ledger))
    say(terminal.explain(book, found, options.page if options.runs else 0))
    return FINE


def status(options: Namespace) -> int:
    """Prints where the projects stand."""
    from reckon.present import terminal

    book = changed(options)
    if book is None or not known(options.projects, book):
        return INVALID
    say(terminal.changes(book.ledger))
    say([] if book.ledger.projects else [terminal.NO_PROJECTS])
    for number, name in enumerate(options.projects or book.ledger.projects):
        say([""] if number else [])
        say(terminal.status(book, name, detail=bool(options.projects)))
    if grants := list(terminal.shared(book, tuple(options.projects))):
        say(["", *grants])
    return FINE


def schema(options: Namespace) -> int:
    """Writes the schemas of ledger files, or says which are stale."""
    from reckon.load.schema import HOME, schema_files

    if not (options.root / "ledger").is_dir():
        mend = "`budget init DIR` begins a tree; --root names one elsewhere"
        complain(f"there is no folder `ledger` under the root; {mend}")
        return INVALID
    differences = files.compare(options.root, schema_files(), home=HOME)
    if options.check:
        return told_stale(differences, False, f"To mend it, run: {program()} schema")
    files.settle(options.root, differences, HOME)
    say(written(differences, len(schema_files())))
    return FINE


COMMANDS: Mapping[str, Callable[[Namespace], int]] = {
    one.__name__: one for one in (check, explain, status, schema)
}  # fmt: skip
