"""What was spent: one pass over the runs of a project gathers all sums, and how far each piece of work has come.

A run never becomes a figure of its own. Runs that no sum can tell apart are added up together, by file; a sum takes in
the groups that its selection means. What was charged when is gathered beside them as a series, by day.

Failed and repeated attempts are spent too; what of that is lost, `lost_hours` says. GPU-hours on another kind of GPU
enter through the catalogue's `counts_as`, or make the sum unknown, naming the missing ratio.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cached_property, partial
from math import lcm
from typing import Any

from reckon.language.quantity import ONE, UNKNOWN, point
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import (
    COSTS,
    HOURS,
    NO_RUN,
    OUTSIDE,
    OWN_HOURS,
    SUMMED,
    UNASSIGNED,
    USEFUL,
    Figure,
    Selection,
    Tallied,
    Traits,
)
from reckon.model.fixed_point import MOST_PARTS
from reckon.model.kinds import FINAL, TOTALS, called
from reckon.model.lazy import LateMapping
from reckon.model.ledger import Kinds, ProjectLedger

from ..sheet.cells import Addresses, Term, chain_of, formula_of, total_of
from ..sheet.inputs import phases_of, ratio_address, ratios_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .attempts import NEVER
from .daily_hours import Charges
from .history import DailyHours, daily_hours
from .progress import PieceOfWork, finishes_of, gathered
from .subtotals import RunSums, Subtotal


def by_seed(project: ProjectLedger, item: r.Item) -> tuple[str, ...]:
    """The seeds that an item is planned for one by one; none where it is one piece of work, or a line of money."""
    seeds = project.project.seeds
    return seeds.names if seeds and item.scope == "per-seed" and not item.currency else ()


class Tally:
    """All the sums over one project's runs, and the work of each item, or of each seed of one that is per seed.

    `days` are hours by (item, seed) and day, under ("", "") those of unplanned runs, under (UNASSIGNED, "") those that
    no rule assigns, and at day 0 those without a date;
    `held` are hours by kind of GPU and day, as hours of that GPU.
    """

    def __init__(self, sheet: Sheet, project: ProjectLedger) -> None:
        self.sheet, self.project, self.target = sheet, project, project.gpu
        self.ratios: dict[str, Fraction | None] = {self.target: ONE}
        self.per: dict[str, int] = {}
        self.groups: dict[Traits, Subtotal] = {}
        # The groups by the item and the seed that a selection can name: a project may have thousands of these.
        self._near: dict[tuple[str | None, str | None], list[Traits]] = defaultdict(list)
        self.work: dict[tuple[str, str], PieceOfWork] = {}
        self.days: Mapping[tuple[str, str], DailyHours] = {}
        self.held: Mapping[str, DailyHours] = {}
        # Items per seed with runs that name a seed, and with useful ones that name none, by whether these advance it.
        self._named: set[str] = set()
        self._unnamed: dict[bool, set[str]] = {True: set(), False: set()}
        self._gather()

    def _gather(self) -> None:
        """Gathers all from the columns of the runs."""
        kinds = self.project.kinds
        seeded = {name for name, item in self.project.items.items() if by_seed(self.project, item)}
        self._sums = RunSums(self.project.rows, kinds, self.ratios)
        self.per, self.groups = dict(self._sums.per), self._sums.groups()
        counts, times = self._counts({run.gpu for run in kinds.traits})
        self.work = gathered(self.project, kinds, seeded, counts, times)
        self._name(kinds, seeded)
        for file, run, traits in self.project.each_addition():
            self._add(file, run, traits, seeded)
        self._days(kinds, counts, times)
        self.per[HOURS] = self.per[OWN_HOURS]
        for traits, sums in self.groups.items():
            sums.amounts[HOURS] = self._counted(traits.gpu, sums.amounts[OWN_HOURS])
            for key in ((None, None), (traits.item, None), (traits.item, traits.seed)):
                self._near[key].append(traits)

    def _name(self, kinds: Kinds, seeded: Collection[str]) -> None:
        """Notes of items per seed whether runs name a seed, and which useful ones name none."""
        pairs = zip(kinds.of, self.project.rows.column("imported.source"), strict=True)
        for kind, source in dict.fromkeys(pairs):
            item, seed, status = kinds.traits[kind][:3]
            if item in seeded and seed:
                self._named.add(item)
            elif item in seeded and status in USEFUL:
                self._unnamed[source is None or finishes_of(self.project, source) != NEVER].add(item)

    def _add(self, file: str, run: r.Run, traits: Traits, seeded: Collection[str]) -> None:
        """Adds an entry without hours: its money and energy, and what it says of the work done."""
        stated = {name: getattr(run, name) * self.per.get(name, 1) for name in traits.stated}
        added = Subtotal(1, stated)
        self.groups.setdefault(traits, Subtotal()).add(added)
        self._sums.add(file, traits, added)
        if run.progress is not None and traits.item not in ("", UNASSIGNED):
            self._named.update({traits.item} if traits.seed and traits.item in seeded else ())
            key = traits.item, traits.seed if traits.item in seeded else ""
            self.work.setdefault(key, PieceOfWork()).say(run)

    def _counts(self, cards: Collection[str]) -> tuple[dict[str, Any], int]:
        """What an hour on each card counts, so many times: whole numbers, if it can be; None where it is not known."""
        ratios = {gpu: ONE if gpu == self.target else self.ratio(gpu) for gpu in cards}
        times = lcm(1, *(ratio.denominator for ratio in ratios.values() if ratio is not None))
        if times * self.per[OWN_HOURS] > MOST_PARTS:
            return ratios, 1
        return {gpu: None if ratio is None else int(ratio * times) for gpu, ratio in ratios.items()}, times

    def _days(self, kinds: Kinds, counts: Mapping[str, Any], times: int) -> None:
        """Adds up hours by item and seed, or by kind of GPU, and by the days over which they were charged."""
        charges = Charges(self.project, kinds)
        no_item = ("", UNASSIGNED)
        owners = [(run.item, "" if run.item in no_item else run.seed) for run in kinds.traits]
        factors = [counts[run.gpu] or 0 if run.budgeted else 0 for run in kinds.traits]
        self.days = charges.by_day(owners, factors, times)
        cards = [run.gpu for run in kinds.traits]
        self.held = LateMapping(lambda: charges.by_day(cards, [1] * len(cards)))

    @cached_property
    def spent(self) -> DailyHours:
        """All hours by day."""
        return daily_hours(self.days.values())

    def ratio(self, gpu: str) -> Fraction | None:
        """What an hour on a kind of GPU counts as in hours of the project's; None where that is not known."""
        if gpu not in self.ratios:
            ratio = self.sheet.settle(ratio_address(gpu, self.target))
            self.ratios[gpu] = ratio.use if ratio else None
        return self.ratios[gpu]

    def _counted(self, gpu: str, hours: Any) -> Any:
        """Hours on a kind of GPU in hours of the project's; 0 where that is not known, which `missing` tells."""
        return hours if gpu == self.target else hours * (self.ratio(gpu) or 0)

    def _meant(self, selection: Selection) -> list[Traits]:
        """The groups that a selection takes in."""
        key = (None, None) if selection.item is None else (selection.item, selection.seed)
        return [traits for traits in self._near.get(key, ()) if selection.means(traits)]

    def has(self, selection: Selection) -> bool:
        """Whether a selection takes in any run."""
        return bool(self._meant(selection))

    def figure(self, selection: Selection, address: str, title: str) -> Figure:
        """The sum of a selection, with its subtotals by file; unknown where the ratio of a GPU is missing."""
        meant, name = self._meant(selection), selection.field
        missing, per = self._missing(meant) if name == HOURS else (), self.per.get(name, 1)
        total = sum(self.groups[traits].amounts.get(name, 0) for traits in meant)
        count = sum(self.groups[traits].count for traits in meant)
        origin = Tallied(selection, count, partial(self._sums.by_file, meant, name, per))
        value = UNKNOWN if missing else point(Fraction(total, per))
        return Figure(address, title, key_unit(name), value, origin, "", missing)

    def writer(self, item: str, seed: str = "") -> FigureWriter:
        """What writes the figures of an item, or of a seed of it."""
        return FigureWriter.of_item(self.sheet, self.project, item, seed)

    def write(self, selection: Selection, address: str, title: str) -> None:
        """Writes the sum of a selection into the sheet."""
        self.sheet.counted(self.figure(selection, address, title))

    def write_any(self, selection: Selection, address: str, title: str) -> None:
        """The same, only where the selection takes in any run."""
        if self.has(selection):
            self.write(selection, address, title)

    def _missing(self, groups: Collection[Traits]) -> Addresses:
        cards = {run.gpu for run in groups if self.ratio(run.gpu) is None}
        return tuple(sorted({ratio_address(card, self.target) for card in cards}))

    @property
    def missing(self) -> Addresses:
        """The ratios that are missing, because of which hours on other kinds of GPU are not counted."""
        return self._missing(self.groups)

    @property
    def begun(self) -> bool:
        """Whether any planned work has runs."""
        return bool(self.work)

    def loose(self, item: str) -> bool:
        """Whether useful runs of an item per seed name no seed, so that it cannot be said which seed they advance.

        Those whose source says that they advance nothing do not matter beside others.
        """
        return item in self._unnamed[True] or (item in self._unnamed[False] and item not in self._named)


