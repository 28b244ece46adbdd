"""`sacct --parsable2`: a line a job or step, cells between any sign, with a header or columns that the ledger names.

Also the lines of `key=value` that sonar writes of the same fields. Slurm counts as elapsed the time for which a job
held its nodes, without suspension; GPUs are those allocated, never those asked for.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from reckon.model.records.imports import Gpus

from .job import Job
from .reading import SKIP, BadRow, Cells, NamedRows, NotAnExport, NumberedLines, Reading, ReadRow, job_row, lines_of
from .tres import Unreadable, gpus_of, gpus_of_nodes

DATES = ("Submit", "Start")
"""The columns without which a job has no day, or nothing but its id to be known by."""
GRES, NODES = "AllocGRES", ("NNodes", "AllocNodes")
"""The GPUs of each node, in archives that are older than AllocTRES; and how many nodes there were."""
# The columns that are read, by what they hold; of several the first that the file has.
COLUMNS = {
    "id": ("JobIDRaw", "JobID"),
    "state": ("State",),
    "elapsed": ("ElapsedRaw", "Elapsed"),
    "submit": ("Submit",),
    "start": ("Start",),
    "end": ("End",),
    "tres": ("AllocTRES",),
    "nodes": (*NODES, "ReqNodes"),
    "cluster": ("Cluster",),
    "array": ("JobID",),
    "asked": ("ReqTRES",),
}
SAYS = {
    "name": "JobName",
    "account": "Account",
    "partition": "Partition",
    "qos": "QOS",
    "wckey": "WCKey",
    "comment": "Comment",
    "directory": "WorkDir",
}
# What makes a run: the first of its columns is the one that is asked for.
WHAT = {
    "id": "the job id",
    "state": "its state",
    "elapsed": "its elapsed time",
    "submit": "its submit time",
    "start": "its start",
    "tres": "its GPUs",
}
EXPORT = (
    "TZ=UTC sacct --parsable2 --allocations --duplicates --noconvert --starttime 2025-09-01 --endtime now "
    "--format JobIDRaw,JobID,Cluster,Submit,Start,End,State,ElapsedRaw,AllocTRES,ReqTRES,NNodes,"
    "JobName,Account,Partition,QOS"
)
"""The command whose output holds all that is read."""
ID = re.compile(r"([0-9]{1,20}(?:_(?:[0-9]+|\[[^\]]*\]))?(?:\+[0-9]+)?)(\.[^.\s]{1,80})?")
_PAIR = re.compile(r'"?[A-Za-z_]\w*=')
MOST_OF_A_LINE = 1 << 20


class Layout(NamedTuple):
    """How the lines of an export are cut: the sign between cells, the names of these, the header that stands among the
    rows (empty for none), and whether each line ends with the sign."""

    sign: str
    columns: tuple[str, ...]
    header: str
    ended: bool


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The jobs of an export. Raises NotAnExport."""
    _, first = next(lines_of(text), (0, ""))
    if not first:
        raise NotAnExport("the file is empty", "export it again")
    return jobs_of(lines_of(text), first, reading)


def jobs_of(lines: NumberedLines, first: str, reading: Reading) -> Iterator[Job]:
    """The jobs of lines with their numbers, of which this is the first. Raises NotAnExport."""
    if is_pairs(first):
        return jobs(_pairs(lines, reading), reading)
    return jobs(cells_of(lines, layout_of(first, reading), reading), reading)


def is_pairs(first: str) -> bool:
    """Whether the first line of an export is one of `key=value`."""
    return _PAIR.match(first) is not None and "JobID" in first


def jobs(rows: NamedRows, reading: Reading) -> Iterator[Job]:
    """The jobs among rows, which are cells by the names of their columns."""
    return reading.jobs(rows, partial(_read_row, reading))


def _read_row(reading: Reading, line: int, cells: Cells) -> ReadRow | None:
    """What cells by the names of their columns state; None for a step of a job. Raises BadRow."""
    reading.rows += 1
    id = ID.fullmatch(_first(cells, COLUMNS["id"]))
    if id is None:
        raise BadRow("this row has no job id", f"check for a missing or extra separator{SKIP}")
    if id[2]:
        reading.skip("steps", line, id[0])
        return None
    texts = {field: _first(cells, columns) for field, columns in COLUMNS.items()}
    array = texts["array"]
    also = array if array != id[1] and ID.fullmatch(array) else ""
    says = {name: cells[column] for name, column in SAYS.items() if cells.get(column)}
    asks = "gres/gpu" in texts["asked"]
    return job_row(line, id[1], texts["elapsed"], texts, gpus=_gpus(cells), also=also, says=says, asks=asks)


