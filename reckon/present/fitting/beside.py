"""Configurations side by side: a row for each setting, in the groups of the catalogue; and what each changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.fitting.configured import Configured, Declared
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..render.printing import further
from ..rows import MOST_COLUMNS
from ..table import MOST_ROWS
from ..view import View
from .settings import DEFAULT, FIELDS, LEVER, Block, Change, Configuration, Said, differ, said, shown, title_of

OTHER = "Other settings"


class Cell(NamedTuple):
    """A value in a column; `how` is `default`, `lever` or empty."""

    said: Said
    changed: bool = False
    how: str = ""


class Row(NamedTuple):
    """A row: what it is called, the name of the setting, and a cell for each configuration."""

    title: str
    name: str
    cells: list[Cell]


class Group(NamedTuple):
    """Rows under one heading."""

    title: str
    rows: list[Row]


class Derived(NamedTuple):
    """What a configuration changes against its base, and whether its overrides are to stand here as YAML."""

    one: Configuration
    base: Configuration
    changes: list[Change]
    yaml: str
    lost: tuple[str, ...]


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
    def columns(self) -> tuple[Configuration, ...]:
        """Those that are shown: the first dozen."""
        return tuple(Configuration(self.view, name) for name in self.every[:MOST_COLUMNS])

    @property
    def unshown(self) -> Figure | None:
        """How many are not; None if all are shown."""
        return further(len(self.every) - MOST_COLUMNS, "configurations")

    @property
    def facts(self) -> list[tuple[str, list[str]]]:
        """What is said of them in words: their files, bases and levers."""
        rows = [
            ("File", [str(one.record.file or "") for one in self.columns]),
            ("Derived from", [one.base.title if one.base else "" for one in self.columns]),
            ("Levers", ["; ".join(one.levers) for one in self.columns]),
        ]
        return [row for row in rows if any(row[1])]

    @cached_property
    def groups(self) -> list[Group]:
        """The rows, in the groups and the order of the framework."""
        found: dict[str, list[Row]] = {}
        rows = [Row(title, "", self._fields(name)) for name, title in FIELDS]
        if known := [row for row in rows if any(cell.said.known for cell in row.cells)]:
            found["What runs"] = known
        for name in self._names()[:MOST_ROWS]:
            group = next((str(one.spec.group) for one in self._declared(name) if one and one.spec.group), OTHER)
            found.setdefault(group, []).append(Row(title_of(name, self.columns), name, self._cells(name)))
        order = [one for one in found if one != OTHER] + [one for one in found if one == OTHER]
        return [Group(title, found[title]) for title in order]

    def _names(self) -> list[str]:
        """Settings that any column says something of, as the frameworks have them, then the others."""
        told = dict.fromkeys(name for one in self.columns for name, held in one.settings.items() if not held.default)
        framed = (one.framework.settings for one in self.columns if one.framework)
        order = [str(name) for settings in framed for name in settings if str(name) in told]
        return list(dict.fromkeys([*order, *told]))

    def _declared(self, name: str) -> list[Declared | None]:
        return [one.settings.get(name) for one in self.columns]

    def _cells(self, name: str) -> list[Cell]:
        first, *_ = every = self._declared(name)
        return [Cell(said(one), differ(one, first), _how(one)) for one in every]

    def _fields(self, name: str) -> list[Cell]:
        every = [one.field(name) for one in self.columns]
        return [Cell(one, shown(one) != shown(every[0])) for one in every]

    @cached_property
    def derived(self) -> list[Derived]:
        """What each that has a base changes against it."""
        return [derivation(one, one.base) for one in self.columns if one.base]

    def told(self, one: Derived) -> bool:
        """Whether the overrides of a configuration stand below this table."""
        return bool(one.yaml) and one.one.id not in self.apart

    @property
    def marks(self) -> set[str]:
        """The marks that stand in the table, which is to say what they mean."""
        cells = [cell for group in self.groups for row in group.rows for cell in row.cells]
        changed = {"changed"} if any(cell.changed for cell in cells) else set()
        return {cell.how for cell in cells if cell.how} | changed


def _how(one: Declared | None) -> str:
    if one is None:
        return ""
    return DEFAULT if one.default else LEVER if one.by else ""


def derivation(one: Configuration, base: Configuration) -> Derived:
    """What a configuration changes against another one."""
    overrides = one.overrides(base)
    return Derived(one, base, one.changes(base), overrides.yaml, overrides.lost)


def families(one: ProjectLedger, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Configurations that belong together: of one chain of bases, or of one framework. In the order of the ledger."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(family_of(one, name), []).append(name)
    yield from (tuple(some) for some in found.values())


def family_of(one: ProjectLedger, name: str) -> str:
    """The framework of a configuration, or else the last of its bases."""
    configured = Configured(one, name)
    framework = configured.value("framework")
    return f"framework {framework}" if framework else configured.chain[-1]


@dataclass(frozen=True)
class Single(Block):
    """A configuration by itself: what it changes against its base, and against the one that it differs least from."""

    @property
    def record(self) -> object:
        """The record in configurations.yaml."""
        return self.own.record

    @cached_property
    def derived(self) -> Derived | None:
        """What it changes against its base; None where it has none."""
        return derivation(self.own, self.own.base) if self.own.base else None

    @cached_property
    def nearest(self) -> Derived | None:
        """The same against a configuration that it differs less from than from its base; None where none is nearer."""
        if self.derived is None:
            return None
        others = [derivation(self.own, Configuration(self.view, name)) for name in self._others()]
        nearer = [one for one in others if 0 < len(one.changes) < len(self.derived.changes) and not one.lost]
        return min(nearer, key=lambda one: len(one.changes), default=None)

    def _others(self) -> Collection[str]:
        """Those that belong together with it and are not made from it."""
        one = self.view.one
        every = (str(name) for name in one.configurations)
        return [name for name in every if family_of(one, name) == family_of(one, self.id) and not self._below(name)]

    def _below(self, name: str) -> bool:
        return self.id in Configuration(self.view, name).configured.chain
