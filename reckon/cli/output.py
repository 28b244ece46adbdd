"""Lines for whoever runs a command: results on standard output, complaints and progress on standard error."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reckon.language.text import echoed
from reckon.present.render.escape import idle, terminal


def prepare() -> None:
    """Sees to it that any text can be written: as UTF-8 into files and pipes, as far as it goes on a terminal."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty():
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def program() -> str:
    """How this program was called, for messages that name the command to run next."""
    name = Path(sys.argv[0]).name
    return "budget" if name == "budget" else "python budget.py"


def say(lines: Iterable[str], commands: bool = False) -> None:
    """Writes lines to standard output. They act on no terminal already, and in no log but where they are to."""
    for line in lines:
        print(line if commands else idle(line))


def put(text: str) -> None:
    """Writes a whole text to standard output as `say` writes lines."""
    print(idle(text), end="")


def plain(line: str) -> str:
    """A line that acts neither on a terminal nor in the log of a forge's CI."""
    return idle(terminal(line))


def complain(*lines: str) -> None:
    """Writes plain messages to standard error, one a line."""
    for line in lines:
        print(plain(line), file=sys.stderr)


def no_such(what: str, name: str, among: Iterable[str], mend: str = "", where: str = "") -> None:
    """Complains that nothing has a name that was given, with what was perhaps meant, or else what would mend it."""
    from reckon.model.problem import nearest

    hint = nearest(name, among) or mend
    complain(f"there is no {what} `{echoed(name)}`{where}; {hint}".rstrip("; "))


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Says on a terminal what is being done, and takes it back when it is; says nothing in a pipe."""
    shown = sys.stderr is not None and sys.stderr.isatty()
    if shown:
        print(f"\r\x1b[K{what} …", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
