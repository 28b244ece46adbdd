"""Dates that cannot be met: last days of phases and of grants, by the GPUs that there are or at the present pace."""

from __future__ import annotations

from math import ceil

from reckon.language.calendar_days import DATE, DAYS, LAST, last_day
from reckon.language.quantity import point
from reckon.language.text import Text, place_of
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..sheet.cells import read_formula
from ..sheet.evaluate import derive
from .common import accepted_in, is_above, known_figures


def date_cannot_be_met(project: ProjectLedger, book: Book) -> Findings:
    """A phase or a grant that ends before its work can. What only follows from an earlier phase is not told again,
    unless its own day is past, or somebody accepts that the earlier one is late."""
    phases = [(name, phase) for name, phase in project.plan.items() if phase.until and phase.items]
    accepted = accepted_in(project)
    late = False
    for name, phase in sorted(phases, key=lambda pair: bool(pair[1].extension)):
        assert phase.until is not None
        until = _day(phase.until)
        told = _late(project, book, name, phase, until)
        past = is_above(book.find(project, "pace.through"), until)
        if told and (not late or past or _by_itself(project, book, name, phase)):
            title = say("{title}: it cannot end on its day", title=phase.title)
            found = _finding(f"{project.id}.phases.{name}", title, told, phase.until)
            late = late or found.id not in accepted
            yield found
    yield from _grants(project, book)


def _finding(subject: str, title: Sentence, told: Sentence, until: Text) -> Finding:
    return make_finding(
        "date-cannot-be-met",
        subject,
        title,
        told,
        "The hours that are planned and the dates do not fit together.",
        "Move the date, plan less, or hold more GPUs; or say what is done already.",
        (place_of(until),),
    )


def _day(until: Text) -> Figure:
    """The last day that a text names, as a figure."""
    return Figure("", "last day", DATE, point(last_day(until)), Stated(str(until), place_of(until)))


def _late(project: ProjectLedger, book: Book, name: str, phase: r.Phase, until: Figure) -> Sentence:
    """Why a phase cannot end on its day; nothing where it can, as far as is known."""
    at = f"{project.id}.phases.{name}"
    left = _left(book, at)
    through = book.find(project, "pace.through")
    if left and left.use and through and is_above(through, until):
        spent = book.get(f"{at}.actual")
        if phase.extension and not (spent and spent.use):
            return ()  # an extension that has not begun may never be run
        return say(
            "data go to {through}, and {left} are still to be done; it was to end on {until}",
            through=through,
            left=left,
            until=until,
        )
    at_all = _late_on_all_gpus(project, book, at, until)
    told = joined(filter(None, (at_all, _late_at_pace(project, book, at, until))))
    return told + say(", and is to end on {until}", until=until) if told else ()


def _late_on_all_gpus(project: ProjectLedger, book: Book, at: str, until: Figure) -> Sentence:
    """Why a phase cannot end on its day even if all GPUs work all the time; nothing where it can, or no capacity is
    known."""
    earliest = book.get(f"{at}.earliest_end")
    gpus = book.find(project, "schedule.gpus")
    if not earliest or not gpus or not book[f"{at}.to_do"].use or not is_above(earliest, until):
        return ()
    return say(
        "{to_do} are still to be done, which take {days} on {gpus}; it can end on {earliest} at the earliest",
        to_do=book[f"{at}.to_do"],
        days=book[f"{at}.days_needed"],
        gpus=gpus,
        earliest=earliest,
    )


def _late_at_pace(project: ProjectLedger, book: Book, at: str, until: Figure) -> Sentence:
    """Why a phase does not end on its day at the present pace; nothing where it does, is done, or has not begun."""
    left = _left(book, at)
    begun = book.get(f"{at}.actual")
    end = book.get(f"{at}.end")
    done = left is not None and not left.use
    if done or not begun or not begun.use or not end or not is_above(end, until):
        return ()
    return say(
        "at the present pace of {pace} it ends on {end}",
        end=end,
        pace=book[f"{project.id}.pace.gpu_hours_per_day"],
    )


