"""How a tree is kept: who renders its pages, and what those do who change something. `tree` prints it."""

from __future__ import annotations

from argparse import Namespace

from reckon.load.reader import load
from reckon.model.records.tree import TreeSettings
from reckon.model.tree import CI, PEOPLE
from reckon.model.version import FORMAT

from .arguments import Parser
from .books import refusal
from .output import program, say

FILE = "ledger/tree.yaml"


def declare_tree(parser: Parser) -> None:
    """The command line of `tree`."""
    parser.does(tree)
    parser.option(
        "setting",
        "SETTING",
        "pages, forge or format: print only that, for scripts",
        nargs="?",
        choices=("pages", "forge", "format"),
    )


def tree(options: Namespace) -> None:
    """Prints how the tree is kept: all of it, or one setting alone. Mistakes elsewhere in the ledger do not matter."""
    ledger, problems = load(options.root)
    missing = not (options.root / "ledger").is_dir()
    if wrong := [problem for problem in problems if missing or problem.place.file == FILE]:
        raise refusal(wrong)
    forge = ledger.settings.forge
    number = ledger.settings.format
    said = {"pages": ledger.settings.pages, "forge": str(forge.address) if forge else "", "format": str(number)}
    if options.setting:
        say([said[options.setting]])
        return
    say([f"{name}: {text}" for name, text in said.items() if text])
    if number < FORMAT:
        say([f"`{program()} migrate` brings it to format {FORMAT}."])


def next_step(kept: TreeSettings, trial: bool = False) -> str:
    """What whoever has written something into a ledger does next, in a line; or that it was a trial."""
    if trial:
        return "Nothing was written: this was a trial."
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
