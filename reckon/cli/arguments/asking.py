"""The command lines of what asks: of a figure, of where projects stand, of setups; and of all figures."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from ..choose import limit
from ..figures import BINARY, FORMATS, TABLES
from .shared import Commands, between, changes, command


def explain(commands: Commands[ArgumentParser]) -> None:
    """`explain`: one figure, or a list of figures."""
    parser = command(commands, "explain", "show how a figure comes about, down to its ledger lines")
    where = "as pixelis.budget.final; the project can be left out where it is clear"
    runs = "show the runs behind it, a page at a time"
    parser.add_argument("address", nargs="?", metavar="ADDRESS", help=where)
    parser.add_argument("--list", action="store_true", help="list all figures, or those below ADDRESS")
    parser.add_argument("--runs", action="store_true", help=runs)
    parser.add_argument("--page", type=_page, default=1, metavar="N", help="which page of the runs (default: 1)")
    changes(parser)


def status(commands: Commands[ArgumentParser]) -> None:
    """`status`: where projects stand."""
    parser = command(commands, "status", "summarise plan, actual and remaining hours")
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="only these projects, with each item and seed")
    changes(parser)


def choose(commands: Commands[ArgumentParser]) -> None:
    """`choose`: setups within limits."""
    parser = command(commands, "choose", "say which setups of GPUs qualify, ranked, and why the others do not")
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
    changes(parser)


def projection(commands: Commands[ArgumentParser]) -> None:
    """`projection`: the time and cost of work, from what was measured."""
    parser = command(commands, "projection", "say how long some work takes and what it costs, from what was measured")
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = (
        "Without a NAME it prints all. A figure without a value says which input is\n"
        "missing, and where to write it. The exit code is 2 where the projection that\n"
        "was named has no time at all for want of one: try a value with --set."
    )
    one = "as small, projections.small or arpo.small"
    where = "only this one; needed where several have a projection with that name"
    parser.add_argument("name", nargs="?", metavar="NAME", help=one)
    parser.add_argument("--project", metavar="PROJECT", help=where)
    parser.add_argument("--format", choices=("table", "json", "markdown"), default="table", help="default: table")
    changes(parser)


def export(commands: Commands[ArgumentParser]) -> None:
    """`export`: every figure, and the other tables."""
    parser = command(commands, "export", "print every figure for other programs, or write all tables into a file")
    parser.add_argument(
        "--format", choices=FORMATS, default="json", help="json (default), csv, parquet or xlsx; these two need --out"
    )
    which = "with parquet, the table that the file holds (default: figures); xlsx has a sheet for each"
    parser.add_argument("--table", choices=TABLES, help=which)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write into this file, over what is there")
    escaped = "with csv, put ' before text that a spreadsheet would take for a formula"
    parser.add_argument("--spreadsheet", action="store_true", help=escaped)
    changes(parser)


def exportable(parser: ArgumentParser, options: Namespace) -> None:
    """Refuses options of `export` that do not go together."""
    if options.format in BINARY and options.out is None:
        parser.error(f"--format {options.format} is for a file, not for a terminal: name one with --out")
    if options.table is not None and options.format != "parquet":
        parser.error("--table goes with --format parquet")
    if options.spreadsheet and options.format != "csv":
        parser.error("--spreadsheet goes with --format csv")


def _gpus(text: str) -> int:
    return between(text, 1, 10**6, "number of GPUs")


def _page(text: str) -> int:
    return between(text, 1, 10**9, "page")
