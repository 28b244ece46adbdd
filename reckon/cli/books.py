"""What commands share: the ledger of a tree read and calculated, and what is wrong with it."""

from __future__ import annotations

import os
import tempfile
from argparse import Namespace
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from reckon import completion
from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.language.lazy import late
from reckon.load import reader, site
from reckon.model.finding import Problem
from reckon.model.tree import SiteSettings
from reckon.present.terminal.lines import list_changes
from reckon.present.terminal.messages import list_problems
from reckon.publish import package_files

from .output import INVALID, CommandError, no_such, program, progress

if TYPE_CHECKING:
    from reckon.compute.budget.card_conversion import convert as converted
    from reckon.compute.versions.difference import Side
    from reckon.load import trees
    from reckon.present.export import found_in
else:
    Side = late("reckon.compute.versions.difference", "Side")
    converted = late("reckon.compute.budget.card_conversion", "convert")
    trees = late("reckon.load.trees")
    found_in = late("reckon.present.export", "found_in")

MOST_ECHOED = 10  # of many names that are wrong
Found = TypeVar("Found")

ReadBook = tuple[Book, list[Problem]]
"""A book, and all that is wrong with the ledger or in calculating it."""


def read(root: Path, changes: Sequence[tuple[str, str]] = (), convert: bool = False) -> ReadBook:
    """The book of a tree's ledger, changed where that is asked for, and all problems of reading and calculating it."""
    with progress("Reading the ledger"):
        ledger, problems = reader.load(root, changes)
        ledger, unknown = converted(ledger) if convert else (ledger, [])
    with progress("Calculating"):
        book, more = calculate(ledger)
    return book, problems + unknown + more


def read_late(root: Path) -> ReadBook:
    """The same of a ledger that could be read, but nothing is calculated before something of the book is asked for.

    Who asks for it gets a CommandError where anything turns out to be wrong.
    """
    with progress("Reading the ledger"):
        ledger, problems = reader.load(root)
    if problems:
        book, more = calculate(ledger)
        return book, problems + more

    @cache
    def made() -> Book:
        with progress("Calculating"):
            return sound(calculate(ledger))

    return Book.late(ledger, made), []


def changed(options: Namespace) -> Book:
    """The book with what --set changes. Raises CommandError where there are problems."""
    book, problems = read(options.root, options.changes, options.convert)
    if options.convert and not problems and not book.ledger.converted:
        raise CommandError("--convert needs another GPU for a project or item; add `--set PROJECT.gpu=CARD`")
    if problems:
        raise CommandError(*list_changes(book), *list_problems(problems))
    if not options.changes:
        keep_words(options, book)
    return book


def answer(book: Book, options: Namespace, lines: Iterable[str]) -> Iterator[str]:
    """Lines in the format that was asked for, below what --set changed where that is a table."""
    if options.format == "table":
        yield from list_changes(book)
    yield from lines


def side_of(tree: trees.Tree, name: str) -> tuple[Side, list[Problem]]:
    """A tree calculated, as a side that can be compared, and what is wrong in it."""
    ledger, problems = trees.ledger_of(tree)
    kept = tree.snapshot
    book, more = calculate(ledger, audited=kept is None)  # a release has the findings that it was published with
    if kept is None:
        return Side(name, book, findings=found_in(book)), problems + more
    findings = {kept.project: kept.current_findings} if tree.judged else {}
    return Side(name, book, kept.project, kept.figures, findings, kept.method), problems + more


def keep_words(options: Namespace, book: Book) -> None:
    """Keeps the words of a ledger for the shell, where the command is a process of its own."""
    if options.aids is None or os.environ.get("CI"):
        return
    kinds: dict[str, Iterable[str]] = {
        "PROJECT": book.projects,
        "CARD": book.catalog.gpus,
        "ALLOCATION": book.allocations,
        "ADDRESS": book.figures,
    }
    for name, project in book.projects.items():
        kinds |= {f"ITEM.{name}": project.items, f"SEED.{name}": project.seeds}
    completion.keep_words(str(options.root), ((kind, word) for kind, words in kinds.items() for word in words))


def settings_of(root: Path, ordered: bool = True) -> tuple[SiteSettings, list[Problem]]:
    """The settings of a tree's site, and all that is wrong with them; ours where it has none."""
    return site.settings(root, package_files.part("settings").read_bytes().decode(), ordered)


def read_texts(texts: Mapping[str, str]) -> ReadBook:
    """The book of some files by path, as if they were all there is."""
    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        trees.put_aside(Path(folder), texts)
        return read(Path(folder))


def load_sound_book(root: Path) -> Book:
    """The book of a tree's ledger. Raises CommandError where anything is wrong with it."""
    return sound(read(root))


def sound(found: tuple[Found, Sequence[Problem]], code: int = INVALID) -> Found:
    """What was found, where nothing is wrong with it. Raises CommandError with all that is."""
    value, problems = found
    if problems:
        raise refusal(problems, code)
    return value


def refusal(problems: Iterable[Problem], code: int = INVALID) -> CommandError:
    """What is raised where there are problems: it tells them, by place."""
    return CommandError(*list_problems(problems), code=code)


def figures_of(book: Book) -> dict[str, tuple[object, ...]]:
    """Each figure as it is printed, by its address; not which files it comes from."""
    figures = book.figures.items()
    return {address: (figure.title, figure.unit.symbol, figure.value, figure.missing) for address, figure in figures}


def ask_for_projects(names: Iterable[str | None], book: Book) -> None:
    """Makes sure that the projects that were named exist. Raises CommandError."""
    _ask_for("project", names, book.projects, f"`{program()} status` shows them")


def ask_for_cards(names: Sequence[str], book: Book) -> None:
    """Makes sure that the catalogue has all cards that were named. Raises CommandError."""
    _ask_for("GPU", names, book.catalog.gpus, where=" in the catalogue")


def _ask_for(what: str, names: Iterable[str | None], known: Collection[str], mend: str = "", where: str = "") -> None:
    unknown = [name for name in names if name is not None and name not in known]
    if unknown:
        raise CommandError(*(no_such(what, name, known, mend, where) for name in unknown[:MOST_ECHOED]))
