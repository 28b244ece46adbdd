"""Money beside hours, where the price of an hour is known.

The price is that of the project's GPU in the first of its price lists that has it. What was spent is what runs state
they cost, and the price times the hours of those that state nothing.
"""

from __future__ import annotations

from reckon.language.units import key_unit
from reckon.model.kinds import TOTALS
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.sheet import Sheet

USD = key_unit("usd")
PRICED = (
    *((total.id, total.title, total.hours) for total in TOTALS.values()),
    ("forecast_p10", "Forecast, P10", "forecast.p10"),
    ("forecast_p50", "Forecast, P50", "forecast.p50"),
    ("forecast_p90", "Forecast, P90", "forecast.p90"),
)


def write_money(sheet: Sheet, ledger: Ledger, one: ProjectLedger) -> None:
    """Writes the price that counts, and what budgets, forecast and the hours spent come to at it."""
    card = str(one.project.gpu)
    lists = [str(name) for name in one.project.prices if name in ledger.catalog.prices]
    price = next((at for name in lists if (at := f"catalog.prices.{name}.usd_per_gpu_hour.{card}") in sheet.cells), "")
    if not price:
        return
    at, unit = f"{one.id}.money", key_unit("usd_per_gpu_hour")
    sheet.formula(f"{at}.usd_per_gpu_hour", "Price of an hour", unit, price)
    for name, title, hours in PRICED:
        if f"{one.id}.{hours}" in sheet.cells:
            sheet.formula(f"{at}.{name}", f"{title}, in money", USD, f"{hours} * usd_per_gpu_hour")
    _spent(sheet, one, at)
    for name, phase in one.plan.items():
        if phase.items:
            own = f"{one.id}.phases.{name}.money"
            for column in ("planned", "actual"):
                formula = f"phases.{name}.{column} * money.usd_per_gpu_hour"
                sheet.formula(f"{own}.{column}", f"{phase.title}: {column}, in money", USD, formula)


def _spent(sheet: Sheet, one: ProjectLedger, at: str) -> None:
    """What was spent, and what is left of the final budget: the budget less what was spent, as runs state or priced.

    What extensions spent is not of the final budget: it is taken out at the price of its hours.
    """
    stated = f"{one.id}.actual.cost" in sheet.cells
    priced = "actual.unpriced * usd_per_gpu_hour" if stated else "actual.total * usd_per_gpu_hour"
    sheet.formula(f"{at}.actual", "Actual, in money", USD, f"actual.cost + {priced}" if stated else priced)
    if f"{one.id}.budget.remaining" in sheet.cells:
        title, extended = "Remaining of the final budget, in money", f"{one.id}.budget.extended" in sheet.cells
        more = " + (actual.total - actual.base) * usd_per_gpu_hour" if extended else ""
        sheet.formula(f"{at}.remaining", title, USD, f"money.final - money.actual{more}")
