"""What commands say and with which code they end: results on standard output, all else on standard error."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from reckon.encoding import takes_colour
from reckon.extras import install, is_installed
from reckon.language.lazy import regex
from reckon.language.text import echoed, list_first
from reckon.present.render.escape import idle, terminal
from reckon.publish.files import LEFT_OVER, Blocked, PageDifference, write_whole

FINE, DIFFERS, INVALID, FINDINGS = 0, 1, 2, 3  # exit codes
MOST_NAMES, MOST_LINES, MOST_LINES_OF_ONE = 100, 400, 60  # of stale files, and of how they differ
INKS = {"error": "31", "warning": "33", "note": "2", "remark": "2"}
"""Red, yellow and dim: what a terminal is told, by severity."""
GRADED = regex(
    r"(?:^ *|(?<=\d ))(error|warning|note|remark)s?\b"  # at the beginning of a line, or counted
    r"|(?<=\[)[a-z-]+(?=\]$)|(?<=^ {4})[a-z-]+:[\w.#-]+$"  # codes
)


class CommandError(Blocked):
    """What a command cannot do as it is asked to: why, in lines, and the code that it ends with."""

    def __init__(self, *lines: str, code: int = INVALID) -> None:
        super().__init__(*lines)
        self.code = code


def ask_for_libraries(*libraries: str) -> None:
    """Makes sure before any work that libraries are installed. Raises CommandError, with the command that adds one."""
    for library in libraries:
        if not is_installed(library):
            raise CommandError(f"the package {library} is needed and not installed; to get it: {install(library)}")


def program() -> str:
    """How this program was called, for messages that name the command to run next."""
    return "budget" if Path(sys.argv[0]).name == "budget" else "python budget.py"


def say(lines: Iterable[str], commands: bool = False, graded: bool = False) -> None:
    """Writes lines to standard output. They act on no terminal already, and in no log but where they are to. Lines that
    are `graded` say how severe something is."""
    harmless = lines if commands else map(idle, lines)
    for line in _colour(harmless) if graded and takes_colour(sys.stdout) else harmless:
        print(line)


def _colour(lines: Iterable[str]) -> Iterator[str]:
    """Lines in which words of severity and codes have the colour of it. What is named before any is an error."""
    ink = INKS["error"]
    for line in lines:
        if head := GRADED.match(line):
            ink = INKS[head[1]]
        yield GRADED.sub(partial(_paint, ink), line)


def _paint(ink: str, found: re.Match[str]) -> str:
    """A word of severity in its colour, or a code in that of what it is of."""
    return f"\x1b[{INKS.get(found[1], ink)}m{found[0]}\x1b[0m"


def write_text(text: str) -> None:
    """Writes a whole text to standard output as `say` writes lines."""
    print(idle(text), end="")


def replace_file(out: Path, make: Callable[[], str | bytes]) -> None:
    """Writes what is made into a file, which may be there, and says so. Raises CommandError where that is no file."""
    if out.exists() and not out.is_file():
        raise CommandError(f"{echoed(out, 200)} is not a file that can be replaced; name another file")
    write_whole(out, make())
    say([f"wrote {terminal(echoed(out, 200))}"])


def sanitise_line(line: str) -> str:
    """A line that acts neither on a terminal nor in the log of a forge's CI."""
    return idle(terminal(line))


def complain(*lines: str) -> None:
    """Writes plain messages to standard error, one a line."""
    harmless = map(sanitise_line, lines)
    for line in _colour(harmless) if takes_colour(sys.stderr) else harmless:
        print(line, file=sys.stderr)


def refused(why: Blocked) -> int:
    """Says why something was not done, and gives the exit code."""
    if isinstance(why, CommandError):
        complain(*why.args)
        return why.code
    complain(*str(why).splitlines())
    return INVALID


def no_such(what: str, name: str, among: Iterable[str], mend: str = "", where: str = "") -> str:
    """Says that nothing has a name that was given, with what was perhaps meant, or else what would mend it."""
    from reckon.model.finding import nearest  # `--help` needs no library

    hint = nearest(name, among) or mend
    return f"there is no {what} `{echoed(name)}`{where}; {hint}".rstrip("; ")


@contextmanager
def progress(what: str, counted: str = "") -> Iterator[Callable[[int, int], None] | None]:
    """Says on a terminal what is being done, and takes it back when it is; says nothing in a pipe.

    On a terminal it gives a function that says how far it is: so much is done, of so much, in percent or in what is
    `counted`. None in a pipe.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    said = 0

    def show(text: str) -> None:
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def far(done: int, whole: int) -> None:
        nonlocal said
        if counted:
            show(f"{what} {done:,} of {whole:,} {counted}")
            return
        percent = min(100 * done // whole, 100)
        if percent > said:
            said = percent
            show(f"{what} … {percent}%")

    show(f"{what} …")
    try:
        yield far
    finally:
        show("")


def told_stale(differences: Sequence[PageDifference], diff: bool, mend: str) -> int:
    """Says which files are stale, then how they differ where that is asked for, then what mends it, in a sentence."""
    say(list_first([f"{file.kind}: {file.path}" for file in differences], MOST_NAMES, "… and {} more files"))
    if not differences:
        say(["Everything is up to date."])
        return FINE
    say(_differing(differences) if diff else ())
    count = f"{len(differences):,} files are" if len(differences) > 1 else "1 file is"
    say([f"{count} out of date. {mend}"])
    return DIFFERS


def _differing(differences: Sequence[PageDifference]) -> Iterator[str]:
    """The diff of each file between empty lines: its first lines, and no more lines in all than a reader looks at."""
    left = MOST_LINES
    for file in differences:
        lines = [terminal(line) for line in file.diff().splitlines()]
        if left <= 0:
            yield from ("", "The other files are not shown; render, and see git diff.")
            break
        yield from ("", *list_first(lines, min(left, MOST_LINES_OF_ONE), "… and {} more lines"))
        left -= len(lines[:MOST_LINES_OF_ONE])
    yield ""


def written(differences: Sequence[PageDifference], pages: int) -> Iterator[str]:
    """What was done to each file."""
    for file in differences:
        yield f"{'removed' if file.kind == LEFT_OVER else 'wrote'} {file.path}"
    if not differences:
        yield f"All {pages} files are up to date."
