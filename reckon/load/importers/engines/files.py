"""The cells of a file as a query of DuckDB: of lines of text, or of a table of Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..reading import Reading
from ..sacct import COLUMNS, SAYS, Layout, complete
from .duck import Duck, quoted
from .looking import Seen

_CLEAN = quoted(r"[ -~\x{C0}-\x{24F}]*")
"""Printable signs of Latin letters: what else there is, the plain reader looks at."""
LONGEST = 1000


class Cells(NamedTuple):
    """A query that gives `line`, `raw`, all cells as a list, `fits`, whether it is a row as it should be, and what the
    expressions of `columns` are made of; `layout` is that of a text."""

    query: str
    columns: Mapping[str, str]
    names: tuple[str, ...]
    layout: Layout | None = None


def of_text(link: str, layout: Layout, look: Seen, numbered: bool) -> Cells:
    """The cells of lines; with the numbers of these (they are then read one after the other), or without."""
    line = "row_number() OVER ()" if numbered else "0"
    # A sign that is in no line: the file is looked through before.
    lines = (
        f"SELECT {line} AS line, written FROM read_csv({quoted(link)}, delim='\x01', quote='', escape='', "
        "comment='', header=false, auto_detect=false, strict_mode=false, compression='none', "
        "columns={written: 'VARCHAR'})"
    )
    width = len(layout.columns)
    fits = f"len(raw) = {width}"
    if layout.ended:
        fits = f"({fits} OR (len(raw) = {width + 1} AND raw[{width + 1}] = ''))"
    clean = "" if look.ascii else f" AND regexp_full_match(written, {_CLEAN})"
    header = f" AND written <> {quoted(layout.header)}" if layout.header else ""
    cut = (
        f"SELECT line, written, string_split(written, {quoted(layout.sign)}) AS raw FROM ({lines}) "
        f"WHERE written <> ''{header}"
    )
    query = f"SELECT line, raw, {fits} AND strlen(written) < {LONGEST}{clean} AS fits FROM ({cut})"
    return Cells(query, {name: f"raw[{at}]" for at, name in enumerate(layout.columns, 1)}, layout.columns, layout)


def of_parquet(duck: Duck, link: str, reading: Reading) -> Cells:
    """The cells of a table of Parquet: its row is the line. Raises NotAnExport where it lacks what makes a run."""
    table = f"read_parquet({quoted(link)}, file_row_number=true)"
    wanted = {column for some in COLUMNS.values() for column in some} | set(SAYS.values())
    types = {str(name): str(kind) for name, kind, *_ in duck.rows(f"DESCRIBE SELECT * FROM {table}")}
    names = tuple(name for name in types if name in wanted)
    complete(names, reading, True, len(types))
    # It is written as Slurm writes it, whatever the type: a moment without an offset is one of the clock of its source.
    texts = ", ".join(f"coalesce({_text(name, types[name])}, '')" for name in names)
    every = f"SELECT file_row_number + 1 AS line, [{texts}] AS raw FROM {table}"
    clean = f"regexp_full_match(array_to_string(raw, ''), {_CLEAN})"
    short = f"strlen(array_to_string(raw, '')) < {LONGEST}"
    query = f"SELECT line, raw, {short} AND {clean} AS fits FROM ({every})"
    return Cells(query, {name: f"raw[{at}]" for at, name in enumerate(names, 1)}, names)


def _text(name: str, kind: str) -> str:
    column = '"' + name.replace('"', '""') + '"'
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"(epoch_us({column}) // 1000000)::VARCHAR"
    if kind.startswith("TIMESTAMP"):
        return f"replace({column}::VARCHAR, ' ', 'T')"
    return f"{column}::VARCHAR"
