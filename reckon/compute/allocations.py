"""Grants of hours: what the projects that share one have spent of it."""

from __future__ import annotations

from reckon.language.units import GPU_HOURS, PLAIN
from reckon.model.ledger import Ledger

from .formulas import total_of
from .sheet import Sheet


def write_allocations(sheet: Sheet, ledger: Ledger) -> None:
    """Writes used, left and the share used of each allocation; hours are those that each project counts."""
    for name, allocation in ledger.allocations.items():
        at = f"allocations.{name}"
        spent = [f"{project}.actual.total" for project in allocation.projects if project in ledger.projects]
        if not spent:
            continue
        sheet.formula(f"{at}.used", f"{allocation.title}: used", GPU_HOURS, total_of(spent))
        sheet.formula(f"{at}.left", f"{allocation.title}: left", GPU_HOURS, "gpu_hours - used")
        sheet.formula(f"{at}.used_share", f"{allocation.title}: share used", PLAIN, "used / gpu_hours", form="%")