def _gpus(cells: Cells) -> Gpus:
    """The GPUs of a row. Raises BadRow."""
    right = "check its AllocTRES"
    try:
        if "AllocTRES" in cells:
            return gpus_of(cells["AllocTRES"])
        right = f"{GRES} counts GPUs per node; export NNodes too"
        return gpus_of_nodes(cells.get(GRES, ""), _first(cells, NODES))
    except Unreadable:
        raise BadRow("the count of GPUs is not a whole number", right) from None


def _first(cells: Cells, columns: tuple[str, ...]) -> str:
    return next(filter(None, map(cells.get, columns)), "")


def _pairs(lines: NumberedLines, reading: Reading) -> NamedRows:
    """The fields of each line of `key=value`."""
    for line, text in lines:
        try:
            parts = next(csv.reader([text[:MOST_OF_A_LINE]], strict=True))
        except csv.Error:
            reading.wrong(line, "this line is not a list of `key=value`", "check for a missing quote")
            continue
        fields = (part.partition("=") for part in parts)
        cells = {name: value for name, _, value in fields}
        if not reading.skips(line, cells.values()):
            yield line, cells


def layout_of(first: str, reading: Reading) -> Layout:
    """How an export is cut whose first line is this. Raises NotAnExport where not all is there that makes a run."""
    sign = _sign(first, reading)
    head = [name.strip() for name in first.split(sign)]
    has_header = not set(COLUMNS["id"]).isdisjoint(head)
    columns = head if has_header else [str(name) for name in reading.source.columns_named]
    instead = [*DATES, *(["AllocTRES"] if GRES in columns else [])]
    complete(columns and [*columns, *instead], has_header, len(head))
    if gaps := [name for name in DATES if name not in columns]:
        reading.notes.append(
            f"{reading.file} has no {' and no '.join(gaps)}: without Start, jobs have no day and rows of one id "
            f"cannot be ordered; next time, export with: {EXPORT}"
        )
    # `--parsable` ends each line with the sign: all of them, or it stands in a name and shifts the cells of a row.
    ended = not has_header and len(head) == len(columns) + 1 and not head[-1]
    return Layout(sign, tuple(columns), first if has_header else "", ended)


def cells_of(lines: NumberedLines, layout: Layout, reading: Reading) -> NamedRows:
    """The cells of each line by the names of their columns."""
    columns = layout.columns
    for line, text in lines:
        if text == layout.header:  # which stands again where exports were put together
            reading.skip_line(line)
            continue
        cells = text.split(layout.sign)
        if layout.ended and len(cells) == len(columns) + 1 and not cells[-1]:
            cells.pop()
        if reading.skips(line, cells):
            continue
        if len(cells) == len(columns):
            yield line, dict(zip(columns, cells, strict=True))
        else:
            reading.rows += 1
            right = "export with `--delimiter` and a character that no job name contains"
            reading.wrong_width(line, len(cells), len(columns), right)


def _sign(first: str, reading: Reading) -> str:
    """What stands between the cells of a line."""
    if reading.source.delimiter is not None:
        return reading.source.delimiter
    signs = {sign for sign in first if not (sign.isalnum() or sign in " _-:.,=/[]()+%\"'")} | {"|"}
    likely = max(signs, key=lambda sign: (first.count(sign), sign))
    return likely if first.count(likely) else ("," if first.count(",") else "|")


def complete(columns: Sequence[str], has_header: bool, cells: int) -> None:
    """Raises NotAnExport unless the columns hold all that makes a run."""
    if not columns:
        if cells == 1:
            wrong = "the columns are aligned with spaces, and long values are cut"
            raise NotAnExport(wrong, "export with `--parsable2`")
        raise NotAnExport(
            f"the file has no header, and the source names no columns ({cells} cells a line)",
            "add `columns: [JobIDRaw, Submit, …]` to the source, or export without `--noheader`",
        )
    fields = {name for name, names in COLUMNS.items() if not set(names).isdisjoint(columns)}
    if lacks := lacking(fields):
        how = "export it with them" if has_header else "name them under `columns:`, or export with them"
        raise NotAnExport(f"there is no column for {' and '.join(lacks)}", f"{how}: {EXPORT}")


def lacking(fields: Container[str]) -> list[str]:
    """What makes a run and is not held, each with the name of the column that has it."""
    return [f"{description} ({COLUMNS[name][0]})" for name, description in WHAT.items() if name not in fields]
