"""What differs between two lists of records: claims, accepted findings, what is dropped if there is not enough.

Entries are matched by what names them. So another order is no change, and an entry that is put between two others
does not shift those behind it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from reckon.model.values import Record

from .change import Change, Swap
from .essence import brief, essence, fields, where
from .records import At, differences


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of list: what an entry is called, the fields that name it, those without which two may be one, and whether
    words in it are told. An `inert` list moves no figure; in one that is `ranked` the order counts."""

    of: str
    named: tuple[str, ...]
    loose: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    inert: bool = True
    ranked: bool = False


CLAIMS = Kind("claim", ("of", "at"), loose=("at", "source"))
ACCEPTED = Kind("accepted finding", ("finding",), told=("reason", "by"))
DROPS = Kind("de-scoping step", ("item", "phase", "seed"), inert=False, ranked=True)


def listed(kind: Kind, was: Sequence[Record], now: Sequence[Record], at: At) -> Iterator[Change]:
    """What differs between two lists, entry by entry. The last change puts the new list in the place of the old one."""
    found = [
        replace(one, swaps=(), of=kind.of, inert=kind.inert, record=at.address) for one in _found(kind, was, now, at)
    ]
    if found:
        yield from found[:-1]
        yield replace(found[-1], swaps=(Swap(at.path, now),))


def _found(kind: Kind, was: Sequence[Record], now: Sequence[Record], at: At) -> Iterator[Change]:
    were = _matched(kind, was, now)
    for number, entry in enumerate(now):
        own = _at(kind, entry, at)
        if number in were:
            old = was[were[number]]
            for one in differences(own, old, entry):
                part = one.title.removeprefix(own.title).removeprefix(": ")
                field = one.swaps[0].path[len(own.path)]
                yield replace(one, title=own.title, part=part, quiet=one.quiet and field not in kind.told)
        else:
            yield Change("added", own.address, own.title, "", brief(entry), now_place=where(entry))
    kept = set(were.values())
    for number, entry in enumerate(was):
        if number not in kept:
            own = _at(kind, entry, at)
            yield Change("removed", own.address, own.title, brief(entry), was_place=where(entry))
    order = [were[number] for number in range(len(now)) if number in were]
    if order != sorted(order):
        before, after = (" then ".join(_at(kind, entry, at).title for entry in side) for side in (was, now))
        places = where(was), where(now)
        yield Change("order", at.address, f"Order of {kind.of}s", before, after, *places, quiet=not kind.ranked)


def _at(kind: Kind, entry: Record, at: At) -> At:
    """Where an entry stands: below the list, by what names it."""
    names = [str(value) for name in kind.named if (value := getattr(entry, name)) is not None]
    return At(f"{at.address}.{names[0] if names else ''}", at.path, ", ".join(names))


def _matched(kind: Kind, was: Sequence[Record], now: Sequence[Record]) -> dict[int, int]:
    """New entry -> the old one that it was: the very same first, then one of the same name, then one like it."""
    found: dict[int, int] = {}
    for key in _keys(kind):
        spare: dict[Hashable, deque[int]] = defaultdict(deque)
        taken = set(found.values())
        for number, entry in enumerate(was):
            if number not in taken:
                spare[key(entry)].append(number)
        for number, entry in enumerate(now):
            if number not in found and (same := spare.get(key(entry))):
                found[number] = same.popleft()
    return found


def _keys(kind: Kind) -> Iterator[Callable[[Record], Hashable]]:
    def named(entry: Record) -> Hashable:
        return tuple(essence(getattr(entry, name)) for name in kind.named)

    def like(entry: Record) -> Hashable:
        return tuple(essence(getattr(entry, name)) for name in fields(entry) if name not in kind.loose)

    yield from (essence, named)
    if kind.loose:
        yield like
