"""The link with which a reader of the status page adds a run: the forge's page for a new file, filled in.

What stands there is refused until a person has edited it, so that nobody adds a made-up run by a click.
"""

from __future__ import annotations

from typing import NamedTuple

from reckon.language.text import flow_map, some_of
from reckon.model.records import Forge

from ..view import View
from .work import newest_runs

LONGEST = 2000
"""Characters of an address that every browser and forge takes."""
_MOST_NAMES = (40, 12, 4, 0)
HELP = "#: "
"""How the lines of the text begin that are there for the reader: `tidy` leaves them behind."""
_HOW = "Write over the words in capitals, and propose the change. An item that does not count by seed takes no seed."
_MORE = "More that you can add: status: failed, progress: {done: 3, total: 5}, job: '123', note: 'a remark'"


class Adding(NamedTuple):
    """Where a run is added by hand: the address, the folder, what the forge is called, and what its page may lack."""

    address: str
    folder: str
    forge: str
    entry: str


def adding(view: View, forge: Forge | None) -> Adding | None:
    """How a reader adds a run to a project; None where the forge is not known."""
    if forge is None:
        return None
    folder, entry = f"ledger/{view.id}/runs", _entry(view)
    tried = (forge.new_file(folder, _entry_text(view, entry, most)) for most in _MOST_NAMES)
    address = next((short for short in tried if len(short) < LONGEST), forge.new_file(folder, entry + "\n"))
    shown = "" if forge.forge_kind == "github" else entry  # some versions of GitLab open the file empty
    return Adding(address, forge.within(folder) + "/", forge.title, shown)


def _entry_text(view: View, entry: str, most: int) -> str:
    """The text of the new file; names are left out where there are too many."""
    names = {"Items": list(view.ledger.items), "Seeds": _seeds(view)}
    listed = [f"{what}: {some_of(some, most)}" for what, some in names.items() if some and most]
    comments = [f"{HELP}{line}" for line in (_HOW, *listed, _MORE)]
    return "".join(f"{line}\n" for line in [*comments, entry])


def _entry(view: View) -> str:
    """The line of an entry, with words in capitals for what only the reader knows."""
    items = list(view.ledger.items)
    fields = {"date": "YYYY-MM-DD", "item": items[0] if len(items) == 1 else "ITEM"}
    if _seeds(view):
        fields["seed"] = "SEED"
    fields |= {"gpus": _gpus(view), "wall_hours": "HOURS"}
    return f"- {flow_map(fields)}"


def _seeds(view: View) -> list[str]:
    """The seeds to choose from, where any item counts by seed."""
    by_seed = any(item.scope == "per-seed" for item in view.ledger.items.values())
    return [*view.ledger.seeds] if by_seed else []


def _gpus(view: View) -> str:
    """How many GPUs the newest run held."""
    held = next((str(run.gpus or "") for run in newest_runs(view, 1)), "")
    return held if held.isdecimal() and held.isascii() and len(held) < 7 else "GPUS"
