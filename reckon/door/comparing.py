"""`diff`: opens two trees, compares their books, and prints what differs. Nothing is written."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .commands import DIFFERS, FINE, INVALID
from .output import complain, progress

if TYPE_CHECKING:
    from reckon.compute.bridge.difference import Difference, Side
    from reckon.load.trees import Tree
    from reckon.model.problem import Problem


def diff(options: Namespace) -> int:
    """Prints what differs between two trees; the exit code is 0 all the same, or 1 where --exit-code asks for it."""
    from reckon.load.git import LAST, NoTree
    from reckon.load.trees import opened

    old, new = options.trees if len(options.trees) == 2 else ((*options.trees, LAST)[0], ".")
    try:
        with ExitStack() as open_trees:
            trees = [open_trees.enter_context(opened(options.root, name, options.project or "")) for name in (old, new)]
            return _compared(options, trees[0], trees[1])
    except NoTree as error:
        complain(str(error))
        return INVALID


def _compared(options: Namespace, old: Tree, new: Tree) -> int:
    from reckon.compute.bridge.difference import above, compare
    from reckon.compute.bridge.moved import Threshold

    released = {tree.snapshot.project for tree in (old, new) if tree.snapshot}
    if len(released | ({options.project} - {None})) > 1:
        complain(f"{old.name} and {new.name} are not of one project: compare releases of one")
        return INVALID
    sides = [_side(tree) for tree in (old, new)]
    whole = [side for side, problems in sides if not problems]
    for tree, (_, problems) in zip((old, new), sides, strict=True):
        _tell(tree.name, problems)
    if len(whole) < 2:
        return INVALID
    only = options.project or next(iter(released), None)
    known = {name for side in whole for name in side.book.ledger.projects}
    if only is not None and only not in known:
        complain(f"neither side has a project `{only[:60]}`; there are {', '.join(sorted(known)) or 'none'}")
        return INVALID
    of = _address(options.of, known, only)
    if options.of and not _reckoned(whole, of, only):
        complain(f"neither side has a figure `{options.of[:80]}`; `explain --list` shows them")
        return INVALID
    scope, _, address = of.partition(".")
    with progress("Comparing"):
        found = compare(whole[0], whole[1], [scope] if of else [only] if only else [], address)
        if options.only_above:
            found = above(found, Threshold(*options.only_above))
    _print(options.format, found, new)
    return DIFFERS if options.exit_code and not found.empty else FINE


def _address(of: str | None, known: set[str], only: str | None) -> str:
    """The whole address of the figure to be bridged; empty where none is asked for."""
    if not of or of.partition(".")[0] in known:
        return of or ""
    one = only or (next(iter(known)) if len(known) == 1 else "")
    return f"{one}.{of}" if one else of


def _reckoned(sides: list[Side], of: str, only: str | None) -> bool:
    return any(of in side.book.figures for side in sides) and only in (None, of.partition(".")[0])


def _side(tree: Tree) -> tuple[Side, list[Problem]]:
    """A tree reckoned, and what is wrong in it."""
    from reckon.compute.bridge.difference import Side
    from reckon.compute.reckoning import reckon
    from reckon.load.reader import collector_paused
    from reckon.load.trees import ledger_of
    from reckon.present.comparing import found_in

    with collector_paused(), progress(f"Reading {tree.name}"):
        ledger, problems = ledger_of(tree)
        book, more = reckon(ledger)
    kept, findings = tree.snapshot, found_in(book)
    if kept is None:
        return Side(tree.name, book, findings=findings), problems + more
    findings = {kept.project: kept.findings} if tree.judged else {}
    return Side(tree.name, book, kept.project, kept.figures, findings), problems + more


def _tell(name: str, problems: list[Problem]) -> None:
    """Tells the problems of a side, each with its name."""
    from reckon.present import terminal as present

    for line in present.problems(problems) if problems else ():
        complain(f"{name}: {line}")


def _print(form: str, found: Difference, new: Tree) -> None:
    from reckon.load.git import authors
    from reckon.present.comparing import data, markdown, text

    places = [one.now_place for part in found.parts for one in part.told]
    known = authors(new.lines, new.revision, places) if new.lines and places else {}
    if form == "json":
        print(data(found, known), end="")
        return
    for line in (markdown if form == "markdown" else text)(found, known):
        print(line)
