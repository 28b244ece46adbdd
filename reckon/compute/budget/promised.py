"""What an allocation has promised: running jobs up to their time limits, and queued ones.

A running job is charged so far (*in flight*), and promised the rest of its limit; a queued one is promised all of it. A
running job of which no limit is stated is promised nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from reckon.language.quantity import ZERO, Value, add_up, point
from reckon.model.day_split import days_of
from reckon.model.figure import RUNNING
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.sheet import Sheet
from .allocations import Granted
from .billing import billed_of_run
from .bookings import bookings
from .payer_units import PayerTerms, values_of
from .payers import PayerRules, ProjectCharges
from .shared_grants import Charged


def write_promised(sheet: Sheet, ledger: Ledger, granted: Granted, charged: Charged) -> None:
    """Writes what is in flight and promised of an allocation, and what is free; nothing where no job is on its way."""
    flights = [_in_flight(sheet, ledger, granted, charged[name]) for name in granted.projects]
    promises = [each for name in granted.projects for each in _promises(sheet, ledger, granted, ledger.projects[name])]
    limited = [each for each in promises if each is not None]
    if not promises and not any(flights):
        return
    sums = (
        ("in_flight", "in flight", add_up(flights), "charged to jobs that run"),
        ("committed", "promised", add_up(limited), "limits of jobs, less what they were charged"),
    )
    for key, words, amount, how in sums:
        # Nobody knows what a running job will still take whose time limit is not said.
        value = Value(amount, amount, None) if key == "committed" and None in promises else point(amount)
        granted.writer.count(key, words, granted.unit, value, how, is_uncertain=not value.exact)
    granted.formula("free", "free", "left - committed", late=True)


def _in_flight(sheet: Sheet, ledger: Ledger, granted: Granted, charges: ProjectCharges) -> Fraction:
    """What the jobs of a project that run were charged."""
    if RUNNING not in charges.project.rows.values("status"):
        return ZERO
    found = ZERO
    for each in bookings(ledger, charges, granted.name, values_of(sheet), lambda traits: traits.status):
        if each.key == RUNNING and each.payers == (granted.name,):
            found += each.days.total
    return found


def _promises(sheet: Sheet, ledger: Ledger, granted: Granted, project: ProjectLedger) -> Iterator[Fraction | None]:
    """What is promised to each job of a project that runs or is queued, and that it pays for; None to one without a
    time limit."""
    queued = (run for file in project.queued for run in file.runs)
    rules, terms = PayerRules(ledger, project), PayerTerms(ledger, project, granted.name)
    statuses = enumerate(project.rows.column("status"))
    running = (project.rows.run(number) for number, status in statuses if status == RUNNING)
    for run in chain(running, queued):
        card, item = project.card_of(run), project.item_of(run)
        payer, day = project.named_for("allocation", run), days_of(run)[-1]
        in_hours = item is None or not item.currency
        if rules.payers(payer, card, day, in_hours) != (granted.name,):
            continue
        if run.limit_hours is None:
            yield None
            continue
        listed = project.named_for("price", run)
        factor, _ = terms.factor(values_of(sheet), card, listed)
        charge = terms.billing(card, listed)
        limit = billed_of_run(run, run.limit_hours, charge) * factor
        so_far = run.charged
        if so_far is None:
            so_far = billed_of_run(run, run.held_hours or ZERO, charge) * factor
        yield max(limit - so_far, ZERO)