def _left(book: Book, at: str) -> Figure | None:
    """The planned hours of the work of a phase that is not done; None where that is not known."""
    inputs = known_figures(book, {"bac": f"{at}.bac", "earned": f"{at}.earned"})
    if inputs is None:
        return None
    return derive(read_formula("max(bac - earned, 0 gpu_hours)"), inputs, GPU_HOURS, title="not done yet")


def _by_itself(project: ProjectLedger, book: Book, name: str, phase: r.Phase) -> bool:
    """Whether a phase takes more days than its dates leave, whatever comes before it."""
    days = book.find(project, f"phases.{name}.days_needed")
    start = book.find(project, "schedule.start")
    after = book.find(project, f"phases.{name}.starts_after")
    if not days or not start or not after or days.use is None or start.use is None or after.use is None:
        return False
    return start.use + after.use + ceil(days.use) - 1 > last_day(str(phase.until))


def _grants(project: ProjectLedger, book: Book) -> Findings:
    """The last grant that a project can draw on ends before its planned work can."""
    card = project.project.gpu
    own = book.ledger.grants_of(project.id).items()
    usable = {name: grant for name, grant in own if grant.gpu is None or grant.gpu == card}
    ends = {name: grant.until for name, grant in usable.items() if grant.until}
    if not ends or len(ends) < len(usable):
        return
    name = max(ends, key=lambda grant: last_day(ends[grant]))
    if book.get(f"allocations.{name}.days_since_end"):
        return  # of one that has ended nothing is left, and that is told
    until = _day(ends[name])
    earliest = book.find(project, "schedule.earliest_end")
    done = book.find(project, "performance.complete_share")
    if done is not None and done.use == 1:
        return
    pace, end = _pace_and_end(project, book, name)
    if earliest and is_above(earliest, until):
        told = say(
            "the planned work can end on {earliest} at the earliest, on {gpus}; the grant ends on {until}",
            earliest=earliest,
            gpus=book[f"{project.id}.schedule.gpus"],
            until=until,
        )
    elif end and pace and is_above(end, until) and _all_begun(project, book):
        told = say(
            "at the present pace of {pace} the work ends on {end}; the grant ends on {until}",
            until=until,
            end=end,
            pace=pace,
        )
    else:
        return
    title = say("{title}: it ends before the work can", title=usable[name].title)
    yield _finding(f"allocations.{name}", title, told, ends[name])


def _pace_and_end(project: ProjectLedger, book: Book, name: str) -> tuple[Figure | None, Figure | None]:
    """The present pace, and the day on which the work that a grant is charged for ends at it.

    Where work to come is on other cards than the grant's, both are those of the grant: other work does not count.
    """
    card = book.allocations[name].gpu
    open_items = [item for key, item in project.items.items() if _is_open(project, book, key)]
    cards = {project.card_for(item) for item in open_items}
    if card is None or cards <= {card}:
        return book.find(project, "pace.gpu_hours_per_day"), book.find(project, "pace.end")
    at = f"allocations.{name}"
    pace = f"{at}.pace.gpu_hours_per_day"
    inputs = known_figures(book, {"forecast": f"{at}.forecast_p50", "used": f"{at}.used", "pace": pace})
    through = book.get(f"{at}.pace.through")
    if inputs is None or not inputs["pace"].use or through is None or through.use is None:
        return None, None
    days = derive(read_formula("max(forecast - used, 0 gpu_hours) / pace"), inputs, DAYS, title="days to come")
    if not days.use:
        return None, None
    last = int(through.use) + ceil(days.use)
    origin = Worked("last day of data + days to come, in whole days", (through, days))
    return inputs["pace"], Figure("", "work on the grant done", DATE, point(min(last, LAST)), origin)


def _is_open(project: ProjectLedger, book: Book, item: str) -> bool:
    """Whether an item is not known to be done."""
    done = book.find(project, f"plan.{item}.complete_share")
    return done is None or done.use != 1


def _all_begun(project: ProjectLedger, book: Book) -> bool:
    """Whether every phase of the base budget has begun, so that the pace is one of all kinds of work."""
    base = [name for name, phase in project.plan.items() if phase.items and not phase.extension]
    return all(bool((spent := book.find(project, f"phases.{name}.actual")) and spent.use) for name in base)
