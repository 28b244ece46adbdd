"""The command line: it alone sees all other rooms, and imports them when a command needs them.

Each command has a module, which declares what it takes and does it; `COMMANDS` is the order of --help.

Exit codes: 0 all is well; 1 files under docs/ (or schemas) are not what the ledger makes; 2 invalid input or usage;
3 findings; 4 a mistake of this program; 130 and 141 when interrupted, or when nobody reads on.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from reckon import __version__
from reckon.language.text import echoed
from reckon.publish.files import Blocked
from reckon.publish.site import NotBuilt

from . import add, check, choose, diff, figures, fit, init, projection, reference, release, render, review, tidy, tree
from .arguments import Parser, common_options
from .output import INVALID, Declined, complain, prepare

__all__ = ["main", "parse"]

DESCRIPTION = """\
Reckons research budgets in GPU-hours from the ledgers under ledger/ and keeps the pages under docs/.
`init DIR` begins a tree with an example, and `guide` tells how all this is used."""
EXIT_CODES = """\
exit codes:
  0  all is well
  1  files under docs/ are not what the ledger makes; something differs (diff --exit-code) or is to do (tidy --check)
  2  invalid input or usage
  3  findings
  4  a mistake of this program"""
COMMANDS = (
    init.declare, reference.declare_guide, add.declare, tidy.declare, check.declare, render.declare,
    render.declare_serve, render.declare_build, figures.declare_status, figures.declare_explain, choose.declare,
    fit.declare, projection.declare, diff.declare, release.declare, review.declare, figures.declare_export,
    tree.declare, reference.declare_template, reference.declare_schema,
)  # fmt: skip

MOST_CHANGES = 1000
MISTAKEN, INTERRUPTED, UNREAD = 4, 130, 141
ENGINE = Path(__file__).resolve().parents[1]


def parse(argv: Sequence[str] | None = None) -> Namespace:
    """The options of a command line. Ends the program with code 2 and a message where they are wrong."""
    shape = RawDescriptionHelpFormatter
    parser: ArgumentParser = Parser(
        description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=shape, allow_abbrev=False
    )
    common_options(parser, Path(), False)
    parser.add_argument("--version", action="version", version=f"budget-ledger {__version__}")
    parser.set_defaults(together=None)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for declare in COMMANDS:
        declare(commands)
    options = parser.parse_args(argv)
    if options.together:
        options.together(parser, options)
    if len(getattr(options, "changes", ())) > MOST_CHANGES:
        parser.error(f"more than {MOST_CHANGES:,} changes; make them in a copy of the ledger, and name it with --root")
    return options


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
        code = _code(options)
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


def _code(options: Namespace) -> int:
    try:
        code: int = options.run(options)
    except Declined as error:
        complain(*error.lines)
        return INVALID
    return code


def _mistaken(error: Exception, whole: bool) -> int:
    """Tells an exception that no room told: one line, or all of it. Files are whole whenever it came."""
    import traceback

    if whole:
        complain(*"".join(traceback.format_exception(error)).splitlines())
        return MISTAKEN
    stack = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in stack if Path(frame.filename).is_relative_to(ENGINE)]
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
