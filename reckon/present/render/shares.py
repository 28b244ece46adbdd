"""A share as a bar of characters."""

from __future__ import annotations

from reckon.model.figure import Figure

CELLS = 10
FULL, EMPTY, BEYOND = "█", "░", "▶"


def blocks(share: Figure | None) -> str:
    """A share as ten blocks: `████░░░░░░`; with ▶ at its end where it is above one, empty where it is not known.

    A share above zero shows at least one block, and one below the whole leaves at least one open.
    """
    if share is None or share.missing or share.use is None:
        return ""
    filled = max(0, min(CELLS, round(share.use * CELLS)))
    if 0 < share.use < 1:
        filled = max(1, min(CELLS - 1, filled))
    return FULL * filled + EMPTY * (CELLS - filled) + BEYOND * (share.use > 1)
