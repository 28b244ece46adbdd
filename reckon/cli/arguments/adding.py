"""The command lines of `add` and `tidy`."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from reckon.language.text import echoed

from ..fields import FLAGS, MEASURED, progress
from .shared import Commands, command


def add(commands: Commands[ArgumentParser]) -> None:
    """`add`: one run, the runs of a table, or a measurement."""
    parser = command(commands, "add", "add runs and measurements to the ledger")
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    _add_run(command(kinds, "run", "add one run, and show what it did to the budget"))
    _add_runs(command(kinds, "runs", "add the runs of a CSV file, all of them or none"))
    _add_measurement(command(kinds, "measurement", "add a measurement out of a file of requests or steps"))


def tidy(commands: Commands[ArgumentParser]) -> None:
    """`tidy`: entries of their own into the files of their months."""
    parser = command(commands, "tidy", "fold runs that stand in files of their own into the files of their months")
    parser.epilog = "Nothing is lost: comments go along, and what cannot be carried over is left where it is, and said."
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="fold only theirs")
    text = "write nothing; say what would be folded (exit code 1)"
    parser.add_argument("--check", action="store_true", help=text)


def _add_run(parser: ArgumentParser) -> None:
    parser.epilog = "On a terminal it asks for what is missing; in a pipe it says what that is."
    _project_and_file(parser, "one of its own, which `tidy` folds into that of the month")
    form = "take all fields from a form: the file of an event of GitHub's, or `variables` for RUN_ITEM … around it"
    parser.add_argument("--form", metavar="FORM", help=form)
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
    _project_and_file(parser, "the month of each run, as 2025-09.yaml")
    text = "the field that a column holds, where its name is another; `COLUMN=` leaves it out"
    parser.add_argument("--map", nargs="+", action="extend", type=_pair, default=[], metavar="COLUMN=FIELD", help=text)


def _add_measurement(parser: ArgumentParser) -> None:
    parser.epilog = "Nothing is guessed: a column without a unit, or with a text in it, is refused with its place."
    parser.add_argument("table", type=Path, metavar="FILE", help="FILE.csv, a row for each request; or FILE.json")
    _project(parser)
    parser.add_argument("--id", metavar="ID", help="the id of the measurement, as cpu-requests")
    for name, (metavar, text) in MEASURED.items():
        parser.add_argument(f"--{name}", dest=f"field_{name}", metavar=metavar, help=text)
    text = "columns whose sum is the whole of a row"
    parser.add_argument("--total", nargs="+", action="extend", metavar="COLUMN", help=text)
    text = "what a column is called in the record, where its name is another; `COLUMN=` leaves it out"
    parser.add_argument("--map", nargs="+", action="extend", type=_pair, default=[], metavar="COLUMN=NAME", help=text)
    text = "the unit of a column whose name does not carry one, as latency=ms; 1 for a bare number"
    parser.add_argument("--unit", nargs="+", action="extend", type=_unit, default=[], metavar="COLUMN=UNIT", help=text)


def _project(parser: ArgumentParser) -> None:
    one = "the project; needed where there are several"
    parser.add_argument("name", nargs="?", metavar="PROJECT", help=one)
    parser.add_argument("--project", metavar="PROJECT", help="the same")


def _project_and_file(parser: ArgumentParser, default: str) -> None:
    _project(parser)
    parser.add_argument("--file", type=_file, metavar="NAME", help=f"the file under runs/ (default: {default})")


def one_project(parser: ArgumentParser, options: Namespace) -> None:
    """Settles on one project, however it was named; an error where two were."""
    if options.project and options.name and options.project != options.name:
        parser.error(f"two projects are named: {echoed(options.name)} and {echoed(options.project)}")
    options.project = options.project or options.name


def _file(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}(\.yaml)?", text):
        raise ArgumentTypeError(f"{echoed(text)!r} is no name of a file under runs/; write one such as 2025-09.yaml")
    return text.removesuffix(".yaml") + ".yaml"


def _pair(text: str) -> tuple[str, str]:
    column, equals, name = text.rpartition("=")
    if not equals or not column:
        raise ArgumentTypeError(f"{echoed(text)!r} is no mapping; write COLUMN=FIELD, as in JobID=job")
    return column.strip(), name.strip()


def _unit(text: str) -> tuple[str, str]:
    column, equals, unit = (part.strip() for part in text.rpartition("="))
    if not column or not equals or not unit:
        raise ArgumentTypeError(f"{echoed(text)!r} gives no unit; write COLUMN=UNIT, as in latency=ms")
    return column, unit