def write_actuals(sheet: Sheet, project: ProjectLedger) -> Tally:
    """Writes what was spent and what remains; gives the sums back."""
    tally = Tally(sheet, project)
    for name, item in project.items.items():
        _write_spent(tally, "total", name)
        _write_seeds(tally, name, item)
    for name, phase in phases_of(project):
        writer = FigureWriter.of_phase(sheet, project, name)
        writer.hours("actual", "actual", total_of([f"plan.{item}.actual" for item in phase.items]))
        writer.hours("remaining", "remaining", "planned - actual")
    _write_totals(sheet, tally, project)
    return tally


def _write_spent(tally: Tally, planned: Term, name: str, seed: str = "") -> None:
    """Writes what an item took, or a seed of it, and what that leaves of its planned hours."""
    writer, selection = tally.writer(name, seed), Selection(tally.project.id, item=name, seed=seed or None)
    tally.write(selection, f"{writer.at}.actual", f"{writer.title}: actual")
    writer.hours("remaining", "remaining", formula_of("{} - actual", planned))


def _write_seeds(tally: Tally, name: str, item: r.Item) -> None:
    project = tally.project
    planned = chain_of(" * ", ["gpu_hours", *ratios_of(tally.sheet.cells, project, item)])
    seeds = by_seed(project, item)
    for seed in seeds:
        _write_spent(tally, planned, name, seed)
    unnamed = Selection(project.id, item=name, seed="")
    if seeds and tally.has(unnamed):
        at = f"{project.id}.plan.{name}.no_seed.actual"
        tally.write(unnamed, at, f"{item.title}, no seed named: actual")


