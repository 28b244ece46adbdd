"""What a configuration says, by itself, through its bases, and through the levers that it applies.

`Configured` has its parts and settings; `settings_of` says what each setting is for. A framework of the catalogue gives
a setting its role, the measured column that it limits, and its unit where its name carries none. Rules of the audit
look for roles, never for names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from reckon.language.quantity import Quantity, read_quantity
from reckon.language.text import Place, Refusal, Text, place_of
from reckon.language.units import Unit, label
from reckon.model import records as r
from reckon.model.amounts import Setting
from reckon.model.figure import Figure, Stated
from reckon.model.ledger import Based, Catalog, Ledger, ProjectLedger, chain

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
        return self.project.configurations[self.name]

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.record.title)

    @cached_property
    def levers(self) -> tuple[str, ...]:
        """The levers that are applied, those of bases first, each once."""
        named = [str(lever) for name in reversed(self.chain) for lever in self.project.configurations[name].levers]
        return tuple(dict.fromkeys(lever for lever in named if lever in self.project.levers))

    @cached_property
    def settings(self) -> Mapping[str, Set]:
        """Every setting as it holds here, bases first: at each, what its levers set, then what it says itself."""
        found: dict[str, Set] = {}
        for name in reversed(self.chain):
            base = {key: setting.value for key, setting in found.items()} if name == self.name else {}
            found.update(self._set_by_levers(name, found, base))
            for key, value in self.project.configurations[name].settings.items():
                how = OWN if name == self.name else TAKEN
                found[key] = Set(key, value, f"configurations.{name}.settings.{key}", how, name, base.get(key))
        return found

    def _set_by_levers(self, name: str, found: Mapping[str, Set], base: Mapping[str, Setting]) -> dict[str, Set]:
        """What the levers of one configuration set that it says nothing of itself, where that is another value."""
        own, made = self.project.configurations[name], dict(found)
        for lever in (lever for lever in dict.fromkeys(map(str, own.levers)) if lever in self.project.levers):
            for key, value in self.project.levers[lever].sets.items():
                before = made.get(key)
                if key not in own.settings and (before is None or not alike(before.value, value)):
                    made[key] = Set(key, value, f"levers.{lever}.sets.{key}", LEVER, lever, base.get(key))
        return made

    @cached_property
    def parts(self) -> Mapping[str, tuple[str, r.MemoryPart]]:
        """The parts of its memory, each with the configuration that says it; its own take the place of a base's."""
        found: dict[str, tuple[str, r.MemoryPart]] = {}
        for name in reversed(self.chain):
            memory = self.project.configurations[name].memory
            found.update({str(part): (name, record) for part, record in memory.items()})
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


def alike(first: Setting, second: Setting) -> bool:
    """Whether two settings have the same value, however it is written."""
    return _plain(first) == _plain(second)


def _plain(value: Setting) -> object:
    if isinstance(value, Quantity):
        return value.value if not value.value.unknown else value.text
    return tuple(map(str, value)) if isinstance(value, tuple) else str(value) if isinstance(value, Text) else value


def framework_of(project: ProjectLedger, record: object) -> str:
    """The framework whose settings a record has, by itself or through its bases; empty where none is named."""
    bases = chain(project.configurations, str(getattr(record, "base", None) or ""))
    named = (getattr(each, "framework", None) for each in (record, *map(project.configurations.__getitem__, bases)))
    return str(next((framework for framework in named if framework is not None), ""))


TIMEOUT, OUTPUT_CAP, INPUT_CAP = "request-timeout", "output-cap", "input-cap"
TEMPERATURE, SAMPLING, DECODING = "temperature", "sampling", "decoding"
ACTIVE, GREEDY = "active", "greedy"
UNKNOWN_SETTING = r.SettingSpec()


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting as it is declared: its name, what it means, what it is set to, and where that stands.

    `figure` is what it is set to as a figure in its unit; None where that is no quantity. `by` is the title of the
    lever that sets it, or of the framework whose default it is; empty where the configuration says it.
    """

    name: str
    spec: r.SettingSpec
    at: str
    text: str
    place: Place
    figure: Figure | None = None
    default: bool = False
    by: str = ""

    @property
    def role(self) -> str:
        """What it is for; empty where the catalogue says nothing of it."""
        return str(self.spec.role or "")

    @property
    def title(self) -> str:
        """What it is called: the catalogue's words, or its name as words."""
        return str(self.spec.title or label(self.name))


