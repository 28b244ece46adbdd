"""CodeCarbon's `emissions.csv`: energy of the machine that ran something, by `run_id`.

A run writes a row whenever its energy is asked for, with all since it began: the last row of a run stands, and rows are
never added up. Rows of runs that were begun without an id cannot be told apart: they are named, and not stored.
`energy_consumed` has the PUE in it that CodeCarbon was told (`energy *= self._pue` for each part, in `_do_measurements`
of codecarbon/emissions_tracker.py), so with another PUE than 1 it is that of the whole facility. The name of the
machine, and where it stands, are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

from reckon.language.text import plural, some_of

from .decimals import Unreadable, parse_number
from .job import Extras, Job
from .reading import CUT_OFF, BadRow, Cells, NamedRows, NotAnExport, Reading, ReadRow, named_rows

NEEDED = ("timestamp", "run_id", "duration", "energy_consumed")
MACHINE = ("gpu_count", "gpu_model", "cpu_count", "cpu_model")
SHOWN = 5


def is_codecarbon(head: Collection[str]) -> bool:
    """Whether the names of columns are those of CodeCarbon."""
    return "energy_consumed" in head and "run_id" in head


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The runs of a file, a job for each row. Raises NotAnExport."""
    head, rows = named_rows(text, reading)
    if columns := [f"`{name}`" for name in NEEDED if name not in head]:
        right = "import the `emissions.csv` that CodeCarbon writes"
        raise NotAnExport(f"there is no column {' and '.join(columns)}", right)
    return reading.jobs(_rows_of_runs(rows, reading), partial(_read_row, reading))


def _rows_of_runs(rows: NamedRows, reading: Reading) -> NamedRows:
    """The rows that name their run; what others there are is told."""
    nameless: list[str] = []
    for line, row in rows:
        if row["run_id"].strip():
            yield line, row
        else:
            nameless.append(str(line))
            reading.skip("without a run_id", line)
    if nameless:
        many = plural(len(nameless), "row has", "rows have")
        noun = "line" if len(nameless) == 1 else "lines"
        lines = f"{noun} {some_of(nameless, SHOWN)}"
        reading.notes.append(f"{reading.file}: {many} no run_id and cannot be distinguished: {lines}; not imported")


def _read_row(reading: Reading, line: int, row: Cells) -> ReadRow | None:
    """What a row states of its run; None where it states no energy. Raises BadRow where a number or its time cannot be
    read."""
    id = row["run_id"].strip()
    try:
        elapsed = parse_number(row["duration"], 6)
        energy = parse_number(row["energy_consumed"])
        pue = parse_number(row.get("pue", "") or "1")
    except Unreadable:
        raise BadRow("duration, energy or PUE is not a number", CUT_OFF) from None
    if elapsed is None or energy is None:
        reading.skip("without energy", line, id)
        return None
    end = reading.moment("timestamp", row["timestamp"])
    start = "" if end is None else str(end - int(elapsed))
    extras = Extras(energy_kwh=energy, facility=pue not in (None, 1))
    # Rows of one meter are known by the machine. Nothing of it is kept.
    says = {"machine": " ".join(row.get(column, "") for column in MACHINE)}
    if name := row.get("project_name", "").strip():
        says["name"] = name
    return ReadRow(line, id, "COMPLETED", elapsed, start=start, end=str(end or ""), says=says, extras=extras)
