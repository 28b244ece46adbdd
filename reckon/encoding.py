"""Standard output and error, which take any text. `entry` imports this module: it imports nothing heavy."""

from __future__ import annotations

import io
import sys


def prepare() -> None:
    """Sees to it that any text can be written: as UTF-8 into files and pipes, as far as it goes on a terminal."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty():
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
