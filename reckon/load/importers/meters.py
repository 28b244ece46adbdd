"""Rows of energy that may be of one meter: each rank of a training writes the energy of its whole machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isclose

from reckon.model.records.imports import OWN_METERS

from .job import Job
from .reading import Reading

SECONDS, PART, MOST_RANKS = 10, 0.05, 64
"""Of rows of one meter: by how much their starts and durations differ at most, and their energies; and with how many
that began next a row is compared."""


def read(jobs: Iterable[Job], reading: Reading) -> Iterator[Job]:
    """The jobs of an export of energy. Those that may be of one meter are a problem until `meter` says what they are;
    of one meter the job counts whose id is the first."""
    rows = list(jobs)
    copies = _find_copies(rows)
    for job in rows:
        if job.id not in copies or reading.source.meter == OWN_METERS:
            yield job
        elif reading.source.meter:
            reading.set_aside(job, "of the same meter")
        else:
            reading.wrong(
                job.line,
                "another run has the same machine, start, duration and energy: both may have read one meter, "
                "or each its own",
                "add `meter: one` to the source to count one of them, or `meter: each` to count all",
            )


def _find_copies(rows: Iterable[Job]) -> set[str]:
    """The ids of jobs that measured the same as one with an earlier id, by the last row of each."""
    latest = {job.id: job for job in sorted(rows, key=lambda job: job.elapsed)}
    ordered = sorted(latest.values(), key=lambda job: job.start or 0)
    copies = set()
    for at, earlier in enumerate(ordered):
        for later in ordered[at + 1 : at + MOST_RANKS]:
            if (
                isclose(earlier.start or 0, later.start or 0, abs_tol=SECONDS)
                and isclose(earlier.elapsed, later.elapsed, abs_tol=SECONDS)
                and isclose(earlier.extras.energy_kwh or 0, later.extras.energy_kwh or 0, rel_tol=PART)
                and (earlier.says, earlier.gpus) == (later.says, later.gpus)
            ):
                copies.add(max(earlier.id, later.id))
    return copies
