"""What was spent: sums over runs per item, seed, phase and in total. Failed and repeated attempts are spent too.

GPU-hours on another kind of GPU enter through the catalogue's `counts_as`, or make the sum unknown, naming the missing
ratio. Useful is what completed or still runs; what else was charged for is waste, and its status is the cause.
"""

from __future__ import annotations

from reckon.language.units import GPU_HOURS, PLAIN, key_unit
from reckon.model import records as r
from reckon.model.ledger import ProjectLedger

from ..sheet.formulas import total_of
from ..sheet.inputs import scopes
from ..sheet.ratios import times_ratio
from ..sheet.sheet import Sheet
from .tally import USEFUL, Key, Tally, by_seed, run_hours

__all__ = ["run_hours", "write_actuals"]


def write_actuals(sheet: Sheet, one: ProjectLedger) -> Tally:
    """Writes what was spent, how much of it was useful, and what remains; gives the sums back."""
    tally = Tally(sheet, one)
    for _, _, name, item in scopes(one):
        at = f"{one.id}.plan.{name}"
        _sums(tally, (name,), at, str(item.title), f"runs of {name}")
        sheet.formula(f"{at}.remaining", f"{item.title}: remaining", GPU_HOURS, "total - actual")
        _seeds(sheet, tally, name, item)
    for name, phase in one.plan.items():
        if phase.items:
            _phase(sheet, f"{one.id}.phases.{name}", phase)
    _totals(sheet, tally, one)
    return tally


def _sums(tally: Tally, key: Key, at: str, title: str, selection: str) -> None:
    """Actual, useful and wasted hours of an item, or of a seed of it."""
    for first, name, of in (("item", "actual", ""), ("useful", "useful", "useful "), ("waste", "waste", "wasted ")):
        figure = tally.figure((first, *key), f"{at}.{name}", f"{title}: {name}", of + selection)
        tally.sheet.counted(figure)


def _seeds(sheet: Sheet, tally: Tally, name: str, item: r.Item) -> None:
    one, at = tally.one, f"{tally.one.id}.plan.{name}"
    planned, seeds = "gpu_hours" + times_ratio(sheet, one, item), by_seed(one, item)
    for seed in seeds:
        title = f"{item.title}, seed {seed}"
        _sums(tally, (name, seed), f"{at}.seeds.{seed}", title, f"runs of {name}, seed {seed}")
        sheet.formula(f"{at}.seeds.{seed}.remaining", f"{title}: remaining", GPU_HOURS, f"{planned} - actual")
    if seeds and ("item", name, "") in tally.sums:
        title, selection = f"{item.title}, no seed named", f"runs of {name} without a seed"
        _sums(tally, (name, ""), f"{at}.no_seed", title, selection)


def _phase(sheet: Sheet, at: str, phase: r.Phase) -> None:
    for name in ("actual", "useful", "waste"):
        parts = total_of([f"plan.{item}.{name}" for item in phase.items])
        sheet.formula(f"{at}.{name}", f"{phase.title}: {name}", GPU_HOURS, parts)
    sheet.formula(f"{at}.remaining", f"{phase.title}: remaining", GPU_HOURS, "planned - actual")


def _totals(sheet: Sheet, tally: Tally, one: ProjectLedger) -> None:
    at = f"{one.id}.actual"
    sheet.counted(tally.figure(("total",), f"{at}.total", "Actual", "all runs"))
    for key in sorted(tally.sums):
        if key[0] == "status":
            title = f"Actual, {key[1].replace('-', ' ')}"
            sheet.counted(tally.figure(key, f"{at}.by_status.{key[1]}", title, f"runs with status {key[1]}"))
    for name, title, selection, unit in (
        ("unplanned", "Actual, unplanned", "unplanned runs", GPU_HOURS),
        ("energy", "Energy", "runs that state energy", key_unit("kwh")),
        ("cost", "Cost", "runs that state cost", key_unit("usd")),
    ):
        if (name,) in tally.sums:
            sheet.counted(tally.figure((name,), f"{at}.{name}", title, selection, unit))
    if ("cost",) in tally.sums:
        selection = "runs that state no cost"
        sheet.counted(tally.figure(("unpriced",), f"{at}.unpriced", "Actual, without a stated cost", selection))
    _by_gpu(tally, one, at)
    _waste(sheet, tally, at)
    _remaining(sheet, one)
    if one.project.ceiling is not None:
        sheet.formula(f"{one.id}.actual.below_ceiling", "Ceiling less actual", GPU_HOURS, "ceiling - actual.total")


def _by_gpu(tally: Tally, one: ProjectLedger, at: str) -> None:
    """Hours held on each kind of GPU, in its own hours: what a machine or a grant was charged, before any ratio."""
    seen = sorted(key[1] for key in tally.sums if key[0] == "gpu")
    for gpu in dict.fromkeys((str(one.project.gpu), *seen)):
        tally.sheet.counted(
            tally.figure(("gpu", gpu), f"{at}.by_gpu.{gpu}", f"Actual, held on {gpu}", f"runs on {gpu}")
        )


def _waste(sheet: Sheet, tally: Tally, at: str) -> None:
    """Useful and wasted in all, and the waste by its causes."""
    sheet.counted(tally.figure(("useful",), f"{at}.useful", "Actual, useful", "useful runs"))
    sheet.counted(tally.figure(("waste",), f"{at}.waste", "Actual, wasted", "wasted runs"))
    sheet.formula(
        f"{at}.waste_share", "Share of the actual hours wasted", PLAIN, "waste / total", form="%", over="total"
    )
    for key in sorted(tally.sums):
        if key[0] == "status" and key[1] not in USEFUL:
            title = f"Wasted, {key[1].replace('-', ' ')}"
            sheet.formula(f"{at}.waste.by_cause.{key[1]}", title, GPU_HOURS, f"actual.by_status.{key[1]}")


def _remaining(sheet: Sheet, one: ProjectLedger) -> None:
    """What is left of the base budget after its own and unplanned runs, and of the extended budget after all runs."""
    if f"{one.id}.budget.final" in sheet.cells:
        parts = [f"phases.{name}.actual" for name, phase in one.plan.items() if phase.items and not phase.extension]
        parts += ["actual.unplanned"] if f"{one.id}.actual.unplanned" in sheet.cells else []
        sheet.formula(f"{one.id}.actual.base", "Actual of the base budget", GPU_HOURS, total_of(parts))
        sheet.formula(
            f"{one.id}.budget.remaining", "Remaining of the final budget", GPU_HOURS, "budget.final - actual.base"
        )
    if f"{one.id}.budget.extended" in sheet.cells:
        sheet.formula(
            f"{one.id}.budget.extended_remaining",
            "Remaining of the extended budget",
            GPU_HOURS,
            "budget.extended - actual.total",
        )
