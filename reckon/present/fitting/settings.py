"""Settings of a configuration as the cells of a table, and what it changes against another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.fitting.configured import Configured, Declared, Overrides, derived, same_setting, settings_of
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import words
from ..table import DASH, As, Cell
from ..view import View

# What is said of a configuration beside its settings, and what it is called.
FIELDS = (
    ("model", "Model"), ("dtype", "Number format"), ("optimizer", "Optimizer"), ("sharding", "Sharding"),
    ("recompute", "Recomputation of activations"), ("gpus", "GPUs"), ("tokens", "Tokens of a sequence"),
    ("sequences", "Sequences at the same time"),
)  # fmt: skip
DEFAULT, LEVER = "default", "lever"


class SettingSaid(NamedTuple):
    """A value as it is printed: a figure or words, and its unit where the figure does not print it."""

    value: Figure | str | None
    unit: str = ""
    full: bool = False

    @property
    def known(self) -> bool:
        """Whether anything is said."""
        return self.value is not None

    @property
    def cell(self) -> Cell:
        """What stands in a table for it; a dash where nothing is said."""
        if not isinstance(self.value, Figure):
            return DASH if self.value is None else self.value
        return self.value if self.full else (As(self.value, "sourced"), f" {self.unit}" if self.unit else "")


class SettingChange(NamedTuple):
    """A setting or a field with another value than before: what it is called, and both values."""

    title: str
    before: SettingSaid
    after: SettingSaid


NOTHING = SettingSaid(None)


def said(declared: Declared | None) -> SettingSaid:
    """A setting as it is printed: in the unit that the catalogue gives, or else in that of its name."""
    if declared is None:
        return NOTHING
    if declared.figure is None:
        return SettingSaid(declared.text)
    unit = str(declared.spec.unit or "")
    return SettingSaid(declared.figure, unit, not unit and bool(declared.figure.unit.kinds))


@dataclass(frozen=True)
class ConfigurationBlock:
    """A configuration of a project with all that holds in it."""

    view: View
    id: str

    @property
    def record(self) -> r.Configuration:
        """The record in configurations.yaml."""
        return self.view.ledger.configurations[self.id]

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.record.title)

    @cached_property
    def configured(self) -> Configured:
        """It with what it takes over."""
        return Configured(self.view.ledger, self.id)

    @cached_property
    def settings(self) -> Mapping[str, Declared]:
        """Every setting that holds, defaults among them."""
        found = settings_of(self.view.book.figures, self.view.book.ledger, self.view.ledger, self.id)
        return {one.name: one for one in found}

    @cached_property
    def framework(self) -> r.Framework | None:
        """Whose settings these are."""
        return self.configured.framework(self.view.book.ledger.catalog)

    @property
    def base(self) -> ConfigurationBlock | None:
        """The configuration that it is derived from."""
        base = str(self.record.base or "")
        return ConfigurationBlock(self.view, base) if base in self.view.ledger.configurations else None

    @property
    def levers(self) -> list[str]:
        """The levers in force, by their titles."""
        return [str(self.view.ledger.levers[name].title) for name in self.configured.levers]

    def field(self, name: str) -> SettingSaid:
        """What a field says, by itself or through its bases."""
        value = self.configured.value(name)
        if value is None:
            return NOTHING
        if name == "model":
            return SettingSaid(self.view.model(str(value)))
        address = self.configured.address(name)
        figure = self.view.maybe(address) if address else None
        return SettingSaid(figure or str(value))

    def changes(self, against: ConfigurationBlock) -> list[SettingChange]:
        """What differs from another configuration: fields, then settings."""
        pairs = [(title, against.field(name), self.field(name)) for name, title in FIELDS]
        differing = [pair for pair in pairs if shown(pair[1]) != shown(pair[2])]
        fields = [SettingChange(*pair) for pair in differing]
        return [*fields, *self._settings(against)]

    def _settings(self, against: ConfigurationBlock) -> Iterator[SettingChange]:
        for name in self.overrides(against).changes:
            after = self.settings.get(name)
            yield SettingChange(title_of(name, (self, against)), said(against.settings.get(name)), said(after))

    def overrides(self, against: ConfigurationBlock) -> Overrides:
        """The settings that differ, to be copied."""
        return derived(self.view.book.ledger, self.view.ledger, self.id, against.id)


def shown(told: SettingSaid) -> object:
    """What two values are compared by."""
    return (told.value.value, told.value.unit.kinds) if isinstance(told.value, Figure) else told.value


def title_of(name: str, some: tuple[ConfigurationBlock, ...]) -> str:
    """What a setting is called: as the first framework that knows it has it, or its name as words."""
    found = (one.settings[name].spec.title for one in some if name in one.settings)
    return str(next((title for title in found if title), None) or words(name))


def differ(declared: Declared | None, other: Declared | None) -> bool:
    """Whether two configurations have a setting differently."""
    if declared is None or other is None:
        return declared is not other
    return not same_setting(declared, other)


@dataclass(frozen=True)
class Block:
    """What a block of a page shows of one configuration."""

    view: View
    id: str

    @cached_property
    def own(self) -> ConfigurationBlock:
        """The configuration."""
        return ConfigurationBlock(self.view, self.id)
