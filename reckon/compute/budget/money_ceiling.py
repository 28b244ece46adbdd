"""What may not be passed in money: the ceiling of a project, and ceilings of its phases in hours and in money.

A ceiling of money is one of what is paid: what granted hours are worth is not held against it. It is converted at the
last rate.
"""

from __future__ import annotations

from reckon.model.figure import Figures
from reckon.model.kinds import MONEY_CEILING
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Term, formula_of
from ..sheet.inputs import phases_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .amounts_to_come import ToCome
from .forecast import DrawnFigures
from .forecast_inputs import Outlook, demand
from .priced_cards import PricedCards
from .prices import last_rate
from .simulation import PERCENTS, floated


def write_phase_ceilings(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes what is left of the ceilings in hours of phases."""
    for name, phase in phases_of(project):
        if phase.ceiling is not None:
            writer = FigureWriter.of_phase(sheet, project, name)
            writer.hours("below_ceiling", "left of its ceiling", "ceiling - actual")


def write_money_ceiling(cards: PricedCards, outlook: Outlook, coming: ToCome) -> None:
    """Writes the ceilings in money, what is left of them, and how likely that of the project is exceeded."""
    project = cards.project
    for name, phase in phases_of(project):
        at, title = f"phases.{name}.money", phase.title
        if phase.ceiling_money is not None and cards.writer.has(f"{at}.actual"):
            cards.amounts.write(
                f"{at}.ceiling", f"{title}: ceiling", _ceiling(cards, phase.ceiling_money.unit.kinds[0][0])
            )
            cards.amounts.write(f"{at}.below_ceiling", f"{title}: left of its ceiling", "ceiling - actual")
    stated = project.project.ceiling_money
    if stated is None:
        return
    cards.amounts.write(MONEY_CEILING.hours, "Ceiling", _ceiling(cards, stated.unit.kinds[0][0]))
    left = formula_of("{} - {}", MONEY_CEILING.hours, MONEY_CEILING.actual)
    cards.amounts.write(MONEY_CEILING.remaining, "Ceiling less what is paid", left)
    to_do = coming.write_paid_to_do()
    left = formula_of("max({}, 0 {})", MONEY_CEILING.remaining, cards.currency)
    short = formula_of("max({} - {}, 0 {})", to_do, left, cards.currency)
    words = "Short by: work to do beyond what is left of the ceiling"
    cards.writer.formula("money.short_by", words, short, unit=cards.unit, late=True)
    _write_chance(cards, outlook, coming, f"{project.id}.{MONEY_CEILING.actual}")


def _ceiling(cards: PricedCards, kind: str) -> Term:
    """A ceiling as it is stated, converted at the last rate."""
    rate = last_rate(cards.ledger, kind.removeprefix("money:"), cards.currency)
    return rate.convert("ceiling_money") if rate else "ceiling_money"


def _write_chance(cards: PricedCards, outlook: Outlook, coming: ToCome, paid: str) -> None:
    """Writes the forecast of what is paid, how likely it is above the ceiling, and how likely that was as planned."""

    def draws(figures: Figures) -> list[float]:
        found = coming.draws(figures, only_paid=True)
        demand([figures[paid]])
        so_far = floated(figures[paid].use)
        return [so_far + more for more in found]

    def planned(figures: Figures) -> list[float]:
        return coming.draws(figures, only_paid=True, is_planned=True)

    needs = (*coming.needs, paid)
    drawn = DrawnFigures(cards.writer, outlook, draws, more=needs, unit=cards.unit, rates=coming.rate_needs)
    as_planned = DrawnFigures(cards.writer, outlook, planned, more=needs, unit=cards.unit, is_planned=True)
    for percent in PERCENTS:
        drawn.quantile(f"money.paid_forecast_p{percent}", f"Forecast of what is paid, P{percent}", percent, paid)
    limit = f"{cards.id}.{MONEY_CEILING.hours}"
    drawn.odds(as_planned, MONEY_CEILING.chance, "Paid: more than the ceiling", limit)