def _write_totals(sheet: Sheet, tally: Tally, project: ProjectLedger) -> None:
    at, statuses = f"{project.id}.actual", sorted({traits.status for traits in tally.groups} - {NO_RUN})
    tally.write(Selection(project.id), f"{at}.total", "Actual")
    for status in statuses:
        title = f"Actual, {status.replace('-', ' ')}"
        tally.write(Selection(project.id, status=status), f"{at}.by_status.{status}", title)
    for key, item, title in OUTSIDE:
        tally.write_any(Selection(project.id, item=item), f"{at}.{key}", f"Actual, {title.lower()}")
    for summed in SUMMED:
        tally.write_any(Selection(project.id, summed.name), f"{at}.{summed.key}", summed.title)
    if f"{at}.cost" in sheet.cells:
        tally.write(Selection(project.id, lacks=COSTS), f"{at}.unpriced", "Actual, without a stated cost")
    # Hours held on each kind of GPU, in its own hours: what a machine or a grant was charged, before any ratio.
    seen = sorted({traits.gpu for traits in tally.groups if traits.status != NO_RUN})
    for gpu in dict.fromkeys((project.gpu, *seen)):
        tally.write(Selection(project.id, OWN_HOURS, gpu=gpu), f"{at}.by_gpu.{gpu}", f"Actual, held on {gpu}")
    _write_remaining(sheet, project)


def spent_outside(sheet: Sheet, project_id: str) -> list[str]:
    """The sums of runs of no item, where there are any, by their addresses inside the project."""
    return [f"actual.{each.key}" for each in OUTSIDE if f"{project_id}.actual.{each.key}" in sheet.cells]


def _write_remaining(sheet: Sheet, project: ProjectLedger) -> None:
    """What is left of the base budget after its own runs and those of no item, and of other totals after all."""
    writer = FigureWriter(sheet, project.id)
    if writer.has(FINAL.hours):
        parts = [f"phases.{name}.actual" for name, phase in phases_of(project) if not phase.extension]
        parts += spent_outside(sheet, project.id)
        writer.hours(FINAL.actual, "Actual of the base budget", total_of(parts))
    for total in TOTALS.values():
        if writer.has(total.hours):
            title = f"Left of the {total.words}" if total.planned else f"{total.title} less actual"
            title = called(project.project, title)
            writer.hours(total.remaining, title, formula_of("{} - {}", total.hours, total.actual))
            if total.planned:
                share, over = f"{called(project.project, total.title)}: share spent", f"{total.hours}.use"
                writer.formula(total.used_share, share, formula_of("{} / {}", total.actual, over), "%", over)
