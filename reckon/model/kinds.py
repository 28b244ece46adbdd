"""What a ledger consists of, declared once: the kinds of records, the groups of calculated figures, and the totals.

A new kind of record is its class in `records`, its field in `ledger` and its line here. Which files are read, what can
be referred to, which quantities become cells, what a bridge compares and what pages can show is read from these tables.
A room that does something of its own for a kind keeps a mapping by id; `tests/model/test_kinds.py` holds it complete.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import TypeVar

from msgspec import Struct

from . import records as r
from .record import Record

UNRANKED = 99
"""The place of groups that have none of their own: after all others."""
SHARED = ("catalog", "allocations")
"""The first words of the addresses of what projects share."""
RESERVED_IDS = (*SHARED, "guide", "assets", "releases", "schema")
"""What no project can be called."""


class FigureGroup(Struct, frozen=True, kw_only=True):
    """The figures whose addresses begin with one word below a project (or below `catalog`), as `budget.*`.

    `title` is their heading on the page of derivations, `place` their place there, and `told` their place among the
    figures that a comparison tells. What is calculated in a group `rests_on` parts of the project, or of the catalogue:
    where one of those could not be read, a figure may be missing because of it. With `by_record` a comparison tells
    them by the next word of their address too, as those of `plan.train`.
    """

    id: str
    title: str = ""
    place: int = UNRANKED
    told: int = UNRANKED
    rests_on: tuple[str, ...] = ()
    by_record: bool = False

    @property
    def heading(self) -> str:
        """What the group is called on a page."""
        return self.title or self.id


class RecordKind(FigureGroup, frozen=True, kw_only=True):
    """A kind of record. Its id names its file or its key of project.yaml, its field in a ledger, and its addresses.

    A file maps ids to records, or, where the kind is `listed`, lists them without ids. A section of a page shows one as
    a `block`, which is the name of a template; a `part` of one as a block of its own; and, with `together`, all of them
    by the id of the kind. A bridge takes the kinds of a project by their `turn`, those of one turn in the order here.
    Where it is `called`, conditions and texts can name its records, and print their titles. Where it is `dated`, the
    ids are days.
    """

    record: type[Record]
    listed: bool = False
    block: str = ""
    part: str = ""
    together: bool = False
    turn: int = 2
    called: bool = False
    dated: bool = False


Table = TypeVar("Table", bound=FigureGroup)


def _table(*rows: Table) -> Mapping[str, Table]:
    return MappingProxyType({row.id: row for row in rows})


CATALOG = _table(
    RecordKind(id="gpus", record=r.Card, title="GPUs", block="specifications", called=True),
    RecordKind(id="devices", record=r.Device, title="Devices", block="specifications"),
    RecordKind(id="models", record=r.Model, title="Models", block="models", called=True),
    RecordKind(id="prices", record=r.PriceList, title="Prices"),
    RecordKind(id="rates", record=r.DatedRates, title="Exchange rates", dated=True),
    RecordKind(id="throughputs", record=r.Throughputs, title="Throughputs"),
    RecordKind(id="providers", record=r.Provider),
    RecordKind(id="settings", record=r.Framework),
    RecordKind(id="grids", record=r.Grid, title="Grids"),
    RecordKind(id="facilities", record=r.Facility, title="Facilities"),
)
"""What stands in ledger/catalog/, a file each; addresses begin with `catalog`."""

ALLOCATIONS = RecordKind(id="allocations", record=r.Allocation, title="Allocations", rests_on=("runs",), called=True)
"""ledger/allocations.yaml."""

# The bridge puts in first what others may rest on: named figures, all that the plan rests on, the plan, then the runs.
PROJECT = _table(
    RecordKind(id="plan", record=r.Phase, told=4, rests_on=("plan",), by_record=True, turn=3),
    RecordKind(
        id="measurements",
        record=r.Measurement,
        title="Measurements",
        by_record=True,
        block="measurements",
        part="parts",
        called=True,
    ),
    RecordKind(
        id="projections",
        record=r.Projection,
        title="Projections",
        rests_on=("projections", "measurements"),
        by_record=True,
        block="projections",
        part="costs",
        called=True,
    ),
    RecordKind(id="bounds", record=r.Bound, block="bounds"),
    RecordKind(
        id="configurations",
        record=r.Configuration,
        title="Configurations",
        rests_on=("configurations", "levers", "catalog"),
        by_record=True,
        block="configurations",
        called=True,
    ),
    RecordKind(id="levers", record=r.Lever, rests_on=("levers", "measurements"), block="levers", together=True),
    RecordKind(id="figures", record=r.NamedFigure, title="Named figures", by_record=True, block="figures", turn=1),
    RecordKind(id="texts", record=r.Passage, turn=5),
    RecordKind(id="workloads", record=r.Workload, title="Workloads", called=True),
    RecordKind(id="setups", record=r.Setups, title="Setups", called=True),
    RecordKind(id="imports", record=r.ImportSource),
    RecordKind(id="runs", record=r.Run, listed=True, turn=4),
    RecordKind(id="claims", record=r.Claim, listed=True, turn=6),
)
"""What stands in files beside project.yaml (runs in a folder of that name). Messages name the files in this order."""

LOCK = RecordKind(id="imports.lock", record=r.ImportLock)
"""What the importer keeps of what it has read, in imports.lock.yaml. It states nothing that has an address."""
PROPOSALS = RecordKind(id="proposals", record=r.Proposal)
"""What is proposed and not decided, a file each in a folder of that name. It states nothing that has an address."""
IMPORTED = "import"
"""The folder below runs/ whose files the importer writes."""

_PLAN = ("plan", "phases", "seeds", "contingency", "ceiling")
_ENERGY = (*_PLAN, "runs", "pue", "power_share", "catalog.gpus", "catalog.facilities")

INSIDE = _table(
    RecordKind(id="policies", record=r.Policy),
    RecordKind(
        id="descope",
        record=r.Drop,
        title="De-scoping",
        rests_on=(*_PLAN, "runs", "descope"),
        by_record=True,
        listed=True,
    ),
    RecordKind(id="memory", record=r.Need, title="Memory needs"),
    RecordKind(id="hardware", record=r.Hardware, title="Hardware"),
    RecordKind(id="versions", record=r.Version),
    RecordKind(id="pages", record=r.Page),
    RecordKind(id="citations", record=r.Citation, block="citations", together=True),
    RecordKind(id="accept", record=r.Accept, listed=True),
    RecordKind(id="at_risk", record=r.AtRisk, title="At risk"),
)
"""What stands in project.yaml itself, under these keys."""

CALCULATED = _table(
    FigureGroup(id="budget", title="Budget", place=1, told=1, rests_on=_PLAN),
    FigureGroup(id="estimates", title="Budget from estimates", place=2, told=2, rests_on=_PLAN),
    FigureGroup(id="phases", title="Phases", place=6, told=3, rests_on=("plan", "phases", "runs"), by_record=True),
    FigureGroup(id="money", title="Money", told=5, rests_on=(*_PLAN, "runs", "price", "prices", "catalog.prices")),
    FigureGroup(id="energy", title="Energy", told=11, rests_on=_ENERGY),
    FigureGroup(id="carbon", title="Emissions", told=12, rests_on=(*_ENERGY, "grid", "catalog.grids")),
    FigureGroup(id="performance", title="Earned value", place=4, told=6, rests_on=(*_PLAN, "runs")),
    FigureGroup(id="forecast", title="Forecast", place=5, told=7, rests_on=(*_PLAN, "runs")),
    FigureGroup(id="actual", title="Actual", place=3, told=8, rests_on=("plan", "runs")),
    FigureGroup(id="contingency", title="Contingency", told=9, rests_on=(*_PLAN, "runs")),
    FigureGroup(id="limits", title="Limits", told=10, rests_on=(*_PLAN, "runs")),
    FigureGroup(id="schedule", title="Dates", rests_on=("plan", "phases", "runs", "allocations")),
    FigureGroup(id="pace", title="Pace", rests_on=("plan", "runs")),
    FigureGroup(id="payers", title="Who pays", rests_on=("plan", "runs", "allocations")),
)
"""What is calculated for a project beside its records."""

GROUPS: Mapping[str, FigureGroup] = MappingProxyType(
    {**CATALOG, ALLOCATIONS.id: ALLOCATIONS, **PROJECT, **INSIDE, **CALCULATED}
)
"""All groups, by the word with which their addresses begin; each word names one group."""


def group_of(word: str) -> FigureGroup:
    """The group of figures that a word of an address names; one without a title where no table has the word."""
    return GROUPS.get(word) or FigureGroup(id=word)


def in_bridge() -> list[RecordKind]:
    """The kinds of records of a project in the order in which a bridge takes them."""
    return sorted(PROJECT.values(), key=lambda kind: kind.turn)


class Total(Struct, frozen=True):
    """A total of hours that must not be exceeded: its title, and the addresses of its figures below a project.

    `hours` are what there is, `actual` and `remaining` what was charged against it and what is left, all in GPU-hours;
    `chance` is the probability that it is exceeded. `earned` and `forecast` are where its earned value and its forecast
    stand.
    """

    id: str
    title: str
    hours: str
    actual: str
    remaining: str
    chance: str
    earned: str = ""
    forecast: str = ""

    @property
    def planned(self) -> bool:
        """Whether it is a sum of the plan; else it is a limit that was set."""
        return bool(self.earned)

    @property
    def complete(self) -> str:
        """The address of the share of its work that is done."""
        return f"{self.earned}.complete_share"

    @property
    def eac(self) -> str:
        """The address of its estimate at completion; empty where it has none."""
        return f"{self.earned}.eac" if self.earned else ""

    @property
    def left_at_end(self) -> str:
        """The address of what its estimate at completion leaves of it."""
        return self.remaining.replace("remaining", "left_at_end")

    @property
    def used_share(self) -> str:
        """The address of the share of it that is spent."""
        return self.remaining.replace("remaining", "used_share")

    @property
    def words(self) -> str:
        """Its title inside a sentence."""
        return self.title.lower()


FINAL = Total(
    "final",
    "Final budget",
    "budget.final",
    "actual.base",
    "budget.remaining",
    "forecast.probability_over_plan",
    "performance",
    "forecast",
)
EXTENDED = Total(
    "extended",
    "Extended budget",
    "budget.extended",
    "actual.total",
    "budget.extended_remaining",
    "forecast.extended.probability_over_plan",
    "performance.extended",
    "forecast.extended",
)
CEILING = Total(
    "ceiling", "Ceiling", "ceiling", "actual.total", "actual.below_ceiling", "forecast.probability_over_ceiling"
)
MONEY_CEILING = Total(
    "money",
    "Ceiling in money",
    "money.ceiling",
    "money.paid",
    "money.below_ceiling",
    "money.probability_over_ceiling",
)
"""The ceiling of what is paid: what granted hours are worth is not held against it."""
TOTALS: Mapping[str, Total] = MappingProxyType({total.id: total for total in (FINAL, EXTENDED, CEILING)})
"""The totals of a project. In one that is all extension, the earned value and the forecast of the extended budget stand
where those of the final one would: it has no final budget."""


def as_planned(chance: str) -> str:
    """The address of a chance of exceeding a limit as it was planned, with nothing begun, from that of the chance."""
    return f"{chance.removesuffix('_over_plan').removesuffix('_over')}_as_planned"


BEST_CASE = "Best case"


def called(project: r.Project, title: str) -> str:
    """A title of a total, or words with one: a plan that is the best case is not a budget, and sets no limit."""
    if not project.plan_is:
        return title
    return title.replace(FINAL.title, BEST_CASE).replace(FINAL.words, BEST_CASE.lower())


def budget_of(known: Container[str], project: str) -> Total:
    """The budget of a project, judged by the addresses that exist: the final one, unless all is extension."""
    return FINAL if f"{project}.{FINAL.hours}" in known else EXTENDED
