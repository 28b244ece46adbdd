"""Which version of the program this is, and which formats of a ledger it reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

VERSION = "0.3.0"
READ_SINCE: Mapping[int, str] = MappingProxyType({1: "0.1.0", 2: "0.2.0", 3: "0.3.0"})
"""The formats of a ledger that this program reads, each with the first version that does."""
FORMAT = max(READ_SINCE)
"""The format of today. `load/migration` has the step to it from the one before."""
FORMER = 1
"""The format of a ledger that does not say which it has."""
