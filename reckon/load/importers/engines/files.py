"""The cells of a file as a table: of lines of text, or of a table of Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from reckon.model.records.imports import KEPT

from ..sacct import COLUMNS, SAYS, Layout, complete
from .conditions import fits_if
from .database import Database, quoted
from .looking import Seen

CLEAN = r"^[ -~\x{C0}-\x{24F}]*$"
"""Printable signs of Latin letters: what else there is, the plain reader looks at."""
LONGEST = 1000
"""Bytes of a row that an engine takes."""
MOMENTS = ("submit", "start", "end")
_CLOCKED = r"^(?:([0-9]{1,6})-)?([0-9]{1,7}):([0-9]{1,6}):([0-9]{2})$"
_SECONDS = (86_400, 3600, 60, 1)
"""What days, hours, minutes and seconds of a duration as 1-02:03:04 have."""


class Cells(NamedTuple):
    """A table with a column for each thing that a job is asked for, by its name; with `line`, `raw`, all cells as a
    list of texts, and `fits`, whether it is a row as it should be.

    `names` are those of the cells in `raw`; `layout` is that of a text, `headers` its lines that name the columns.
    """

    table: Any
    names: tuple[str, ...]
    layout: Layout | None = None
    headers: Any = None


def of_text(database: Database, link: str, layout: Layout, look: Seen, numbered: bool, fields: Iterable[str]) -> Cells:
    """The cells of lines; with the numbers of these (they are then read one after the other), or without."""
    line = "row_number() OVER ()" if numbered else "0"
    # A sign that is in no line: the file is looked through before.
    lines = database.view(
        "lines",
        f"SELECT {line} AS line, written FROM read_csv({quoted(link)}, delim='\x01', quote='', escape='', comment='', "
        "header=false, auto_detect=false, strict_mode=false, compression='none', columns={written: 'VARCHAR'})",
    )
    width = len(layout.columns)
    lines = lines.filter(lines.written != "")
    headers = None
    if layout.header:
        headers = lines.filter(lines.written == layout.header)
        lines = lines.filter(lines.written != layout.header)
    cut = lines.mutate(raw=lines.written.split(layout.sign), bytes=lines.written.length())
    cells = cut.raw.length()
    fits = cells == width
    if layout.ended:
        fits = fits | ((cells == width + 1) & (cut.raw[width] == ""))
    fits = fits & (cut.bytes < LONGEST)
    if not look.ascii:
        fits = fits & cut.written.re_search(CLEAN)
    found = cut.mutate(fits=fits)
    texts = {name: found.raw[at] for at, name in enumerate(layout.columns)}
    return Cells(_by_meaning(found, texts, texts, fields), layout.columns, layout, headers)


def of_parquet(database: Database, link: str, fields: Iterable[str]) -> Cells:
    """The cells of a table of Parquet: its row is the line. Raises NotAnExport where it lacks what makes a run."""
    import ibis

    query = f"SELECT * EXCLUDE (file_row_number), file_row_number + 1 AS line FROM read_parquet({quoted(link)}, "
    table = database.view("lines", f"{query}file_row_number=true)")
    wanted = {column for some in COLUMNS.values() for column in some} | set(SAYS.values())
    names = tuple(name for name in table.columns if name in wanted)
    complete(names, True, len(table.columns) - 1)
    # For the plain reader it is written as Slurm writes it.
    texts = {name: _text(table[name]) for name in names}
    found = table.mutate(raw=ibis.array([texts[name] for name in names]))
    whole = found.raw.join("")
    fits = whole.re_search(CLEAN) & (whole.length() < LONGEST)
    for name in names:
        if _is_local(found[name]):
            fits = fits & (found[name] == found[name].truncate("s")).fill_null(True)
    return Cells(_by_meaning(found.mutate(fits=fits), texts, {name: found[name] for name in names}, fields), names)


def _is_local(column: Any) -> bool:
    """Whether a column has moments without an offset."""
    return column.type().is_timestamp() and column.type().timezone is None


def _text(column: Any) -> Any:
    """A column as text: a moment without an offset is one of the clock of its source."""
    kind = column.type()
    if kind.is_timestamp() and kind.timezone is not None:
        column = column.epoch_seconds()
    text = column.cast("string").fill_null("")
    return text.replace(" ", "T") if _is_local(column) else text


def _by_meaning(table: Any, texts: dict[str, Any], columns: dict[str, Any], fields: Iterable[str]) -> Any:
    """A table with a column for each thing that a job is asked for: of several columns that may hold it the first that
    does; empty where none does. A moment keeps its type."""
    import ibis

    held: dict[str, Sequence[str]] = {**COLUMNS, **{name: (SAYS[name],) for name in SAYS}}
    found = {}
    for name in (*COLUMNS, *dict.fromkeys((*KEPT, *fields))):
        some = [column for column in held.get(name, ()) if column in columns]
        if name in MOMENTS and some and columns[some[0]].type().is_timestamp():
            found[name] = columns[some[0]]
        else:
            found[name] = (
                ibis.coalesce(*(texts[column].nullif("") for column in some), "") if some else ibis.literal("")
            )
    found["elapsed"] = _elapsed(found["elapsed"])
    return table.select("line", "raw", "fits", **found)


def _elapsed(text: Any) -> Any:
    """A duration as 1-02:03:04 in seconds; what is written otherwise as it is."""
    import ibis

    parts = [text.re_extract(_CLOCKED, number + 1) for number in range(len(_SECONDS))]
    seconds = [
        ibis.ifelse(part == "", "0", part).cast("int64") * size for part, size in zip(parts, _SECONDS, strict=True)
    ]
    clocked = fits_if(text.contains(":"), text, _CLOCKED)
    return ibis.ifelse(clocked, (seconds[0] + seconds[1] + seconds[2] + seconds[3]).cast("string"), text)
