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

TIMEOUT, OUTPUT_CAP, INPUT_CAP = "request-timeout", "output-cap", "input-cap"
TEMPERATURE, SAMPLING, DECODING = "temperature", "sampling", "decoding"
ACTIVE, GREEDY = "active", "greedy"
UNKNOWN_SETTING = r.SettingSpec()


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting as it is known: its name, what it means, what it is set to, and where that stands.

    `figure` is what it is set to as a figure in its unit; None where that is no quantity. `by` is the title of the
    lever that sets it, or of the framework whose default it is.
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


def spec_of(ledger: Ledger, one: ProjectLedger, configuration: str, name: str) -> r.SettingSpec:
    """What the framework of a configuration says of a setting; nothing of one that it does not have."""
    record = one.configurations.get(configuration)
    framework = ledger.catalog.settings.get(str(record.framework)) if record else None
    return framework.settings.get(Text(name), UNKNOWN_SETTING) if framework else UNKNOWN_SETTING


def stated_in(
    figures: Mapping[str, Figure], at: str, settings: Mapping[str, Setting], name: str, spec: r.SettingSpec
) -> Declared | None:
    """The setting that a map of settings at an address has under a name; None where it has none."""
    key = next((one for one in settings if str(one) == name), None)
    if key is None:
        return None
    written, address = settings[key], f"{at}.{name}"
    figure, text = figures.get(address), _words(written)
    if figure is not None:
        return Declared(name, spec, address, text, figure.place, _in_unit(figure, spec.measure(name)))
    read = _read(text, address, name, spec, place_of(written)) if isinstance(written, Text) else None
    return Declared(name, spec, address, text, place_of(key), read)


def settings_of(
    figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger, configuration: str
) -> Iterator[Declared]:
    """What a configuration says; then what active levers set that it says nothing of; then the defaults of the rest."""
    record = one.configurations[configuration]
    at, names = f"{one.id}.configurations.{configuration}.settings", {str(name) for name in record.settings}
    for name in record.settings:
        if found := stated_in(figures, at, record.settings, str(name), spec_of(ledger, one, configuration, str(name))):
            yield found
    for key, lever in active_on(one, configuration):
        for name in (str(name) for name in lever.sets if str(name) not in record.settings):
            spec, there = spec_of(ledger, one, configuration, name), f"{one.id}.levers.{key}.sets"
            if found := stated_in(figures, there, lever.sets, name, spec):
                names.add(name)
                yield replace(found, by=str(lever.title))
    framework = ledger.catalog.settings.get(str(record.framework))
    for key, spec in framework.settings.items() if framework else ():
        if str(key) not in names and spec.default is not None:
            yield _default(f"{at}.{key}", str(key), spec, str(framework.title if framework else ""))


def active_on(one: ProjectLedger, configuration: str) -> Iterator[tuple[str, r.Lever]]:
    """The levers that are active on a configuration, by id."""
    for name, lever in one.levers.items():
        if lever.status == ACTIVE and lever.configuration == configuration:
            yield str(name), lever


def _default(address: str, name: str, spec: r.SettingSpec, by: str) -> Declared:
    text, place = str(spec.default), place_of(spec.default)
    return Declared(name, spec, address, text, place, _read(text, address, name, spec, place), True, by)


def _in_unit(figure: Figure, unit: Unit) -> Figure:
    """A figure in the unit of its setting, where its key carried none: 3600 is 3,600 s."""
    return replace(figure, unit=unit) if not figure.unit.kinds and not figure.form else figure


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


def _words(written: Setting) -> str:
    if isinstance(written, tuple):
        return ", ".join(str(one) for one in written)
    return str(written) if isinstance(written, Text) else str(getattr(written, "text", ""))


def alike(one: Declared, other: Declared) -> bool:
    """Whether two settings say the same: the same quantity in whatever unit, or else the same words."""
    if one.figure is None or other.figure is None:
        return one.figure is other.figure and one.text.casefold() == other.text.casefold()
    return one.figure.unit.kinds == other.figure.unit.kinds and _base(one.figure) == _base(other.figure)


def _base(figure: Figure) -> tuple[object, ...]:
    value, base = figure.value, figure.unit.to_base
    return tuple(None if end is None else base(end) for end in (value.low, value.use, value.high))
