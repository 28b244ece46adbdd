"""How much is tried: some of it in `make test`, all of it in `make test-long`.

What `make test-long` runs has the mark `long`, where nobody else runs it `long(only=True)`: a test, or some of its
parameters. A property that hypothesis tries gets that mark by itself (`tests/conftest.py`).
"""

from __future__ import annotations

import os

LONG = bool(os.environ.get("BUDGET_LONG"))
SHARE = 4
FEWEST = 10


def examples(many: int) -> int:
    """How many examples of `many` are tried: all of them in the long tests, else a quarter, and not fewer than ten."""
    return many if LONG else max(min(many, FEWEST), many // SHARE)
