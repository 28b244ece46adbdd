"""The size that the engine may have at most (`python scripts/house.py`). It may only fall.

It was raised once, for payers: who pays, what is billed, dated changes, work to do and forecasts by payer, lost hours.
"""

from __future__ import annotations

MOST = 670_040
