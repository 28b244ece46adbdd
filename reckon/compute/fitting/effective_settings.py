"""What a configuration says, by itself, through its bases, and through the levers that it applies.

`Configured` has its parts and settings; `settings_of` says what each setting is for. A framework of the catalogue gives
a setting its role, the measured column that it limits, and its unit where its name carries none. Rules of the audit
look for roles, never for names. `derived` gives the settings that differ from those of its base, or of another
configuration, as YAML to be copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from msgspec import Struct, structs

from reckon.language.quantity import Quantity, read_quantity
from reckon.language.text import Place, Refusal, Text, flow_map, place_of
from reckon.language.units import Unit, label
from reckon.model import records as r
from reckon.model.amounts import AmountValue, Derived, Setting, setting
from reckon.model.figure import Figure, Figures, Stated
from reckon.model.ledger import Based, Catalog, Ids, Ledger, ProjectLedger, chain


class Set(Struct, frozen=True):
    """A setting as it holds in a configuration: its value, where its figure stands, and the lever that sets it, if one
    does."""

    value: Setting
    address: str
    lever: str = ""


class Configured(Based, frozen=True, dict=True):
    """A configuration with what it takes over; addresses are those inside the project."""

    kind = "configurations"

    @property
    def record(self) -> r.Configuration:
        """What it says itself."""
        return self.project.configurations[self.name]

    @property
    def title(self) -> str:
        """What it is called."""
        return self.record.title

    @cached_property
    def levers(self) -> Ids:
        """The levers that are applied, those of bases first, each once."""
        every = map(self.project.configurations.__getitem__, reversed(self.chain))
        return tuple(dict.fromkeys(lever for own in every for lever in self._known_levers(own)))

    @cached_property
    def settings(self) -> Mapping[str, Set]:
        """Every setting as it holds here, bases first: at each, what its levers set, then what it says itself."""
        found: dict[str, Set] = {}
        for name in reversed(self.chain):
            own = self.project.configurations[name]
            for lever in self._known_levers(own):
                for key, value in self.project.levers[lever].sets.items():
                    # A lever leaves alone what the configuration sets itself, and what is equal already.
                    is_equal = key in found and is_same_setting(found[key].value, value)
                    if key not in own.settings and not is_equal:
                        found[key] = Set(value, f"levers.{lever}.sets.{key}", lever)
            for key, value in own.settings.items():
                found[key] = Set(value, f"configurations.{name}.settings.{key}")
        return found

    def _known_levers(self, own: r.Configuration) -> list[str]:
        """The levers of a configuration that the project has, each once."""
        named = dict.fromkeys(own.levers)
        return [lever for lever in named if lever in self.project.levers]

    @cached_property
    def parts(self) -> Mapping[str, tuple[str, r.MemoryPart]]:
        """The parts of its memory, each with the configuration that says it; its own take the place of a base's."""
        found: dict[str, tuple[str, r.MemoryPart]] = {}
        for name in reversed(self.chain):
            memory = self.project.configurations[name].memory
            found.update({part: (name, record) for part, record in memory.items()})
        return found

    def levers_on(self, part: str) -> Ids:
        """The levers that make a part smaller, in their order. What is stated of a part has in it the levers that are
        applied where it is stated, as `hours` have: only those of configurations derived from that one are left."""
        holder, record = self.parts[part]
        held = Configured(self.project, holder).levers if record.is_stated else ()
        named = (lever for lever in self.levers if lever not in held)
        return tuple(lever for lever in named if (self.project.levers[lever].part or "") == part)

    def share_of(self, pool: str) -> str:
        """Where the figure of the share of a card stands that a pool takes: at the setting that says it, or its own."""
        holder, record = self.parts[pool]
        setting = self.settings.get(record.pool) if record.pool is not None else None
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
        return (part for part, (_, record) in self.parts.items() if (record.within or "") == pool)


def is_same_setting(first: Setting, second: Setting) -> bool:
    """Whether two settings have the same value, however it is written."""
    return _bare_value(first) == _bare_value(second)


def _bare_value(value: Setting) -> object:
    if isinstance(value, Quantity):
        return value.value if not value.value.unknown else value.text
    if isinstance(value, tuple):
        return tuple(map(str, value))
    if isinstance(value, Text):
        return str(value)
    return value


def framework_of(project: ProjectLedger, record: object) -> str:
    """The framework whose settings a record has, by itself or through its bases; empty where none is named."""
    bases = chain(project.configurations, str(getattr(record, "base", None) or ""))
    named = (getattr(each, "framework", None) for each in (record, *map(project.configurations.__getitem__, bases)))
    return str(next((framework for framework in named if framework is not None), ""))


TIMEOUT, OUTPUT_CAP, INPUT_CAP = "request-timeout", "output-cap", "input-cap"
TEMPERATURE, SAMPLING, DECODING = "temperature", "sampling", "decoding"
EPOCHS = "epochs"
ACTIVE, GREEDY = "active", "greedy"
UNKNOWN_SETTING = r.SettingSpec.model_construct()


class Declared(Struct, frozen=True):
    """A setting as it is declared: its name, what it means, what it is set to, and where that stands.

    `figure` is what it is set to as a figure in its unit; None where that is not a quantity. `by` is the title of the
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
        return self.spec.role or ""

    @property
    def title(self) -> str:
        """What it is called: the catalogue's words, or its name as words."""
        return self.spec.title or label(self.name)


