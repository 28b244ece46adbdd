"""The records that a ledger holds: what can be written in which file. Descriptions are shown by editors."""

from __future__ import annotations  # noqa: I001 (a name a line would be three times as long)

from .project import (
    Accept, AtRisk, Citation, Drop, Hardware, Item, Need, Page, Phase, Policy, Project, Repeats, Version,
)  # fmt: skip
from .granted import Allocation, Charge
from .imported import (
    AddedSum, AsideSum, CountedMonth, HeldPeak, ImportedFrom, ImportLock, JobAside, KeptOfJob, StatusSum,
)  # fmt: skip
from .imports import GpuRule, ImportRule, ImportSource
from .proposal import MOST_CHANGES, MOST_PROPOSALS, Proposal, ProposedChange
from .run import Progress, Run
from .said import Claim, NamedFigure, Passage
from .shared import (
    CURRENCIES, SCOPES, STATUSES, Card, Device, ExchangeRate, Facility, Framework, Grid, Market, Model,
    PriceChange, PriceList, Provider, SettingSpec, Throughputs,
)  # fmt: skip
from .tree import Forge, TreeSettings
from .work import (
    OF_RUNS, OF_TOKENS, Bound, Configuration, Lever, Measurement, MemoryPart, Projection, Search, Setups, Workload,
)  # fmt: skip

__all__ = [
    "CURRENCIES", "MOST_CHANGES", "MOST_PROPOSALS", "OF_RUNS", "OF_TOKENS", "SCOPES", "STATUSES", "Accept", "AddedSum",
    "Allocation", "AsideSum", "AtRisk", "Bound", "Card", "Charge", "Citation", "Claim", "Configuration", "CountedMonth",
    "Device", "Drop", "ExchangeRate", "Facility", "Forge", "Framework", "GpuRule", "Grid", "Hardware", "HeldPeak",
    "ImportLock", "ImportRule", "ImportSource", "ImportedFrom", "Item", "JobAside", "KeptOfJob", "Lever", "Market",
    "Measurement", "MemoryPart", "Model", "NamedFigure", "Need", "Page", "Passage", "Phase", "Policy", "PriceChange",
    "PriceList", "Progress", "Project", "Projection", "Proposal", "ProposedChange", "Provider", "Repeats", "Run",
    "Search", "SettingSpec", "Setups", "StatusSum", "Throughputs", "TreeSettings", "Version", "Workload",
]  # fmt: skip
