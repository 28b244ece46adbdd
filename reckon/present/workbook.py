"""The tables of a book as bytes for other programs: a workbook of all (xlsx), or one as Parquet.

The same ledger gives the same bytes, with the same libraries: no time of writing stands in either.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import isinf
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from reckon.compute.book import Book
from reckon.language.calendar_days import moment_of
from reckon.language.lazy import regex
from reckon.language.text import Unable

from .export import TypedColumn
from .export_columns import TABLES, columns_of, frame

if TYPE_CHECKING:
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

MOST_ROWS = 1_048_575  # of a sheet, below its head
LONGEST = 32_767  # characters of a cell
FIRST_YEAR = 1901  # spreadsheets know no day before 1900, and disagree on those of that year
WIDTHS = {"string": 24, "float64": 12}
_CONTROL = regex("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold
_TIME = regex(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z")
_NO_TIME, _NO_ZIP_TIME = b"1980-01-01T00:00:00Z", (1980, 1, 1, 0, 0, 0)


class NotExported(Unable):
    """Something stands in the way of a file; the message says what, and what would help."""


def parquet(book: Book, table: str) -> bytes:
    """One of the tables as a Parquet file, its index as the first column."""
    content = io.BytesIO()
    frame(table, book).reset_index().to_parquet(content, engine="pyarrow", index=False)
    return content.getvalue()


def workbook(book: Book) -> bytes:
    """All tables as sheets of a workbook. Text stays text there, whatever it begins with. Raises NotExported."""
    from openpyxl import Workbook

    sheets = Workbook(write_only=True)
    sheets.properties.creator = "budget-ledger"
    for name in TABLES:
        columns = list(columns_of(name, book))
        length = len(columns[0].values)
        if length > MOST_ROWS:
            raise NotExported(f"a sheet holds {MOST_ROWS:,} rows, and there are {length:,} {name}; write parquet")
        _fill_sheet(sheets.create_sheet(name), columns)
    content = io.BytesIO()
    sheets.save(content)
    return _remove_times(content)


def _fill_sheet(sheet: WriteOnlyWorksheet, columns: Sequence[TypedColumn]) -> None:
    """Writes a table into an empty sheet, with a head that stays in sight."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet.freeze_panes = "B2"
    for number, column in enumerate(columns, 1):
        width = 44 if number == 1 else WIDTHS.get(column.dtype, 11)
        sheet.column_dimensions[get_column_letter(number)].width = width  # type: ignore[attr-defined]
    head = [WriteOnlyCell(sheet, value=column.name) for column in columns]
    for cell in head:
        cell.font = Font(bold=True)
    sheet.append(head)
    filled = []
    for _, dtype, values in columns:
        filled.append([_make_cell(sheet, dtype, value) for value in values])
    for row in zip(*filled, strict=True):
        sheet.append(row)


def _make_cell(sheet: WriteOnlyWorksheet, dtype: str, value: Any) -> Any:
    """A value as a sheet takes it; None is an empty cell."""
    if value is None:
        return None
    if dtype == "string":
        return _make_text_cell(sheet, value)
    if dtype == "datetime64[s]":
        return _make_day_cell(sheet, moment_of(value))
    return str(value) if isinf(value) else value


def _make_text_cell(sheet: WriteOnlyWorksheet, text: str) -> Any:
    """A text that is never read as anything else: where it could be, its cell says so, and keeps it when edited."""
    from openpyxl.cell import WriteOnlyCell

    plain = _CONTROL.sub("\ufffd", text)
    if len(plain) > LONGEST:
        plain = plain[: LONGEST - 1] + "…"
    if plain[0].isalnum():
        return plain
    cell = WriteOnlyCell(sheet, value=plain)
    cell.data_type = "s"
    cell.quotePrefix = True
    return cell


def _make_day_cell(sheet: WriteOnlyWorksheet, day: Any) -> Any:
    """A date, with its time of day if it has one; one that spreadsheets cannot count as text."""
    from openpyxl.cell import WriteOnlyCell

    timed = (day.hour, day.minute, day.second) != (0, 0, 0)
    if day.year < FIRST_YEAR:
        return day.isoformat() if timed else day.isoformat()[:10]
    cell = WriteOnlyCell(sheet, value=day)
    cell.number_format = "yyyy-mm-dd hh:mm:ss" if timed else "yyyy-mm-dd"
    return cell


def _remove_times(content: io.BytesIO) -> bytes:
    """The same workbook without the time of its writing."""
    timeless = io.BytesIO()
    with ZipFile(content) as old, ZipFile(timeless, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "docProps/core.xml":
                part = _TIME.sub(_NO_TIME, part)
            info = ZipInfo(name, _NO_ZIP_TIME)
            info.compress_type, info.create_system = ZIP_DEFLATED, 3
            new.writestr(info, part)
    return timeless.getvalue()
