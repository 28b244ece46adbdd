"""The command line: commands, their options, and what --help says of them."""

from __future__ import annotations

from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from collections.abc import Sequence
from pathlib import Path

DESCRIPTION = "Reckons research budgets in GPU-hours from the ledgers under ledger/ and keeps the pages under docs/."
EXIT_CODES = """\
exit codes:
  0  all is well
  1  files under docs/ are not what the ledger makes
  2  invalid input or usage
  3  findings"""

Commands = _SubParsersAction  # the type that argparse keeps to itself


def parse(argv: Sequence[str] | None = None) -> Namespace:
    """The options of a command line. Ends the program with code 2 and a message where they are wrong."""
    shape = RawDescriptionHelpFormatter
    parser = ArgumentParser(description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=shape, allow_abbrev=False)
    _root(parser, Path())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (_render, _check, _explain, _status, _export, _schema, _build, _serve):
        add(commands)
    options = parser.parse_args(argv)
    if options.command == "render" and options.diff and not options.check:
        parser.error("--diff goes with --check")
    if options.command == "explain" and not options.address and not options.list:
        parser.error("explain needs an ADDRESS, or --list")
    return options


def _root(parser: ArgumentParser, default: object) -> None:
    text = "the tree with ledger/ and docs/ (default: the current folder)"
    parser.add_argument("--root", type=Path, metavar="DIR", default=default, help=text)


def _command(commands: Commands[ArgumentParser], name: str, text: str) -> ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
    # Named after the command too; without a default, so that it does not undo a --root named before.
    _root(parser, SUPPRESS)
    return parser


def _render(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "render", "write the pages that the ledger makes")
    parser.add_argument(
        "projects", nargs="*", metavar="PROJECT", help="write only their pages, and those that are shared"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; say which files are stale (exit code 1)")
    parser.add_argument("--diff", action="store_true", help="with --check: show how they differ")


def _check(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "check", "tell all problems and findings of the ledger")
    forms, grades = ("text", "json", "github"), ("error", "warning", "never")
    parser.add_argument("--format", choices=forms, default="text", help="github: annotations for a check in CI")
    parser.add_argument("--fail-on", choices=grades, default="error", help="the severity from which the exit code is 3")


def _explain(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "explain", "show how a figure comes about, down to its ledger lines")
    where = "as pixelis.budget.final; the project can be left out where it is clear"
    runs = "show the runs behind it, a page at a time"
    parser.add_argument("address", nargs="?", metavar="ADDRESS", help=where)
    parser.add_argument("--list", action="store_true", help="list all figures, or those below ADDRESS")
    parser.add_argument("--runs", action="store_true", help=runs)
    parser.add_argument("--page", type=_page, default=1, metavar="N", help="which page of the runs (default: 1)")


def _status(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "status", "summarise plan, actual and remaining hours")
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="only these projects")


def _export(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "export", "print every figure for other programs")
    parser.add_argument("--format", choices=("json", "csv"), default="json", help="json (default) or csv")


def _schema(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "schema", "write the JSON Schemas that editors use, to ledger/.schema/")
    parser.add_argument("--check", action="store_true", help="write nothing; say which are stale (exit code 1)")


def _build(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "build", "build the site from the pages under docs/")
    parser.add_argument("--site-dir", type=Path, metavar="DIR", help="where to (default: site/ in the tree)")


def _serve(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "serve", "show the site here; render again when a ledger or template changes")
    parser.add_argument("--port", type=_port, default=8000, metavar="PORT", help="default: 8000")


def _port(text: str) -> int:
    return _between(text, 1, 65535, "port")


def _page(text: str) -> int:
    return _between(text, 1, 10**9, "page")


def _between(text: str, least: int, most: int, what: str) -> int:
    """A whole number, or argparse's complaint that it is none."""
    if not text.isdecimal() or not least <= int(text[:12]) <= most:
        raise ArgumentTypeError(f"{text!r} is no {what}; write a whole number from {least} to {most}")
    return int(text)
