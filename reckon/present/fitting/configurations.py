"""Configurations by their settings, side by side or alone; and what each changes against another one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.fitting.effective_settings import Configured, Declared, derived, same_setting, settings_of
from reckon.language.groups import group_by
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..render.printing import further
from ..table import DASH, MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Code, Table, below, joined, words
from ..table_rows import MOST_COLUMNS
from ..table_rows import words as worded
from ..view import OfProject, OfRecord

RUNS, OTHER = "What runs", "Other settings"
MOST_MORE = 2
"""So many overrides more are told in a sentence, where the others are those of an earlier configuration."""
# What is said of a configuration beside its settings, and what it is called.
FIELDS = (
    ("model", "Model"),
    ("dtype", "Number format"),
    ("optimizer", "Optimizer"),
    ("sharding", "Sharding"),
    ("recompute", "Recomputation of activations"),
    ("gpus", "GPUs"),
    ("tokens", "Tokens of a sequence"),
    ("sequences", "Sequences at the same time"),
)


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

    `lost` are those that only the other one has, `beyond` the changes that are no settings and so not in the YAML.
    """

    own: ConfigurationBlock
    base: ConfigurationBlock
    changes: list[SettingChange]
    yaml: str
    lost: tuple[str, ...]
    beyond: list[SettingChange]

    @property
    def one(self) -> ConfigurationBlock:
        """The old name of `own`, for templates."""
        return self.own

    @property
    def said(self) -> Cell:
        """The changes, in a line."""
        return joined((change.cell for change in self.changes), "; ")

    @property
    def unwritten(self) -> Cell:
        """The changes that the YAML does not show, in a line."""
        return joined((change.cell for change in self.beyond), "; ")


def describe_setting(declared: Declared | None) -> SettingSaid:
    """A setting as it is printed: in the unit that the catalogue gives, or else in that of its name."""
    if declared is None:
        return SettingSaid()
    figure, unit = declared.figure, str(declared.spec.unit or "")
    if figure is None:
        return SettingSaid(declared.text, declared.text)
    whole = figure.unit.kinds and not unit
    return SettingSaid(figure, figure if whole else (As(figure, "sourced"), f" {unit}" if unit else ""))


class ConfigurationBlock(OfRecord):
    """A configuration of a project with all that holds in it."""

    @property
    def record(self) -> r.Configuration:
        """The record in configurations.yaml."""
        return self.ledger.configurations[self.id]

    @property
    def title(self) -> str:
        """What it is called."""
        return self.record.title

    @cached_property
    def configured(self) -> Configured:
        """It with what it takes over."""
        return Configured(self.ledger, self.id)

    @cached_property
    def settings(self) -> Mapping[str, Declared]:
        """Every setting that holds, defaults among them."""
        book = self.book
        return {each.name: each for each in settings_of(book.figures, book.ledger, self.ledger, self.id)}

    @property
    def base(self) -> ConfigurationBlock | None:
        """The configuration that it is derived from."""
        base = self.record.base or ""
        return ConfigurationBlock(self.view, base) if base in self.ledger.configurations else None

    @property
    def levers(self) -> list[str]:
        """The levers in force, by their titles."""
        return [self.ledger.levers[name].title for name in self.configured.levers]

    def field(self, name: str) -> SettingSaid:
        """What a field says, by itself or through its bases."""
        value = self.configured.value(name)
        if value is None:
            return SettingSaid()
        address = self.configured.address(name)
        figure = self.maybe(address) if address and name != "model" else None
        text = self.view.model(str(value)) if name == "model" else str(value)
        return SettingSaid(figure, (As(figure, "sourced"), "")) if figure else SettingSaid(text, text)

    def against(self, base: ConfigurationBlock) -> DerivedBlock:
        """What it changes against another configuration: fields, then settings."""
        overrides = derived(self.book.ledger, self.ledger, self.id, base.id)
        pairs = [(title, base.field(name), self.field(name)) for name, title in FIELDS]
        beyond = [SettingChange(*pair) for pair in pairs if pair[1].compared != pair[2].compared]
        changes = beyond.copy()
        for name in overrides.changes:
            before, after = (describe_setting(side.settings.get(name)) for side in (base, self))
            changes.append(SettingChange(title_of(name, (self, base)), before, after))
        return DerivedBlock(self, base, changes, overrides.yaml, overrides.lost, beyond)


def title_of(name: str, some: tuple[ConfigurationBlock, ...]) -> str:
    """What a setting is called: as the first framework that knows it has it, or its name as words."""
    found = (block.settings[name].spec.title for block in some if name in block.settings)
    return str(next((title for title in found if title), None) or worded(name))


class Held(NamedTuple):
    """What a configuration says in a row: the value, whether it is another than the first has, and what set it."""

    said: SettingSaid
    changed: bool = False
    how: str = ""

    @property
    def cell(self) -> Cell:
        """The value, marked."""
        value = Bold(self.said.cell) if self.changed and self.said.known else self.said.cell
        return (value, f" ({self.how})") if self.how else value


class SettingRow(NamedTuple):
    """A row: the group that it stands in, what it is called, and what each configuration says."""

    group: str
    title: Cell
    held: list[Held]

    @property
    def is_known(self) -> bool:
        """Whether any configuration says it."""
        return any(held.said.known for held in self.held)


