"""Runs of a table as entries of the team's own: the columns and rules of a source read it, and no lock keeps it."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.ledger import ProjectLedger
from reckon.model.release import checksum

from ..run_format import EntryRow
from . import clock, taking
from .assignment import order_portions
from .clock import Zone
from .job_records import StoredJob, seconds_text


def read_entries(project: ProjectLedger, name: str, raw: bytes, file: str) -> tuple[list[EntryRow], list[str]]:
    """The rows of a file as a source of the project reads them, and all that is wrong with it, as `file:line: wrong`.

    A file that this source has imported is refused: its runs are in the ledger.
    """
    lock = project.locks.get(name)
    if lock and checksum(raw) in lock.exports:
        return [], [f"{file}:1: this file was imported from `{name}`, and its runs are in the ledger; add other runs"]
    taken = taking.begin(project, name)
    taken.merged.jobs.clear()
    taking.take(taken, raw, file)
    wrong = [f"{problem.place.file}:{problem.place.line}: {problem.text}" for problem in taken.problems]
    rows = [row for record in taken.merged.jobs.values() if record.ran for row in _rows(record, taken.merged.zone)]
    return sorted(rows, key=lambda row: row.line), wrong


def _rows(record: StoredJob, zone: Zone) -> Iterator[EntryRow]:
    """The entries of a job: one for each item and card."""
    job = record.job
    assignment = record.made
    fields = {
        "start": clock.written(job.start, zone),
        "end": clock.written(job.end, zone),
        "seed": assignment.seed,
        "unplanned": "true" if assignment.unplanned else "",
        "run": assignment.run,
        "status": record.status,
        "wall_hours": f"{seconds_text(job.elapsed)} s",
        "job": job.id,
    }
    for part in order_portions(assignment.portions):
        own = {**fields, "item": part.item, "gpu": part.card, "gpus": str(part.gpus)}
        yield EntryRow(job.line, {name: text for name, text in own.items() if text})
