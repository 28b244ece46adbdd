"""Exports of any size taken in by DuckDB, as `taking.take` and `counting.counted` take in those that memory has room
for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from reckon.language.lean import dataclass

from ..taking import Taken
from .assigning import Jobs
from .duck import Duck
from .looking import Far
from .settling import changed, settle
from .staging import Staged
from .sums import CountedJobs, count, prepare


class Export(NamedTuple):
    """A file, and the name by which messages call it."""

    path: Path
    name: str


@dataclass(slots=True)
class Whole:
    """What a source comes to: the jobs of its months; and how many of the runs that were read are `new`, `replaced` or
    the `same`."""

    counted: CountedJobs
    changed: Counter[str]


def taken_whole(
    duck: Duck, taken: Taken, exports: Iterable[Export], edges: Sequence[int], most: int, far: Far
) -> Whole | None:
    """Takes in exports beside what a ledger has of a source, whose months of more than so many jobs are counted.

    What else is told of the files comes to `taken`; with problems there, it gives nothing. Raises EngineFailed.
    """
    staged = Staged.begun(taken, duck)
    for export in exports:
        staged.read(export.path, export.name, far)
    if taken.problems:
        return None
    jobs, merged = Jobs.of(staged.assigning), taken.merged
    settle(duck, jobs, merged.source, merged.zone, merged.stale)
    prepare(duck, merged.zone, edges, jobs)
    return Whole(count(duck, merged.zone, edges, jobs, most), changed(duck, jobs))
