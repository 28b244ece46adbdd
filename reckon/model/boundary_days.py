"""Days on which something begins by which figures tell hours apart: what is counted together lies between two."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from reckon.language.calendar_days import first_day, last_day
from reckon.language.text import Text

from .ledger import Ledger, ProjectLedger

_MONTHS = tuple(date(year, month, 1).toordinal() for year in range(1970, 2200) for month in range(1, 13))


def edges_of(ledger: Ledger, project: ProjectLedger) -> list[int]:
    """The days, in their order, on which months begin, or anything that `named_edges` names."""
    return sorted({*_MONTHS, *(day for day, _ in named_edges(ledger, project))} - {0})


def named_edges(ledger: Ledger, project: ProjectLedger) -> Iterator[tuple[int, str]]:
    """Days inside months by which figures of a project tell its hours apart, each with what begins or has ended there:
    its first day, prices, grants, phases, and the periods of bills."""
    yield first_day(str(project.project.began or "")), "the project begins"
    for name in project.price_lists:
        prices = ledger.catalog.prices.get(name)
        for day in prices.since if prices else ():
            yield first_day(str(day)), f"prices of `{name}` change"
    for id, grant in ledger.allocations.items():
        if project.id in grant.projects:
            yield from _dates(grant.since, grant.until, f"the grant `{id}`")
    for id, phase in project.plan.items():
        yield from _dates(phase.since, phase.until, f"the phase `{id}`")
    for file in project.additions:
        for run in file.runs:
            if run.adds == "money" and run.start and run.end:
                yield first_day(str(run.start)), "a bill begins"
                yield first_day(str(run.end)), "a bill has ended"


def _dates(since: Text | None, until: Text | None, what: str) -> Iterator[tuple[int, str]]:
    if since:
        yield first_day(str(since)), f"{what} begins"
    if until:
        yield last_day(str(until)) + 1, f"{what} has ended"
