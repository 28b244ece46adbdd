"""What a ledger is reckoned with in place of what it says: the changes of a what-if."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.language.text import Text


@dataclass(frozen=True, slots=True)
class Change:
    """A value at an address, as it was given, and what the ledger says there; None where it says nothing."""

    address: str
    value: str
    was: str | None


@dataclass(frozen=True, slots=True)
class Unplaced:
    """An address at which nothing can be set, as it was given, and a hint at what was perhaps meant."""

    address: Text
    near: str