def spec_of(ledger: Ledger, project: ProjectLedger, configuration: str, name: str) -> r.SettingSpec:
    """What the framework of a configuration says of a setting; nothing of one that it does not have."""
    framework = Configured(project, configuration).framework(ledger.catalog)
    return framework.settings.get(Text(name), UNKNOWN_SETTING) if framework else UNKNOWN_SETTING


def declared(figures: Figures, address: str, name: str, written: Setting, spec: r.SettingSpec) -> Declared:
    """What is written under a setting at an address, in the unit of the setting."""
    figure = figures.get(address)
    if figure is not None:
        text = str(getattr(written, "text", ""))
        return Declared(name, spec, address, text, figure.place, _in_unit(figure, spec.measure(name)))
    parts = written if isinstance(written, tuple) else (written,)
    text, place = ", ".join(str(part) for part in parts), place_of(parts[0]) if parts else place_of(None)
    return Declared(name, spec, address, text, place, _read(text, address, name, spec, place))


def settings_of(figures: Figures, ledger: Ledger, project: ProjectLedger, configuration: str) -> Iterator[Declared]:
    """What holds in a configuration; then what active levers set that it says nothing of; then defaults of the rest."""
    configured = Configured(project, configuration)
    found = list(configured.settings.items())
    for key, lever in project.levers.items():
        if lever.status == ACTIVE and lever.configuration == configuration:
            found += [
                (name, Set(value, f"levers.{key}.sets.{name}", key))
                for name, value in lever.sets.items()
                if name not in configured.settings
            ]
    for name, held in found:
        spec = spec_of(ledger, project, configuration, name)
        setting = declared(figures, f"{project.id}.{held.address}", name, held.value, spec)
        yield structs.replace(setting, by=project.levers[held.lever].title) if held.lever else setting
    if framework := configured.framework(ledger.catalog):
        known = {name for name, _ in found}
        for name, spec in framework.settings.items():
            if spec.default is not None and name not in known:
                address = f"{project.id}.{configured.at}.settings.{name}"
                setting = declared({}, address, name, spec.default, spec)
                yield structs.replace(setting, default=True, by=framework.title)


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
    values = [figure.value.scaled(figure.unit.scale) for figure in (first.figure, second.figure)]
    return first.figure.unit.kinds == second.figure.unit.kinds and values[0] == values[1]


# What a scalar without quotes cannot begin with, hold, or end in; the rest stands as it does in the ledger.
_BEGINS = re.compile(r"""[?:,\[\]{}#&*!|>'"%@`]|-(\s|$)|---|\.\.\.|<<$|~$""")
_HOLDS = re.compile(r":\s|\s#|:$")
_IN_A_LIST = re.compile(r"[,\[\]{}]")


class Overrides(Struct, frozen=True):
    """The settings of a configuration that differ from those of another, with their values.

    `lost` are those that only the other one has: no override takes a setting away.
    """

    changes: Mapping[str, Setting]
    lost: tuple[str, ...] = ()

    @property
    def yaml(self) -> str:
        """The changed settings, one a line, in the order in which the configuration has them; empty without any."""
        return "".join(f"{name}: {written(value)}\n" for name, value in self.changes.items())


def derived(ledger: Ledger, project: ProjectLedger, name: str, against: str = "") -> Overrides:
    """What a configuration changes against another one; against its base where none is named."""
    configured = Configured(project, name)
    other = against or configured.record.base or ""
    before = Configured(project, other).settings if other else {}
    framework = configured.framework(ledger.catalog)
    specs = framework.settings.items() if framework else ()
    # What the framework takes for a setting that nobody names.
    defaults = {str(name): setting(name, spec.default) for name, spec in specs if spec.default is not None}
    had = {**defaults, **{key: held.value for key, held in before.items()}}
    gone = [key for key in before if key not in configured.settings]
    has = {key: held.value for key, held in configured.settings.items()}
    has |= {key: defaults[key] for key in gone if key in defaults}
    changes = {key: value for key, value in has.items() if key not in had or not is_same_setting(had[key], value)}
    return Overrides(changes, tuple(key for key in gone if key not in defaults))


def written(value: Setting) -> str:
    """A value as YAML on one line: as it stands in the ledger, in quotes where it has to."""
    if isinstance(value, tuple):
        return "[" + ", ".join(_scalar(str(item), inside=True) for item in value) + "]"
    return _amount(value) if isinstance(value, Quantity | Derived) else _scalar(str(value))


def _amount(value: AmountValue, inside: bool = False) -> str:
    if isinstance(value, Quantity):
        return f"{{{value.text}}}" if ": " in value.text else _scalar(value.text, inside)
    entries = {"formula": _scalar(value.formula.text, inside=True)}
    entries |= {key: _amount(amount, inside=True) for key, amount in value.inputs.items()}
    return flow_map(entries)


def _scalar(text: str, inside: bool = False) -> str:
    plain = text and text == text.strip() and text.isprintable() and not _BEGINS.match(text) and not _HOLDS.search(text)
    if plain and not (inside and _IN_A_LIST.search(text)):
        return text
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else character.encode("unicode_escape").decode()