def framework_under(ledger: Ledger, project: ProjectLedger, configuration: str) -> r.Framework | None:
    """The framework whose settings a configuration has, by itself or through its bases."""
    return Configured(project, configuration).framework(ledger.catalog)


def spec_of(ledger: Ledger, project: ProjectLedger, configuration: str, name: str) -> r.SettingSpec:
    """What the framework of a configuration says of a setting; nothing of one that it does not have."""
    framework = framework_under(ledger, project, configuration)
    return framework.settings.get(Text(name), UNKNOWN_SETTING) if framework else UNKNOWN_SETTING


def declared(figures: Mapping[str, Figure], address: str, name: str, written: Setting, spec: r.SettingSpec) -> Declared:
    """What is written under a setting at an address, in the unit of the setting."""
    figure = figures.get(address)
    if figure is not None:
        text = str(getattr(written, "text", ""))
        return Declared(name, spec, address, text, figure.place, _in_unit(figure, spec.measure(name)))
    parts = written if isinstance(written, tuple) else (written,)
    text, place = ", ".join(str(part) for part in parts), place_of(parts[0]) if parts else place_of(None)
    return Declared(name, spec, address, text, place, _read(text, address, name, spec, place))


def settings_of(
    figures: Mapping[str, Figure], ledger: Ledger, project: ProjectLedger, configuration: str
) -> Iterator[Declared]:
    """What holds in a configuration; then what active levers set that it says nothing of; then defaults of the rest."""
    configured, framework = Configured(project, configuration), framework_under(ledger, project, configuration)
    known = set()
    for name, held in configured.settings.items():
        known.add(str(name))
        spec = spec_of(ledger, project, configuration, str(name))
        found = declared(figures, f"{project.id}.{held.address}", str(name), held.value, spec)
        yield replace(found, by=str(project.levers[held.by].title)) if held.how == LEVER else found
    for key, lever in active_on(project, configuration):
        for name, written in lever.sets.items():
            if name not in configured.settings:
                known.add(str(name))
                spec = spec_of(ledger, project, configuration, str(name))
                found = declared(figures, f"{project.id}.levers.{key}.sets.{name}", str(name), written, spec)
                yield replace(found, by=str(lever.title))
    for name, spec in framework.settings.items() if framework else ():
        if spec.default is not None and str(name) not in known:
            address = f"{project.id}.{configured.at}.settings.{name}"
            by = str(framework.title) if framework else ""
            yield replace(declared({}, address, str(name), spec.default, spec), default=True, by=by)


def active_on(project: ProjectLedger, configuration: str) -> Iterator[tuple[str, r.Lever]]:
    """The levers that say of themselves that they are active on a configuration, by id."""
    for name, lever in project.levers.items():
        if lever.status == ACTIVE and lever.configuration == configuration:
            yield str(name), lever


def _in_unit(figure: Figure, unit: Unit) -> Figure:
    """A figure in the unit of its setting, where its key carried none, or another's: 3600 is 3,600 s."""
    own = bool(figure.unit.kinds) and figure.unit.kinds == unit.kinds
    return figure if own or figure.form else replace(figure, unit=unit)


def _read(text: str, address: str, name: str, spec: r.SettingSpec, place: Place) -> Figure | None:
    """A text as a figure in the unit of its setting, as `30 min` is; None where it is none."""
    unit = spec.measure(name)
    try:
        found = read_quantity(text, unit, place)
    except Refusal:
        return None
    if found.value.unknown:
        return None
    leaves = {} if found.value.exact else {address: 1}
    return Figure(address, spec.title or label(name), unit, found.value, Stated(text, place), found.form, (), leaves)


def same_setting(first: Declared, second: Declared) -> bool:
    """Whether two settings say the same: the same quantity in whatever unit, or else the same words."""
    if first.figure is None or second.figure is None:
        return first.figure is second.figure and first.text.casefold() == second.text.casefold()
    return first.figure.unit.kinds == second.figure.unit.kinds and _base(first.figure) == _base(second.figure)


def _base(figure: Figure) -> tuple[object, ...]:
    value, base = figure.value, figure.unit.to_base
    return tuple(None if end is None else base(end) for end in (value.low, value.use, value.high))
