"""The table of charges: who pays for the runs of each item, seed and card, day by day, and what that booked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from reckon.model.figure import Figure, Traits
from reckon.model.ledger import Ledger

from .bookings import bookings
from .payer_units import values_in
from .payers import Payers, ProjectCharges, charges_of

UNNAMED = "unnamed"
_Key = tuple[str, str, str, Payers, int]
"""Item, seed, card, who could pay, and day."""


class ChargeRow(NamedTuple):
    """Hours held on a day on a card for an item and seed, and what their payer booked for them in its unit; nothing is
    booked of hours that the project pays for itself, or of which the payer is not named. Day 0 is that of runs without
    a date."""

    project: str
    item: str
    seed: str
    card: str
    day: int
    payer: str
    held: Fraction
    booked: Fraction | None
    unit: str


def charge_rows(ledger: Ledger, figures: Mapping[str, Figure]) -> Iterator[ChargeRow]:
    """The table of charges of all projects, in the order of item, seed, card, payer and day."""
    for project_id, charges in charges_of(ledger).items():
        held: dict[_Key, Fraction] = defaultdict(Fraction)
        for days in charges.held(_work):
            for day, hours in days.days.items():
                held[(*days.key, days.card, days.payers, day)] += hours
        booked = _booked(ledger, figures, charges)
        for key in sorted({*held, *booked}):
            item, seed, card, payers, day = key
            payer = payers[0] if len(payers) == 1 else UNNAMED * bool(payers)
            unit = ledger.allocations[payer].unit_words if len(payers) == 1 else ""
            yield ChargeRow(project_id, item, seed, card, day, payer, held.get(key, Fraction(0)), booked.get(key), unit)


def _work(traits: Traits) -> tuple[str, str]:
    return traits.item, traits.seed


def _booked(ledger: Ledger, figures: Mapping[str, Figure], charges: ProjectCharges) -> dict[_Key, Fraction]:
    """What the payer of some hours booked, where it is known who that is."""
    found: dict[_Key, Fraction] = defaultdict(Fraction)
    value_of = values_in(figures)
    for name in charges.rules.drawn:
        for each in bookings(ledger, charges, name, value_of, _work):
            if each.payers == (name,) and not each.lacks:
                for day, amount in each.days.items():
                    found[(*each.key, each.card, each.payers, day)] += amount
    return found
