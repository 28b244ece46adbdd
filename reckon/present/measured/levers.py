"""Levers as the rows of their table: what each sets, what it is said to do, and what it was measured to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from reckon.compute.measuring.measured import STEP
from reckon.language.quantity import Quantity
from reckon.model import records as r
from reckon.model.figure import Figure

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
            yield Change(title, unit, self._setting("was", key), self._setting("sets", key))

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
