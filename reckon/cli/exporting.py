"""`export`: figures and other tables for other programs, printed or written into a file."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.present.render.escape import terminal
from reckon.publish.files import write_whole

from .commands import FINE, INVALID, changed
from .output import complain, put, say

if TYPE_CHECKING:
    from reckon.compute.book import Book

BINARY = ("parquet", "xlsx")
FORMATS = ("json", "csv", *BINARY)
TABLES = ("figures", "runs", "plan", "findings", "projects")


def export(options: Namespace) -> int:
    """Prints every figure as JSON or CSV, or writes tables into a file, where one is named."""
    from reckon.present.workbook import NotExported

    out: Path | None = options.out
    if out is not None and out.exists() and not out.is_file():
        complain(f"{echoed(out, 200)} is no file that can be written over; name another one")
        return INVALID
    book = changed(options)
    if book is None:
        return INVALID
    if out is None:
        put(_text(book, options))
        return FINE
    try:
        write_whole(out, _binary(book, options) if options.format in BINARY else _text(book, options))
    except NotExported as error:
        complain(str(error))
        return INVALID
    say([f"wrote {terminal(echoed(out, 200))}"])
    return FINE


def _text(book: Book, options: Namespace) -> str:
    from reckon.present.export import export as exported

    return exported(book, options.format, options.spreadsheet)


def _binary(book: Book, options: Namespace) -> bytes:
    from reckon.present.workbook import parquet, workbook

    return workbook(book) if options.format == "xlsx" else parquet(book, options.table or "figures")
