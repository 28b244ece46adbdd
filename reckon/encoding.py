"""Standard output and error: they take any text; how wide it may be there, and whether it may have colours.

`entry` imports this module: it imports nothing heavy.
"""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than all that happens here
if TYPE_CHECKING:
    from typing import TextIO

NARROWEST = 40  # columns: what is laid into fewer nobody can read


def prepare() -> None:
    """Sees to it that any text can be written: as UTF-8 into files and pipes, as far as it goes on a terminal."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty():
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def terminal_width(otherwise: int) -> int:
    """The columns of the terminal that standard output is, as COLUMNS or it says; so many `otherwise`."""
    if sys.stdout is None or not sys.stdout.isatty():
        return otherwise
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):  # `shutil` does the same, and brings libraries for archives
        return otherwise
    return max(columns, NARROWEST) if columns > 0 else otherwise


def takes_colour(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that shows colours, and nobody asked for none (https://no-color.org)."""
    if stream is None or not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
