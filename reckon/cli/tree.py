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
        "print only pages, forge or format",
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
        say([f"`{program()} migrate` updates it to format {FORMAT}."])


def next_step(kept: TreeSettings, trial: bool = False) -> str:
    """What whoever has written something into a ledger does next, in a line; or that it was a trial."""
    if trial:
        return "Dry run: nothing written."
    if kept.pages == PEOPLE:
        return f"Next: {program()} render"
    what = "pages follow" if kept.pages == CI else "site follows"
    return f"Next: commit the file and open a change; the {what} after the merge."


def mend(kept: TreeSettings) -> str:
    """What brings stale pages up to date, in a sentence."""
    if kept.pages == PEOPLE:
        return f"Fix: run {program()} render"
    return "CI renders them after the merge." if kept.pages == CI else "Only the site has pages here."


def reminder(kept: TreeSettings) -> list[str]:
    """What to do with pages that were rendered where people do not render; nothing where they do."""
    after = "CI renders them after the merge" if kept.pages == CI else "only the site has them"
    return [] if kept.pages == PEOPLE else [f"Do not commit pages: {after}."]
