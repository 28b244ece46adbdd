"""Dates that cannot be met: last days of phases and of grants, by the GPUs that there are or at the present pace."""

from __future__ import annotations

from math import ceil

from reckon.language.calendar_days import DATE, DAYS, LAST, last_day
from reckon.language.quantity import point
from reckon.language.text import place_of
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked, planned, use_at
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..sheet.cells import read_formula
from ..sheet.evaluate import derive
from .common import accepted_in, is_above, known_figures


def date_cannot_be_met(project: ProjectLedger, book: Book) -> Findings:
    """A phase or a grant that ends before its work can. What only follows from an earlier phase is not told again,
    unless its own day is past, or somebody accepts that the earlier one is late."""
    accepted = accepted_in(project)
    through = book.find(project, "pace.through")
    late = False
    for name, phase in sorted(project.plan.items(), key=lambda pair: bool(pair[1].extension)):
        until = _day(phase.until or "")
        told = _late(project, book, name, phase, until) if phase.until else ()
        if told and (not late or is_above(through, until) or _by_itself(project, book, name, until)):
            is_sure = is_above(book.get(f"{project.id}.phases.{name}.earliest_end"), until)
            does = "did not end by" if is_above(through, until) else "cannot end by" if is_sure else "will end after"
            title = say("{title} {does} {until}", title=phase.title, does=does, until=until)
            found = _finding(f"{project.id}.phases.{name}", title, told, until)
            late = late or found.id not in accepted
            yield found
    yield from _grants(project, book)


def _finding(subject: str, title: Sentence, told: Sentence, until: Figure) -> Finding:
    return make_finding("date-cannot-be-met", subject, title, told, places=(until.place,))


def _day(until: str) -> Figure:
    """The last day that a text names, as a figure."""
    return Figure("", "last day", DATE, point(last_day(until)), Stated(str(until), place_of(until)))


def _late(project: ProjectLedger, book: Book, name: str, phase: r.Phase, until: Figure) -> Sentence:
    """Why a phase cannot end on its day; nothing where it can, as far as is known: since its day is past, or all GPUs
    cannot do it by then, or they do not at the present pace."""
    at = f"{project.id}.phases.{name}"
    inputs = known_figures(book, {"bac": f"{at}.bac", "earned": f"{at}.earned"})
    left = inputs and derive(read_formula("max(bac - earned, 0 gpu_hours)"), inputs, GPU_HOURS, title="not done yet")
    through = book.find(project, "pace.through")
    has_begun = planned(book.get(f"{at}.actual")) > 0
    if left and left.use and is_above(through, until):
        if phase.extension and not has_begun:
            return ()  # an extension that has not begun may never be run
        text = "on {through}, the last day of data, {left} were left to do; the planned end is {until}"
        return say(text, through=through, left=left, until=until)
    told = []
    earliest, to_do, days = book.get_all(at, "earliest_end", "to_do", "days_needed")
    gpus = book.find(project, "schedule.gpus")
    if planned(to_do) and is_above(earliest, until):
        text = "{to_do} are still to be done, which take {days} on {gpus}; it can end on {earliest} at the earliest"
        told.append(say(text, to_do=to_do, days=days, gpus=gpus, earliest=earliest))
    end = book.get(f"{at}.end")
    if has_begun and not (left and not left.use) and is_above(end, until):
        pace = book.find(project, "pace.gpu_hours_per_day")
        told.append(say("at the present pace of {pace}, earlier phases first, it ends on {end}", end=end, pace=pace))
    return joined(told) + say("; the planned end is {until}", until=until) if told else ()


def _by_itself(project: ProjectLedger, book: Book, name: str, until: Figure) -> bool:
    """Whether a phase takes more days than its dates leave, whatever comes before it."""
    at = f"{project.id}.phases.{name}"
    start = use_at(book.figures, f"{project.id}.schedule.start")
    days, after = (use_at(book.figures, f"{at}.{key}") for key in ("days_needed", "starts_after"))
    if days is None or start is None or after is None:
        return False
    return start + after + ceil(days) - 1 > (until.use or 0)


def _grants(project: ProjectLedger, book: Book) -> Findings:
    """The last grant that a project can draw on ends before its planned work can."""
    own = book.ledger.grants_of(project.id).items()
    usable = {name: grant for name, grant in own if grant.gpu in (None, project.project.gpu)}
    is_done = use_at(book.figures, f"{project.id}.performance.complete_share") == 1
    if is_done or not usable or not all(grant.until for grant in usable.values()):
        return
    name = max(usable, key=lambda name: last_day(usable[name].until))
    if book.get(f"allocations.{name}.days_since_end"):
        return  # of one that has ended nothing is left, and that is told
    until = _day(usable[name].until or "")
    earliest = book.find(project, "schedule.earliest_end")
    pace, end = _pace_and_end(project, book, name)
    # Where every phase of the base budget has begun, the pace is one of all kinds of work.
    base = [name for name, phase in project.plan.items() if phase.items and not phase.extension]
    has_begun = all(use_at(book.figures, f"{project.id}.phases.{phase}.actual") for phase in base)
    if is_above(earliest, until):
        text = "the planned work can end on {earliest} at the earliest, on {gpus}; the grant ends on {until}"
        told = say(text, earliest=earliest, gpus=book[f"{project.id}.schedule.gpus"], until=until)
    elif pace and is_above(end, until) and has_begun:
        text = "at the present pace of {pace} the work ends on {end}; the grant ends on {until}"
        told = say(text, until=until, end=end, pace=pace)
    else:
        return
    title = say("{title}: it ends before the work can", title=usable[name].title)
    yield _finding(f"allocations.{name}", title, told, until)


def _pace_and_end(project: ProjectLedger, book: Book, name: str) -> tuple[Figure | None, Figure | None]:
    """The present pace, and the day on which the work that a grant is charged for ends at it: of a grant of one card
    that of work on it."""
    if book.allocations[name].gpu is None:
        return book.find(project, "pace.gpu_hours_per_day"), book.find(project, "pace.end")
    forecast, used, pace, through = book.get_all(
        f"allocations.{name}", "forecast_p50", "used", "pace.gpu_hours_per_day", "pace.through"
    )
    if not (through and planned(pace) and is_above(forecast, used)):
        return None, None
    days = ceil(DAYS.from_base((planned(forecast) - planned(used)) / planned(pace)))
    origin = Worked("last day of data + days to come, in whole days", (through,))
    return pace, Figure("", "work on the grant done", DATE, point(min(int(planned(through)) + days, LAST)), origin)
