"""Where the hours of a source go, in sums: of its jobs one by one, and of months whose jobs are counted together."""

from __future__ import annotations

from fractions import Fraction

from reckon.compute.budget.imported import Heap
from reckon.language.days import HOUR
from reckon.load.importers.merging import Merged
from reckon.load.importers.stored import UNASSIGNED

HEADS = ("item", "card", "status")
Sums = dict[str, dict[tuple[str, str], Heap]]
"""Jobs with their hours by item and seed, by card and by status."""


def spent_of(merged: Merged) -> Sums:
    """The hours of all jobs that ran."""
    found: Sums = {head: {} for head in HEADS}
    for alike in merged.alike():
        for part in alike.made.portions:
            hours = part.gpus * alike.seconds / HOUR
            keys = ((part.item, alike.made.seed), (part.card, ""), (alike.status, ""))
            for head, key in zip(HEADS, keys, strict=True):
                _heap(found[head], key, alike.jobs, hours)
    unopened = [month for month in merged.months.values() if not month.opened]
    for sort, count in (pair for month in unopened if month.counts for pair in month.counts.ran.items()):
        item = "" if sort.item == UNASSIGNED else sort.item
        for head, key in zip(HEADS, ((item, sort.seed), (sort.card, ""), (sort.status, "")), strict=True):
            _heap(found[head], key, count.jobs, Fraction(count.seconds) / HOUR)
    for run in (run for month in unopened if month.counts is None for run in month.rows):
        where = "" if run.unassigned else str(run.item), str(run.seed or "")
        for head, key in zip(HEADS, (where, (str(run.gpu), ""), (str(run.status), "")), strict=True):
            _heap(found[head], key, run.many, run.charged_hours)
    return found


def _heap(heaps_of: dict[tuple[str, str], Heap], key: tuple[str, str], jobs: int, hours: Fraction) -> None:
    heap = heaps_of.get(key, Heap(0, Fraction(0)))
    heaps_of[key] = Heap(heap.jobs + jobs, heap.hours + hours)
