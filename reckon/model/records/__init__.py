"""The records that a ledger holds: what can be written in which file. Descriptions are shown by editors."""

from .choice import Search, Setups, Workload
from .evidence import Claim, Configuration, Measurement, NamedFigure, Passage, Projection
from .plan import Item, Phase, Progress, Run
from .project import Accept, Drop, Hardware, Need, Policy, Project, Version
from .shared import Allocation, Card, Market, Model, PriceList, Provider, Throughputs
from .words import SCOPES, STATUSES

__all__ = [
    "SCOPES", "STATUSES", "Accept", "Allocation", "Card", "Claim", "Configuration", "Drop", "Hardware", "Item",
    "Market", "Measurement", "Model", "NamedFigure", "Need", "Passage", "Phase", "Policy", "PriceList", "Progress",
    "Project", "Projection", "Provider", "Run", "Search", "Setups", "Throughputs", "Version", "Workload",
]  # fmt: skip
