"""What the commands print: derivations, a summary, problems and findings. Nothing of a ledger can act in it.

Each module is imported when something of it is first asked for: `check` prints no derivation.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..render.escape import terminal as plain

if TYPE_CHECKING:
    from .additions import added, earlier, measured
    from .choosing import chosen
    from .derivation import explain, listing, resolve
    from .fitting import fitted
    from .lines import changes
    from .messages import NO_PROJECTS, problems, report
    from .projection import projected, refused
    from .summary import shared, status

__all__ = [
    "NO_PROJECTS",
    "added",
    "changes",
    "chosen",
    "earlier",
    "explain",
    "fitted",
    "listing",
    "measured",
    "plain",
    "problems",
    "projected",
    "refused",
    "report",
    "resolve",
    "shared",
    "status",
]
_HOMES = {
    "additions": ("added", "earlier", "measured"),
    "choosing": ("chosen",),
    "derivation": ("explain", "listing", "resolve"),
    "fitting": ("fitted",),
    "lines": ("changes",),
    "messages": ("NO_PROJECTS", "problems", "report"),
    "projection": ("projected", "refused"),
    "summary": ("shared", "status"),
}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return found
