"""What can be dropped if there is not enough, in the order of the ledger, and where the project ends after each.

What is dropped keeps what it was charged, and its remaining work falls away. Each row is with all rows above it.
"""

from __future__ import annotations

from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.ledger import ProjectLedger

from ..sheet.sheet import Sheet
from .forecast import Writer, charges
from .forecast_inputs import Outlook


def write_descoping(sheet: Sheet, outlook: Outlook, one: ProjectLedger) -> None:
    """Writes, for each entry of `descope`, the forecast without it and the probability of passing each limit."""
    if not outlook.phases:
        return
    dropped: set[str] = set()
    for number, drop in enumerate(one.project.descope, 1):
        dropped |= set(pieces_of(outlook, one, drop))
        _without(sheet, outlook, number, frozenset(dropped))


def _without(sheet: Sheet, outlook: Outlook, number: int, dropped: frozenset[str]) -> None:
    """The forecast after so many entries are dropped."""
    project, phases = outlook.id, outlook.base or tuple(outlook.phases)
    total = FINAL if outlook.base else EXTENDED
    at, after = f"{project}.descope.{number}", f"after dropping {number}"
    writer = Writer(sheet, outlook, lambda figures: outlook.draws(figures, phases, outlook.unplanned, dropped))
    spent = f"{project}.{total.actual}"
    for percent in (50, 90):
        writer.quantile(f"{at}.forecast_p{percent}", f"Forecast {after}, P{percent}", percent, spent)
    writer.probability(f"{at}.probability_over_plan", f"More than the budget {after}", f"{project}.{total.hours}")
    if f"{project}.ceiling" in sheet.cells:
        charged = Writer(sheet, outlook, lambda figures: charges(outlook, figures, phases, dropped))
        charged.probability(f"{at}.probability_over_ceiling", f"More than the ceiling {after}", f"{project}.ceiling")
    before = f"descope.{number - 1}.forecast_p50" if number > 1 else "forecast.p50"
    formula = f"max({before} - forecast_p50, 0 gpu_hours)"
    sheet.formula(f"{at}.saves", f"Saved by dropping {number}, P50", GPU_HOURS, formula)


def pieces_of(outlook: Outlook, one: ProjectLedger, drop: r.Drop) -> list[str]:
    """The addresses of the pieces of work that an entry drops."""
    found = []
    for phase, pieces in outlook.phases.items():
        if drop.phase is not None and phase != drop.phase:
            continue
        for piece in pieces:
            item, _, seed = piece.removeprefix(f"{one.id}.plan.").partition(".seeds.")
            if (drop.item is None or item == drop.item) and (drop.seed is None or seed == drop.seed):
                found.append(piece)
    return found
