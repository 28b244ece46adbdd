"""What a value of a record says, without where it stands: for telling whether two are the same, and for printing."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from reckon.language.quantity import Quantity
from reckon.language.text import NOWHERE, Place, place_of
from reckon.model.amounts import Derived
from reckon.model.record import Record
from reckon.model.rows import Row
from reckon.model.values import Counted, Required, Seeds

MOST_SHOWN = 4


def essence(value: Any) -> Hashable:
    """What a value says: equal for two that mean the same, wherever and however they are written."""
    match value:
        case Quantity():
            return value.value, value.unit.symbol, value.form
        case Derived():
            return formula_text(value), essence(value.inputs)
        case Seeds():
            return value.names
        case Required():
            return " ".join(value.formula.text.split())
        case Counted():
            return value.number
        case Row():
            return essence(value.values)
        case Record():
            return type(value).__name__, *(essence(getattr(value, name)) for name in fields(value))
        case Mapping():
            return frozenset((str(key), essence(inner)) for key, inner in value.items())
        case tuple() | list():
            return tuple(essence(inner) for inner in value)
        case str():
            return str(value)
    return value  # type: ignore[no-any-return]


def fields(record: Record) -> list[str]:
    """The fields of a record, without its place."""
    return [name for name in type(record).model_fields if name != "place"]


def formula_text(value: Derived) -> str:
    """The text of a formula, in one line."""
    return " ".join(value.formula.text.split())


def where(value: Any, *others: Any) -> Place:
    """The place of the first of some values that has one."""
    for one in (value, *others):
        if isinstance(one, Seeds):
            return one.quantity.place
        if isinstance(one, tuple | list):
            one = one[0] if one else None
        if isinstance(one, Mapping):
            one = next(iter(one.values()), None)
        if (place := place_of(one)) is not NOWHERE:
            return place
    return NOWHERE


def shown(value: Any) -> str:
    """A value as it is written, in short; empty where there is none."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Quantity():
            return value.text
        case Derived():
            return formula_text(value)
        case Seeds():
            return value.quantity.text if value.names == _counted(len(value.names)) else ", ".join(value.names)
        case Required():
            return " ".join(value.formula.text.split())
        case Counted():
            return str(value)
        case Record():
            return str(getattr(value, "title", None) or "")
        case str():
            return str(value)
        case tuple() | list() | Mapping():
            return _several(value)
    return str(value)


def _counted(number: int) -> tuple[str, ...]:
    return tuple(str(one) for one in range(1, number + 1))


def _several(values: Any) -> str:
    """A list or a map in short: its words where they are few, else how many there are."""
    if not values:
        return ""
    if len(values) <= MOST_SHOWN and all(isinstance(one, str) for one in values) and not isinstance(values, Mapping):
        return ", ".join(values)
    return f"{len(values):,} entr{'y' if len(values) == 1 else 'ies'}"
