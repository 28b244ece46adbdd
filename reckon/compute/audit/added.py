"""What imported entries without hours add, and cannot be told where: to which job, or to which item."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from reckon.language.quantity import ZERO, add_up
from reckon.language.units import PLAIN, key_unit
from reckon.model.figure import SUMMED, Figure
from reckon.model.finding import Findings, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run

from ..book import Book
from ..budget.unassigned_jobs import unassigned_added, unclear
from .common import counted, number_of, some_said

SHOWN, LONGEST, MOST_PLACES = 5, 60, 20


def additions_without_job(project: ProjectLedger, _: Book) -> Findings:
    """Entries that name a job to which they add nothing, source by source: it is not there, or its id is not unique."""
    for name, source in project.imports.items():
        found = unclear(project, name)
        if not found:
            continue
        shown = [
            say("`{job}`", job=str(run.adds_to)[:LONGEST])
            + (say(" (an id of {many} jobs)", many=counted(many)) if many else ())
            for run, many in found[:SHOWN]
        ]
        yield make_finding(
            "additions-without-job",
            f"{project.id}.imports.{name}",
            say("{title}: it is not clear to which jobs entries add", title=source.title or name),
            say(
                "{many} for a job that is not there, or more than once: ",
                many=_entries(found),
            )
            + some_said(shown, len(found)),
            (
                "They stand by themselves: their energy or money counts beside what the hours of that job come to, and "
                "may count twice."
            ),
            (
                "Import the jobs of that time from the source that counts their hours. Where an id was used several "
                "times, the column that holds `scheduler_job` has to say the time of submission too: "
                "`123@2025-03-01T09:00:00Z`."
            ),
            tuple(run.place for run, _ in found)[:MOST_PLACES],
        )


def additions_unassigned(project: ProjectLedger, _: Book) -> Findings:
    """Entries without hours that no rule assigns, source by source: how much, and the names with most of it."""
    for name, source in project.imports.items():
        found = unassigned_added(project, name)
        runs = [run for some in found.values() for run in some]
        if not runs:
            continue
        field = next((each.name for each in SUMMED if getattr(runs[0], each.name) is not None), "")
        amounts = {key: _sum(some, field) for key, some in found.items()}
        ordered = sorted(amounts, key=lambda key: (-abs(amounts[key]), key))
        shown = [
            say(
                "{name} {amount}",
                name=f"`{key[:LONGEST]}`" if key else "without a name",
                amount=_figure(amounts[key], field),
            )
            for key in ordered[:SHOWN]
        ]
        whole = say(" with {amount}", amount=_figure(add_up(amounts.values()), field)) if field else ()
        yield make_finding(
            "additions-unassigned",
            f"{project.id}.imports.{name}",
            say("{title}: no rule says to which item entries belong", title=source.title or name),
            (_entries(runs), *whole, ": ", *some_said(shown, len(ordered))),
            "They are in the totals of the project, and in those of no item."
            if field
            else "What they say of the work done counts nowhere.",
            say(
                "Write rules for these names in imports.yaml, and apply them: `budget import --reapply --with "
                "{source}`. What this project was not charged for takes `ignore:` with the reason.",
                source=name,
            ),
            (source.place, *(run.place for run in runs))[:MOST_PLACES],
        )


def _sum(runs: Sequence[Run], field: str) -> Fraction:
    return add_up(getattr(run, field) or ZERO for run in runs) if field else Fraction(len(runs))


def _figure(amount: Fraction, field: str) -> Figure:
    return counted(amount, key_unit(field) if field else PLAIN)


def _entries(found: Sequence[object]) -> Figure:
    """How many entries there are."""
    return number_of(len(found), "entry", "entries")
