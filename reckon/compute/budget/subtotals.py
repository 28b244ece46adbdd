"""Runs that no sum can tell apart, added up by file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from reckon.language.lean import dataclass, field


@dataclass(slots=True)
class Subtotal:
    """Runs of a group: how many, and how much of each summed field, in parts of which `Tally.per` make one."""

    count: int = 0
    amounts: dict[str, Any] = field(default_factory=lambda: defaultdict(int))

    def add(self, other: Subtotal) -> None:
        """Adds other runs."""
        self.count += other.count
        for name, amount in other.amounts.items():
            self.amounts[name] += amount


def added_up(parts: Iterable[Subtotal]) -> Subtotal:
    """Several as one."""
    whole = Subtotal()
    for part in parts:
        whole.add(part)
    return whole


def by_file(groups: Sequence[Mapping[str, Subtotal]], name: str, per: int) -> tuple[tuple[str, int, Fraction], ...]:
    """The files of some groups, in order: how many runs each has, and how much of a field."""
    found: dict[str, Subtotal] = defaultdict(Subtotal)
    for files in groups:
        for file, part in files.items():
            found[file].add(part)
    return tuple((file, part.count, Fraction(part.amounts.get(name, 0), per)) for file, part in sorted(found.items()))
