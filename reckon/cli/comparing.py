"""`diff`: opens two trees, compares their books, and prints what differs. Nothing is written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import echoed

from .commands import DIFFERS, FINE, INVALID
from .output import complain, progress, put

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.compute.versions.difference import Difference, Side
    from reckon.load.trees import Tree
    from reckon.model.problem import Problem


def diff(options: Namespace) -> int:
    """Prints what differs between two trees; the exit code is 0 all the same, or 1 where --exit-code asks for it."""
    from reckon.load.git import LAST

    old, new = options.trees if len(options.trees) == 2 else ((*options.trees, LAST)[0], ".")
    try:
        asked = Asked(options.root, old, new, options.project or "", options.of or "", options.only_above)
        said, found = compared(asked, options.format)
    except NotCompared as error:
        complain(*error.lines)
        return INVALID
    put(said)
    return DIFFERS if options.exit_code and not found.empty else FINE


class NotCompared(Exception):
    """Two trees that cannot be compared: why, in lines."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared: two trees by their names as seen from a root, one project or all, the figure that is
    bridged if it is not the budget, and the threshold (a share, GPU-hours) below which nothing is told.

    `working` is the book of the working tree, where that is reckoned already.
    """

    root: Path
    old: str
    new: str
    project: str = ""
    of: str = ""
    above: tuple[Fraction | None, Fraction | None] | None = None
    working: Book | None = None


def compared(asked: Asked, form: str) -> tuple[str, Difference]:
    """What differs between two trees: in one of the formats of `diff`, and as values. Raises NotCompared."""
    from reckon.load.git import NoTree
    from reckon.load.trees import opened

    try:
        with ExitStack() as open_trees:
            names = asked.old, asked.new
            trees = [open_trees.enter_context(opened(asked.root, name, asked.project)) for name in names]
            found = _difference(asked, trees[0], trees[1])
            return _said(form, found, trees[1]), found
    except NoTree as error:
        raise NotCompared(str(error)) from None


def _difference(asked: Asked, old: Tree, new: Tree) -> Difference:
    """What differs between two trees that are open. Raises NotCompared."""
    from reckon.compute.reckoning import write_sheet
    from reckon.compute.versions.difference import Threshold, above, compare

    released = {tree.snapshot.project for tree in (old, new) if tree.snapshot}
    if len(released | ({asked.project} - {""})) > 1:
        raise NotCompared(f"{old.name} and {new.name} are not of one project: compare releases of one")
    sides = [_side(tree, asked.working) for tree in (old, new)]
    wrong = [f"{tree.name}: {line}" for tree, (_, some) in zip((old, new), sides, strict=True) for line in _told(some)]
    if wrong:
        raise NotCompared(*wrong)
    whole = [side for side, _ in sides]
    only = asked.project or next(iter(released), "")
    known = {name for side in whole for name in side.book.ledger.projects}
    if only and only not in known:
        shown = ", ".join(sorted(known)) or "none"
        raise NotCompared(f"neither side has a project `{echoed(only)}`; there are {shown}")
    of = _address(asked.of, known, only)
    if of and not _reckoned(whole, of, only):
        raise NotCompared(f"neither side has a figure `{echoed(asked.of)}`; `explain --list` shows them")
    scope, _, address = of.partition(".")
    with progress("Comparing"):
        found = compare(whole[0], whole[1], write_sheet, [scope] if of else [only] if only else [], address)
        return above(found, Threshold(*asked.above)) if asked.above else found


def _address(of: str, known: set[str], only: str) -> str:
    """The whole address of the figure to be bridged; empty where none is asked for."""
    if not of or of.partition(".")[0] in known:
        return of
    one = only or (next(iter(known)) if len(known) == 1 else "")
    return f"{one}.{of}" if one else of


def _reckoned(sides: list[Side], of: str, only: str) -> bool:
    return any(of in side.book.figures for side in sides) and only in ("", of.partition(".")[0])


def _side(tree: Tree, working: Book | None) -> tuple[Side, list[Problem]]:
    """A tree reckoned, and what is wrong in it."""
    from reckon.compute.reckoning import reckon
    from reckon.compute.versions.difference import Side
    from reckon.load.reader import collector_paused
    from reckon.load.trees import WORKING, ledger_of
    from reckon.present.comparing import found_in

    if working and tree.name == WORKING:
        return Side(tree.name, working, findings=found_in(working)), []
    with collector_paused(), progress(f"Reading {tree.name}"):
        ledger, problems = ledger_of(tree)
        book, more = reckon(ledger)
    kept, findings = tree.snapshot, found_in(book)
    if kept is None:
        return Side(tree.name, book, findings=findings), problems + more
    findings = {kept.project: kept.findings} if tree.judged else {}
    return Side(tree.name, book, kept.project, kept.figures, findings), problems + more


def _told(problems: list[Problem]) -> Iterable[str]:
    from reckon.present import terminal as present

    return present.problems(problems) if problems else ()


def _said(form: str, found: Difference, new: Tree) -> str:
    """What differs in one of the formats, with those who wrote the lines of the new side where git knows them."""
    from reckon.load.git import authors
    from reckon.present.comparing import data, markdown, text

    places = [one.now_place for part in found.parts for one in part.told]
    known = authors(new.lines, new.revision, places) if new.lines and places else {}
    if form == "json":
        return data(found, known)
    return "".join(f"{line}\n" for line in (markdown if form == "markdown" else text)(found, known))
