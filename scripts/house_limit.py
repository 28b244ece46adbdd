"""The size that the engine may have at most (`python scripts/house.py`). It may only fall."""

MOST = 651_539
