"""Configurations side by side: a row for each setting, in the groups of the catalogue; and what each changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.fitting.configured import Configured, same_setting
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..render.printing import further
from ..rows import MOST_COLUMNS
from ..table import DASH, MOST_ROWS, Bold, Cell, Code, Table, below, joined, words
from ..view import View
from .settings import FIELDS, ConfigurationBlock, DerivedBlock, SettingSaid, said, title_of

RUNS, OTHER = "What runs", "Other settings"


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


@dataclass(frozen=True)
class Beside:
    """Configurations in columns of one table. `apart` are those whose overrides stand elsewhere on the page."""

    view: View
    every: tuple[str, ...]
    apart: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """What it is called where only its name stands."""
        return "The comparison of configurations"

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
        columns = [words("Setting"), *(words(column.title, nothing=DASH) for column in self.columns)]
        rows: list[list[Cell]] = list(self._facts())
        groups = dict.fromkeys(row.group for row in self._settings)
        order = [*(group for group in groups if group != OTHER), *(group for group in groups if group == OTHER)]
        for group in order:
            if group != OTHER or len(order) > 1:
                rows.append([Bold(group), *("" for _ in self.columns)])
            rows += [[row.title, *(held.cell for held in row.held)] for row in self._settings if row.group == group]
        return Table(columns, rows)

    def _facts(self) -> Iterator[list[Cell]]:
        """What is said of them in words: their files, bases and levers."""
        facts: dict[str, list[Cell]] = {
            "File": [Code(str(column.record.file)) if column.record.file else None for column in self.columns],
            "Derived from": [column.base.title if column.base else None for column in self.columns],
            "Levers": [joined(column.levers, "; ") for column in self.columns],
        }
        return ([title, *cells] for title, cells in facts.items() if any(cells))

    @cached_property
    def _settings(self) -> list[SettingRow]:
        """What they say, fields first, then settings in the order of the frameworks."""
        rows = [SettingRow(RUNS, title, self._fields(name)) for name, title in FIELDS]
        known = [row for row in rows if any(held.said.known for held in row.held)]
        return known + [self._setting(name) for name in self._names()[:MOST_ROWS]]

    def _setting(self, name: str) -> SettingRow:
        first, *_ = every = [column.settings.get(name) for column in self.columns]
        group = next((str(setting.spec.group) for setting in every if setting and setting.spec.group), OTHER)
        held = []
        for setting in every:
            same = same_setting(setting, first) if setting and first else setting is first
            how = "default" if setting and setting.default else "lever" if setting and setting.by else ""
            held.append(Held(said(setting), not same, how))
        return SettingRow(group, below(title_of(name, self.columns), Code(name)), held)

    def _fields(self, name: str) -> list[Held]:
        every = [column.field(name) for column in self.columns]
        return [Held(field, field.compared != every[0].compared) for field in every]

    def _names(self) -> list[str]:
        """Settings that any column says something of, as the frameworks have them, then the others."""
        settings = [pair for column in self.columns for pair in column.settings.items()]
        told = dict.fromkeys(name for name, held in settings if not held.default)
        frameworks = (column.configured.framework(self.view.book.ledger.catalog) for column in self.columns)
        order = [str(name) for framework in frameworks if framework for name in framework.settings if name in told]
        return list(dict.fromkeys([*order, *told]))

    @cached_property
    def derived(self) -> list[DerivedBlock]:
        """What each that has a base changes against it."""
        return [column.against(column.base) for column in self.columns if column.base]

    def told(self, derived: DerivedBlock) -> bool:
        """Whether the overrides of a configuration stand below this table."""
        return bool(derived.yaml) and derived.own.id not in self.apart

    @property
    def marks(self) -> set[str]:
        """The marks that stand in the table, which is to say what they mean."""
        every = [held for row in self._settings for held in row.held]
        changed = {"changed"} if any(held.changed for held in every) else set()
        return {held.how for held in every if held.how} | changed


def families(project: ProjectLedger, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Configurations that belong together: of one chain of bases, or of one framework. In the order of the ledger."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(family_of(project, name), []).append(name)
    return map(tuple, found.values())


def family_of(project: ProjectLedger, name: str) -> str:
    """The framework of a configuration, or else the last of its bases."""
    configured = Configured(project, name)
    framework = configured.value("framework")
    return f"framework {framework}" if framework else configured.chain[-1]


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
        project = self.view.ledger
        own = family_of(project, self.id)
        return [str(name) for name in project.configurations
                if family_of(project, name) == own and self.id not in Configured(project, str(name)).chain]  # fmt: skip
