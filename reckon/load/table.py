"""A CSV file -> rows of fields of runs. A column is one field, by its name or a mapping; mistakes name their line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from reckon.model.problem import nearest

from .entry import FIELDS, progress_parts

COLUMNS = (*FIELDS, "progress")
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of one run as they are written, and the line of the table that it stands in."""

    line: int
    fields: Mapping[str, str]


def read_table(
    raw: bytes, file: str, mapping: Mapping[str, str], standing: Mapping[str, str] = MappingProxyType({})
) -> tuple[list[Row], list[str]]:
    """The rows of a table, and all that is wrong with it as a table, as `file:line: wrong; right`.

    The mapping gives the field of a column that is not named after one; an empty field leaves the column out. The
    standing one is for all tables of a project, and one of them need not have its columns; the other goes before it.
    """
    if len(raw) > MOST_BYTES:
        return [], [f"{file}:1: the table is larger than 64 MiB; split it"]
    wrong: list[tuple[int, str]] = []
    rows: list[Row] = []
    fields: list[str] | None = None
    try:
        for line, cells in _lines(raw.decode("utf-8-sig")):
            if fields is None:
                fields, said = _columns(cells, mapping, standing)
                wrong += [(line, one) for one in said]
                if said:
                    break  # what the rows hold is not known
            elif len(cells) != len(fields):
                wrong.append(
                    (line, f"this row has {len(cells)} cells, the first {len(fields)}; look for a stray comma")
                )
            else:
                row, said = _row(fields, cells)
                wrong += [(line, one) for one in said]
                rows.append(Row(line, row))
        if fields is None:
            wrong.append((1, "the table is empty; its first row names the columns"))
    except UnicodeDecodeError:
        wrong.append((1, "the table is not UTF-8; save it as UTF-8"))
    except csv.Error as error:
        wrong.append((1, f"this is not CSV: {error}; look for a missing quote"))
    return rows, [f"{file}:{line}: {one}" for line, one in wrong]


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, each with the line where it begins."""
    first = text.partition("\n")[0]
    separator = max(",;\t|", key=first.count)
    reader, begin = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield begin, [cell.strip() for cell in cells]
        begin = reader.line_num + 1


def _columns(names: list[str], mapping: Mapping[str, str], standing: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The field of each column (empty where it is left out), and what is wrong with their names."""
    wrong, fields = [], []
    for column in [one for one in mapping if one not in names]:
        wrong.append(f"there is no column `{column}`; {nearest(column, names) or 'look at the first row'}")
    for column in names:
        field = mapping.get(column, standing.get(column, column))
        if field and field not in COLUMNS:
            hint = (
                nearest(field, COLUMNS) or f"say what it holds with --map '{column}=FIELD', or `{column}=` for nothing"
            )
            wrong.append(f"`{field}` is no field of a run; {hint}")
        elif field and field in fields:
            wrong.append(f"two columns hold `{field}`; leave one out with --map '{column}='")
        fields.append(field)
    if "item" not in fields:
        wrong.append("no column holds `item`; name it with --map COLUMN=item")
    return fields, wrong


def _row(names: list[str], cells: list[str]) -> tuple[dict[str, str], list[str]]:
    fields = {name: cell for name, cell in zip(names, cells, strict=True) if name and cell}
    wrong = []
    if (done := fields.pop("progress", "")) and (parts := progress_parts(done)) is not None:
        fields |= parts
    elif done:
        wrong.append(f"`{done[:40]}` is no progress; write what is done and the whole, as 3/5")
    if not {"date", "start", "end"} & set(fields):
        wrong.append("this row says no day; a run from a table has `date`, or `start` and `end`")
    if "status" in fields:  # COMPLETED and OUT_OF_MEMORY, as schedulers write them
        fields["status"] = fields["status"].lower().replace("_", "-").replace(" ", "-")
    if fields.get("unplanned", "").lower() in ("true", "false"):
        fields["unplanned"] = fields["unplanned"].lower()
    return fields, wrong
