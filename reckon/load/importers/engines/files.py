"""The cells of a file as a table: of lines of text, or of a table of Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from reckon.model.records.imports import KEPT, MOMENTS

from ..sacct import COLUMNS, SAYS, Layout, complete
from .conditions import ibis
from .database import Database, quote
from .moments import Columns

CLEAN = r"^[ -~\x{C0}-\x{24F}]*$"
"""Printable signs of Latin letters: what else there is, the plain reader looks at."""
LONGEST = 1000
"""Bytes of a row that an engine takes."""
_CLOCKED = r"^(?:([0-9]{1,6})-)?([0-9]{1,7}):([0-9]{1,6}):([0-9]{2})$"
_SECONDS = (86_400, 3600, 60, 1)
"""What days, hours, minutes and seconds of a duration as 1-02:03:04 have."""
HOLDERS = COLUMNS | {name: (column,) for name, column in SAYS.items()}
"""The columns that may hold each thing, in their order."""


class Cells(NamedTuple):
    """A table with a column for each thing that a job is asked for, by its name; with `line`, `raw`, all cells as a
    list of texts, and `fits`, whether it is a row as it should be.

    `names` are those of the cells in `raw`; `layout` is that of a text, whose lines are in the view `lines`.
    """

    table: Any
    names: tuple[str, ...]
    layout: Layout | None = None


def read_text(database: Database, link: str, layout: Layout, fields: Iterable[str], numbered: bool) -> Cells:
    """The cells of lines; with the numbers of these (they are then read one after the other), or without."""
    line = "row_number() OVER ()" if numbered else "0"
    # A sign that is in no line: the file is looked through before.
    database.view(
        "lines",
        f"SELECT {line} AS line, written FROM read_csv({quote(link)}, delim='\x01', quote='', escape='', comment='', "
        "header=false, auto_detect=false, strict_mode=false, compression='none', columns={written: 'VARCHAR'})",
    )
    width = len(layout.columns)
    ended = f"OR (len(raw) = {width + 1} AND raw[-1] = '')" if layout.ended else ""
    rows = database.view(
        "cut_lines",
        f"SELECT line, raw, (len(raw) = {width} {ended}) AND len(written) < {LONGEST} "
        f"AND regexp_matches(written, {quote(CLEAN)}) AS fits "
        f"FROM (SELECT *, string_split(written, {quote(layout.sign)}) AS raw FROM lines) "
        f"WHERE written NOT IN ('', {quote(layout.header)})",
    )
    texts = {name: rows.raw[at] for at, name in enumerate(layout.columns)}
    return Cells(_select_by_meaning(rows, texts, texts, fields), layout.columns, layout)


def read_parquet(database: Database, link: str, fields: Iterable[str]) -> Cells:
    """The cells of a table of Parquet: its row is the line. Raises NotAnExport where it lacks what makes a run."""
    query = f"SELECT * EXCLUDE (file_row_number), file_row_number + 1 AS line FROM read_parquet({quote(link)}, "
    table = database.view("lines", f"{query}file_row_number=true)")
    wanted = {column for columns in HOLDERS.values() for column in columns}
    names = tuple(name for name in table.columns if name in wanted)
    complete(names, True, len(table.columns) - 1)
    # For the plain reader it is written as Slurm writes it.
    texts = {name: _text_of(table[name]) for name in names}
    rows = table.mutate(raw=ibis.array(list(texts.values())))
    whole = rows.raw.join("")
    fits = whole.re_search(CLEAN) & (whole.length() < LONGEST)
    columns = {name: rows[name] for name in names}
    for column in filter(_is_local, columns.values()):
        fits = fits & (column == column.truncate("s")).fill_null(True)
    return Cells(_select_by_meaning(rows.mutate(fits=fits), texts, columns, fields), names)


def _is_local(column: Any) -> bool:
    """Whether a column has moments without an offset."""
    return column.type().is_timestamp() and column.type().timezone is None


def _text_of(column: Any) -> Any:
    """A column as text: a moment without an offset is one of the clock of its source."""
    if _is_local(column):
        return column.cast("string").fill_null("").replace(" ", "T")
    if column.type().is_timestamp():
        column = column.epoch_seconds()
    return column.cast("string").fill_null("")


def _select_by_meaning(table: Any, texts: Columns, columns: Columns, fields: Iterable[str]) -> Any:
    """A table with a column for each thing that a job is asked for: of several columns that may hold it the first that
    does; empty where none does. A moment keeps its type."""
    found = {}
    for name in (*COLUMNS, *dict.fromkeys((*KEPT, *fields))):
        holders = [column for column in HOLDERS.get(name, ()) if column in columns]
        if name in MOMENTS and holders and columns[holders[0]].type().is_timestamp():
            found[name] = columns[holders[0]]
        else:
            cells = [texts[column].nullif("") for column in holders]
            found[name] = ibis.coalesce(*cells, "")
    found["elapsed"] = _seconds_of(found["elapsed"])
    return table.select("line", "raw", "fits", **found)


def _seconds_of(text: Any) -> Any:
    """A duration as 1-02:03:04 in seconds; what is written otherwise as it is."""
    total: Any = 0
    for number, size in enumerate(_SECONDS, 1):
        part = text.re_extract(_CLOCKED, number)
        total += (part == "").ifelse("0", part).cast("int64") * size
    clocked = text.re_search(_CLOCKED)
    return clocked.ifelse(total.cast("string"), text)
