"""The door: arguments and exit codes. It alone sees all the other rooms, and imports them when a command needs them.

Exit codes: 0 all is well; 1 files under docs/ (or schemas) are not what the ledger makes; 2 invalid input or usage;
3 findings; 4 a mistake of this program; 130 and 141 when interrupted, or when nobody reads on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from reckon.language.text import echoed
from reckon.publish.files import Blocked
from reckon.publish.site import NotBuilt

from .add import add
from .arguments import parse
from .books import COMMANDS, INVALID
from .choose import choose
from .diff import diff
from .figures import export
from .fit import fit
from .init import init
from .output import complain, prepare
from .projection import projection
from .reference import guide, template
from .release import release
from .render import build, render, serve
from .review import review
from .tidy import tidy
from .tree import tree

__all__ = ["main"]

MISTAKEN, INTERRUPTED, UNREAD = 4, 130, 141
ENGINE = Path(__file__).resolve().parents[1]
ALL = {
    **COMMANDS,
    **{one.__name__: one for one in (add, build, choose, diff, export, fit, guide, init, projection, release, render)},
    **{one.__name__: one for one in (review, serve, template, tidy, tree)},
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code. What is wrong with input or machine is said in plain lines."""
    words = sys.argv[1:] if argv is None else argv
    prepare()
    try:
        return _run(words)
    except Exception as error:
        _stop_writing()
        return _mistaken(error, "--traceback" in words)


def _run(words: Sequence[str]) -> int:
    options = parse(words)
    try:
        code = ALL[options.command](options)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return UNREAD
    except ModuleNotFoundError as error:
        return _not_installed(error)
    except (Blocked, NotBuilt) as error:
        complain(*str(error).splitlines())
    except OSError as error:
        _stop_writing()
        complain(f"{echoed(error.filename or 'output', 200)}: {echoed(error.strerror or error, 200)}")
    return INVALID


def _mistaken(error: Exception, whole: bool) -> int:
    """Tells an exception that no room told: one line, or all of it. Files are whole whenever it came."""
    import traceback

    if whole:
        complain(*"".join(traceback.format_exception(error)).splitlines())
        return MISTAKEN
    frames = [one for one in traceback.extract_tb(error.__traceback__) if Path(one.filename).is_relative_to(ENGINE)]
    at = f" ({Path(frames[-1].filename).relative_to(ENGINE.parent).as_posix()}:{frames[-1].lineno})" if frames else ""
    what = echoed(" ".join(f"{type(error).__name__}: {error}".split()), 200)
    mend = "look whether anything was written, and report what it says with --traceback"
    complain(f"this is a mistake of the program, not of your ledger: {what}{at}; {mend}")
    return MISTAKEN


def _not_installed(error: ModuleNotFoundError) -> int:
    library = (error.name or "").partition(".")[0]
    if library in ("", "reckon"):
        raise error
    mend = "`make site` sets everything up, or: python -m pip install -r requirements.txt"
    complain(f"not everything that this needs is installed ({library} is missing); {mend}")
    return INVALID


def _stop_writing() -> None:
    """Sends what is still unwritten nowhere, so that the interpreter does not fail on it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
