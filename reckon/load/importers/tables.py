"""Any table of jobs in CSV: which column holds what, and in which unit, is said under `columns:` of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from reckon.language.days import HOUR
from reckon.language.text import Text
from reckon.model.records.imports import MATCHED

from ..formats import NotRows, csv_rows
from . import clock
from .job import STATES, Job
from .reading import NotAnExport, Reading, ReadRow

MOST_GPUS = 1_000_000
_NAME = re.compile(r"(?=.*[A-Za-z])[A-Za-z_][A-Za-z0-9_ .()/%#-]{0,79}|")


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The jobs of a table. Raises NotAnExport."""
    try:
        rows = csv_rows(text, reading.file)
        head = next(rows, ())
    except NotRows as error:
        raise NotAnExport(error.wrong, error.right) from None
    holds = _holds(head, reading)
    return _jobs(rows, len(head), holds, reading)


def _holds(head: tuple[Text, ...], reading: Reading) -> Mapping[str, tuple[int, Fraction]]:
    """The place of the column that holds something, with the hours that one of its unit is (1 where it has none)."""
    found: dict[str, tuple[int, Fraction]] = {}
    names = [str(name) for name in head]
    if not are_names(names):
        right = "write a line of names above the rows"
        raise NotAnExport(f"the first line does not name the columns ({len(names)} cells)", right)
    for column, held in reading.source.columns_held.items():
        if column not in names:
            # Where none of them is there, the first line may be a row, and what a row says may be private.
            named = any(column in names for column in reading.source.columns_held)
            right = f"the columns are {', '.join(names[:12])}" if named else "look at its first line"
            raise NotAnExport(f"there is no column `{str(column)[:60]}`", right)
        found[held.holds] = names.index(str(column)), held.hours
    missing = [name for name in ("job", "state") if name not in found]
    if "wall_hours" not in found and "gpu_hours" not in found:
        right = "name the one that does: `columns: {Runtime: {is: wall_hours, unit: s}}`"
        raise NotAnExport("no column holds a duration", right)
    if missing:
        said = " and ".join(f"`{name}`" for name in missing)
        raise NotAnExport(f"no column holds {said}", "name it under `columns:`")
    return found


def are_names(cells: Sequence[str]) -> bool:
    """Whether the first line of a table names its columns. The cells of a row may be private: they are not repeated."""
    return bool(cells) and all(_NAME.fullmatch(cell) and cell.upper() not in STATES for cell in cells)


def _jobs(
    rows: Iterator[tuple[Text, ...]], width: int, holds: Mapping[str, tuple[int, Fraction]], reading: Reading
) -> Iterator[Job]:
    try:
        for cells in rows:
            reading.rows += 1
            line = cells[0].place.line
            if len(cells) != width:
                right = "look for a comma too many or too few"
                reading.wrong(line, f"this row has {len(cells)} cells, the first line {width}", right)
            elif (row := _row(line, cells, holds, reading)) and (job := reading.job(row)):
                yield job
    except NotRows as error:
        raise NotAnExport(error.wrong, error.right) from None


def _row(
    line: int, cells: tuple[Text, ...], holds: Mapping[str, tuple[int, Fraction]], reading: Reading
) -> ReadRow | None:
    """The cells of a row that make a job; None, with a problem, where a count or a duration cannot be read."""
    said = {name: str(cells[number]).strip() for name, (number, _) in holds.items()}
    if not said.get("job"):
        reading.wrong(line, "this row names no job", "look at the column that holds `job`")
        return None
    count, held, whole = said.get("gpus", "1") or "0", said.get("wall_hours", ""), said.get("gpu_hours", "")
    if not count.isdecimal() or int(count[:9]) > MOST_GPUS:
        reading.wrong(line, "the count of GPUs is not a whole number", "look at the column that holds `gpus`")
        return None
    try:
        elapsed = _seconds(held, holds["wall_hours"][1]) if held else _seconds(whole, holds["gpu_hours"][1])
    except (clock.Unclear, KeyError):
        right = "write it as 1-02:03:04, or as a number, and its unit under `columns:`"
        reading.wrong(line, "the duration cannot be read", right)
        return None
    if not held and int(count):
        elapsed /= int(count)
    gpus = ((said.get("gpu", ""), int(count)),) if int(count) else ()
    nodes = said.get("nodes", "")
    return ReadRow(line, said["job"], said["state"], elapsed, said.get("submit", ""), said.get("start", ""),
                   said.get("end", ""), gpus, int(nodes) if nodes.isdecimal() and len(nodes) < 7 else 1,
                   said.get("cluster", ""), "", {name: said[name] for name in MATCHED if said.get(name)})  # fmt: skip


def _seconds(text: str, factor: Fraction) -> Fraction:
    """A duration in seconds: by the clock, or as a number in a unit of so many hours."""
    return clock.seconds_of(text) if ":" in text else clock.seconds_of(text) * factor * HOUR
