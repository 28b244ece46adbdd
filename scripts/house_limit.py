"""The size that the engine may have at most (`python scripts/house.py`). It may only fall.

It was raised twice: for payers (who pays, what is billed, dated changes, work to do and forecasts by payer, lost hours;
and payers, plan lines and ceilings in money, in several currencies), and for imports that account for every row.
"""

from __future__ import annotations

MOST = 658_136
