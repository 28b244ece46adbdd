"""Runs that cannot be, as their entries say they were: the lists below are all rules about single entries and runs.

A run is told by the first of the rules that finds it odd, the one with the likeliest cause. What only follows from
that, such as more GPUs at one time than there are, is sought among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from reckon.model.finding import Findings
from reckon.model.ledger import ProjectLedger

from ...book import Book
from .bills import cost_far_from_price, peak_above_card
from .capacity import more_gpus, more_hours, shared_by
from .dates import BEFORE, after_its_phase, before_the_project, in_the_future
from .duplicates import entered_twice, overlapping
from .durations import MINUTES, SECONDS, HeldEntry, held
from .energy import ENERGY, energy_far_from_card
from .entry import Around, Entries, RunEntry, around, entries_of
from .hours import (
    GPU_HOURS_AS_WALL,
    LONG_FOR_A_DATE,
    NOTHING,
    OTHER_UNIT,
    TOO_LONG,
    WALL_AS_GPU_HOURS,
    gpu_hours_as_wall,
    held_nothing,
    in_units,
    other_unit,
    part_of_a_gpu,
    stated_twice,
    too_long,
    too_short,
    wall_as_gpu_hours,
)
from .implausible import Doubt, told
from .prefilter import late, to_compare, to_judge

__all__ = [
    "ASKED",
    "FACTORS",
    "JUDGES",
    "TWINS",
    "WHOLE",
    "WHOLE_RULES",
    "ahead_of",
    "doubts_of",
    "judged",
    "odd_entries",
]

Judge = Callable[[HeldEntry], Doubt | None]
JUDGES: tuple[Judge, ...] = (
    wall_as_gpu_hours,
    gpu_hours_as_wall,
    other_unit,
    too_long,
    stated_twice,
    before_the_project,
    cost_far_from_price,
    peak_above_card,
    energy_far_from_card,
    held_nothing,
    part_of_a_gpu,
    too_short,
)
"""Rules about an entry alone, the likeliest cause first."""


def _longer_than_its_times(found: HeldEntry) -> Doubt | None:
    """That a run took longer than from its start to its end. A single date of an imported one is that of its submit."""
    return too_long(found) if found.entry.apart else None


FROM_SCHEDULERS: tuple[Judge, ...] = (_longer_than_its_times, before_the_project)
FROM_TABLES: tuple[Judge, ...] = (other_unit, *FROM_SCHEDULERS)
"""The same about entries that were imported: a column of a table may be in another unit than its source says."""
IMPORTED = (
    "The entry was imported: correct `timezone`, `columns` or the rules of its source in imports.yaml, and import the "
    "exports again; or correct what it is held against."
)
TWINS = (entered_twice, overlapping)
"""Rules about entries beside each other."""
WHOLE = (more_gpus, more_hours)
"""Rules about all that hold GPUs of a project or a grant; of each the first that finds something."""
FACTORS = tuple(cause.rule for cause in (OTHER_UNIT, GPU_HOURS_AS_WALL, WALL_AS_GPU_HOURS, TOO_LONG, BEFORE))
"""Rules whose hours are wrong, mostly by a factor: what else is odd of such an entry only follows."""
ASKED = (*FACTORS, ENERGY.rule, NOTHING.rule)
"""Rules whose entries are asked about before they are written: most are wrong by a factor, or by a slip."""
WHOLE_RULES = ("more-gpus-than-there-are", "more-hours-than-a-month-has")
"""What the rules about a capacity find, which is asked about too."""


def odd_entries(project: ProjectLedger, book: Book) -> Findings:
    """The findings about the runs of a project."""
    if not any(file.runs for file in project.runs):
        return
    beside = around(project, book)
    known = Entries(project)
    doubts = doubts_of(known, beside)
    accepted = {found for accept in project.project.accept for found in accept.ids}
    yield from told(project.id, doubts, accepted)
    yield from after_its_phase(beside, _without(known.of(late(beside)), doubts, also="note"))
    others = dict(_sharing(project, book))
    own = [] if book.find(project, "gpus") is None else _without(known.all, doubts)
    for shared in shared_by(beside, own, others):
        found = (finding for rule in WHOLE for finding in rule(shared))
        yield from (finding for number, finding in enumerate(found) if not number)


def doubts_of(known: Entries, beside: Around) -> list[Doubt]:
    """What is odd about single entries of a project, and about entries beside each other; one doubt for an entry."""
    doubts = _of_project(known, beside)
    near = known.of(to_compare(beside))
    for rule in TWINS:
        doubts += rule(_without(near, doubts))
    return doubts


def _of_project(known: Entries, beside: Around) -> list[Doubt]:
    """What is odd about single entries of a project: all are looked at where the hours of one are in another unit."""
    doubts = judged(known.of(to_judge(beside)), beside)
    return judged(known.all, beside) if any(doubt.cause.rule == OTHER_UNIT.rule for doubt in doubts) else doubts


def judged(entries: Sequence[RunEntry], beside: Around) -> list[Doubt]:
    """What is odd about single entries.

    Each is looked at alone; but where the hours of one are in another unit, so are those of the others that state the
    same fields, as rows of a table do, if they are seldom as many.
    """
    pairs = [(entry, _judged(entry, beside)) for entry in entries]
    odd = [entry for entry, doubt in pairs if doubt and doubt.cause.rule == OTHER_UNIT.rule and not entry.apart]
    units = {_fields(entry) for entry in odd}
    alike = (_alike(entry, doubt, beside) if _fields(entry) in units else doubt for entry, doubt in pairs)
    return [doubt for doubt in alike if doubt is not None]


def _judged(entry: RunEntry, beside: Around) -> Doubt | None:
    found = held(entry, beside)
    if entry.run.imported:
        return _imported(found)
    return next((doubt for judge in JUDGES if (doubt := judge(found)) is not None), None)


def _imported(found: HeldEntry) -> Doubt | None:
    """What is odd about an imported entry, which is corrected where it comes from. Schedulers count time themselves."""
    run = found.entry.run
    source = found.around.project.imports.get(run.imported.source) if run.imported else None
    judges = FROM_TABLES if source and source.format == "csv" else FROM_SCHEDULERS
    judges = judges if run.jobs is None else (before_the_project,)  # of jobs counted together nothing is known of one
    doubt = next((doubt for judge in judges if (doubt := judge(found)) is not None), None)
    return replace(doubt, cause=replace(doubt.cause, remedy=IMPORTED, part="imported")) if doubt else None


def _fields(entry: RunEntry) -> frozenset[str]:
    return frozenset(entry.run.model_fields_set)


def _alike(entry: RunEntry, doubt: Doubt | None, beside: Around) -> Doubt | None:
    """The doubt of an entry beside which others have their hours in another unit."""
    found = held(entry, beside) if doubt is None or doubt.cause is LONG_FOR_A_DATE else None
    if entry.run.imported:
        return doubt
    return in_units(found) if found and found.seldom and any(map(found.fits, (MINUTES, SECONDS))) else doubt


def _without(entries: Sequence[RunEntry], doubts: Sequence[Doubt], also: str = "") -> list[RunEntry]:
    """The entries that are told by no doubt; one that is a note counts only where that is asked for."""
    told_by = {id(doubt.entry) for doubt in doubts if doubt.cause.severity in ("error", "warning", also)}
    return [entry for entry in entries if id(entry) not in told_by]


def _sharing(project: ProjectLedger, book: Book) -> Iterator[tuple[str, Sequence[RunEntry]]]:
    """The sound entries of each project that shares a grant of stated capacity with this one."""
    grants = book.ledger.grants_of(project.id).values()
    for name in dict.fromkeys(name for grant in grants if grant.gpus is not None for name in grant.projects):
        if (other := book.projects.get(name)) is not None:
            known = Entries(other)
            yield name, _without(known.all, doubts_of(known, around(other, book)))


def ahead_of(project: ProjectLedger, book: Book, today: int) -> Findings:
    """The findings about runs that have not come yet on a day, for commands that are told which day it is."""
    beside = around(project, book)
    found = (in_the_future(held(entry, beside), today) for entry in entries_of(project))
    yield from told(project.id, (doubt for doubt in found if doubt is not None), ())
