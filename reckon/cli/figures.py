"""`status`, `explain` and `export`: figures, for people and for other programs."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from reckon.present import export as exporting
from reckon.present import workbook
from reckon.present.export_columns import TABLES, columns_of
from reckon.present.terminal.lines import list_changes
from reckon.present.terminal.messages import NO_PROJECTS

from .arguments import Parser, between, set_option
from .books import ask_for_projects, changed
from .output import CommandError, ask_for_libraries, replace_file, say, write_text

BINARY = {"parquet": "pyarrow", "xlsx": "openpyxl"}
"""The formats that need a library, with its name."""
FORMATS = ("json", "csv", *BINARY)


def declare_status(parser: Parser) -> None:
    """The command line of `status`."""
    parser.does(status)
    parser.option("projects", "PROJECT", "show only these projects", nargs="*")
    parser.flag("--items", "show items and seeds too, and all else that the status page says")
    set_option(parser)


def status(options: Namespace) -> None:
    """Prints where the projects stand."""
    from reckon.present.terminal import summary  # `explain` and `export` do without

    book = changed(options)
    ask_for_projects(options.projects, book)
    say(list_changes(book))
    if not book.projects:
        say([NO_PROJECTS])
    say(summary.status(book, options.projects, options.items), graded=True)


def declare_explain(parser: Parser) -> None:
    """The command line of `explain`."""
    parser.does(explain, _explainable)
    parser.option("address", "ADDRESS", "figure to explain, such as pixelis.budget.final", nargs="?")
    parser.flag("--list", "list all figures, or the figures below ADDRESS")
    parser.flag("--runs", "show the runs behind it, page by page")
    parser.option("--page", "N", "page of runs to show (default: 1)", type=between(1, 10**9, "page"), default=1)
    set_option(parser)


def _explainable(parser: Parser, options: Namespace) -> None:
    if not options.address and not options.list:
        parser.error("give an ADDRESS, or --list")


def explain(options: Namespace) -> None:
    """Prints the derivation of a figure, or the list of figures."""
    from reckon.present.terminal import derivation  # `status` and `export` do without

    book = changed(options)
    if options.list:
        lines = derivation.listing(book, options.address or "")
    else:
        found = derivation.resolve(book, options.address)
        if isinstance(found, str):
            raise CommandError(found)
        lines = derivation.explain(book, found, options.page if options.runs else 0)
    say(list_changes(book))
    say(lines)


def declare_export(parser: Parser) -> None:
    """The command line of `export`."""
    parser.does(export, _exportable)
    parser.add_argument(
        "--format", choices=FORMATS, default="json", help="output format (default: json); parquet and xlsx need --out"
    )
    parser.add_argument(
        "--table",
        choices=tuple(TABLES),
        help="table to write as parquet or csv (default: figures)",
    )
    parser.option("--out", "FILE", "write to this file, replacing it", type=Path)
    parser.flag("--spreadsheet", "with csv: put ' before formula-like text")
    set_option(parser)


def _exportable(parser: Parser, options: Namespace) -> None:
    """Refuses options of `export` that do not go together."""
    if options.format in BINARY and not options.out:
        parser.error(f"--format {options.format} needs a file; name one with --out")
    if options.table and options.format not in ("parquet", "csv"):
        parser.error("--table needs --format parquet or csv")
    if options.spreadsheet and options.format != "csv":
        parser.error("--spreadsheet needs --format csv")


def export(options: Namespace) -> None:
    """Prints every figure as JSON or CSV, or writes tables into a file, where one is named."""
    if options.out:
        replace_file(options.out, lambda: _exported(options))
    else:
        write_text(str(_exported(options)))


def _exported(options: Namespace) -> str | bytes:
    """What is exported. Raises CommandError where a library is missing, or anything is wrong with the ledger."""
    if library := BINARY.get(options.format):
        ask_for_libraries(library)
    book = changed(options)
    if options.format == "xlsx":
        return workbook.workbook(book)
    if options.format == "parquet":
        return workbook.parquet(book, options.table or "figures")
    if options.table:
        return exporting.write_table_csv(columns_of(options.table, book), options.spreadsheet)
    return exporting.export(book, options.format, options.spreadsheet)
