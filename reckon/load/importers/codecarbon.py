"""CodeCarbon's `emissions.csv`: energy of the machine that ran something, by `run_id`.

A run writes a row whenever its energy is asked for, with all since it began: the last row of a run stands, and rows are
never added up. Rows of runs that were begun without an id cannot be told apart: they are named, and not stored.
`energy_consumed` has the PUE in it that CodeCarbon was told (`energy *= self._pue` for each part, in `_do_measurements`
of codecarbon/emissions_tracker.py), so with another PUE than 1 it is that of the whole facility. The name of the
machine, and where it stands, are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from . import clock
from .job import Beside, Job
from .numbers import Unreadable, number
from .reading import SKIP, NamedRows, NotAnExport, Reading, ReadRow, named_rows

NEEDED = ("timestamp", "run_id", "duration", "energy_consumed")
MACHINE = ("gpu_count", "gpu_model", "cpu_count", "cpu_model")
SHOWN = 5


def is_codecarbon(head: list[str]) -> bool:
    """Whether the names of columns are those of CodeCarbon."""
    return "energy_consumed" in head and "run_id" in head


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The runs of a file, a job for each row. Raises NotAnExport."""
    rows = named_rows(text, reading)
    _, head = next(rows)
    if missing := [name for name in NEEDED if name not in head]:
        said = " and ".join(f"`{name}`" for name in missing)
        raise NotAnExport(f"no column is called {said}", "give the `emissions.csv` that CodeCarbon writes")
    return _jobs(rows, reading)


def _jobs(rows: NamedRows, reading: Reading) -> Iterator[Job]:
    nameless: list[int] = []
    for line, row in rows:
        if not row["run_id"].strip():
            nameless.append(line)
            reading.skip("without a run_id", line)
        elif job := _job(line, row, reading):
            yield job
    if nameless:
        first = ", ".join(map(str, nameless[:SHOWN])) + (", …" if len(nameless) > SHOWN else "")
        lines = f"line{'s'[: len(nameless) != 1]} {first}"
        rows_are = "rows have" if len(nameless) != 1 else "row has"
        reading.notes.append(
            f"{reading.file}: {len(nameless):,} {rows_are} no run_id and cannot be told apart: {lines}; not imported"
        )


def _job(line: int, row: Mapping[str, str], reading: Reading) -> Job | None:
    """What a row states of its run; None, with a problem, where a number or its time cannot be read."""
    try:
        held = number(row["duration"], 6)
        energy = number(row["energy_consumed"])
        pue = number(row.get("pue", "") or "1")
    except Unreadable:
        reading.wrong(line, "duration, energy or PUE is not a number", f"look for a row that was cut off{SKIP}")
        return None
    if held is None or energy is None:
        reading.skip("without energy", line, row["run_id"].strip())
        return None
    try:
        end = clock.moment(row["timestamp"].strip(), reading.zone)
    except clock.Unclear as unclear:
        reading.wrong(line, f"the timestamp {unclear.wrong}", unclear.right)
        return None
    start = "" if end is None else str(end - int(held))
    beside = Beside(energy_kwh=energy, facility=pue not in (None, Fraction(1)))
    # Rows of one meter are known by the machine. Nothing of it is kept.
    says = {"machine": " ".join(row.get(column, "") for column in MACHINE)}
    if name := row.get("project_name", "").strip():
        says["name"] = name
    return reading.job(
        ReadRow(
            line,
            row["run_id"].strip(),
            "COMPLETED",
            held,
            start=start,
            end=str(end or ""),
            says=says,
            beside=beside,
        )
    )
