"""One pass over the runs of a project gathers all sums, and how far each piece of work has come.

A run never becomes a figure of its own. Hours are added up by item, seed and status; every other sum is made of those.
Beside them they are gathered by day: what was charged when is a series, of which figures are read off.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from reckon.language.quantity import UNKNOWN, point
from reckon.language.units import GPU_HOURS, Unit
from reckon.model import records as r
from reckon.model.figure import Figure, Tallied
from reckon.model.ledger import ProjectLedger

from ..sheet.ratios import ratio_address
from ..sheet.sheet import Sheet
from .history import spread
from .progress import Work

USEFUL = ("completed", "running")
Key = tuple[str, ...]


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

    def take(self, other: Sum) -> None:
        """Another sum into this one."""
        for file, count in other.counts.items():
            self.counts[file] += count
        for file, hours in other.hours.items():
            self.hours[file] += hours
        self.missing.update(other.missing)

    def figure(self, address: str, title: str, selection: str, unit: Unit = GPU_HOURS) -> Figure:
        """The sum as a figure, with its subtotals per file."""
        total = sum(self.hours.values(), Fraction(0))
        rows = tuple((file, count, self.hours.get(file, Fraction(0))) for file, count in sorted(self.counts.items()))
        origin = Tallied(selection, sum(self.counts.values()), rows)
        missing = tuple(sorted(self.missing))
        return Figure(address, title, unit, UNKNOWN if missing else point(total), origin, "", missing)


def run_hours(run: r.Run) -> Fraction:
    """GPU-hours that a run was charged for, on its own kind of GPU: as stated, else GPUs held x wall-clock hours."""
    if run.gpu_hours is not None:
        return run.gpu_hours
    return (run.gpus or Fraction(0)) * (run.wall_hours or Fraction(0))


def run_gpu(run: r.Run, items: Mapping[str, r.Item], target: str) -> str:
    """The kind of GPU that a run was on: as it says, else that of its item, else that of the project."""
    if run.gpu is not None:
        return str(run.gpu)
    item = items.get(run.item)
    return str(item.gpu) if item and item.gpu else target


def by_seed(one: ProjectLedger, item: r.Item) -> tuple[str, ...]:
    """The seeds that an item is planned for one by one; none where it is one piece of work."""
    return one.project.seeds.names if item.scope == "per-seed" and one.project.seeds else ()


class Tally:
    """All the sums over one project's runs, and the work of each item, or of each seed of one that is per seed.

    Keys of `sums`: total, useful, waste, unplanned, energy, cost; (status, S); (item, I), (useful, I), (waste, I);
    (item, I, SEED) and so on, with an empty seed for runs that name none; (gpu, G): hours held on a kind of GPU;
    unpriced: hours of runs that state no cost. `days` are hours by (item, seed) and day, under ("", "") those of
    unplanned runs and at day 0 those without a date; `held` are hours by kind of GPU and day.
    """

    def __init__(self, sheet: Sheet, one: ProjectLedger) -> None:
        self.sheet, self.one = sheet, one
        self.items, self.target = one.items, str(one.project.gpu)
        self.ratios: dict[str, Figure | None] = {}
        self.sums: dict[Key, Sum] = defaultdict(Sum)
        self.work: dict[tuple[str, str], Work] = defaultdict(Work)
        self.days: dict[tuple[str, str], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        self.held: dict[str, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        parts: dict[tuple[str, str, str], Sum] = defaultdict(Sum)
        seeded = {name for name, item in self.items.items() if by_seed(one, item)}
        for file in one.runs:
            for run in file.runs:
                seed = str(run.seed or "")
                key = (str(run.item), seed) if run.item in self.items else ("", "")
                part = parts[*key, str(run.status)]
                self._take(run, file.file, part, self.days[key])
                if key[0]:
                    self.work[str(run.item), seed if run.item in seeded else ""].add(run)
        for (item, seed, status), part in parts.items():
            for sums in _keys(item, seed, status):
                self.sums[sums].take(part)

    def _take(self, run: r.Run, file: str, part: Sum, days: dict[int, Fraction]) -> None:
        """One run into its part and its days, into what its GPUs were held, and into cost and energy."""
        gpu, held = run_gpu(run, self.items, self.target), run_hours(run)
        hours, missing = self.counted(gpu, held)
        part.add(file, hours, missing)
        self.sums["gpu", gpu].add(file, held, "")
        spread(run, (days, hours or Fraction(0)), (self.held[gpu], held))
        if run.energy_kwh is not None:
            self.sums["energy",].add(file, run.energy_kwh, "")
        if run.cost_usd is not None:
            self.sums["cost",].add(file, run.cost_usd, "")
        else:
            self.sums["unpriced",].add(file, hours, missing)

    def counted(self, gpu: str, hours: Fraction) -> tuple[Fraction | None, str]:
        """Hours on a kind of GPU in hours of the project's; None and the missing ratio where there is none."""
        if gpu == self.target:
            return hours, ""
        address = ratio_address(gpu, self.target)
        if address not in self.ratios:
            self.ratios[address] = self.sheet.settle(address)
        ratio = self.ratios[address]
        return (None, address) if ratio is None or ratio.use is None else (hours * ratio.use, "")

    def figure(self, key: Key, address: str, title: str, selection: str, unit: Unit = GPU_HOURS) -> Figure:
        """One of the sums as a figure; of no runs where there are none."""
        return self.sums.get(key, Sum()).figure(address, title, selection, unit)

    @property
    def missing(self) -> tuple[str, ...]:
        """The ratios for want of which hours on other kinds of GPU are not counted."""
        return tuple(sorted(self.sums["total",].missing)) if ("total",) in self.sums else ()

    def loose(self, item: str) -> bool:
        """Whether useful runs of an item per seed name no seed, so that it cannot be said which seed they advance."""
        return ("useful", item, "") in self.sums and bool(by_seed(self.one, self.items[item]))


def _keys(item: str, seed: str, status: str) -> Iterator[Key]:
    """The sums that runs of an item, seed and status belong to."""
    use = "useful" if status in USEFUL else "waste"
    yield from (("total",), ("status", status), (use,))
    if item:
        yield from (("item", item), ("item", item, seed), (use, item), (use, item, seed))
    else:
        yield ("unplanned",)
