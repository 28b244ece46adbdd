"""Settings of a configuration as the cells of a table, and what it changes against another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.fitting.configured import Configured, Declared, settings_of
from reckon.compute.fitting.derived import derived
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import words
from ..table import DASH, As, Cell, joined
from ..view import View

# What is said of a configuration beside its settings, and what it is called.
FIELDS = (
    ("model", "Model"), ("dtype", "Number format"), ("optimizer", "Optimizer"), ("sharding", "Sharding"),
    ("recompute", "Recomputation of activations"), ("gpus", "GPUs"), ("tokens", "Tokens of a sequence"),
    ("sequences", "Sequences at the same time"),
)  # fmt: skip


class SettingSaid(NamedTuple):
    """A value, and the cell that it is printed in: a dash where nothing is said."""

    value: Figure | str | None = None
    cell: Cell = DASH

    @property
    def known(self) -> bool:
        """Whether anything is said."""
        return self.value is not None

    @property
    def compared(self) -> object:
        """What two values are compared by."""
        figure = self.value
        return (figure.value, figure.unit.kinds) if isinstance(figure, Figure) else figure


class SettingChange(NamedTuple):
    """A setting or a field with another value than before: what it is called, and both values."""

    title: str
    before: SettingSaid
    after: SettingSaid

    @property
    def cell(self) -> Cell:
        """It in a line."""
        return (self.title, " ", (self.before.cell, " → ") if self.before.known else "", self.after.cell)


class DerivedBlock(NamedTuple):
    """What a configuration changes against another one, and the settings that it has differently as YAML.

    `lost` are those that only the other one has.
    """

    own: ConfigurationBlock
    base: ConfigurationBlock
    changes: list[SettingChange]
    yaml: str
    lost: tuple[str, ...]

    @property
    def one(self) -> ConfigurationBlock:
        """The old name of `own`, for templates."""
        return self.own

    @property
    def said(self) -> Cell:
        """The changes, in a line."""
        return joined((change.cell for change in self.changes), "; ")


def said(declared: Declared | None) -> SettingSaid:
    """A setting as it is printed: in the unit that the catalogue gives, or else in that of its name."""
    if declared is None:
        return SettingSaid()
    figure, unit = declared.figure, str(declared.spec.unit or "")
    if figure is None:
        return SettingSaid(declared.text, declared.text)
    whole = figure.unit.kinds and not unit
    return SettingSaid(figure, figure if whole else (As(figure, "sourced"), f" {unit}" if unit else ""))


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
        return {setting.name: setting for setting in found}

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
            return SettingSaid()
        address = self.configured.address(name)
        figure = self.view.maybe(address) if address and name != "model" else None
        text = self.view.model(str(value)) if name == "model" else str(value)
        return SettingSaid(figure, (As(figure, "sourced"), "")) if figure else SettingSaid(text, text)

    def against(self, base: ConfigurationBlock) -> DerivedBlock:
        """What it changes against another configuration: fields, then settings."""
        overrides = derived(self.view.book.ledger, self.view.ledger, self.id, base.id)
        pairs = [(title, base.field(name), self.field(name)) for name, title in FIELDS]
        changes = [SettingChange(*pair) for pair in pairs if pair[1].compared != pair[2].compared]
        for name in (change.name for change in overrides.changes):
            before, after = (said(side.settings.get(name)) for side in (base, self))
            changes.append(SettingChange(title_of(name, (self, base)), before, after))
        return DerivedBlock(self, base, changes, overrides.yaml, overrides.lost)


def title_of(name: str, some: tuple[ConfigurationBlock, ...]) -> str:
    """What a setting is called: as the first framework that knows it has it, or its name as words."""
    found = (block.settings[name].spec.title for block in some if name in block.settings)
    return str(next((title for title in found if title), None) or words(name))
