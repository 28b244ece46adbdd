"""What was measured and projected, as pages show it: a block a record, on the first page and on pages of its own."""

from __future__ import annotations

from .measurement import Measured
from .overview import Overview
from .page import Paper
from .projection import Projected

__all__ = ["Measured", "Overview", "Paper", "Projected"]
