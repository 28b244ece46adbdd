"""What a value of a record says, without where it stands: for telling whether two are the same, and for printing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from reckon.language.quantity import Quantity
from reckon.language.text import NOWHERE, Place, place_of, plural
from reckon.language.units import label
from reckon.model.amounts import Derived
from reckon.model.record import Record
from reckon.model.records import Accept, Claim, Drop, Policy, Version
from reckon.model.values import Counted, MeasuredRow, Required, Seeds

MOST_SHOWN = 4
_MANY = {"gpus": "GPU", "policies": "policy"}


def essence(value: Any) -> Hashable:
    """What a value says: equal for two that mean the same, wherever and however they are written."""
    match value:
        case Quantity():
            return value.value, value.unit.symbol, value.form
        case Derived():
            return formula_text(value), essence(value.inputs)
        case Required():
            return formula_text(value)
        case Seeds():
            return value.names
        case Counted():
            return value.number
        case MeasuredRow():
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


def formula_text(value: Derived | Required) -> str:
    """The text of a formula, in one line."""
    return " ".join(value.formula.text.split())


def first_place(value: Any, *others: Any) -> Place:
    """The place of the first of some values that has one."""
    for inner in (value, *others):
        if isinstance(inner, Seeds):
            return inner.quantity.place
        if isinstance(inner, tuple | list):
            inner = inner[0] if inner else None
        if isinstance(inner, Mapping):
            inner = next(iter(inner.values()), None)
        if (place := place_of(inner)) is not NOWHERE:
            return place
    return NOWHERE


def format_value(value: Any) -> str:
    """A value as it is written, in short; empty where there is none."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Quantity():
            return value.text
        case Derived() | Required():
            return formula_text(value)
        case Seeds():
            numbered = tuple(str(number) for number in range(1, len(value.names) + 1))
            return value.quantity.text if value.names == numbered else ", ".join(value.names)
        case Record():
            return str(getattr(value, "title", None) or _format_fields(value, fields(value)))
        case (Record() as only,):
            return format_value(only)
        case tuple() | list() | Mapping():
            return _several(value)
    return str(value)


def _format_fields(record: Record, names: Sequence[str]) -> str:
    """What a record says in some fields: `budget 30%, ceiling 10%`."""
    found = ((name, format_value(getattr(record, name))) for name in names)
    return ", ".join(f"{label(name)} {text}" for name, text in found if text)


def _several(values: Any) -> str:
    """A list of words as it is; of other lists, and of maps, how many entries they have."""
    if not values:
        return ""
    if not isinstance(values, Mapping) and all(isinstance(value, str) for value in values):
        return ", ".join(values)
    return _entries(values)


def _entries(values: Any) -> str:
    return f"{len(values):,} entr{'y' if len(values) == 1 else 'ies'}"


def exchanged(was: Sequence[Any], now: Sequence[Any]) -> tuple[str, str]:
    """Two lists, neither empty, in short: as they are where they are short lists of words, else how they differ."""
    if max(len(was), len(now)) <= MOST_SHOWN and all(isinstance(value, str) for value in (*was, *now)):
        return _several(was), _several(now)
    lost, came = _only(was, now), _only(now, was)
    if len(lost) == len(came) == 1 and isinstance(lost[0], Record) and type(lost[0]) is type(came[0]):
        differing = [name for name in fields(lost[0]) if getattr(lost[0], name) != getattr(came[0], name)]
        return _format_fields(lost[0], differing), _format_fields(came[0], differing)
    parts = []
    for word, entries in (("with", came), ("without", lost)):
        if entries and all(isinstance(entry, str) for entry in entries):
            parts.append(f"{word} {', '.join(entries)}")
        elif len(entries) == 1:
            parts.append(f"{word} {format_value(entries[0])}")
        elif entries:
            parts.append(f"{word} {plural(len(entries), 'other')}")
    return _entries(was), f"{_entries(now)} ({'; '.join(parts) or 'in another order'})"


def first_places(was: Sequence[Any], now: Sequence[Any]) -> tuple[Place, Place]:
    """Where the first entry of each of two lists stands that the other does not have; the lists where there is none."""
    return first_place(_only(was, now), was), first_place(_only(now, was), now)


def _only(own: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """The entries that only the first of two lists has, as often as it has them more."""
    more = Counter(map(essence, own)) - Counter(map(essence, other))
    found = []
    for entry in own:
        if more[said := essence(entry)] > 0:
            more[said] -= 1
            found.append(entry)
    return found


def brief(record: Any) -> str:
    """What a record comes to, where one thing in it says so: a figure, what is stated, what is required."""
    match record:
        case Claim():
            return format_value(
                record.states or record.terms or record.rows or record.below or record.above or record.within
            )
        case Accept():
            return (f"until {record.until}: " if record.until else "") + str(record.reason)
        case Policy():
            return format_value(record.require)
        case Version():
            return " ".join(word for word in (record.status, record.date) if word)
        case Drop():
            return format_value(record.why)
    if (figures := getattr(record, "figures", None)) and len(figures) == 1:
        return format_value(next(iter(figures.values())))
    return format_value(getattr(record, "gpu_hours", None))


def singular(kind: str) -> str:
    """What one of a collection is called, by the name of the collection."""
    return _MANY.get(kind, kind.removesuffix("s"))
