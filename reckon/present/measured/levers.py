"""Levers as the rows of their table: what each sets, what it is said to do, and what it was measured to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from reckon.compute.fitting.configured import Configured
from reckon.compute.fitting.fits import saving_of, slowdown_of, subject_of
from reckon.compute.measuring.measured import STEP
from reckon.language.quantity import Quantity
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import words
from ..view import View


class Change(NamedTuple):
    """A setting before and after, with its unit: figures, words, or None where nothing is said."""

    title: str
    unit: str
    before: Figure | str | None
    after: Figure | str | None


@dataclass(frozen=True)
class Applied:
    """A lever of a project."""

    view: View
    id: str

    @property
    def record(self) -> r.Lever:
        """The record in levers.yaml."""
        return self.view.one.levers[self.id]

    @property
    def changes(self) -> Iterator[Change]:
        """What it sets, and what stood there before."""
        for key in dict.fromkeys([*self.record.was, *self.record.sets]):
            title, unit = self.view.setting(self.configuration, str(key))
            before = self._setting("was", key)
            yield Change(title, unit, self._before(str(key)) if before is None else before, self._setting("sets", key))

    def _before(self, key: str) -> Figure | str | None:
        """What its configuration has, where the lever is not in force there."""
        name = str(self.record.configuration)
        if self.record.status is not None or self.configuration is None:
            return None
        configured = Configured(self.view.one, name)
        held = configured.settings.get(key)
        if held is None or self.id in configured.levers:
            return None
        return self.view.maybe(held.address) or (held.value if isinstance(held.value, str) else None)

    @property
    def configuration(self) -> r.Configuration | None:
        """The configuration that it changes."""
        return self.view.one.configurations.get(str(self.record.configuration))

    def _setting(self, field: str, key: str) -> Figure | str | None:
        value = getattr(self.record, field).get(key)
        if isinstance(value, tuple):
            return ", ".join(str(one) for one in value)
        return self.view.maybe(f"levers.{self.id}.{field}.{key}") if isinstance(value, Quantity) else value

    @property
    def factor(self) -> Figure | None:
        """How many times less it is said to leave."""
        return self.view.maybe(f"levers.{self.id}.factor")

    @property
    def without(self) -> Figure | None:
        """The measured time of a step without it."""
        return self._step(self.record.measured_without)

    @property
    def with_it(self) -> Figure | None:
        """The measured time of a step with it."""
        return self._step(self.record.measured_with)

    def _step(self, measurement: str | None) -> Figure | None:
        return self.view.maybe(f"measurements.{measurement}.{STEP}") if measurement else None

    @property
    def wants(self) -> str:
        """What its measured effect lacks; empty where it is measured."""
        lacking = [word for word, one in (("without", self.without), ("with", self.with_it)) if one is None]
        return {2: "measurements without it and with it", 0: ""}.get(
            len(lacking), f"a measurement {''.join(lacking)} it"
        )

    @property
    def memory(self) -> bool:
        """Whether it has to do with memory or with the time of a part."""
        return self.record.part is not None or self.record.slows is not None

    @property
    def part(self) -> str:
        """The part of the memory that it makes smaller."""
        found = self._parts.get(str(self.record.part))
        return str((found and found.title) or words(str(self.record.part))) if self.record.part is not None else ""

    @property
    def _parts(self) -> dict[str, r.MemoryPart]:
        name = subject_of(self.view.one, self.id)
        every = Configured(self.view.one, name).parts if name in self.view.one.configurations else {}
        return {part: record for part, (_, record) in every.items()}

    @property
    def pool(self) -> str:
        """The pool that its part stands within, so that it frees nothing on the card; empty where it stands in none."""
        part = self._parts.get(str(self.record.part))
        if part is None or part.within is None:
            return ""
        holder = self._parts.get(str(part.within))
        return str((holder and holder.title) or words(str(part.within)))

    @property
    def pooled(self) -> bool:
        """Whether its part is a pool, whose size a setting says."""
        part = self._parts.get(str(self.record.part))
        return part is not None and part.is_pool

    @property
    def stated(self) -> list[Figure]:
        """What it is said to save: a share of its part, an amount, or both."""
        return [one for key in ("saves", "saves_gb") if (one := self.view.maybe(f"levers.{self.id}.{key}"))]

    @property
    def saving(self) -> Figure | None:
        """What that comes to on the project's card; None where it is within a pool, or nothing is stated."""
        if self.pool:
            return None
        return saving_of(self.view.book.figures, self.view.one, self.id, str(self.view.project.gpu))

    @property
    def slows(self) -> str:
        """The part of the time that it makes longer."""
        return words(str(self.record.slows)) if self.record.slows is not None else ""

    @property
    def slower(self) -> Figure | None:
        """How many times longer it makes that part."""
        return slowdown_of(self.view.book.figures, self.view.one, self.id)
