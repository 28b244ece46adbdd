"""The records that a ledger holds: what can be written in which file. Descriptions are shown by editors."""

from __future__ import annotations  # noqa: I001 (a name a line would be three times as long)

from .project import (
    Accept,
    AtRisk,
    Citation,
    Drop,
    Hardware,
    Item,
    Need,
    Page,
    Phase,
    Policy,
    Project,
    Repeats,
    Version,
)
from .allocations import Allocation, Change, Charge
from .import_lock import (
    AddedSum,
    AsideSum,
    CountedMonth,
    HeldPeak,
    ImportedFrom,
    ImportLock,
    JobAside,
    KeptOfJob,
    StatusSum,
)
from .imports import GpuRule, ImportRule, ImportSource
from .proposal import MOST_CHANGES, MOST_PROPOSALS, Proposal, ProposedChange
from .run import Progress, Run
from .texts import Claim, NamedFigure, Passage
from .shared import (
    NOBODY,
    SCOPES,
    STATUSES,
    Billing,
    Card,
    DatedRates,
    Device,
    ExchangeRate,
    Facility,
    Factors,
    Framework,
    Grid,
    Market,
    Model,
    PriceChange,
    PriceList,
    Provider,
    SettingSpec,
    Throughputs,
)
from .tree import Forge, TreeSettings
from .work import (
    OF_RUNS,
    OF_TOKENS,
    Bound,
    Configuration,
    Lever,
    Measurement,
    MemoryPart,
    Projection,
    Search,
    Setups,
    Workload,
)
