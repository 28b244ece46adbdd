"""The page of the guide with every column of the tables for notebooks and other programs, out of `TABLES`."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.present.dataframes import MAKES, FrameTable
from reckon.present.export_columns import TABLES

HEAD = """# Columns

<!-- Made by `python -m scripts.guide` from reckon/present/export_columns.py. Do not edit. -->

Every column of the tables that [`budget export`](python.md) writes and `reckon.open` gives. A column of hours or of a
range has an ending for each of its parts.
"""


def columns() -> str:
    """The page as markdown."""
    parts = [HEAD]
    for name, table in TABLES.items():
        parts.append(f"\n## {name}\n")
        parts += _table(table)
    return "\n".join(parts) + "\n"


def _table(table: FrameTable) -> Iterator[str]:
    """What a row of a table is, and its columns."""
    yield f"A row is {table.about}; the index is `{table.index}`.\n"
    yield "| Column | Type | Holds |\n|---|---|---|"
    for column in table.columns:
        names = ", ".join(f"`{column.name}{tail}`" for tail, _ in MAKES[column.kind])
        types = ", ".join(dict.fromkeys(f"`{dtype}`" for _, dtype in MAKES[column.kind]))
        yield f"| {names} | {types} | {column.about} |"
