"""How a tree is kept: who renders its pages, and what those do who change something. `tree` prints it."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from reckon.model.tree import CI, PEOPLE

from .arguments import Commands, command
from .books import tell
from .output import FINE, program, say

if TYPE_CHECKING:
    from reckon.model.records.tree import TreeSettings

FILE = "ledger/tree.yaml"


def declare(commands: Commands) -> None:
    """The command line of `tree`."""
    parser = command(commands, "tree", "say how this tree is kept: who renders its pages, and where it lies", tree)
    text = "pages or forge: print only that, for scripts"
    parser.add_argument("setting", nargs="?", choices=("pages", "forge"), metavar="SETTING", help=text)


def tree(options: Namespace) -> int:
    """Prints how the tree is kept: all of it, or one setting alone. Mistakes elsewhere in the ledger do not matter."""
    from reckon.load.reader import load

    ledger, problems = load(options.root)
    missing = not (options.root / "ledger").is_dir()
    if wrong := [problem for problem in problems if missing or problem.place.file == FILE]:
        return tell(wrong)
    kept = ledger.settings
    address = str(kept.forge.address) if kept.forge else ""
    said = {"pages": str(kept.pages), "forge": address}
    say([said[options.setting]] if options.setting else [f"{name}: {text}" for name, text in said.items() if text])
    return FINE


def next_step(kept: TreeSettings) -> str:
    """What whoever has written something into a ledger does next, in a line."""
    if kept.pages == PEOPLE:
        return f"To bring the pages up to date: {program()} render"
    what = "pages follow" if kept.pages == CI else "site follows"
    return f"Commit the file and open a change; the {what} after the merge."


def mend(kept: TreeSettings) -> str:
    """What brings stale pages up to date, in a sentence."""
    if kept.pages == PEOPLE:
        return f"To mend it, run: {program()} render"
    return "They are rendered after the merge." if kept.pages == CI else "None are kept: they go to the site alone."


def reminder(kept: TreeSettings) -> list[str]:
    """What to do with pages that were rendered where people do not render; nothing where they do."""
    after = "they are rendered after the merge" if kept.pages == CI else "they go to the site alone"
    return [] if kept.pages == PEOPLE else [f"A change leaves the pages out: {after}."]
