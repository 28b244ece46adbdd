"""Two entries that are one run, and attempts of one run that overlap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from reckon.language.calendar_days import HOUR, has_offset
from reckon.language.groups import group_by
from reckon.language.units import GPU_HOURS
from reckon.model.finding import joined, say
from reckon.model.records import Run

from .entry import HeldEntry, RunEntry
from .history import ATTEMPTS, GPUS, PROGRESS, TIME
from .implausible import Cause, Doubt, Doubts, stated

ENTERED_TWICE = Cause(
    "run-entered-twice",
    "A run is entered twice, as it seems",
    "Several runs are entered twice, as it seems",
    "Both count, so that what was spent is too high if they are one run.",
    "Remove one, or tell them apart: by `job`, `attempt`, or a time of day.",
)
OVERLAP = Cause(
    "attempts-out-of-order#overlap",
    "Two attempts of a run overlap",
    "Attempts of several runs overlap",
    "An attempt begins when the one before has ended: a time is wrong, or one of them is another run.",
    "Correct the times, or give the other run a name of its own under `run`.",
)
CAUSES = {
    ATTEMPTS: Cause(
        "attempts-out-of-order",
        "The attempts of a run are out of order",
        "The attempts of several runs are out of order",
        "A date, a number or a seed is wrong, a line is there twice, or one is missing.",
        "Correct it; attempts are numbered from 1 in the order in which they ran.",
    ),
    PROGRESS: Cause(
        "attempts-out-of-order",
        "The progress of a run contradicts that of another",
        "The progress of several runs contradicts that of other runs",
        "Progress is that of the piece of work after the run: it grows, out of the same whole, up to its end.",
        "Correct the progress, the seed or the date; where work was lost, say so by `status`.",
        "progress",
    ),
    TIME: Cause(
        "run-outside-its-dates",
        "A run is far from all others in time",
        "Several runs are far from all others in time",
        "A year, or a month and a day, may be wrong. What it was charged counts on its date.",
        "Correct the date; if it is right, accept the finding with the reason.",
    ),
    GPUS: Cause(
        "run-unlike-its-siblings",
        "A run names other GPUs than all its siblings",
        "Several runs name other GPUs than all their siblings",
        "The GPUs held multiply the hours, and the card decides what an hour counts.",
        "Correct `gpus` or `gpu`; if it is right, write `gpu` there, or accept the finding.",
    ),
}
"""The causes of what runs contradict each other in."""
CLOCKS = 60
"""Seconds by which two attempts may overlap: times are often written to the minute."""
COMPARED = 4
"""Entries of the same times, item and GPUs that each further one is compared with: there can be thousands of them."""


Key = tuple[object, ...]
"""What entries have in common that may be one."""


def entered_twice(entries: Sequence[RunEntry]) -> Doubts:
    """Entries that are most likely one run: alike in all that they say, or a running one beside the same one ended.

    So are two from the same time to the same time on the same GPUs, if nothing that they say tells them apart, and a
    step of a job beside the job. A job id that stands twice is refused.
    """
    alike: dict[Key, list[RunEntry]] = defaultdict(list)
    for entry in entries:
        groups = [alike[key] for key in _alike(entry)]
        other = next((known for near in groups for known in near if _may_be_one(known.run, entry.run)), None)
        for near in groups:
            if len(near) < COMPARED:
                near.append(entry)
        if other:
            text = "{item} is in two lines with the same times and GPUs, here at {hours}"
            if other.run.charged_hours == entry.run.charged_hours:
                text = "{item} is in two lines that are alike, at {hours} each"
            told = say(text, item=entry.run.item, hours=stated(entry.run.charged_hours, GPU_HOURS))
            if other.run.job and entry.run.job:
                told += say("; {job} and {step} are the same job", job=other.run.job, step=entry.run.job)
            yield Doubt(ENTERED_TWICE, entry, told, (other.run.place,), by_line=True)


def _alike(entry: RunEntry) -> Iterator[Key]:
    """What makes two entries one run: the same attempt while it ran and after, all that is said of it, its times, or
    its job."""
    run = entry.run
    if run.attempt and run.start:
        yield (run.item, run.seed, run.run, run.attempt, run.start)
    if run.date or run.start or run.end:
        moments = (run.date, run.start, run.end)
        amounts = (run.gpu, run.gpus, run.wall_hours, run.gpu_hours)
        progress = run.progress and (run.progress.done, run.progress.total)
        yield (run.item, run.seed, run.run, run.attempt, *moments, *amounts, run.status, progress)
    if entry.exact:
        yield run.item, entry.card, run.gpus, entry.begins, entry.ends, has_offset(str(run.start))
    if run.job:
        yield (job_of(run.job),)


def job_of(job: str) -> str:
    """The id of a job, of which `50089.batch` is a step."""
    return job.partition(".")[0]


def _may_be_one(other: Run, run: Run) -> bool:
    """Whether nothing tells two entries apart: their seeds, names and attempts are alike, or one has none; and of jobs
    only one has one, or one is a step of the other."""
    if other.job and run.job:
        is_step = other.job == job_of(run.job) or run.job == job_of(other.job)
        if other.job == run.job or not is_step:
            return False
    pairs = ((other.seed, run.seed), (other.run, run.run), (other.attempt, run.attempt))
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def beside_others(found: HeldEntry) -> Doubts:
    """What a run contradicts others in: their attempts and progress, their time, or their GPUs."""
    odd = found.around.history.odd.get(found.row, ())
    for some in group_by(odd, lambda each: CAUSES[each.kind].rule).values():
        also = tuple(place for each in some for place in each.also)
        fields = tuple(field for each in some for field in each.fields)
        told = joined(each.arithmetic for each in some)
        yield Doubt(CAUSES[some[0].kind], found, told, also, fields=fields)


def overlapping(entries: Sequence[RunEntry]) -> Doubts:
    """Attempts of one run of which one begins before another has ended. Only runs that name their run or attempt.

    What names the run of an imported job is the name of a group, whose jobs may well run at one time.
    """
    by_hand = (entry for entry in entries if not entry.run.imported and entry.exact)
    attempts = [entry for entry in by_hand if entry.run.run or entry.run.attempt]
    for found in group_by(attempts, _run_of).values():
        found.sort(key=lambda entry: (entry.begins, entry.ends))
        before = found[0]
        for entry in found[1:]:
            late = before.ends - (entry.begins or 0)
            if late > CLOCKS:
                told = say(
                    "it begins at {start}, {early} before the one of {other} ends",
                    early=stated(Fraction(late, HOUR)),
                    start=str(entry.run.start).replace("T", " "),
                    other=str(before.run.start).replace("T", " "),
                )
                yield Doubt(OVERLAP, entry, told, (before.run.place,))
            if entry.ends > before.ends:
                before = entry


def _run_of(entry: RunEntry) -> Key:
    """What attempts of one run have in common whose times can be compared."""
    run = entry.run
    return run.item, run.seed, run.run, has_offset(str(run.start))
