"""A change between two ledgers, as a value: what it is, where it stands on both sides, and what it swaps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from reckon.language.quantity import Quantity
from reckon.language.text import NOWHERE, Place
from reckon.model.ledger import RunFile

Kind = Literal["changed", "added", "removed", "renamed", "moved", "order", "runs"]


class Gone:
    """Stands for what is not there."""


GONE: Final = Gone()


@dataclass(frozen=True, slots=True)
class Order:
    """The keys of a map in the order that it is to get."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunsOf:
    """The runs of some (item, month), to be taken from the files of the other ledger."""

    files: tuple[RunFile, ...]
    keys: Collection[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Swap:
    """What is put at a path of a ledger (fields and keys, from the top), or taken away; new keys go behind `after`."""

    path: tuple[str, ...]
    value: object
    after: str | None = None


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The runs of an item in a month: how many and how many GPU-hours (on their own GPUs), before and after."""

    item: str
    month: str
    counts: tuple[int, int]
    hours: tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: its kind, the address, what it concerns, what is written on both sides and where.

    `of` says what kind of record was added, removed, renamed or moved (item, phase, measurements, …), or stands in a
    list (claim, accepted finding); of what stands in one, `part` is the field that changed. `quiet` is what is not
    told, since it is words or an order without a meaning; `inert` what is told and can move no figure either.
    `record` is the address of the record that it is part of.
    """

    kind: Kind
    address: str
    title: str
    was: str = ""
    now: str = ""
    was_place: Place = NOWHERE
    now_place: Place = NOWHERE
    swaps: tuple[Swap, ...] = ()
    record: str = ""
    of: str = ""
    part: str = ""
    quiet: bool = False
    inert: bool = False
    runs: RunGroup | None = None

    @property
    def scope(self) -> str:
        """What it belongs to: a project, `catalog` or `allocations`."""
        return self.address.partition(".")[0]

    @property
    def is_number(self) -> bool:
        """Whether it puts a number in the place of what is at its address."""
        return self.kind == "changed" and len(self.swaps) == 1 and isinstance(self.swaps[0].value, Quantity)

    @property
    def place(self) -> Place:
        """Where it stands now, or stood."""
        return self.now_place if self.now_place is not NOWHERE else self.was_place
