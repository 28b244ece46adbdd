"""What the runs say of themselves, whether that can be, and whether one is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.days import hours_between
from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, HOURS, PLAIN, Unit
from reckon.model.figure import Figure, Stated
from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run

from ..book import Book
from ..sheet.inputs import ratio_address

TOLERANCE = Fraction(1, 1000)
SLACK, MINUTE = Fraction(101, 100), Fraction(1, 60)
MOST = 20


def stated_twice(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Runs whose stated GPU-hours are not the GPUs held times the wall-clock time; the stated figure counts."""
    found = []
    for at, run in _numbered(project):
        if run.gpu_hours is not None and run.gpus is not None and run.wall_hours is not None:
            held = run.gpus * run.wall_hours
            if abs(held - run.gpu_hours) > TOLERANCE * max(held, run.gpu_hours):
                found.append((at, run, held, run.gpu_hours))
    for at, run, held, stated in found[:MOST]:
        yield Finding(
            "gpu-hours-stated-twice", "warning", _address(project, *at),
            say("A run states its GPU-hours twice, with different figures"),
            say("GPUs held × wall-clock time is {held}, stated are {stated}",
                held=_hours("held", held, run, GPU_HOURS, str(held)),
                stated=_hours("stated", stated, run, GPU_HOURS, str(stated))),
            say("The stated GPU-hours count; the other figures of the run do not explain them."),
            say("Correct one of them, or note what the difference is (spare GPUs, pauses)."), (run.place,),
        )  # fmt: skip
    yield from _more(project, "gpu-hours-stated-twice", "Further runs state their GPU-hours twice", len(found) - MOST)


def longer_than_its_time(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Runs whose wall-clock time is more than what lies between their start and their end."""
    found = []
    for at, run in _numbered(project):
        if run.wall_hours is not None and run.start is not None and run.end is not None:
            apart = hours_between(run.start, run.end)
            if apart is not None and run.wall_hours > apart * SLACK + MINUTE:
                found.append((at, run, run.wall_hours, apart))
    for at, run, wall, apart in found[:MOST]:
        yield Finding(
            "run-longer-than-its-time", "warning", _address(project, *at),
            say("A run took longer than there was time"),
            say("its wall-clock time is {wall}, from its start to its end are {apart}",
                wall=_hours("wall-clock time", wall, run), apart=_hours("from start to end", apart, run)),
            say("One of the three is wrong; what the run is charged rests on its wall-clock time or its GPU-hours."),
            say("Correct it; where the clock was changed in between, write both times with their offset."),
            (run.place,),
        )  # fmt: skip
    title = "Further runs took longer than there was time"
    yield from _more(project, "run-longer-than-its-time", title, len(found) - MOST)


def entered_twice(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Entries that are most likely one run: alike in all that they say, or a running one beside the same one ended.

    A job id that stands twice is refused; this is for runs without one.
    """
    first: dict[tuple[object, ...], Run] = {}
    found: list[tuple[Run, Run]] = []
    for run in (run for file in project.runs for run in file.runs if run.job is None):
        for key in _alike(run):
            if (other := first.setdefault(key, run)) is not run:
                found.append((other, run))
                break
    for other, run in found[:MOST]:
        yield Finding(
            "run-entered-twice", "warning", f"{project.id}.runs.{run.place.file.rsplit('/', 1)[-1]}:{run.place.line}",
            say("A run is entered twice, as it seems"),
            say("{item} stands in two lines that are alike, at {hours} each",
                item=str(run.item), hours=_hours("hours", run.charged_hours, run, GPU_HOURS)),
            say("Both count, so that what was spent is too high if they are one run."),
            say("Remove one, or tell them apart: by `job`, `attempt`, or a time of day."), (other.place, run.place),
        )  # fmt: skip
    yield from _more(project, "run-entered-twice", "Further runs are entered twice, as it seems", len(found) - MOST)


def _alike(run: Run) -> Iterator[tuple[object, ...]]:
    """What makes two entries one run: the same attempt while it ran and after; or all that is said of it."""
    if run.attempt is not None and run.start is not None:
        yield (run.item, run.seed, run.run, run.attempt, run.start)
    if run.date or run.start or run.end:
        moments, amounts = (run.date, run.start, run.end), (run.gpu, run.gpus, run.wall_hours, run.gpu_hours)
        progress = run.progress and (run.progress.done, run.progress.total)
        yield (run.item, run.seed, run.run, run.attempt, *moments, *amounts, run.status, progress)


def _numbered(project: ProjectLedger) -> Iterator[tuple[tuple[str, int], Run]]:
    """The runs of a project, each with its file and its number there."""
    return (((file.file, number), run) for file in project.runs for number, run in enumerate(file.runs, 1))


def _address(project: ProjectLedger, file: str, number: int) -> str:
    """A run as findings name it: its file and its number there."""
    return f"{project.id}.runs.{file.rsplit('/', 1)[-1].removesuffix('.yaml')}.{number}"


def _hours(title: str, hours: Fraction, run: Run, unit: Unit = HOURS, text: str = "") -> Figure:
    return Figure("", title, unit, point(hours), Stated(text, run.place))


def _more(project: ProjectLedger, rule: str, title: str, count: int) -> Iterator[Finding]:
    """A last finding for all that there are beside those that are told one by one, if there are more."""
    if count <= 0:
        return
    many = Figure("", "more", PLAIN, point(count), Stated(str(count)))
    yield Finding(
        rule, "warning", f"{project.id}.runs", say(title), say("there are {many} more", many=many),
        say("Only the first of them are told one by one."), say("Mend those first; the others follow."),
        (project.project.place,),
    )  # fmt: skip


def ratio_missing(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Runs on another kind of GPU whose hours cannot enter the total, because a ratio is missing."""
    total = book.get(f"{project.id}.actual.total")
    for address in total.missing if total else ():
        yield Finding(
            "ratio-missing", "error", address, say("Runs on another kind of GPU cannot be counted"),
            say("there is no {address}", address=address),
            say("Actual and remaining are unknown until it is there: unknown is never zero."),
            say("State under `counts_as` of that card how many hours of the project's GPU one of its hours counts as."),
            (project.project.place,),
        )  # fmt: skip


def plan_on_another_gpu(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Items that run on another kind of GPU than the budget counts, without a ratio between the two."""
    target, gpus = str(project.project.gpu), book.ledger.catalog.gpus
    for name, item in project.items.items():
        own = str(item.gpu or target)
        if own == target or own not in gpus or ratio_address(own, target) in book.figures:
            continue
        yield Finding(
            "plan-on-another-gpu", "note", f"{project.id}.plan.{name}",
            say("{title}: planned on a GPU that the budget does not count in", title=str(item.title)),
            say("{plan} on {card} are summed as hours of {target}", plan=book[f"{project.id}.plan.{name}.gpu_hours"],
                card=str(gpus[own].title), target=str(gpus[target].title) if target in gpus else target),
            say("No ratio between the two is known: the plan takes an hour of one for an hour of the other, and runs "
                "there are not counted."),
            say("State the ratio under `counts_as` of that card."), (item.place,),
        )  # fmt: skip
