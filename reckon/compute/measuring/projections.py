"""Hours projected from a measured step.

hours = seconds per step x GPUs measured on x steps x multiplier / (GPUs x efficiency): the GPU-time of one step does
not change with the number of GPUs but for the efficiency with which they share it.
"""

from __future__ import annotations

from collections.abc import Mapping

from reckon.language.units import GPU_HOURS, HOURS
from reckon.model import records as r
from reckon.model.ledger import ProjectLedger

from ..sheet.sheet import Sheet


def holder(one: ProjectLedger, name: str, field: str) -> str:
    """The id of the projection that gives a field: the one named, or the first of its bases with it; empty if none."""
    seen: set[str] = set()
    projections: Mapping[str, r.Projection] = one.projections
    while name and name not in seen and name in projections:
        seen.add(name)
        if getattr(projections[name], field) is not None:
            return name
        name = str(projections[name].base or "")
    return ""


def write_projections(sheet: Sheet, one: ProjectLedger) -> None:
    """Writes hours and GPU-hours of each projection that names a measurement and steps."""
    for name, projection in one.projections.items():
        source = holder(one, name, "measurement")
        measurement = str(one.projections[source].measurement) if source else ""
        if measurement not in one.measurements or not holder(one, name, "steps"):
            continue
        at, title = f"{one.id}.projections.{name}", projection.title or name
        sheet.formula(f"{at}.hours", f"{title}: wall-clock time", HOURS, _formula(sheet, one, name, measurement))
        gpus = holder(one, name, "gpus")
        if gpus:
            sheet.formula(f"{at}.gpu_hours", f"{title}: GPU-hours", GPU_HOURS, f"hours * projections.{gpus}.gpus")


def _formula(sheet: Sheet, one: ProjectLedger, name: str, measurement: str) -> str:
    at = f"measurements.{measurement}"
    terms = [f"{at}.seconds_per_step"]
    if f"{one.id}.{at}.gpus" in sheet.cells:
        terms.append(f"{at}.gpus")
    terms.append(f"projections.{holder(one, name, 'steps')}.steps")
    if owner := holder(one, name, "multiplier"):
        terms.append(f"projections.{owner}.multiplier")
    below = [f"projections.{owner}.{field}" for field in ("gpus", "efficiency") if (owner := holder(one, name, field))]
    product = " * ".join(terms)
    return f"{product} / ({' * '.join(below)})" if len(below) > 1 else f"{product} / {below[0]}" if below else product
