"""Runs at a time at which they cannot have been: before their project, after their phase, or after today."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from reckon.language.calendar_days import first_day, iso, last_day
from reckon.model.finding import Finding, Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..common import counted, hours_of
from .entry import HeldEntry, RunEntry, entries_of
from .implausible import MOST_PLACES, Cause, Doubt, Doubts

BEFORE = Cause(
    "run-outside-its-dates#before",
    "A run is before its project began",
    "Several runs are before their project",
    "Either its date is wrong, or work began earlier than `began` says.",
    "Correct the date, or `began`.",
)
AHEAD = Cause(
    "run-in-the-future",
    "A run has not come yet",
    "Several runs have not come yet",
    "What is charged has happened: a date is wrong, or a plan was entered as a run.",
    "Correct the date; what is still to come belongs into the plan.",
)


def before_the_project(found: HeldEntry) -> Doubts:
    """A run that begins before the first day of the project, if that is stated. A month counts by its last day; what
    jobs counted together held since that day is of those that began before it."""
    run = found.run
    since = run.imported.began if run.imported else None
    day = last_day(since or run.start or run.date or run.end)
    if 0 < day < found.around.began:
        text = "it is of {day}, the project began on {began}"
        if since:
            text = "it is of jobs that began on {day} or later, the project began on {began}"
        yield Doubt(BEFORE, found, say(text, day=iso(day), began=iso(found.around.began)))


def in_the_future(found: HeldEntry, today: int) -> Doubts:
    """A run of a day after this one, or that begins by it and takes until after it."""
    run = found.run
    latest = max(map(first_day, (run.start, run.end, run.date)))
    if run.start and not run.end and run.date is None:  # a day more, for the hour of its start and other time zones
        latest = max(latest, first_day(run.start) + int(found.hours / 24) - 1)
    if latest > today:
        yield Doubt(AHEAD, found, say("its last day is {day}, today is {today}", day=iso(latest), today=iso(today)))


def after_its_phase(project: ProjectLedger, told_by: Collection[int]) -> Findings:
    """Runs that begin after the last day of their phase, but for those that are told already, by their numbers; one
    finding for each phase: it took longer than planned."""
    phases = {item: name for name, phase in project.plan.items() if phase.until for item in phase.items}
    # What jobs counted together held in a later month is of those that began before it.
    said = project.rows.columns("item", "imported.began", "start", "date", "end")
    late = defaultdict(list)
    for number, (item, *moments) in enumerate(said):
        if item in phases and number not in told_by:
            day = first_day(next(filter(None, moments), None))
            if day > last_day(project.plan[phases[item]].until):
                late[phases[item]].append((day, number))
    for name, found in late.items():
        many = list(entries_of(project, (number for _, number in found)))
        yield _late(project, name, max(day for day, _ in found), many)


def _late(project: ProjectLedger, name: str, day: int, entries: Sequence[RunEntry]) -> Finding:
    phase = project.plan[name]
    many = sum(entry.run.many for entry in entries)
    text = "{many} runs with {charged} begin after {until}, the last of them on {day}"
    if many == 1:
        text = "{many} run with {charged} begins after {until}, on {day}"
    told = say(
        text,
        many=counted(many),
        until=iso(last_day(phase.until)),
        charged=hours_of(entry.run for entry in entries),
        day=iso(day),
    )
    return make_finding(
        "run-outside-its-dates",
        f"{project.id}.phases.{name}",
        f"Runs after the last day of {phase.title}",
        told,
        places=[entry.run.place for entry in entries[:MOST_PLACES]],
        is_mild=True,
    )
