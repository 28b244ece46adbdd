"""The command line: commands, their options, and what --help says of them."""

from __future__ import annotations

import re
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

from .choosing import limit
from .fields import FLAGS, progress
from .measuring import add_arguments, unit

DESCRIPTION = "Reckons research budgets in GPU-hours from the ledgers under ledger/ and keeps the pages under docs/."
EXIT_CODES = """\
exit codes:
  0  all is well
  1  files under docs/ are not what the ledger makes
  2  invalid input or usage
  3  findings"""

MOST_CHANGES = 1000

Commands = _SubParsersAction  # the type that argparse keeps to itself


def parse(argv: Sequence[str] | None = None) -> Namespace:
    """The options of a command line. Ends the program with code 2 and a message where they are wrong."""
    shape = RawDescriptionHelpFormatter
    parser = ArgumentParser(description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=shape, allow_abbrev=False)
    _root(parser, Path())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (_add, _render, _check, _explain, _status, _choose, _export, _schema, _build, _serve):
        add(commands)
    options = parser.parse_args(argv)
    if options.command == "add":
        _one_project(parser, options)
    if options.command == "render" and options.diff and not options.check:
        parser.error("--diff goes with --check")
    if len(getattr(options, "changes", ())) > MOST_CHANGES:
        parser.error(f"more than {MOST_CHANGES:,} changes; make them in a copy of the ledger, and name it with --root")
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


def _add(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "add", "add runs and measurements to the ledger")
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    _add_run(_command(kinds, "run", "add one run, and show what it did to the budget"))
    _add_runs(_command(kinds, "runs", "add the runs of a CSV file, all of them or none"))
    _add_measurement(_command(kinds, "measurement", "add a measurement out of a file of requests or steps"))


def _project_and_file(parser: ArgumentParser) -> None:
    one = "the project; needed where there are several"
    file = "the file under runs/ (default: the month of each run, as 2025-09.yaml)"
    parser.add_argument("name", nargs="?", metavar="PROJECT", help=one)
    parser.add_argument("--project", metavar="PROJECT", help="the same")
    parser.add_argument("--file", type=_file, metavar="NAME", help=file)


def _add_run(parser: ArgumentParser) -> None:
    parser.epilog = "On a terminal it asks for what is missing; in a pipe it says what that is."
    _project_and_file(parser)
    for name, (metavar, text) in FLAGS.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "unplanned":
            parser.add_argument(flag, dest="field_unplanned", action="store_const", const="true", help=text)
        else:
            kind = progress if name == "progress" else str
            parser.add_argument(flag, dest=f"field_{name}", type=kind, metavar=metavar, help=text)


def _add_runs(parser: ArgumentParser) -> None:
    parser.epilog = "Rows whose job is in the ledger already are skipped."
    parser.add_argument("table", type=Path, metavar="FILE.csv", help="a row for each run, with a line of names above")
    _project_and_file(parser)
    text = "the field that a column holds, where its name is another; `COLUMN=` leaves it out"
    parser.add_argument("--map", nargs="+", action="extend", type=_pair, default=[], metavar="COLUMN=FIELD", help=text)


def _add_measurement(parser: ArgumentParser) -> None:
    add_arguments(parser)
    text = "what a column is called in the record, where its name is another; `COLUMN=` leaves it out"
    parser.add_argument("--map", nargs="+", action="extend", type=_pair, default=[], metavar="COLUMN=NAME", help=text)
    text = "the unit of a column whose name does not carry one, as latency=ms; 1 for a bare number"
    parser.add_argument("--unit", nargs="+", action="extend", type=unit, default=[], metavar="COLUMN=UNIT", help=text)


def _one_project(parser: ArgumentParser, options: Namespace) -> None:
    if options.project and options.name and options.project != options.name:
        parser.error(f"two projects are named: {options.name} and {options.project}")
    options.project = options.project or options.name


