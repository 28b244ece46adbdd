"""What was spent: sums over runs per item, seed, phase and in total. Failed and repeated attempts are spent too.

One pass over the runs gathers everything; a run never becomes a figure of its own. GPU-hours on another kind of GPU
enter through the catalogue's `counts_as`, or make the sum unknown, naming the missing ratio.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from reckon.language.quantity import UNKNOWN, point
from reckon.language.units import GPU_HOURS, Unit, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Tallied
from reckon.model.ledger import ProjectLedger

from .formulas import total_of
from .inputs import scopes
from .ratios import ratio_address, times_ratio
from .sheet import Sheet


@dataclass(slots=True)
class Sum:
    """A sum being gathered: per file how many runs and how much; ratios that were missing."""

    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    hours: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    missing: dict[str, None] = field(default_factory=dict)

    def add(self, file: str, amount: Fraction | None, missing: str) -> None:
        """One run more; an amount of None is unknown for want of the ratio named."""
        self.counts[file] += 1
        if amount is None:
            self.missing[missing] = None
        else:
            self.hours[file] += amount

    def figure(self, address: str, title: str, selection: str, unit: Unit = GPU_HOURS) -> Figure:
        """The sum as a figure, with its subtotals per file."""
        total = sum(self.hours.values(), Fraction(0))
        rows = tuple((file, count, self.hours.get(file, Fraction(0))) for file, count in sorted(self.counts.items()))
        origin = Tallied(selection, sum(self.counts.values()), rows)
        return Figure(address, title, unit, UNKNOWN if self.missing else point(total), origin, "", tuple(self.missing))


def run_hours(run: r.Run) -> Fraction:
    """GPU-hours that a run was charged for, on its own kind of GPU: as stated, else GPUs held x wall-clock hours."""
    if run.gpu_hours is not None:
        return run.gpu_hours
    return (run.gpus or Fraction(0)) * (run.wall_hours or Fraction(0))


class _Tally:
    """All the sums over one project's runs."""

    def __init__(self, sheet: Sheet, one: ProjectLedger) -> None:
        self.sheet, self.one = sheet, one
        self.ratios: dict[str, Figure | None] = {}
        self.sums: dict[tuple[str, ...], Sum] = defaultdict(Sum)
        items = one.items
        for file in one.runs:
            for run in file.runs:
                amount, missing = self.counted(run, items.get(run.item))
                for key in self.keys(run, items):
                    self.sums[key].add(file.file, amount, missing)
                if run.energy_kwh is not None:
                    self.sums["energy",].add(file.file, run.energy_kwh, "")
                if run.cost_usd is not None:
                    self.sums["cost",].add(file.file, run.cost_usd, "")

    def counted(self, run: r.Run, item: r.Item | None) -> tuple[Fraction | None, str]:
        """The run's hours in hours of the project's GPU; None and the missing ratio where there is none."""
        hours, target = run_hours(run), str(self.one.project.gpu)
        gpu = str(run.gpu or (item.gpu if item and item.gpu else target))
        if gpu == target:
            return hours, ""
        address = ratio_address(gpu, target)
        if address not in self.ratios:
            self.ratios[address] = self.sheet.settle(address)
        ratio = self.ratios[address]
        return (None, address) if ratio is None or ratio.use is None else (hours * ratio.use, "")

    def keys(self, run: r.Run, items: Iterable[str]) -> list[tuple[str, ...]]:
        planned = run.item in items
        where = [("item", str(run.item)), ("seed", str(run.item), str(run.seed or ""))] if planned else [("unplanned",)]
        return [("total",), ("status", str(run.status)), *where]

    def figure(self, key: tuple[str, ...], address: str, title: str, selection: str, unit: Unit = GPU_HOURS) -> Figure:
        return self.sums.get(key, Sum()).figure(address, title, selection, unit)


def write_actuals(sheet: Sheet, one: ProjectLedger) -> None:
    """Writes what was spent and what remains, per item, seed, phase and in total."""
    tally = _Tally(sheet, one)
    for _, _, name, item in scopes(one):
        at = f"{one.id}.plan.{name}"
        sheet.counted(tally.figure(("item", name), f"{at}.actual", f"{item.title}: actual", f"runs of {name}"))
        sheet.formula(f"{at}.remaining", f"{item.title}: remaining", GPU_HOURS, "total - actual")
        if item.scope == "per-seed" and one.project.seeds:
            _seeds(sheet, tally, name, item)
    for name, phase in one.plan.items():
        if phase.items:
            _phase(sheet, f"{one.id}.phases.{name}", phase)
    _totals(sheet, tally, one)


def _seeds(sheet: Sheet, tally: _Tally, name: str, item: r.Item) -> None:
    one, at = tally.one, f"{tally.one.id}.plan.{name}"
    planned = "gpu_hours" + times_ratio(sheet, one, item)
    for seed in one.project.seeds.names if one.project.seeds else ():
        title = f"{item.title}, seed {seed}"
        selection = f"runs of {name}, seed {seed}"
        sheet.counted(tally.figure(("seed", name, seed), f"{at}.seeds.{seed}.actual", f"{title}: actual", selection))
        sheet.formula(f"{at}.seeds.{seed}.remaining", f"{title}: remaining", GPU_HOURS, f"{planned} - actual")
    if ("seed", name, "") in tally.sums:
        title, selection = f"{item.title}, no seed named: actual", f"runs of {name} without a seed"
        sheet.counted(tally.figure(("seed", name, ""), f"{at}.no_seed.actual", title, selection))


def _phase(sheet: Sheet, at: str, phase: r.Phase) -> None:
    sheet.formula(
        f"{at}.actual", f"{phase.title}: actual", GPU_HOURS, total_of([f"plan.{item}.actual" for item in phase.items])
    )
    sheet.formula(f"{at}.remaining", f"{phase.title}: remaining", GPU_HOURS, "planned - actual")


def _totals(sheet: Sheet, tally: _Tally, one: ProjectLedger) -> None:
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
    _remaining(sheet, one)
    if one.project.ceiling is not None:
        sheet.formula(f"{one.id}.actual.below_ceiling", "Ceiling less actual", GPU_HOURS, "ceiling - actual.total")


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
