"""`diff`: opens two trees, compares their books, and prints what differs. Nothing is written."""

from __future__ import annotations

import re
from argparse import Namespace
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.calculation import write_sheet
from reckon.compute.versions import difference
from reckon.language.text import echoed
from reckon.load import git, trees
from reckon.model.finding import Problem
from reckon.present.export import found_in
from reckon.present.terminal.messages import list_problems
from reckon.present.versions.data import data
from reckon.present.versions.markdown import markdown
from reckon.present.versions.text import format_text

from .arguments import Parser, format_option, wrong_argument
from .books import side_of
from .output import DIFFERS, FINE, CommandError, progress, write_text

EPILOG = """\
A side is a release (1.0.0, or pixelis@1.0.0), the working tree with a proposal
(pixelis@own-estimates), a folder with a ledger/, a revision of git (origin/main,
a tag, HEAD~3), or `.`, the working tree. The default is HEAD and the working tree;
one side alone is compared with the working tree.
A name that can be a release is read as one: refs/tags/1.0.0 means the tag,
./1.0.0 the folder.

If nothing differs, it prints nothing. The exit code is 0, or 1 for differences with
--exit-code, or 2 if a side cannot be read.

Example: budget diff 1.0.0"""


def declare_diff(parser: Parser) -> None:
    """The command line of `diff`."""
    parser.does(diff, _two_trees, EPILOG)
    parser.option("trees", "TREE", "old and new side", nargs="*")
    parser.option("--project", "PROJECT", "compare only this project")
    parser.option("--of", "ADDRESS", "figure to bridge (default: each project's budget)")
    parser.option("--only-above", "5%|50h", "hide smaller changes: a share or GPU-hours", type=_threshold)
    format_option(parser, "text", "markdown", "json")
    parser.flag("--exit-code", "exit with 1 if anything differs")


def _two_trees(parser: Parser, options: Namespace) -> None:
    if len(options.trees) > 2:
        parser.error("diff takes at most two sides")


def _threshold(text: str) -> difference.Threshold:
    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,12})?) *(%|h)", text.strip())
    if not found:
        raise wrong_argument(text, "is not a threshold; write a share as 5%, or GPU-hours as 50h")
    number = Fraction(found[1])
    return difference.Threshold(number / 100, None) if found[2] == "%" else difference.Threshold(None, number)


def diff(options: Namespace) -> int:
    """Prints what differs between two trees; the exit code is 0 all the same, or 1 where --exit-code asks for it."""
    old, new = options.trees if len(options.trees) == 2 else ((*options.trees, git.LAST)[0], ".")
    wanted = options.project or "", options.of or "", options.only_above
    said, found = compared(options.root, (old, new), options.format, *wanted)
    write_text(said)
    return DIFFERS if options.exit_code and not found.empty else FINE


def compared(
    root: Path,
    names: tuple[str, str],
    form: str,
    project_id: str = "",
    of: str = "",
    above: difference.Threshold | None = None,
    working: Book | None = None,
) -> tuple[str, difference.Difference]:
    """What differs between two trees, by their names as seen from a root: in one of the formats of `diff`, and as
    values. Raises CommandError, and NoTree where there is no such tree.

    Of one project or all; `of` is the figure that is bridged if it is not the budget, and what moved by less than the
    threshold is left out. `working` is the book of the working tree, where that is calculated already.
    """
    with ExitStack() as open_trees:
        old, new = [open_trees.enter_context(trees.opened(root, name, project_id)) for name in names]
        found = _difference(old, new, project_id, of, working)
        found = difference.above(found, above) if above else found
        return _format_difference(form, found, new), found


def _difference(
    old: trees.Tree, new: trees.Tree, project_id: str, wanted: str, working: Book | None
) -> difference.Difference:
    """What differs between two trees that are open. Raises CommandError."""
    released = {tree.snapshot.project for tree in (old, new) if tree.snapshot}
    if len(released | ({project_id} - {""})) > 1:
        raise CommandError(f"{old.name} and {new.name} are of different projects; name releases of one")
    sides = [_side(tree, working) for tree in (old, new)]
    both = zip((old, new), sides, strict=True)
    if wrong := [f"{tree.name}: {line}" for tree, (_, some) in both if some for line in list_problems(some)]:
        raise CommandError(*wrong)
    whole = [side for side, _ in sides]
    only = project_id or next(iter(released), "")
    known = {name for side in whole for name in side.book.projects}
    if only and only not in known:
        shown = ", ".join(sorted(known)) or "none"
        raise CommandError(f"neither side has a project `{echoed(only)}`; there are {shown}")
    of = _address(wanted, known, only)
    if of and not (only in ("", of.partition(".")[0]) and any(of in side.book.figures for side in whole)):
        raise CommandError(f"neither side has a figure `{echoed(wanted)}`; `explain --list` shows them")
    scope, _, address = of.partition(".")
    compared_project = scope if of else only
    with progress("Comparing"):
        projects = [compared_project] if compared_project else []
        return difference.compare(whole[0], whole[1], write_sheet, projects, address)


def _address(of: str, known: set[str], only: str) -> str:
    """The whole address of the figure to be bridged; empty where none is asked for."""
    if not of or of.partition(".")[0] in known:
        return of
    project_id = only or (next(iter(known)) if len(known) == 1 else "")
    return f"{project_id}.{of}" if project_id else of


def _side(tree: trees.Tree, working: Book | None) -> tuple[difference.Side, list[Problem]]:
    """A tree calculated, and what is wrong in it."""
    if working and tree.name == trees.WORKING:
        return difference.Side(tree.name, working, findings=found_in(working)), []
    with progress(f"Reading {tree.name}"):
        return side_of(tree, tree.name)


def _format_difference(form: str, found: difference.Difference, new: trees.Tree) -> str:
    """What differs in one of the formats, with those who wrote the lines of the new side where git knows them."""
    places = [change.now_place for part in found.parts for change in part.told]
    known = git.authors(new.lines, new.revision, places) if new.lines and places else {}
    if form == "json":
        return data(found, known)
    return "".join(f"{line}\n" for line in (markdown if form == "markdown" else format_text)(found, known))