@dataclass(frozen=True)
class Beside(OfProject):
    """Configurations in columns of one table. `apart` are those whose overrides stand elsewhere on the page."""

    every: tuple[str, ...]
    apart: frozenset[str] = frozenset()

    title = "The comparison of configurations"
    """What it is called where only its name stands."""

    @cached_property
    def columns(self) -> tuple[ConfigurationBlock, ...]:
        """Those that are shown: the first dozen."""
        return tuple(ConfigurationBlock(self.view, name) for name in self.every[:MOST_COLUMNS])

    @property
    def unshown(self) -> Figure | None:
        """How many are not; None if all are shown."""
        return further(len(self.every) - MOST_COLUMNS, "configurations")

    @property
    def table(self) -> Table:
        """A row for each setting, with its group above it, below what is said of the configurations in words."""
        rows: CellRows = list(self._facts())
        groups = group_by(self._settings, lambda row: row.group)
        for group in sorted(groups, key=OTHER.__eq__):
            if group != OTHER or len(groups) > 1:
                rows.append([Bold(group), *("" for _ in self.columns)])
            for row in groups[group]:
                rows.append([row.title, *(held.cell for held in row.held)])
        return Table(["Setting", *(words(column.title, nothing=DASH) for column in self.columns)], rows)

    def _facts(self) -> Iterator[CellRow]:
        """What is said of them in words: their files and bases. What a lever sets is marked in its row."""
        facts: dict[str, CellRow] = {
            "File": [Code(column.record.file) if column.record.file else None for column in self.columns],
            "Derived from": [column.base.title if column.base else None for column in self.columns],
        }
        return ([title, *cells] for title, cells in facts.items() if any(cells))

    @cached_property
    def _settings(self) -> list[SettingRow]:
        """What they say, fields first, then settings in the order of the frameworks."""
        rows = [SettingRow(RUNS, title, self._fields(name)) for name, title in FIELDS]
        return [row for row in rows if row.is_known] + [self._setting(name) for name in self._names()[:MOST_ROWS]]

    def _setting(self, name: str) -> SettingRow:
        first, *_ = every = [column.settings.get(name) for column in self.columns]
        group = next((setting.spec.group for setting in every if setting and setting.spec.group), OTHER)
        held = []
        for setting in every:
            same = same_setting(setting, first) if setting and first else setting is first
            if setting and setting.default:
                how = "default"
            elif setting and setting.by:
                how = "lever"
            else:
                how = ""
            held.append(Held(describe_setting(setting), not same, how))
        return SettingRow(group, below(title_of(name, self.columns), Code(name)), held)

    def _fields(self, name: str) -> list[Held]:
        every = [column.field(name) for column in self.columns]
        return [Held(field, field.compared != every[0].compared) for field in every]

    def _names(self) -> list[str]:
        """Settings that any column says something of, as the frameworks have them, then the others."""
        settings = [pair for column in self.columns for pair in column.settings.items()]
        told = dict.fromkeys(name for name, held in settings if not held.default)
        frameworks = (column.configured.framework(self.view.catalog) for column in self.columns)
        order = [name for framework in frameworks if framework for name in framework.settings if name in told]
        return list(dict.fromkeys([*order, *told]))

    @cached_property
    def derived(self) -> list[DerivedBlock]:
        """What each that has a base changes against it."""
        return [column.against(column.base) for column in self.columns if column.base]

    def told(self, derived: DerivedBlock) -> bool:
        """Whether the overrides of a configuration stand below this table, which shows a single one well enough."""
        return len(derived.changes) > 1 and bool(derived.yaml) and derived.own.id not in self.apart

    def repeated(self, derived: DerivedBlock) -> tuple[DerivedBlock, list[str]] | None:
        """An earlier configuration with the same overrides, and the few that this one has more; None where none is."""
        lines = derived.yaml.splitlines()
        for other in self.derived[: self.derived.index(derived)]:
            held = set(other.yaml.splitlines())
            more = [line for line in lines if line not in held]
            flat = not any(line[:1] in " -" for line in lines)
            if self.told(other) and flat and held <= set(lines) and len(more) <= MOST_MORE:
                return other, more
        return None

    @property
    def marks(self) -> set[str]:
        """The marks that stand in the table, which is to say what they mean."""
        every = [held for row in self._settings for held in row.held]
        return {held.how for held in every} | {"changed" for held in every if held.changed}


class Single(ConfigurationBlock):
    """A configuration by itself: what it changes against its base, and against the one that it differs least from."""

    @property
    def own(self) -> ConfigurationBlock:
        """Itself, by the name that templates have for it."""
        return self

    @cached_property
    def derived(self) -> DerivedBlock | None:
        """What it changes against its base; None where it has none."""
        return self.against(self.base) if self.base else None

    @cached_property
    def nearest(self) -> DerivedBlock | None:
        """The same against a configuration that it differs less from than from its base; None where none is nearer."""
        if self.derived is None:
            return None
        others = [self.against(ConfigurationBlock(self.view, name)) for name in self._others()]
        nearer = [other for other in others if 0 < len(other.changes) < len(self.derived.changes) and not other.lost]
        return min(nearer, key=lambda derived: len(derived.changes), default=None)

    def _others(self) -> Collection[str]:
        """Those that belong together with it and are not made from it."""
        project = self.ledger
        own = family_of(project, self.id)
        return [
            name
            for name in project.configurations
            if family_of(project, name) == own and self.id not in Configured(project, name).chain
        ]


def families(project: ProjectLedger, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Configurations that belong together: of one chain of bases, or of one framework. In the order of the ledger."""
    return map(tuple, group_by(names, lambda name: family_of(project, name)).values())


def family_of(project: ProjectLedger, name: str) -> str:
    """The framework of a configuration, or else the last of its bases."""
    configured = Configured(project, name)
    framework = configured.value("framework")
    return f"framework {framework}" if framework else configured.chain[-1]
