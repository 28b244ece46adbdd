"""The command line: it alone sees all other rooms, and imports them when a command needs them.

Each command has a module, which declares what it takes and does it; it is imported once that command is used.

Exit codes: 0 success; 1 files under docs/ (or schemas) are not what the ledger makes; 2 invalid input or usage;
3 findings; 4 a mistake of this program; 130 and 141 when interrupted, or when nobody reads on.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from reckon import __version__
from reckon.encoding import prepare
from reckon.extras import install
from reckon.language.text import Unable, echoed
from reckon.publish.files import Blocked
from reckon.user_cache import Aids

from .arguments import Parser, command, common_options
from .output import FINE, INVALID, CommandError, complain, no_such, refused

__all__ = ["main", "parse"]

DESCRIPTION = """\
Plan, record and forecast GPU-hours. Ledgers in ledger/, pages in docs/.
New here?  budget init my-budgets   or   budget guide start"""
HELP = """\
Daily
  add          add runs or measurements
  log          run a command and record it
  update       change a recorded run
  import       import runs from a scheduler, tracker, bill or table
  can-i        check whether a run fits the limits before you submit it
  status       show what is left, the forecast and the risks
  explain      show how a figure was calculated
  check        list problems and findings
  cover        compare a document with the ledger
  serve        preview the site while you edit

Planning
  choose       rank GPU setups by cost, time and deadline
  fit          check whether a job fits each GPU's memory
  projection   predict time and cost from measurements
  propose      draft, list or adopt changes to a plan
  diff         show which inputs changed and what that moved

Publishing
  render       write the pages
  build        build the site
  review       write a pull-request comment
  digest       summarise risks and changes since a date
  release      freeze a version
  close        freeze the charges of a month, quarter or year
  application  write a request for hours, as text or PDF
  export       export figures, runs and findings (JSON, CSV, Excel, Parquet)

Other
  init         create a budget repository with CI
  guide        show the guide
  why          explain the code of a problem or finding
  completion   print a script that completes commands in your shell
  tidy         merge single-run files into monthly files
  migrate      update the ledger to the current format
  tree         show how this repository is set up
  template     list or print page templates
  schema       write JSON Schemas for your editor
"""
"""The commands in the order of --help, with the line of help of each."""
EXIT_CODES = """\
exit codes:
  0  success
  1  pages are out of date, something differs (diff --exit-code), or work is left (tidy and migrate --check)
  2  invalid input or usage
  3  findings: errors, or what `check --fail-on` names
  4  internal error"""
COMMANDS = {
    "init": "init",
    "guide": "reference",
    "why": "reference",
    "completion": "completion",
    "add": "add",
    "log": "log",
    "update": "update",
    "import": "import_runs",
    "tidy": "tidy",
    "migrate": "migrate",
    "check": "check",
    "cover": "cover",
    "can-i": "can_i",
    "render": "render",
    "serve": "render",
    "build": "render",
    "status": "figures",
    "explain": "figures",
    "choose": "choose",
    "fit": "fit",
    "projection": "projection",
    "diff": "diff",
    "propose": "propose",
    "close": "close",
    "release": "release",
    "application": "paper",
    "review": "review",
    "digest": "digest",
    "export": "figures",
    "tree": "tree",
    "template": "reference",
    "schema": "reference",
}
"""The module of each command, whose `declare_NAME` says what it takes."""

MOST_CHANGES = 1000
MISTAKEN, INTERRUPTED, UNREAD = 4, 130, 141
ENGINE = Path(__file__).resolve().parents[1]


def parse(words: Sequence[str], aids: Aids | None = None) -> Namespace:
    """The options of a command line, with the `aids` of the command. Ends the program with code 2 and a message where
    they are wrong."""
    asked = _find_command(words)
    parser = declare(asked)
    if asked and asked not in COMMANDS and not asked.startswith("-"):
        parser.error(no_such("command", asked, COMMANDS, "--help lists them"))
    end = words.index("--") if asked == "log" and "--" in words else len(words)  # argparse would read its command
    options: Namespace
    options, beside = parser.parse_known_args(words[:end], Namespace(aids=aids, behind=words[end + 1 :]))
    if beside and hasattr(options, "words") and not any(word.startswith("-") for word in beside):
        options.words, beside = [*options.words, *beside], []  # argparse ends a list of words at the first option
    if beside:
        parser.error(f"unrecognized arguments: {' '.join(beside)}")
    if options.together:
        options.together(parser, options)
    if len(getattr(options, "changes", ())) > MOST_CHANGES:
        parser.error(f"more than {MOST_CHANGES:,} changes; edit a copy of the ledger and name it with --root")
    return options


def declare(asked: str = "") -> Parser:
    """The command line: with the command that is asked for, or with all of them where there is none such."""
    parser = Parser(
        description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False
    )
    common_options(parser, Path(), False)
    parser.add_argument("--version", action="version", version=f"budget-ledger {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        description=HELP,
        dest="command",
        metavar="COMMAND",
        required=True,
        prog=parser.prog,
        help="show its options with `budget COMMAND --help`",
    )
    for name, text in re.findall(r"^  ([\w-]+) +(.*)", HELP, re.MULTILINE):
        if asked not in COMMANDS or name == asked:
            command(commands, name, text, _later(COMMANDS[name], name), is_listed=True)
    return parser


def _find_command(words: Sequence[str]) -> str:
    """The command that is asked for, behind options that say nothing of others; empty where that is not so plain."""
    rest = list(words)
    while rest and rest[0].partition("=")[0] in ("--root", "--no-cache", "--traceback"):
        rest = rest[2 if rest[0] == "--root" else 1 :]
    return rest[0] if rest else ""


def _later(module: str, name: str) -> Callable[[Parser], None]:
    """What declares a command once it is used."""
    return lambda parser: getattr(import_module(f"{__package__}.{module}"), f"declare_{name.replace('-', '_')}")(parser)


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
        f"internal error, not a mistake in your ledger: {what}{at}; "
        "check whether anything was written, and report the output of --traceback"
    )
    return MISTAKEN


def _not_installed(error: ModuleNotFoundError) -> int:
    library = (error.name or "").partition(".")[0]
    if library in ("", "reckon"):
        raise error
    complain(f"the package {library} is needed and not installed; to get it: {install(library)}")
    return INVALID


def _stop_writing() -> None:
    """Sends what is still unwritten nowhere, so that the interpreter does not fail on it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        return
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
