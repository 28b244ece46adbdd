"""How a tree is kept: who renders its pages, and what whoever has changed a ledger does next. `tree` prints it."""

from __future__ import annotations

from argparse import Namespace
from types import MappingProxyType
from typing import TYPE_CHECKING

from .output import program, say

if TYPE_CHECKING:
    from reckon.model.ledger import Ledger

FILE = "ledger/tree.yaml"
FINE = 0
_NEXT = MappingProxyType(
    {
        "people": "To bring the pages up to date: {} render",
        "ci": "Commit the file and open a change; the pages follow after the merge.",
        "none": "Commit the file and open a change; the site follows after the merge.",
    }
)


def tree(options: Namespace) -> int:
    """Prints how the tree is kept: all of it, or one setting alone. Mistakes elsewhere in the ledger do not matter."""
    from reckon.load.reader import load

    from .commands import tell

    ledger, problems = load(options.root)
    if wrong := [one for one in problems if one.place.file == FILE or not (options.root / "ledger").is_dir()]:
        return tell(wrong)
    kept = ledger.settings
    address = str(kept.forge.address) if kept.forge else ""
    said = {"pages": str(kept.pages), "forge": address}
    say([said[options.setting]] if options.setting else [f"{name}: {text}" for name, text in said.items() if text])
    return FINE


def next_step(ledger: Ledger) -> str:
    """What whoever has written something into a ledger does next, in a line."""
    return _NEXT[str(ledger.settings.pages)].format(program())
