"""What a configuration says, by itself, through its bases, and through the levers that it applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from reckon.language.quantity import Quantity
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.amounts import Setting
from reckon.model.ledger import Based, Catalog, ProjectLedger, chain

# Where the value of a setting comes from.
OWN, TAKEN, LEVER, DEFAULT = "own", "taken over", "lever", "default"


@dataclass(frozen=True, slots=True)
class Set:
    """A setting as it holds in a configuration: its value, where its figure stands, and who says so.

    `by` is the configuration, lever or framework that says it; `was` what the base has, where that is another value.
    """

    name: str
    value: Setting
    address: str
    how: str
    by: str
    was: Setting | None = None

    @property
    def changed(self) -> bool:
        """Whether it differs from the base."""
        return self.was is not None and not alike(self.was, self.value)


@dataclass(frozen=True)
class Configured(Based):
    """A configuration with what it takes over; addresses are those inside the project."""

    kind = "configurations"

    @property
    def record(self) -> r.Configuration:
        """What it says itself."""
        return self.one.configurations[self.name]

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.record.title)

    @cached_property
    def levers(self) -> tuple[str, ...]:
        """The levers that are applied, those of bases first, each once."""
        named = [str(one) for name in reversed(self.chain) for one in self.one.configurations[name].levers]
        return tuple(dict.fromkeys(one for one in named if one in self.one.levers))

    @cached_property
    def settings(self) -> Mapping[str, Set]:
        """Every setting as it holds here, bases first: at each, what its levers set, then what it says itself."""
        found: dict[str, Set] = {}
        for name in reversed(self.chain):
            base = {key: one.value for key, one in found.items()} if name == self.name else {}
            found.update(self._set_by_levers(name, found, base))
            for key, value in self.one.configurations[name].settings.items():
                how = OWN if name == self.name else TAKEN
                found[key] = Set(key, value, f"configurations.{name}.settings.{key}", how, name, base.get(key))
        return found

    def _set_by_levers(self, name: str, found: Mapping[str, Set], base: Mapping[str, Setting]) -> dict[str, Set]:
        """What the levers of one configuration set that it says nothing of itself, where that is another value."""
        own, made = self.one.configurations[name], dict(found)
        for lever in (one for one in dict.fromkeys(map(str, own.levers)) if one in self.one.levers):
            for key, value in self.one.levers[lever].sets.items():
                before = made.get(key)
                if key not in own.settings and (before is None or not alike(before.value, value)):
                    made[key] = Set(key, value, f"levers.{lever}.sets.{key}", LEVER, lever, base.get(key))
        return made

    @cached_property
    def parts(self) -> Mapping[str, tuple[str, r.MemoryPart]]:
        """The parts of its memory, each with the configuration that says it; its own take the place of a base's."""
        found: dict[str, tuple[str, r.MemoryPart]] = {}
        for name in reversed(self.chain):
            found.update({str(part): (name, record) for part, record in self.one.configurations[name].memory.items()})
        return found

    def share_of(self, pool: str) -> str:
        """Where the figure of the share of a card stands that a pool takes: at the setting that says it, or its own."""
        holder, record = self.parts[pool]
        setting = self.settings.get(str(record.pool)) if record.pool is not None else None
        return setting.address if setting else f"configurations.{holder}.memory.{pool}.share"

    def share_is_known(self, part: str) -> bool:
        """Whether the share of the time that a part takes is stated."""
        share = (self.value("time") or {}).get(part)
        return share is not None and not (isinstance(share, Quantity) and share.value.unknown)

    def framework(self, catalog: Catalog) -> r.Framework | None:
        """The framework whose settings it has, by itself or through its bases; None where the catalogue has none."""
        return catalog.settings.get(str(self.value("framework") or ""))

    def inside(self, pool: str) -> Iterator[str]:
        """The parts that stand within a pool."""
        return (part for part, (_, record) in self.parts.items() if str(record.within or "") == pool)


def alike(one: Setting, other: Setting) -> bool:
    """Whether two settings have the same value, however it is written."""
    return _plain(one) == _plain(other)


def _plain(value: Setting) -> object:
    if isinstance(value, Quantity):
        return value.value if not value.value.unknown else value.text
    return tuple(map(str, value)) if isinstance(value, tuple) else str(value) if isinstance(value, Text) else value


def framework_of(one: ProjectLedger, record: object) -> str:
    """The framework whose settings a record has, by itself or through its bases; empty where none is named."""
    bases = chain(one.configurations, str(getattr(record, "base", None) or ""))
    named = (getattr(each, "framework", None) for each in (record, *map(one.configurations.__getitem__, bases)))
    return str(next((framework for framework in named if framework is not None), ""))
