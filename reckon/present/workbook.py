"""The tables of a book as bytes for other programs: a workbook of all (xlsx), or one as Parquet.

The same ledger gives the same bytes, with the same libraries: no time of writing stands in either.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from reckon.compute.book import Book
from reckon.language.lazy import regex
from reckon.language.text import Unable

from .export_columns import TABLES, frame

if TYPE_CHECKING:
    import pandas
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
    """One of the tables as a Parquet file, its index as the first column. Raises NotExported."""
    content = io.BytesIO()
    _require_library("pyarrow", "parquet")
    frame(table, book).reset_index().to_parquet(content, engine="pyarrow", index=False)
    return content.getvalue()


def workbook(book: Book) -> bytes:
    """All tables as sheets of a workbook. Text stays text there, whatever it begins with. Raises NotExported."""
    _require_library("openpyxl", "xlsx")
    from openpyxl import Workbook

    sheets = Workbook(write_only=True)
    sheets.properties.creator = "budget-ledger"
    for name in TABLES:
        table = frame(name, book).reset_index()
        if len(table) > MOST_ROWS:
            raise NotExported(f"a sheet holds {MOST_ROWS:,} rows, and there are {len(table):,} {name}; write parquet")
        _fill_sheet(sheets.create_sheet(name), table)
    content = io.BytesIO()
    sheets.save(content)
    return _remove_times(content)


def _require_library(library: str, form: str) -> None:
    """Raises NotExported, with how to get it, where the library for a form of file is not installed."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        mend = f"python -m pip install {library}"
        raise NotExported(f"{form} needs the package {library}, which is not installed; to get it: {mend}")


def _fill_sheet(sheet: WriteOnlyWorksheet, table: pandas.DataFrame) -> None:
    """Writes a table into an empty sheet, with a head that stays in sight."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet.freeze_panes = "B2"
    for number, dtype in enumerate(table.dtypes, 1):
        width = 44 if number == 1 else WIDTHS.get(str(dtype), 11)
        sheet.column_dimensions[get_column_letter(number)].width = width  # type: ignore[attr-defined]
    head = [WriteOnlyCell(sheet, value=name) for name in table.columns]
    for cell in head:
        cell.font = Font(bold=True)
    sheet.append(head)
    columns = [list(_make_cells(sheet, table[name])) for name in table.columns]
    for row in zip(*columns, strict=True):
        sheet.append(row)


def _make_cells(sheet: WriteOnlyWorksheet, column: pandas.Series[Any]) -> Iterator[Any]:
    """The values of a column as a sheet takes them; None is an empty cell."""
    for value, absent in zip(column.tolist(), column.isna(), strict=True):
        if absent:
            yield None
        elif isinstance(value, str):
            yield _make_text_cell(sheet, value)
        elif hasattr(value, "isoformat"):
            yield _make_day_cell(sheet, value)
        else:
            yield value if value not in (float("inf"), float("-inf")) else str(value)


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
    cell = WriteOnlyCell(sheet, value=day.to_pydatetime())
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
