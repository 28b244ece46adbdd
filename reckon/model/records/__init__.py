"""The records that a ledger holds: what can be written in which file. Descriptions are shown by editors."""

from .choice import Search, Setups, Workload
from .configured import Configuration, Lever, MemoryPart
from .evidence import Claim, NamedFigure, Passage
from .measured import Bound, Measurement, Projection
from .plan import Item, Phase, Progress, Run
from .project import Accept, Citation, Drop, Hardware, Need, Page, Policy, Project, Version
from .shared import Allocation, Card, Device, Framework, Market, Model, PriceList, Provider, SettingSpec, Throughputs
from .tree import Forge, TreeSettings
from .words import SCOPES, STATUSES

__all__ = [
    "SCOPES", "STATUSES", "Accept", "Allocation", "Bound", "Card", "Citation", "Claim", "Configuration", "Device",
    "Drop", "Forge", "Framework", "Hardware", "Item", "Lever", "Market", "Measurement", "MemoryPart", "Model",
    "NamedFigure", "Need", "Page", "Passage", "Phase", "Policy", "PriceList", "Progress", "Project", "Projection",
    "Provider", "Run", "Search", "SettingSpec", "Setups", "Throughputs", "TreeSettings", "Version", "Workload",
]  # fmt: skip
