"""How much is tried: little in `make test`, some of it in `make test-all`, all of it in `make test-long`.

What `make test` leaves out has the mark `full`. What `make test-long` runs has the mark `long`, where nobody else runs
it `long(only=True)`: a test, or some of its parameters. A property that hypothesis tries gets that mark by itself
(`tests/conftest.py`). Pytest by itself tries what `make test-all` does.
"""

from __future__ import annotations

import os

QUICK = bool(os.environ.get("BUDGET_QUICK"))
LONG = bool(os.environ.get("BUDGET_LONG"))
SHARE = 4
QUICK_SHARE = 16
FEWEST = 10


def examples(many: int) -> int:
    """How many examples of `many` are tried: all of them in the long tests, else a quarter, or a sixteenth in the quick
    ones; and not fewer than ten."""
    if LONG:
        return many
    share = QUICK_SHARE if QUICK else SHARE
    return max(min(many, FEWEST), many // share)
