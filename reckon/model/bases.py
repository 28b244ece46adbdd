"""Records that take fields over from a record that they are based on: configurations and projections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

from .ledger import ProjectLedger

NOTHING: tuple[object, ...] = (None, (), {})
"""What a field holds that says nothing."""


class HasBase(Protocol):
    """A record that may name another one of its kind as its base."""

    @property
    def base(self) -> str | None:
        """The id of what it takes fields over from."""


def chain(records: Mapping[str, HasBase], name: str) -> tuple[str, ...]:
    """The ids of a record and of what it is based on, the nearest first; it ends before an id that comes again or that
    no record has."""
    found: dict[str, None] = {}
    while name in records and name not in found:
        found[name] = None
        name = str(records[name].base or "")
    return tuple(found)


@dataclass(frozen=True)
class Based:
    """A record of a project with what it takes over from its bases; addresses are those inside the project."""

    one: ProjectLedger
    name: str
    kind: ClassVar[str]
    """The collection that it stands in, which is also how addresses name it."""

    @property
    def at(self) -> str:
        """Where the record stands."""
        return f"{self.kind}.{self.name}"

    @cached_property
    def chain(self) -> tuple[str, ...]:
        """The record and its bases, the nearest first."""
        return chain(getattr(self.one, self.kind), self.name)

    def holder(self, *fields: str) -> str:
        """The id of the record that gives one of the fields: itself, or the nearest of its bases; empty if none."""
        records = getattr(self.one, self.kind)
        holders = (name for name in self.chain if any(getattr(records[name], key) not in NOTHING for key in fields))
        return next(holders, "")

    def value(self, field: str) -> Any:
        """What a field says; None where nothing does."""
        holder = self.holder(field)
        return getattr(getattr(self.one, self.kind)[holder], field) if holder else None

    def address(self, field: str) -> str:
        """Where the figure of a field stands; empty where there is none."""
        holder = self.holder(field)
        return f"{self.kind}.{holder}.{field}" if holder else ""
