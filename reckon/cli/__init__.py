"""The command line: it alone sees all other rooms, and imports them when a command needs them.

Each command has a module, which declares what it takes and does it; it is imported once that command is used.

Exit codes: 0 all is well; 1 files under docs/ (or schemas) are not what the ledger makes; 2 invalid input or usage;
3 findings; 4 a mistake of this program; 130 and 141 when interrupted, or when nobody reads on.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from reckon import __version__
from reckon.encoding import prepare
from reckon.language.text import Unable, echoed
from reckon.publish.files import Blocked
from reckon.user_cache import Aids

from .arguments import Parser, command, common_options
from .output import FINE, INVALID, CommandError, complain, refused

__all__ = ["main", "parse"]

DESCRIPTION = """\
Calculates research budgets in GPU-hours from the ledgers under ledger/ and keeps the pages under docs/.
`init DIR` begins a tree with an example, and `guide` tells how all this is used."""
EXIT_CODES = """\
exit codes:
  0  all is well
  1  files under docs/ are not what the ledger makes; something differs (diff --exit-code) or is to do (--check of
     tidy and migrate)
  2  invalid input or usage
  3  findings: errors, or as `check --fail-on` says
  4  a mistake of this program"""
COMMANDS = {
    "init": ("init", "write a small tree of your own: ledger, pages, CI files"),
    "guide": ("reference", "list the pages of the guide, or print one"),
    "add": ("add", "add runs and measurements to the ledger"),
    "update": ("update", "change a run that is in the ledger"),
    "import": ("import_runs", "take in runs from the export of a scheduler, a tracker or a table"),
    "tidy": ("tidy", "fold runs that stand in files of their own into the files of their months"),
    "migrate": ("migrate", "bring a ledger of an older format up to that of today"),
    "check": ("check", "list problems and findings of the ledger"),
    "render": ("render", "write the pages that the ledger makes"),
    "serve": ("render", "show the site here, made again when a ledger or template changes"),
    "build": ("render", "render the pages aside, and build the site of them"),
    "status": ("figures", "summarise planned, actual and left hours, dates and risks"),
    "explain": ("figures", "show how a figure comes about, down to its ledger lines"),
    "choose": ("choose", "say which setups of GPUs qualify, ranked, and why the others do not"),
    "fit": ("fit", "say whether a configuration fits into the memory of each card"),
    "projection": ("projection", "say how long some work takes and what it costs, from what was measured"),
    "diff": ("diff", "say which inputs changed, which figures moved because of them, and by how much"),
    "propose": ("propose", "list, draft or adopt what is proposed for a plan and not decided"),
    "close": ("close", "freeze what allocations were charged in a period; what is learned later adjusts it"),
    "release": ("release", "freeze a version of a project: its pages, its ledger and its figures"),
    "application": ("paper", "say what a project asks a computing centre for, in its unit, as lines or as a PDF"),
    "review": ("review", "tell a reviewer in markdown what is wrong, what is stale and what moved"),
    "digest": ("digest", "say in short what changed since a revision, and what is at risk"),
    "export": ("figures", "print every figure for other programs, or write all tables into a file"),
    "tree": ("tree", "say how this tree is kept: who renders its pages, and where it lies"),
    "template": ("reference", "list the templates of the pages, or print one to begin your own with"),
    "schema": ("reference", "write the JSON Schemas that editors use, to ledger/.schema/"),
}
"""The commands in the order of --help: the module of each, whose `declare_NAME` says what it takes, and its help."""

MOST_CHANGES = 1000
MISTAKEN, INTERRUPTED, UNREAD = 4, 130, 141
ENGINE = Path(__file__).resolve().parents[1]


def parse(argv: Sequence[str] | None = None, aids: Aids | None = None) -> Namespace:
    """The options of a command line, with the `aids` of the command. Ends the program with code 2 and a message where
    they are wrong."""
    parser = Parser(
        description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
    )
    common_options(parser, Path(), False)
    parser.add_argument("--version", action="version", version=f"budget-ledger {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, prog=parser.prog)
    asked = _find_command(sys.argv[1:] if argv is None else argv)
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        module, text = COMMANDS[name]
        command(commands, name, text, _later(module, name))
    options: Namespace
    options, beside = parser.parse_known_args(argv, Namespace(aids=aids))
    if beside and hasattr(options, "words") and not any(word.startswith("-") for word in beside):
        options.words, beside = [*options.words, *beside], []  # argparse ends a list of words at the first option
    if beside:
        parser.error(f"unrecognized arguments: {' '.join(beside)}")
    if options.together:
        options.together(parser, options)
    if len(getattr(options, "changes", ())) > MOST_CHANGES:
        parser.error(f"more than {MOST_CHANGES:,} changes; make them in a copy of the ledger, and name it with --root")
    return options


def _find_command(words: Sequence[str]) -> str:
    """The command that is asked for, behind options that say nothing of others; empty where that is not so plain."""
    rest = list(words)
    while rest and rest[0].partition("=")[0] in ("--root", "--no-cache", "--traceback"):
        rest = rest[2 if rest[0] == "--root" else 1 :]
    return rest[0] if rest else ""


def _later(module: str, name: str) -> Callable[[Parser], None]:
    """What declares a command once it is used."""
    return lambda parser: getattr(import_module(f"{__package__}.{module}"), f"declare_{name}")(parser)


def main(argv: Sequence[str] | None = None, aids: Aids | None = None) -> int:
    """Runs one command and gives its exit code. What is wrong with input or machine is said in plain lines. A command
    that is a process of its own has `aids`."""
    words = sys.argv[1:] if argv is None else argv
    prepare()
    try:
        return _run(words, aids)
    except Exception as error:
        _stop_writing()
        return _mistaken(error, "--traceback" in words)


def _run(words: Sequence[str], aids: Aids | None) -> int:
    try:
        options = parse(words, aids)
        try:
            code = options.run(options) or FINE
        except Blocked as why:
            code = refused(why)
        except Unable as why:
            code = refused(CommandError(str(why)))
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
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(ENGINE)
    ]
    at = f" ({Path(frames[-1].filename).relative_to(ENGINE.parent).as_posix()}:{frames[-1].lineno})" if frames else ""
    what = echoed(" ".join(f"{type(error).__name__}: {error}".split()), 200)
    complain(
        f"this is a mistake of the program, not of your ledger: {what}{at}; "
        "look whether anything was written, and report what it says with --traceback"
    )
    return MISTAKEN


def _not_installed(error: ModuleNotFoundError) -> int:
    library = (error.name or "").partition(".")[0]
    if library in ("", "reckon"):
        raise error
    complain(
        f"not everything that this needs is installed ({library} is missing); "
        "`make site` sets everything up, or: python -m pip install -r requirements.txt"
    )
    return INVALID


def _stop_writing() -> None:
    """Sends what is still unwritten nowhere, so that the interpreter does not fail on it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
