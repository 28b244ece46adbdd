"""What the sections on choosing hardware show: the setups of a project, weighed against each other."""

from __future__ import annotations

from .choosing import Choosing
from .comparison import SetupComparison

__all__ = ["Choosing", "SetupComparison"]
