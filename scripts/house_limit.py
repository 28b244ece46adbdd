"""The size that the engine may have at most (`python scripts/house.py`). It may only fall."""

from __future__ import annotations

MOST = 664_654
