"""`status`, `explain` and `export`: figures, for people and for other programs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.present.render.escape import terminal as plain
from reckon.publish.files import write_whole

from .arguments import Commands, between, command, set_option
from .books import ask_for_projects, changed
from .output import FINE, Declined, put, say

if TYPE_CHECKING:
    from reckon.compute.book import Book

BINARY = ("parquet", "xlsx")
FORMATS = ("json", "csv", *BINARY)
TABLES = ("figures", "runs", "plan", "findings", "projects")


def declare_status(commands: Commands) -> None:
    """The command line of `status`."""
    parser = command(commands, "status", "summarise plan, actual and remaining hours", status)
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="only these projects, with each item and seed")
    set_option(parser)


def status(options: Namespace) -> int:
    """Prints where the projects stand."""
    from reckon.present import terminal

    book = changed(options)
    ask_for_projects(options.projects, book)
    say(terminal.changes(book.ledger))
    say([] if book.ledger.projects else [terminal.NO_PROJECTS])
    for number, name in enumerate(options.projects or book.ledger.projects):
        say([""] if number else [])
        say(terminal.status(book, name, detail=bool(options.projects)))
    if grants := list(terminal.shared(book, tuple(options.projects))):
        say(["", *grants])
    return FINE


def declare_explain(commands: Commands) -> None:
    """The command line of `explain`."""
    text = "show how a figure comes about, down to its ledger lines"
    parser = command(commands, "explain", text, explain, _explainable)
    where = "as pixelis.budget.final; the project can be left out where it is clear"
    parser.add_argument("address", nargs="?", metavar="ADDRESS", help=where)
    parser.add_argument("--list", action="store_true", help="list all figures, or those below ADDRESS")
    parser.add_argument("--runs", action="store_true", help="show the runs behind it, a page at a time")
    page = between(1, 10**9, "page")
    parser.add_argument("--page", type=page, default=1, metavar="N", help="which page of the runs (default: 1)")
    set_option(parser)


def _explainable(parser: ArgumentParser, options: Namespace) -> None:
    if not options.address and not options.list:
        parser.error("explain needs an ADDRESS, or --list")


def explain(options: Namespace) -> int:
    """Prints the derivation of a figure, or the list of figures."""
    from reckon.present import terminal

    book = changed(options)
    if options.list:
        say(terminal.changes(book.ledger))
        say(terminal.listing(book, options.address or ""))
        return FINE
    found = terminal.resolve(book, options.address)
    if isinstance(found, str):
        raise Declined(found)
    say(terminal.changes(book.ledger))
    say(terminal.explain(book, found, options.page if options.runs else 0))
    return FINE


def declare_export(commands: Commands) -> None:
    """The command line of `export`."""
    text = "print every figure for other programs, or write all tables into a file"
    parser = command(commands, "export", text, export, _exportable)
    formats = "json (default), csv, parquet or xlsx; these two need --out"
    parser.add_argument("--format", choices=FORMATS, default="json", help=formats)
    which = "with parquet, the table that the file holds (default: figures); xlsx has a sheet for each"
    parser.add_argument("--table", choices=TABLES, help=which)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write into this file, over what is there")
    escaped = "with csv, put ' before text that a spreadsheet would take for a formula"
    parser.add_argument("--spreadsheet", action="store_true", help=escaped)
    set_option(parser)


def _exportable(parser: ArgumentParser, options: Namespace) -> None:
    """Refuses options of `export` that do not go together."""
    if options.format in BINARY and options.out is None:
        parser.error(f"--format {options.format} is for a file, not for a terminal: name one with --out")
    if options.table is not None and options.format != "parquet":
        parser.error("--table goes with --format parquet")
    if options.spreadsheet and options.format != "csv":
        parser.error("--spreadsheet goes with --format csv")


def export(options: Namespace) -> int:
    """Prints every figure as JSON or CSV, or writes tables into a file, where one is named."""
    from reckon.present.workbook import NotExported

    out: Path | None = options.out
    if out is not None and out.exists() and not out.is_file():
        raise Declined(f"{echoed(out, 200)} is no file that can be written over; name another one")
    book = changed(options)
    if out is None:
        put(_text(book, options))
        return FINE
    try:
        write_whole(out, _binary(book, options) if options.format in BINARY else _text(book, options))
    except NotExported as error:
        raise Declined(str(error)) from None
    say([f"wrote {plain(echoed(out, 200))}"])
    return FINE


def _text(book: Book, options: Namespace) -> str:
    from reckon.present.export import export as exported

    return exported(book, options.format, options.spreadsheet)


def _binary(book: Book, options: Namespace) -> bytes:
    from reckon.present.workbook import parquet, workbook

    return workbook(book) if options.format == "xlsx" else parquet(book, options.table or "figures")
