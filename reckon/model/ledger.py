"""A whole ledger: the records of all files, and the changes of a what-if. Its collections have the ids of their kinds.

Last come records that take over fields from a record that they are based on: configurations and projections.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from heapq import merge
from itertools import count, islice
from typing import Any, ClassVar, NamedTuple, TypeVar

from msgspec import Struct, field

from reckon.language.quantity import Value
from reckon.language.text import Text

from . import records as r
from .figure import NO_RUN, SUMMED, UNASSIGNED, USUAL, EnergyBasis, Selection, Traits
from .records.tree import unsaid
from .runs import AllRuns, Grouped, RunFile
from .version import FORMAT


class WhatIf(Struct, frozen=True):
    """A value at an address, as it was given, and what the ledger says there; None where it says nothing."""

    address: str
    value: str
    was: str | None


class Unplaced(Struct, frozen=True):
    """An address at which nothing can be set, as it was given, and a hint at what was perhaps meant."""

    address: Text
    near: str


class Catalog(Struct, frozen=True):
    """What projects share."""

    gpus: Mapping[str, r.Card] = {}
    devices: Mapping[str, r.Device] = {}
    models: Mapping[str, r.Model] = {}
    prices: Mapping[str, r.PriceList] = {}
    rates: Mapping[str, r.DatedRates] = {}
    throughputs: Mapping[str, r.Throughputs] = {}
    providers: Mapping[str, r.Provider] = {}
    settings: Mapping[str, r.Framework] = {}
    grids: Mapping[str, r.Grid] = {}
    facilities: Mapping[str, r.Facility] = {}


class CardFamily(Struct, frozen=True):
    """What is known of a card: words that its name has, and never has, what is printed on it, and what an hour on it
    usually costs, from the least to the most; when and where that was seen."""

    names: tuple[str, ...]
    vram_gib: tuple[int, ...]
    memory_gb_per_second: Decimal
    specifications: str
    never: tuple[str, ...] = ()
    bf16_tflops: Decimal | None = None
    usd_per_gpu_hour: tuple[Decimal, Decimal] | None = None
    as_of: str = ""
    prices: tuple[str, ...] = ()


Naming = r.Project | r.Phase | r.Item | r.ImportSource | r.ImportRule
"""A record that can name an `allocation` or a `price` for runs."""


class Said(NamedTuple):
    """What runs of a kind say, by the names that it has in a record."""

    item: str
    seed: str | None
    status: str
    gpu: Text | None = None
    unassigned: bool = False
    kind: str | None = None
    watts: Fraction | None = None
    pue: Fraction | str | None = None
    grid: str | None = None
    energy_of: str | None = None


class Kinds(Grouped):
    """Kinds of runs: runs of which a sum can ask the same, which are the `traits` of each kind."""

    def __init__(self, rows: AllRuns, of: Sequence[int], traits: Sequence[Traits]) -> None:
        super().__init__(rows, of, len(traits))
        self.traits = traits

    def first(self, selection: Selection, most: int) -> list[int]:
        """The numbers of the first runs of a sum, whatever their days."""
        meant = [its for its, traits in zip(self.numbers, self.traits, strict=True) if selection.means(traits)]
        return list(islice(merge(*meant), most))


class ProjectLedger(Struct, frozen=True, dict=True):
    """All records of one project.

    `runs` are entries with hours, with what imported entries add to them; `additions` are those that add something and
    belong to no job that is there; `queued` are jobs that have not begun; `entries` are all as they are written, empty
    where nothing was joined or put aside.
    """

    id: str
    project: r.Project
    plan: Mapping[str, r.Phase] = {}
    runs: tuple[RunFile, ...] = ()
    measurements: Mapping[str, r.Measurement] = {}
    projections: Mapping[str, r.Projection] = {}
    bounds: Mapping[str, r.Bound] = {}
    configurations: Mapping[str, r.Configuration] = {}
    levers: Mapping[str, r.Lever] = {}
    workloads: Mapping[str, r.Workload] = {}
    setups: Mapping[str, r.Setups] = {}
    figures: Mapping[str, r.NamedFigure] = {}
    texts: Mapping[str, r.Passage] = {}
    imports: Mapping[str, r.ImportSource] = {}
    claims: tuple[r.Claim, ...] = ()
    locks: Mapping[str, r.ImportLock] = {}
    proposals: Mapping[str, r.Proposal] = {}
    files: tuple[str, ...] = ()
    additions: tuple[RunFile, ...] = ()
    queued: tuple[RunFile, ...] = ()
    entries: tuple[RunFile, ...] = ()

    @property
    def written(self) -> tuple[RunFile, ...]:
        """All entries as they stand in their files: those of the importer are not joined."""
        return self.entries or self.runs

    @property
    def gpu(self) -> str:
        """The card in whose hours it is budgeted."""
        return str(self.project.gpu)

    @property
    def currency(self) -> str:
        """The currency of its sums of money."""
        return str(self.project.currency)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The names of its seeds."""
        return self.project.seeds.names if self.project.seeds else ()

    @cached_property
    def items(self) -> Mapping[str, r.Item]:
        """The items of all phases by id; an address does not name the phase."""
        return {name: item for phase in self.plan.values() for name, item in phase.items.items()}

    @cached_property
    def rows(self) -> AllRuns:
        """Its runs as columns."""
        return AllRuns(self.runs)

    def item_of(self, run: r.Run) -> r.Item | None:
        """The item of the plan that a run belongs to; None where the plan has none of this name, or it is unassigned.

        A run that is `unplanned` but names an item of the plan belongs to that.
        """
        return None if run.unassigned else self.items.get(run.item)

    def title_of(self, item: str) -> str:
        """What an item of the plan is called; its id where the plan has none of this name."""
        return self.items[item].title if item in self.items else item

    def card_of(self, run: r.Run) -> Text:
        """The kind of GPU that a run was on: the one that it names, else that of its item, else the project's."""
        return self.card_on(run.item, run.gpu, run.unassigned)

    def card_on(self, item: str, gpu: Text | None, unassigned: bool = False) -> Text:
        """The same of a run that says so of its item and its kind of GPU."""
        if gpu is not None:
            return gpu
        own = None if unassigned else self.items.get(item)
        return own.gpu if own and own.gpu is not None else self.project.gpu

    def card_for(self, item: r.Item) -> str:
        """The kind of GPU on which an item is planned: its own, else the project's."""
        return str(item.gpu or self.gpu)

    def named(self, field: str, item: str, run: str = "", source: str = "", rule: str = "") -> str:
        """What is named as `allocation` or `price` nearest to a run of an item, or to the item itself; or nothing.

        `run` is what the run says, `source` and `rule` are what it was imported by.
        """
        if run:
            return run
        known = self.imports.get(source)
        by_rule = known.rules.get(rule) if known else None
        nearest = (by_rule, known, self.items.get(item), self._phases.get(item), self.project)
        said = (getattr(record, field) for record in nearest if record is not None)
        return next((str(name) for name in said if name), "")

    def named_for(self, field: str, run: r.Run) -> str:
        """What is named as `allocation` or `price` nearest to a run; or nothing."""
        item, own, imported = "" if run.unassigned else str(run.item), str(getattr(run, field) or ""), run.imported
        if imported is None:
            return self.named(field, item, own)
        return self.named(field, item, own, str(imported.source), str(imported.rule or ""))

    def names_some(self, field: str) -> bool:
        """Whether any record names an `allocation` or a `price`."""
        return self.rows.says(field) or any(getattr(record, field) for record in self._naming)

    @property
    def _naming(self) -> tuple[Naming, ...]:
        """The records beside runs that can name an `allocation` or a `price`."""
        sources = self.imports.values()
        rules = (rule for source in sources for rule in source.rules.values())
        return (self.project, *self.plan.values(), *self.items.values(), *sources, *rules)

    @cached_property
    def price_lists(self) -> tuple[str, ...]:
        """The price lists that it uses: its own in their order, and those that are named for work."""
        named = (str(record.price) for record in self._naming if record.price)
        of_runs = sorted(str(name) for name in self.rows.values("price") if name)
        return tuple(dict.fromkeys((*map(str, self.project.prices), *named, *of_runs)))

    @cached_property
    def _phases(self) -> Mapping[str, r.Phase]:
        """The phase of each item."""
        return {name: phase for phase in self.plan.values() for name in phase.items}

    def _price_lists(self) -> list[str]:
        """The price list that is named nearest to each run."""
        found: dict[tuple[Any, ...], str] = {}
        lists = []
        for said in self.rows.columns("unassigned", "item", "price", "imported.source", "imported.rule"):
            if said not in found:
                unassigned, item, *others = said
                found[said] = self.named("price", "" if unassigned else item, *(text or "" for text in others))
            lists.append(found[said])
        return lists

    def each_run(self) -> Iterator[tuple[str, r.Run, Traits]]:
        """Every run in the order of the ledger, with its file and with what a sum can ask of it.

        It was on the kind of GPU that it names, else on that of its item, else on that of the project.
        """
        kinds = self.kinds
        runs = ((file.file, run) for file in self.runs for run in file.runs)
        for (file, run), kind in zip(runs, kinds.of, strict=True):
            yield file, run, kinds.traits[kind]

    @cached_property
    def kinds(self) -> Kinds:
        """What a sum can ask of each run: runs that say the same of it are of one kind."""
        rows = self.rows
        summed = {field.name: rows.amounts(field.name).values for field in SUMMED if rows.says(field.name)}
        stated = []
        for values in summed.values():
            stated.append([value is not None for value in values])
        names = ("item", "seed", "status", *filter(rows.says, Said._fields[3:]))
        priced = [self._price_lists()] if self.names_some("price") else []
        numbers: dict[tuple[Any, ...], int] = defaultdict(count().__next__)
        columns = zip(*map(rows.column, names), *stated, *priced, strict=True)
        of, traits = [*map(numbers.__getitem__, columns)], []
        for kind in numbers:
            run = Said(**dict(zip(names, kind, strict=False)))
            there = dict(zip(summed, kind[len(names) :], strict=False))
            price = kind[-1] if priced else ""
            planned = not run.unassigned and run.item in self.items
            card = str(self.card_on(run.item, run.gpu, run.unassigned))
            stated_fields = [*filter(there.get, summed)]
            budgeted = not (planned and self.items[run.item].currency)
            kept = _traits(run, planned, str(run.status), card, stated_fields)
            traits.append(kept._replace(price=price, budgeted=budgeted))
        return Kinds(rows, of, traits)

    def each_addition(self) -> Iterator[tuple[str, r.Run, Traits]]:
        """Every entry without hours that belongs to no job: it is not a run, and was on no GPU."""
        items = self.items
        for file in self.additions:
            for run in file.runs:
                stated = [field.name for field in SUMMED if getattr(run, field.name) is not None]
                yield file.file, run, _traits(run, run.item in items, NO_RUN, str(self.project.gpu), stated)

    def each_entry(self) -> Iterator[tuple[str, r.Run, Traits]]:
        """Every run, and every entry that adds something and belongs to none."""
        yield from self.each_run()
        yield from self.each_addition()