def _file(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}(\.yaml)?", text):
        raise ArgumentTypeError(f"{text!r} is no name of a file under runs/; write one such as 2025-09.yaml")
    return text.removesuffix(".yaml") + ".yaml"


def _pair(text: str) -> tuple[str, str]:
    column, equals, name = text.rpartition("=")
    if not equals or not column:
        raise ArgumentTypeError(f"{text!r} is no mapping; write COLUMN=FIELD, as in JobID=job")
    return column.strip(), name.strip()


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


def _changes(parser: ArgumentParser) -> None:
    text = "reckon as if the ledger said so, as pixelis.seeds=5; can be given again; nothing is written"
    parser.add_argument(
        "--set", dest="changes", action="append", type=_change, default=[], metavar="ADDRESS=VALUE", help=text
    )


def _change(text: str) -> tuple[str, str]:
    address, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not address:
        raise ArgumentTypeError(f"{text[:60]!r} is no change; write ADDRESS=VALUE, as in pixelis.seeds=5")
    return address, value


def _explain(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "explain", "show how a figure comes about, down to its ledger lines")
    where = "as pixelis.budget.final; the project can be left out where it is clear"
    runs = "show the runs behind it, a page at a time"
    parser.add_argument("address", nargs="?", metavar="ADDRESS", help=where)
    parser.add_argument("--list", action="store_true", help="list all figures, or those below ADDRESS")
    parser.add_argument("--runs", action="store_true", help=runs)
    parser.add_argument("--page", type=_page, default=1, metavar="N", help="which page of the runs (default: 1)")
    _changes(parser)


def _status(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "status", "summarise plan, actual and remaining hours")
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="only these projects, with each item and seed")
    _changes(parser)


def _choose(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "choose", "say which setups of GPUs qualify, ranked, and why the others do not")
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = (
        "What no other dominates comes first: by cost and the worth of the hours with\n"
        "--hour-value, by time with --budget alone, else by cost. A limit that is not given\n"
        "is that of setups.yaml; `none` lifts it. The exit code is 0 also where no setup\n"
        "qualifies: that is an answer."
    )
    only = "prices of this provider only: its lists that the project names, or else all of the catalogue"
    one = "the project; needed where several have setups"
    parser.add_argument("project", nargs="?", metavar="PROJECT", help=one)
    parser.add_argument("--setups", metavar="NAME", help="which of its setups (default: the first of setups.yaml)")
    parser.add_argument("--deadline", type=limit("hours"), metavar="H", help="the most hours it may take: 8, '2 d'")
    parser.add_argument("--budget", type=limit("usd"), metavar="USD", help="the most it may cost: 20")
    parser.add_argument("--gpu", nargs="+", action="extend", default=[], metavar="CARD", help="only these cards")
    parser.add_argument("--max-gpus", type=_gpus, metavar="N", help="the most GPUs of a setup")
    parser.add_argument(
        "--hour-value", type=limit("usd_per_hour"), metavar="USD", help="what an hour of waiting is worth"
    )
    parser.add_argument("--provider", metavar="ID", help=only)
    parser.add_argument("--format", choices=("table", "json", "markdown"), default="table", help="default: table")
    _changes(parser)


def _export(commands: Commands[ArgumentParser]) -> None:
    parser = _command(commands, "export", "print every figure for other programs")
    parser.add_argument("--format", choices=("json", "csv"), default="json", help="json (default) or csv")
    _changes(parser)


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


def _gpus(text: str) -> int:
    return _between(text, 1, 10**6, "number of GPUs")


def _page(text: str) -> int:
    return _between(text, 1, 10**9, "page")


def _between(text: str, least: int, most: int, what: str) -> int:
    """A whole number, or argparse's complaint that it is none."""
    if not text.isdecimal() or not least <= int(text[:12]) <= most:
        raise ArgumentTypeError(f"{text!r} is no {what}; write a whole number from {least} to {most}")
    return int(text)
