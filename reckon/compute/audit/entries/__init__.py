"""Runs that cannot be, as their entries say they were: the lists below are all rules about single entries and runs.

All that is odd about a run is told together, what is strongest first: its own times and hours, other runs of its kind,
what it was expected to take, the lines beside it. Its hours are told once, by the first rule that explains them. What
only follows, such as more GPUs at one time than there are, is sought among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from reckon.model.finding import Findings
from reckon.model.ledger import ProjectLedger

from ...book import Book
from ..common import accepted_in
from .bills import ENERGY, cost_far_from_price, energy_cannot_be, energy_far_from_card, need_above_card, peak_above_card
from .capacity import more_gpus, more_hours, more_on_a_day, shared_by
from .dates import BEFORE, after_its_phase, before_the_project, in_the_future
from .duplicates import beside_others, entered_twice, overlapping
from .entry import Around, HeldEntry, RunEntry, around, entries_of, held
from .hours import (
    GPU_HOURS_AS_WALL,
    LONG_FOR_A_DATE,
    NOTHING,
    OTHER_UNIT,
    TOO_LONG,
    UNUSUAL,
    WALL_AS_GPU_HOURS,
    beside_siblings,
    by_its_date,
    by_its_estimate,
    by_its_own,
    by_its_plan,
    by_its_siblings,
    by_its_times,
    held_nothing,
    in_units,
    longer_than_its_times,
    part_of_a_gpu,
    too_short,
)
from .implausible import Doubt, Doubts, told
from .prefilter import to_compare, to_judge

HOURS = (
    by_its_own,
    by_its_times,
    by_its_siblings,
    by_its_plan,
    by_its_estimate,
    by_its_date,
)
"""Witnesses of the hours of an entry, the surest first: they are told by the first that finds them odd."""
JUDGES = (
    before_the_project,
    cost_far_from_price,
    peak_above_card,
    need_above_card,
    energy_far_from_card,
    held_nothing,
    part_of_a_gpu,
    too_short,
)
"""Rules about what else an entry says, each by itself."""


FROM_SCHEDULERS = (longer_than_its_times, before_the_project)
FROM_TABLES = (by_its_own, by_its_times, by_its_plan, before_the_project)
"""The same about entries that were imported: a column of a table may be in another unit than its source says."""
IMPORTED = (
    "The entry was imported: correct `timezone`, `columns` or the rules of its source in imports.yaml, and import the "
    "exports again; or correct what it is compared with."
)
TWINS = (entered_twice, overlapping)
"""Rules about entries beside each other."""
WHOLE = (more_gpus, more_on_a_day, more_hours)
"""Rules about all that hold GPUs of a project or a grant; of each the first that finds something."""
ASKED = tuple(
    cause.judgement
    for cause in (OTHER_UNIT, GPU_HOURS_AS_WALL, WALL_AS_GPU_HOURS, TOO_LONG, UNUSUAL, BEFORE, ENERGY, NOTHING)
)
"""Rules whose entries are asked about before they are written: most are wrong by a factor, or by a slip."""
WHOLE_RULES = ("more-than-the-capacity",)
"""What the rules about a capacity find, which is asked about too."""


def odd_entries(project: ProjectLedger, book: Book) -> Findings:
    """The findings about the runs of a project, and about what their energy rests on."""
    yield from energy_cannot_be(project, book)
    if not project.rows:
        return
    beside = around(project, book)
    doubts = doubts_of(beside)
    yield from told(project.id, doubts, accepted_in(project))
    yield from after_its_phase(project, {doubt.entry.row for doubt in doubts})
    own = _without(project, doubts) if book.find(project, "gpus") else []
    for shared in shared_by(project, book, own, dict(_sharing(project, book))):
        found = (finding for rule in WHOLE for finding in rule(shared))
        yield from islice(found, 1)


def doubts_of(beside: Around) -> list[Doubt]:
    """What is odd about entries beside each other, and about single entries of a project; of each the strongest first.

    All are looked at where the hours of one are in another unit.
    """
    project = beside.project
    doubts = judged(entries_of(project, to_judge(beside)), beside)
    if any(doubt.cause.judgement == OTHER_UNIT.judgement for doubt in doubts):
        doubts = judged(entries_of(project), beside)
    near = list(entries_of(project, to_compare(beside)))
    return [doubt for rule in TWINS for doubt in rule(near)] + doubts


def judged(entries: Iterable[RunEntry], beside: Around) -> list[Doubt]:
    """What is odd about single entries.

    Each is looked at alone; but where the hours of one are in another unit, so are those of the others that state the
    same fields, as rows of a table do, if they are seldom as many.
    """
    pairs = [(found, _of_hours(found)) for found in (held(entry, beside) for entry in entries)]
    odd = [found for found, doubt in pairs if doubt and doubt.cause.judgement == OTHER_UNIT.judgement]
    units = {frozenset(found.run.model_fields_set) for found in odd if not found.apart}
    doubts = []
    for found, doubt in pairs:
        by_hand = not found.run.imported
        is_open = doubt is None or doubt.cause is LONG_FOR_A_DATE
        if by_hand and is_open and found.seldom and frozenset(found.run.model_fields_set) in units:
            doubt = next(in_units(found), doubt)
        doubts += [doubt] if doubt else []
        for judge in (beside_others, *JUDGES) if by_hand else ():
            doubts += judge(found)
    return doubts


def _of_hours(found: HeldEntry) -> Doubt | None:
    """What is odd about the hours of an entry, with what other runs of its kind say of them. An imported one is
    corrected where it comes from: schedulers count time themselves, and of jobs counted together nothing is known of
    one."""
    run = found.run
    judges: Sequence[Callable[[HeldEntry], Doubts]] = HOURS
    if run.imported:
        source = found.around.project.imports.get(run.imported.source)
        judges = FROM_TABLES if source and source.format == "csv" else FROM_SCHEDULERS
    if run.jobs is not None:
        judges = (before_the_project,)
    doubt = next((doubt for judge in judges for doubt in judge(found)), None)
    if doubt and run.imported:
        return replace(doubt, cause=replace(doubt.cause, remedy=IMPORTED, part="imported"))
    if doubt is None or doubt.of_siblings or found.unusual is None:
        return doubt
    return replace(doubt, arithmetic=(*doubt.arithmetic, "; ", *beside_siblings(found)))


def _without(project: ProjectLedger, doubts: Sequence[Doubt]) -> list[RunEntry]:
    """The entries of a project that are told by no doubt but a note."""
    told_by = {doubt.entry.row for doubt in doubts if doubt.cause.severity != "note"}
    return [entry for entry in entries_of(project) if entry.row not in told_by]


def _sharing(project: ProjectLedger, book: Book) -> Iterator[tuple[str, Sequence[RunEntry]]]:
    """The sound entries of each project that shares a grant of stated capacity with this one."""
    grants = book.ledger.grants_of(project.id).values()
    names = {name for grant in grants if grant.gpus for name in grant.projects}
    for other in (other for name, other in book.projects.items() if name in names):
        yield other.id, _without(other, doubts_of(around(other, book)))


def ahead_of(project: ProjectLedger, book: Book, today: int) -> Findings:
    """The findings about runs that have not come yet on a day, for commands that are told which day it is."""
    beside = around(project, book)
    doubts = (doubt for entry in entries_of(project) for doubt in in_the_future(held(entry, beside), today))
    yield from told(project.id, doubts, ())
