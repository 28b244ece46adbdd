"""Which files are stale, for whoever decides on a change: the names first, then how they differ, within bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .output import say

if TYPE_CHECKING:
    from reckon.publish.files import Difference

FINE, DIFFERS = 0, 1
MOST_NAMES, MOST_LINES, MOST_LINES_OF_ONE = 100, 400, 60  # of stale files, and of how they differ


def told_stale(differences: Sequence[Difference], diff: bool, mend: str) -> int:
    """Says which files are stale, then how they differ where that is asked for, then what mends it, in a sentence."""
    say(bounded([f"{one.kind}: {one.path}" for one in differences], MOST_NAMES, "files"))
    if not differences:
        say(["Everything is up to date."])
        return FINE
    say(_differing(differences) if diff else ())
    count = f"{len(differences):,} files are" if len(differences) > 1 else "1 file is"
    say([f"{count} not up to date. {mend}"])
    return DIFFERS


def _differing(differences: Sequence[Difference]) -> Iterator[str]:
    """The diff of each file between empty lines: its first lines, and no more lines in all than a reader looks at."""
    from reckon.present.render.escape import terminal

    left = MOST_LINES
    for one in differences:
        lines = [terminal(line) for line in one.diff().splitlines()]
        if left <= 0:
            yield from ("", "The other files are not shown: render, and look at them with git diff.")
            break
        yield from ("", *bounded(lines, min(left, MOST_LINES_OF_ONE), "lines"))
        left -= len(lines[:MOST_LINES_OF_ONE])
    yield ""


def bounded(lines: Sequence[str], most: int, what: str) -> Iterator[str]:
    """The first lines, and how many more there are."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"… and {len(lines) - most:,} more {what}"