def _traits(run: r.Run | Said, planned: bool, status: str, gpu: str, stated: Sequence[str]) -> Traits:
    if run.unassigned:
        item = UNASSIGNED
    elif planned:
        item = str(run.item)
    else:
        item = ""
    return Traits(item, str(run.seed or ""), status, gpu, tuple(stated), _basis(run, "energy_kwh" in stated))


def _basis(run: r.Run | Said, stated: bool) -> EnergyBasis:
    """What a run says of its energy beside how much it was, if it has `stated` that."""
    reported = stated and run.kind not in (None, "measured")
    if run.watts is None and run.pue is None and run.grid is None and run.energy_of is None and not reported:
        return USUAL
    pue = str(run.pue) if isinstance(run.pue, str) else run.pue
    return EnergyBasis(run.watts, pue, str(run.grid or ""), run.energy_of == "facility", reported)


class LastRelease(Struct, frozen=True):
    """The last release of a project that was on another card: its version, the card, and the hours of each item that
    names no card of its own."""

    version: str
    gpu: str
    hours: Mapping[str, Value]


Ids = tuple[str, ...]
"""Ids of records, in an order."""
Known = TypeVar("Known")
ByProject = Mapping[str, tuple[Known, ...]]
"""What is known of each project, by its id."""


class Ledger(Struct, frozen=True):
    """All that was written down. `broken` holds the addresses whose records could not be read.

    `changes` are the values of a what-if, which stand in place of what was written; `unplaced` those without a place;
    `reasons` why a proposal makes them, by whole address;
    `converted` the projects whose planned hours were turned into hours on another GPU with it. `released` are the last
    releases of projects that were on another card then. A ledger that is not `sound` has problems: some of its
    references may lead nowhere. `held_to` is the format whose rules it has to keep: that of today, but its own for a
    release or a revision, which nobody can mend. `cards` are those of which something is known beside what it says.
    """

    catalog: Catalog = field(default_factory=Catalog)
    allocations: Mapping[str, r.Allocation] = {}
    projects: Mapping[str, ProjectLedger] = {}
    settings: r.TreeSettings = field(default_factory=unsaid)
    files: tuple[str, ...] = ()
    broken: frozenset[str] = frozenset()
    changes: tuple[WhatIf, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()
    reasons: Mapping[str, Text] = {}
    converted: tuple[str, ...] = ()
    released: Mapping[str, LastRelease] = {}
    sound: bool = True
    held_to: int = FORMAT
    cards: Mapping[str, CardFamily] = {}

    def unread(self, address: str) -> bool:
        """Whether an address is, holds or is part of something that could not be read."""
        return touches(self.broken, address)

    def grants_of(self, project_id: str) -> Mapping[str, r.Allocation]:
        """The allocations on which a project draws, in the order of the ledger."""
        return {name: grant for name, grant in self.allocations.items() if project_id in grant.projects}


def touches(broken: frozenset[str], address: str) -> bool:
    """Whether an address is above, at or below one of the broken ones."""
    return bool(broken) and (address in _above(broken) or any(outer in broken for outer in outwards(address)))


def outwards(address: str) -> list[str]:
    """An address and all that stand around it, the nearest first."""
    found = [address]
    while "." in address:
        address = address.rpartition(".")[0]
        found.append(address)
    return found


@lru_cache(maxsize=4)
def _above(broken: frozenset[str]) -> frozenset[str]:
    return frozenset(outer for unread in broken for outer in outwards(unread))


NOTHING: tuple[object, ...] = (None, (), {})
"""The values of a field that is not set."""


def chain(records: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The ids of a record and of its bases, the nearest first; it ends before an id that occurs again or is unknown."""
    found: dict[str, None] = {}
    while name in records and name not in found:
        found[name] = None
        name = str(records[name].base or "")
    return tuple(found)


class Based(Struct, frozen=True, dict=True):
    """A record of a project with what it takes over from its bases; addresses are those inside the project."""

    project: ProjectLedger
    name: str
    kind: ClassVar[str]
    """The collection that it stands in, which is also how addresses name it."""

    @property
    def one(self) -> ProjectLedger:
        """The project, by the name that templates of older trees have for it."""
        return self.project

    @property
    def at(self) -> str:
        """Where the record stands."""
        return f"{self.kind}.{self.name}"

    @cached_property
    def chain(self) -> tuple[str, ...]:
        """The record and its bases, the nearest first."""
        return chain(self._records, self.name)

    @property
    def _records(self) -> Mapping[str, Any]:
        records: Mapping[str, Any] = getattr(self.project, self.kind)
        return records

    def holder(self, *fields: str) -> str:
        """The id of the record that gives one of the fields: itself, or the nearest of its bases; empty if none."""
        says = (name for name in self.chain for key in fields if getattr(self._records[name], key) not in NOTHING)
        return next(says, "")

    def value(self, field: str) -> Any:
        """What a field says; None where nothing does."""
        holder = self.holder(field)
        return getattr(self._records[holder], field) if holder else None

    def address(self, field: str) -> str:
        """Where the figure of a field stands; empty where there is none."""
        holder = self.holder(field)
        return f"{self.kind}.{holder}.{field}" if holder else ""
