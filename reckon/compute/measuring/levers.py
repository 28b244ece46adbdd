"""What levers come to: how the time of a step changed with them, and how many times less of a setting they leave."""

from __future__ import annotations

from reckon.language.units import PLAIN, label
from reckon.model import records as r
from reckon.model.ledger import ProjectLedger

from ..sheet.sheet import Sheet
from .measured import STEP
from .writing import lack


def write_levers(sheet: Sheet, one: ProjectLedger) -> None:
    """Writes the measured effect of each lever, and the change of each setting that it has two numbers of."""
    for name, lever in one.levers.items():
        at = f"{one.id}.levers.{name}"
        _effect(sheet, one.id, at, lever)
        for key in lever.sets:
            if f"{at}.was.{key}" in sheet.cells and f"{at}.sets.{key}" in sheet.cells:
                title, after = f"{lever.title}: times less of {label(str(key))}", f"levers.{name}.sets.{key}"
                formula = f"levers.{name}.was.{key} / {after}"
                sheet.formula(f"{at}.change.{key}", title, PLAIN, formula, "x", over=after)


def _effect(sheet: Sheet, project: str, at: str, lever: r.Lever) -> None:
    """The time of a step with the lever, over that without it."""
    title, missing, steps = f"{lever.title}: effect", [], []
    for field in ("measured_with", "measured_without"):
        measurement = getattr(lever, field)
        steps.append(f"measurements.{measurement}.{STEP}")
        if measurement is None:
            missing.append(f"{at}.{field}")
        elif f"{project}.{steps[-1]}" not in sheet.cells:
            missing.append(f"{project}.{steps[-1]}")
    if missing:
        lack(sheet, f"{at}.effect", str(lever.title), tuple(missing))
    else:
        sheet.formula(f"{at}.effect", title, PLAIN, " / ".join(steps), "x", over=steps[1])
