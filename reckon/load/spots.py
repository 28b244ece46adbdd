"""What can be set in the tree of a file: each address, with the keys that lead to its value.

An address is the one that the sheet uses: phases are not part of an item's, and a named figure is at its record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias, get_args, get_origin

from pydantic import PlainValidator
from pydantic.fields import FieldInfo

from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.amounts import read_one, read_under
from reckon.model.record import Record

from .tree import Map

Keys: TypeAlias = tuple[str, ...]
Spot: TypeAlias = tuple[str, Keys]


def spots(tree: Map, kind: type[Record], address: str, cards: Collection[str]) -> Iterator[Spot]:
    """Everything that can be set in a file of records of a kind: what is there, and the fields that could be.

    `cards` are the ids of the catalogue: a table by cards may get any of them.
    """
    if kind is r.Project:
        yield from _record(tree, kind, address, (), cards)
        return
    for name, branch in tree.items():
        if not isinstance(branch, Map):
            continue
        if kind is r.Phase:
            yield from _record(branch, kind, f"{address.removesuffix('plan')}phases.{name}", (name,), cards)
            yield from _records(branch.get(Text("items")), r.Item, address, (name, "items"), cards)
        else:
            yield from _record(branch, kind, f"{address}.{name}", (name,), cards)


def _records(tree: Any, kind: type[Record], address: str, keys: Keys, cards: Collection[str]) -> Iterator[Spot]:
    for name, branch in tree.items() if isinstance(tree, Map) else ():
        if isinstance(branch, Map):
            yield from _record(branch, kind, f"{address}.{name}", (*keys, name), cards)


def _record(tree: Map, kind: type[Record], address: str, keys: Keys, cards: Collection[str]) -> Iterator[Spot]:
    for name, field in _fields(kind).items():
        at, path, value = f"{address}.{name}", (*keys, name), tree.get(Text(name))
        held = _held(kind, name)
        if held is None:
            yield from _value(value, at, path)
            yield from _more(value, field, at, path, cards)
        elif get_origin(field.annotation) is dict:
            yield from _records(value, held, at, path, cards)
        elif isinstance(value, Map):
            yield from _record(value, held, at, path, cards)
    for name in [one for one in tree if one not in kind.model_fields] if kind.free else ():
        alone = _reads(kind.model_fields[kind.free], read_one)
        yield from _value(tree[name], address if alone else f"{address}.{name}", (*keys, name))


def _value(value: Any, address: str, keys: Keys) -> Iterator[Spot]:
    """A value, and what is below it: the inputs of a formula, the entries of a table."""
    yield address, keys
    for name, inner in value.items() if isinstance(value, Map) else ():
        yield from _value(inner, f"{address}.{name}", (*keys, name))


def _more(value: Any, field: FieldInfo, address: str, keys: Keys, cards: Collection[str]) -> Iterator[Spot]:
    """The cards that a table by cards lacks."""
    table = value if isinstance(value, Map) else {}
    if _reads(field, read_under) and (not table or any(name in cards for name in table)):
        yield from ((f"{address}.{card}", (*keys, card)) for card in cards if card not in table)


def _reads(field: FieldInfo, read: Any) -> bool:
    return any(isinstance(one, PlainValidator) and one.func is read for one in field.metadata)


@cache
def _fields(kind: type[Record]) -> Mapping[str, FieldInfo]:
    """The fields that can stand in a record; the items of a phase have addresses of their own."""
    closed = ("place", kind.free, "items" if kind is r.Phase else "")
    return {name: field for name, field in kind.model_fields.items() if name not in closed}


@cache
def _held(kind: type[Record], name: str) -> type[Record] | None:
    """The kind of the records that a field holds; None for one that holds values."""
    parts = [kind.model_fields[name].annotation]
    for part in parts:  # grows as it goes
        if isinstance(part, type) and issubclass(part, Record):
            return part
        parts += get_args(part)
    return None
