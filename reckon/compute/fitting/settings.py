"""Settings by what they are for: those of a configuration, of the levers that are active on it, and defaults.

A framework of the catalogue says which role a setting has, which measured column it limits, and its unit where its name
carries none. Rules of the audit look for roles, never for names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from reckon.language.quantity import read_quantity
from reckon.language.text import Place, Refusal, Text, place_of
from reckon.language.units import Unit, label
from reckon.model import records as r
from reckon.model.amounts import Setting
from reckon.model.figure import Figure, Stated
from reckon.model.ledger import Ledger, ProjectLedger

from .configured import LEVER, Configured

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


def framework_of(ledger: Ledger, one: ProjectLedger, configuration: str) -> r.Framework | None:
    """The framework whose settings a configuration has, by itself or through its bases."""
    return Configured(one, configuration).framework(ledger.catalog)


def spec_of(ledger: Ledger, one: ProjectLedger, configuration: str, name: str) -> r.SettingSpec:
    """What the framework of a configuration says of a setting; nothing of one that it does not have."""
    framework = framework_of(ledger, one, configuration)
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
    figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger, configuration: str
) -> Iterator[Declared]:
    """What holds in a configuration; then what active levers set that it says nothing of; then defaults of the rest."""
    configured, framework = Configured(one, configuration), framework_of(ledger, one, configuration)
    known = set()
    for name, held in configured.settings.items():
        known.add(str(name))
        spec = spec_of(ledger, one, configuration, str(name))
        found = declared(figures, f"{one.id}.{held.address}", str(name), held.value, spec)
        yield replace(found, by=str(one.levers[held.by].title)) if held.how == LEVER else found
    for key, lever in active_on(one, configuration):
        for name, written in lever.sets.items():
            if name not in configured.settings:
                known.add(str(name))
                spec = spec_of(ledger, one, configuration, str(name))
                found = declared(figures, f"{one.id}.levers.{key}.sets.{name}", str(name), written, spec)
                yield replace(found, by=str(lever.title))
    for name, spec in framework.settings.items() if framework else ():
        if spec.default is not None and str(name) not in known:
            address = f"{one.id}.{configured.at}.settings.{name}"
            by = str(framework.title) if framework else ""
            yield replace(declared({}, address, str(name), spec.default, spec), default=True, by=by)


def active_on(one: ProjectLedger, configuration: str) -> Iterator[tuple[str, r.Lever]]:
    """The levers that say of themselves that they are active on a configuration, by id."""
    for name, lever in one.levers.items():
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


def alike(one: Declared, other: Declared) -> bool:
    """Whether two settings say the same: the same quantity in whatever unit, or else the same words."""
    if one.figure is None or other.figure is None:
        return one.figure is other.figure and one.text.casefold() == other.text.casefold()
    return one.figure.unit.kinds == other.figure.unit.kinds and _base(one.figure) == _base(other.figure)


def _base(figure: Figure) -> tuple[object, ...]:
    value, base = figure.value, figure.unit.to_base
    return tuple(None if end is None else base(end) for end in (value.low, value.use, value.high))
