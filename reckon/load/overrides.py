"""Changes that are made in what was read before it is validated, so that all follows as if the files said so.

What can be set are spots in the tree of a file: each is an address, as the sheet has it (phases are not part of that of
an item, and a named figure is at its record), with the keys that lead to its value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, get_origin

from msgspec import Struct
from pydantic.fields import FieldInfo

from reckon.language.text import NOWHERE, Place, Text, place_of
from reckon.model import records as r
from reckon.model.amounts import read_one, read_rates, read_under
from reckon.model.fields import ReadBy, parts_of
from reckon.model.finding import Problem, ProblemList, nearest
from reckon.model.kinds import SHARED
from reckon.model.ledger import Unplaced, WhatIf
from reckon.model.record import Record

from .yaml_nodes import LONGEST_SCALAR, UNPRINTABLE, Map, Seq

MOST_HINTS = 20
LONGEST_PLACE = 80


AskedChanges = Sequence[tuple[str, str]]
"""Changes as they are asked for: addresses and values."""


class _Asked(Struct):
    """A change as it was asked for, and where it was made.

    `scope` is the project (or what is shared) that its address begins with; empty where it was left out. If there are
    `several` projects then, only an address that is set already in one of them is unambiguous.
    """

    address: Text
    value: Text
    scope: str
    several: bool
    made: list[WhatIf] = []
    could: list[str] = []
    refused: bool = False

    def within(self, scope: str) -> str:
        """Its whole address in a scope; empty where it means another."""
        if self.scope:
            return self.address if self.scope == scope else ""
        return f"{scope}.{self.address}" if scope != "allocations" else ""


class Changes:
    """The changes that were asked for, as address and value, and what became of them."""

    def __init__(self, asked: AskedChanges, projects: Sequence[str]) -> None:
        self.problems: ProblemList = []
        self.asked = [change for address, value in asked if (change := self._read(address, value, projects))]
        self.known: dict[str, list[str]] = {}
        self.cards: tuple[str, ...] = ()
        self.spots: dict[str, Spot] = {}
        """Where a change was made, by its whole address: the file, and the keys that lead to its value."""

    def _read(self, address: str, value: str, projects: Sequence[str]) -> _Asked | None:
        named = f"--set {address}={value}"
        place, at = place_of(address), place_of(value)  # those of a proposal stand in a file
        if place is NOWHERE:
            place = at = Place(named if len(named) <= LONGEST_PLACE else named[: LONGEST_PLACE - 1] + "…", 0, 1)
        if found := UNPRINTABLE.search(named):
            self.problems.append(Problem(place, f"U+{ord(found[0]):04X} is not allowed in a text", "remove it"))
        elif len(named) > LONGEST_SCALAR:
            self.problems.append(Problem(place, "the text is too long", f"keep it under {LONGEST_SCALAR:,} characters"))
        else:
            scope = address.partition(".")[0]
            known = scope in projects or scope in SHARED
            return _Asked(Text(address, place), Text(value, at), scope if known else "", len(projects) > 1)
        return None

    def make(self, tree: Map, kind: type[Record], address: str) -> None:
        """Makes the changes that lie in the tree of one file, which holds records of a kind at an address."""
        if address == "catalog.gpus":  # read before all that can name a card
            self.cards = tuple(tree)
        scope = address.partition(".")[0]
        table: dict[str, Keys] = {}
        for name, keys in spots(tree, kind, address, self.cards):
            table.setdefault(name, keys)
        self.known.setdefault(scope, []).extend(table)
        taken: dict[Keys, _Asked] = {}
        for change in self.asked:
            whole = change.within(scope)
            if whole not in table:
                continue
            if change.several and not change.scope and scope not in SHARED and _value_at(tree, table[whole]) is None:
                change.could.append(whole)
            elif taken.setdefault(table[whole], change) is change:
                change.made.append(WhatIf(whole, change.value, _format_value(_value_at(tree, table[whole]))))
                self.spots[whole] = tree.place.file, table[whole]
            else:
                self._complain(change, f"`{whole}` is set twice", "keep one")
                change.refused = True
        self._put(tree, taken)

    def _put(self, tree: Map, taken: Mapping[Keys, _Asked]) -> None:
        for keys, change in taken.items():
            outer = next((taken[keys[:end]] for end in range(1, len(keys)) if keys[:end] in taken), None)
            if outer:
                self._complain(change, f"this is part of `{outer.address[:60]}`, which is also set", "keep one")
                continue
            holder = tree
            for key in keys[:-1]:
                if key not in holder:
                    holder[Text(key, change.value.place)] = below = Map()
                    below.place = change.value.place
                holder = holder[key]  # type: ignore[index]
            holder[Text(keys[-1], change.value.place)] = change.value

    def _complain(self, change: _Asked, wrong: str, right: str) -> None:
        self.problems.append(Problem(change.address.place, wrong, right))

    def all_made(self) -> tuple[WhatIf, ...]:
        """What was changed, in the order in which it was asked for."""
        return tuple(change for asked in self.asked for change in asked.made)

    def unplaced(self) -> tuple[Unplaced, ...]:
        """The changes that fit nowhere. One that fits in several places becomes a problem instead."""
        found: list[Unplaced] = []
        for change in self.asked:
            if len(change.made) > 1:
                names = ", ".join(f"`{made.address}`" for made in change.made[:12])
                self._complain(change, f"`{change.address[:60]}` is in several projects", f"name one: {names}")
                change.made.clear()
            elif change.could and not change.made:
                self._complain(
                    change,
                    f"no project has `{change.address[:60]}` yet",
                    f"name the project, such as `{change.could[0]}`",
                )
            elif not change.made and not change.refused:
                found.append(Unplaced(change.address, self._near(change) if len(found) < MOST_HINTS else ""))
        return tuple(found)

    def _near(self, change: _Asked) -> str:
        if change.scope:
            return nearest(change.address, self.known.get(change.scope, ()))
        short = (name.partition(".")[2] for names in self.known.values() for name in names)
        return nearest(change.address, dict.fromkeys(short))


def _value_at(tree: Any, keys: Keys) -> Any:
    """What stands in a tree; None where there is nothing."""
    for key in keys:
        tree = tree.get(Text(key)) if isinstance(tree, Map) else None
    return tree


def _format_value(value: Any) -> str | None:
    """What stands in a ledger in one line: a formula without its inputs, a list in brackets."""
    if isinstance(value, Map):
        parts = ", ".join(f"{key}: {_format_value(inner)}" for key, inner in value.items())
        return _format_value(value[Text("formula")]) if "formula" in value else f"{{{parts}}}"
    if isinstance(value, Seq):
        return f"[{', '.join(str(_format_value(entry)) for entry in value)}]"
    return None if value is None else str(value)


Keys: TypeAlias = tuple[str, ...]
Spot: TypeAlias = tuple[str, Keys]
Spots: TypeAlias = Mapping[str, Spot]


def spots(tree: Map, kind: type[Record], address: str, cards: Collection[str]) -> Iterator[Spot]:
    """Everything that can be set in a file of records of a kind: what is there, and the fields that could be.

    `cards` are the ids of the catalogue: a table by cards may get any of them.
    """
    if kind is r.Proposal:
        return  # it says what might be set elsewhere
    if kind is r.Project:
        yield from _record(tree, kind, address, (), cards)
    elif kind is not r.Phase:
        yield from _records(tree, kind, address, (), cards)
    else:
        for name, branch in tree.items():
            if isinstance(branch, Map):
                yield from _record(branch, kind, f"{address.removesuffix('plan')}phases.{name}", (name,), cards)
                yield from _records(branch.get(Text("items")), r.Item, address, (name, "items"), cards)


def _records(tree: Any, kind: type[Record], address: str, keys: Keys, cards: Collection[str]) -> Iterator[Spot]:
    for name, branch in tree.items() if isinstance(tree, Map) else ():
        if isinstance(branch, Map):
            yield from _record(branch, kind, f"{address}.{name}", (*keys, name), cards)


def _record(tree: Map, kind: type[Record], address: str, keys: Keys, cards: Collection[str]) -> Iterator[Spot]:
    for name, info in _fields(kind).items():
        at = f"{address}.{name}"
        path = (*keys, name)
        value = tree.get(Text(name))
        held = record_kind(kind, name)
        if held is None:
            yield from _value(value, at, path)
            table = value if isinstance(value, Map) else {}
            by_name = _is_read_by(info, read_under) or _is_read_by(info, read_rates)
            if by_name and (not table or any(card in cards for card in table)):
                yield from ((f"{at}.{card}", (*path, card)) for card in cards if card not in table)
        elif get_origin(info.annotation) is dict:
            yield from _records(value, held, at, path, cards)
        elif isinstance(value, Map):
            yield from _record(value, held, at, path, cards)
    for name in [key for key in tree if key not in kind.model_fields] if kind.free else ():
        alone = _is_read_by(kind.model_fields[kind.free], read_one)
        yield from _value(tree[name], address if alone else f"{address}.{name}", (*keys, name))


def _value(value: Any, address: str, keys: Keys) -> Iterator[Spot]:
    """A value, and what is below it: the inputs of a formula, the entries of a table."""
    yield address, keys
    for name, inner in value.items() if isinstance(value, Map) else ():
        yield from _value(inner, f"{address}.{name}", (*keys, name))


def _is_read_by(info: FieldInfo, read: Any) -> bool:
    return any(isinstance(mark, ReadBy) and mark.func is read for mark in info.metadata)


@cache
def _fields(kind: type[Record]) -> Mapping[str, FieldInfo]:
    """The fields that can stand in a record; the items of a phase have addresses of their own."""
    closed = ("place", kind.free, "items" if kind is r.Phase else "")
    return {name: info for name, info in kind.model_fields.items() if name not in closed}


@cache
def record_kind(kind: type[Record], name: str) -> type[Record] | None:
    """The kind of the records that a field holds; None for one that holds values."""
    parts = parts_of(kind.model_fields[name])
    return next((part for part in parts if isinstance(part, type) and issubclass(part, Record)), None)
