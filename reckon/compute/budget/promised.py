"""What an allocation has promised: running jobs up to their time limits, and queued ones.

A running job is charged so far (*in flight*), and promised the rest of its limit; a queued one is promised all of it. A
running job of which no limit is stated is promised nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import UNKNOWN, point
from reckon.model import records as r
from reckon.model.day_split import days_of
from reckon.model.figure import QUEUED, RUNNING, Figure, Worked
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.sheet import Sheet
from .allocations import Granted
from .billing import billed_of_run
from .payer_units import unit_factor, values_of
from .payers import PayerRules


class _Promise(NamedTuple):
    """What a job was charged so far and is promised beside, in the unit of who pays; and what is missing to know it."""

    charged: Fraction
    promised: Fraction
    missing: str


def write_promised(sheet: Sheet, ledger: Ledger, granted: Granted) -> None:
    """Writes what is in flight and promised of an allocation, and what is free; nothing where no job is on its way."""
    found = [each for name in granted.projects for each in _promises(sheet, ledger, granted, ledger.projects[name])]
    if not found:
        return
    at, title = granted.at, granted.title
    missing = tuple(dict.fromkeys(each.missing for each in found if each.missing))
    sums = (
        ("in_flight", "in flight", sum((each.charged for each in found), Fraction(0)), "charged to jobs that run"),
        ("committed", "promised", sum((each.promised for each in found), Fraction(0)), "limits of jobs, less charged"),
    )
    for key, words, amount, how in sums:
        value = UNKNOWN if missing else point(amount)
        sheet.counted(Figure(f"{at}.{key}", f"{title}: {words}", granted.unit, value, Worked(how), "", missing))
    sheet.formula(f"{at}.free", f"{title}: free", granted.unit, "left - committed", late=True)


def _promises(sheet: Sheet, ledger: Ledger, granted: Granted, project: ProjectLedger) -> Iterator[_Promise]:
    """The jobs of a project that run or are queued, and that an allocation pays for."""
    rules, value_of, charge = PayerRules(ledger, project), values_of(sheet), granted.grant.charge
    for run in (*_running(project), *project.queued):
        card, imported = str(project.card_of(run)), run.imported
        rule = ("", "") if imported is None else (str(imported.source), str(imported.rule or ""))
        item = "" if run.unassigned else str(run.item)
        payer = project.named("allocation", item, str(run.allocation or ""), *rule)
        if rules.payers(payer, card, days_of(run)[-1]) != (granted.name,):
            continue
        factor, lacks = unit_factor(value_of, granted.name, granted.grant, card, str(project.project.gpu))
        limit = billed_of_run(run, run.limit_hours or Fraction(0), charge) * factor
        charged = Fraction(0) if run.status == QUEUED else _charged(run, charge, factor)
        yield _Promise(charged, max(limit - charged, Fraction(0)), lacks)


def _charged(run: r.Run, charge: r.Charge | None, factor: Fraction) -> Fraction:
    """What a job was charged so far."""
    if run.charged is not None:
        return run.charged
    if run.gpus is None or run.held_hours is None:
        return run.charged_hours * factor
    return billed_of_run(run, run.held_hours, charge) * factor


def _running(project: ProjectLedger) -> Iterator[r.Run]:
    """The runs of a project that have not ended."""
    rows = project.rows
    if RUNNING in rows.values("status"):
        yield from (rows.run(number) for number, status in enumerate(rows.column("status")) if status == RUNNING)
