"""What a configuration changes against its base, or another one: the settings that differ, as YAML to be copied."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from reckon.language.quantity import Quantity
from reckon.model.amounts import AmountValue, Derived, Setting, setting
from reckon.model.ledger import Ledger, ProjectLedger

from .configured import Configured, alike

# What a scalar without quotes cannot begin with, hold, or end in; the rest stands as it does in the ledger.
_BEGINS = re.compile(r"""[?:,\[\]{}#&*!|>'"%@`]|-(\s|$)|---|\.\.\.|<<$|~$""")
_HOLDS = re.compile(r":\s|\s#|:$")
_IN_A_LIST = re.compile(r"[,\[\]{}]")


@dataclass(frozen=True, slots=True)
class Overrides:
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
    other = against or str(configured.record.base or "")
    before = Configured(project, other).settings if other else {}
    framework = configured.framework(ledger.catalog)
    specs = framework.settings.items() if framework else ()
    # What the framework takes for a setting that nobody names.
    defaults = {str(name): setting(str(name), spec.default) for name, spec in specs if spec.default is not None}
    had = {**defaults, **{key: held.value for key, held in before.items()}}
    gone = [key for key in before if key not in configured.settings]
    has = {key: held.value for key, held in configured.settings.items()}
    has |= {key: defaults[key] for key in gone if key in defaults}
    changes = {key: value for key, value in has.items() if key not in had or not alike(had[key], value)}
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
    return "{" + ", ".join(f"{key}: {text}" for key, text in entries.items()) + "}"


def _scalar(text: str, inside: bool = False) -> str:
    plain = text and text == text.strip() and text.isprintable() and not _BEGINS.match(text) and not _HOLDS.search(text)
    if plain and not (inside and _IN_A_LIST.search(text)):
        return text
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 1 << 8 else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
