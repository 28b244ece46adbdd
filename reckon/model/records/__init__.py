"""The records that a ledger holds: what can be written in which file. Descriptions are shown by editors."""

from .evidence import Claim, Configuration, Measurement, NamedFigure, Passage, Projection
from .plan import Item, Phase, Progress, Run
from .project import Accept, Hardware, Need, Project, Version
from .shared import Allocation, Card, Model
from .words import SCOPES, STATUSES

__all__ = [
    "SCOPES", "STATUSES", "Accept", "Allocation", "Card", "Claim", "Configuration", "Hardware", "Item", "Measurement",
    "Model", "NamedFigure", "Need", "Passage", "Phase", "Progress", "Project", "Projection", "Run", "Version",
]  # fmt: skip
