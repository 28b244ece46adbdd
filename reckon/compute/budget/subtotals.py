"""Runs that no sum can tell apart, added up: all of them, and by file for who asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from reckon.model.figure import HOURS, OWN_HOURS, SUMMED, ByFile, Traits
from reckon.model.fixed_point import summed
from reckon.model.ledger import Kinds
from reckon.model.runs import AllRuns


class Subtotal(Struct):
    """Runs of a group: how many, and how much of each summed field, in parts of which `Tally.per` make one."""

    count: int = 0
    amounts: dict[str, Any] = field(default_factory=lambda: defaultdict(int))

    def add(self, other: Subtotal) -> None:
        """Adds other runs."""
        self.count += other.count
        for name, amount in other.amounts.items():
            self.amounts[name] += amount


class RunSums:
    """The sums of the runs of a project by their traits, and by file: few commands ask for these.

    `ratios` say what an hour on each kind of GPU counts; a tally fills them in. `added` are entries without hours.
    """

    def __init__(self, rows: AllRuns, kinds: Kinds, ratios: Mapping[str, Fraction | None]) -> None:
        self._rows, self._kinds, self._ratios = rows, kinds, ratios
        stated = [(field.name, rows.amounts(field.name)) for field in SUMMED if rows.says(field.name)]
        self._amounts = [(OWN_HOURS, rows.charged), *stated]
        self.per = {name: amounts.per for name, amounts in self._amounts}
        self._added: list[tuple[str, Traits, Subtotal]] = []

    def groups(self) -> dict[Traits, Subtotal]:
        """The sums of all runs."""
        found: dict[Traits, Subtotal] = {}
        self._add_to(found, 0, len(self._rows))
        return found

    def add(self, file: str, traits: Traits, entry: Subtotal) -> None:
        """Adds an entry without hours to the sums of its file."""
        self._added.append((file, traits, entry))

    def _add_to(self, sums: dict[Traits, Subtotal], first: int, last: int) -> None:
        """Adds up what the runs from one number to another state, by their kind."""
        kinds, traits = self._kinds, self._kinds.traits
        of = kinds.of[first:last]
        many = summed(of, self._rows.many[first:last], kinds.size)
        parts = [(kind, sums.setdefault(traits[kind], Subtotal())) for kind in dict.fromkeys(of)]
        for kind, part in parts:
            part.count += many[kind]
        for name, (values, _) in self._amounts:
            found = summed(of, values[first:last], kinds.size)
            for kind, part in parts:
                if name == OWN_HOURS or name in traits[kind].stated:
                    part.amounts[name] += found[kind]

    @cached_property
    def _files(self) -> Mapping[Traits, Mapping[str, Subtotal]]:
        found: dict[Traits, dict[str, Subtotal]] = defaultdict(lambda: defaultdict(Subtotal))
        for file, first, last in self._rows.spans():
            sums: dict[Traits, Subtotal] = {}
            self._add_to(sums, first, last)
            for traits, part in sums.items():
                found[traits][file].add(part)
        for file, traits, added in self._added:
            found[traits][file].add(added)
        return found

    def by_file(self, meant: Iterable[Traits], name: str, per: int) -> ByFile:
        """The files of some groups, in order: how many runs each has, and how much of a field."""
        found: dict[str, tuple[int, Any]] = defaultdict(lambda: (0, 0))
        field = OWN_HOURS if name == HOURS else name
        for traits in meant:
            ratio = (self._ratios[traits.gpu] or 0) if name == HOURS else 1
            for file, part in self._files[traits].items():
                count, amount = found[file]
                more = part.amounts.get(field, 0)
                found[file] = count + part.count, amount + more * ratio
        return tuple((file, count, Fraction(amount, per)) for file, (count, amount) in sorted(found.items()))
