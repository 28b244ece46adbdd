"""What differs between two records, field by field, and between two collections of records."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from reckon.language.quantity import Quantity
from reckon.language.text import NOWHERE, Place
from reckon.language.units import label
from reckon.model.amounts import Derived
from reckon.model.record import Record

from .canonical import (
    brief,
    essence,
    exchanged,
    fields,
    first_place,
    first_places,
    format_value,
    formula_text,
    singular,
)
from .change import REMOVED, Change, Kind, Replacement

# Words that explain. No figure, verdict or draw is calculated from them.
PROSE = frozenset(
    (
        "title",
        "summary",
        "notes",
        "note",
        "source",
        "text",
        "otherwise",
        "why",
        "at",
        "message",
        "reason",
        "reasons",
        "by",
        "url",
        "citations",
        "waits_for",
        "csv",
        "group",
        "file",
    )
)
Keys = tuple[str, ...]


class Differences(Struct):
    """The differences between two collections: what is put there and what is taken away, which comes later."""

    put: list[Change] = []
    gone: list[Change] = []

    def add(self, further: Differences) -> None:
        """Adds those of another collection. What others rest on is taken away after them, so those come first."""
        self.put += further.put
        self.gone[:0] = further.gone


class At(Struct, frozen=True):
    """Where in a ledger something stands: its address, the path that leads there, and what it is called."""

    address: str
    path: Keys
    title: str
    record: str = ""

    @classmethod
    def of(cls, address: str, path: Keys, name: str, record: Any) -> At:
        """Where a record of a collection stands."""
        at = f"{address}.{name}"
        return cls(at, (*path, name), record_title(record, name), at)

    def below(self, address: str, *path: str, title: str = "") -> At:
        """Something within it."""
        said = f"{self.title}: {title}" if title and self.title else title[:1].upper() + title[1:] or self.title
        return At(f"{self.address}.{address}" if address else self.address, (*self.path, *path), said, self.record)

    def change(
        self,
        kind: Kind,
        was: str,
        now: str,
        was_place: Place,
        now_place: Place,
        *swaps: Replacement,
        of: str = "",
        quiet: bool = False,
    ) -> Change:
        """A change of what stands here."""
        said = self.address, self.title, was, now, was_place, now_place
        return Change(kind, *said, swaps, self.record, of, quiet=quiet)


def record_title(record: Any, name: str) -> str:
    """What a record is called."""
    return str(getattr(record, "title", None) or name)


def collections(old: Mapping[str, Any], new: Mapping[str, Any], address: str, path: Keys, of: str) -> Differences:
    """What differs between two collections of records by id."""
    found = Differences()
    was = renames(old, new)
    before: str | None = None
    for name, record in new.items():
        at = At.of(address, path, name, record)
        if name in was:
            found.put.append(renamed(at, path, was[name], old[was[name]], record, before, of))
            found.put += differences(at, old[was[name]], record, skip=("title",))
        elif name in old:
            found.put += differences(at, old[name], record, of=of)
        else:
            found.put.append(added(at, record, before, of))
        before = name
    for name, record in old.items():
        if name not in new and name not in was.values():
            found.gone.append(removed(At.of(address, path, name, record), record, of))
    found.gone += ordered(old, new, address, path)
    return found


def renames(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """Records that have another id and are otherwise the same: new id -> old id."""
    gone: dict[Any, list[str]] = {}
    for name, record in old.items():
        if name not in new:
            gone.setdefault(essence(record), []).append(name)
    came = ((name, essence(record)) for name, record in new.items() if name not in old) if gone else ()
    return {name: gone[same].pop(0) for name, same in came if gone.get(same)}


def renamed(at: At, path: Keys, was: str, old: Any, new: Any, after: str | None, of: str) -> Change:
    """A record under another id."""
    swaps = Replacement((*path, was), REMOVED), Replacement(at.path, old, after)
    return at.change("renamed", was, at.path[-1], first_place(old), first_place(new), *swaps, of=of)


def added(at: At, record: Any, after: str | None, of: str, quiet: bool = False) -> Change:
    """A record that was not there."""
    swap = Replacement(at.path, record, after)
    return at.change("added", "", brief(record), NOWHERE, first_place(record), swap, of=of, quiet=quiet)


def removed(at: At, record: Any, of: str, quiet: bool = False) -> Change:
    """A record that is not there any more."""
    return at.change(
        "removed", brief(record), "", first_place(record), NOWHERE, Replacement(at.path, REMOVED), of=of, quiet=quiet
    )


def ordered(old: Mapping[str, Any], new: Mapping[str, Any], address: str, path: Keys) -> Iterator[Change]:
    """The same records in another order, once all others are taken away; nothing where the order is the same."""
    places = {name: number for number, name in enumerate(old)}
    numbers = [places[name] for name in new if name in old]
    if numbers != sorted(numbers):
        yield Change("order", address, "Order", swaps=(Replacement(path, new),), record=address, quiet=True)


def differences(
    at: At, old: Record, new: Record, skip: Keys = (), of: str = "", quiet: bool = False
) -> Iterator[Change]:
    """What differs between two records, field by field. A new title of a record in a collection is a new name."""
    for name in fields(new):
        if name in skip:
            continue
        was, now = getattr(old, name), getattr(new, name)
        words = quiet or name in PROSE
        if name == "title" and of and essence(was) != essence(now):
            swap, places = Replacement((*at.path, name), now), (first_place(was, old), first_place(now, new))
            called = At(at.address, at.path, at.title or record_title(new, ""), at.record)
            yield called.change("renamed", format_value(was), format_value(now), *places, swap, of=of)
            continue
        free = name == type(new).free
        title = "" if free or name == "settings" or _holds_records(was, now) else label(name)
        inner = at.below("" if free else name, name, title=title)
        yield from values(inner, was, now, (old, new), words)


def values(at: At, was: Any, now: Any, holders: tuple[Any, Any], quiet: bool = False) -> Iterator[Change]:
    """What differs between two values: entry by entry in maps, input by input below the same formula."""
    if was is now or essence(was) == essence(now):
        return
    match was, now:
        # The same formula over inputs of the same names: they can be swapped one by one.
        case (Derived(), Derived()) if formula_text(was) == formula_text(now) and set(was.inputs) == set(now.inputs):
            for key, inner in now.inputs.items():
                below = at.below(key, "inputs", key, title=label(key))
                yield from values(below, was.inputs[key], inner, (was, now), quiet)
        case (Record(), Record()) if type(was) is type(now):
            yield from differences(at, was, now, quiet=quiet)
        case (Mapping(), Mapping()):
            yield from _entries(at, was, now, holders, quiet)
        case (tuple(), tuple()) if was and now:
            places = first_places(was, now)
            yield at.change("changed", *exchanged(was, now), *places, Replacement(at.path, now), quiet=quiet)
        case _:
            places = _written(at, was, holders[0]), _written(at, now, holders[1])
            yield at.change(
                "changed", format_value(was), format_value(now), *places, Replacement(at.path, now), quiet=quiet
            )


def _entries(
    at: At, was: Mapping[str, Any], now: Mapping[str, Any], holders: tuple[Any, Any], quiet: bool
) -> Iterator[Change]:
    # A named figure is at its record, whatever the key of its one quantity.
    alone = at.path[-1] == "figures" and at.path[-3:-2] == ("figures",)
    if alone and list(was) != list(now):
        said = brief(holders[0]), brief(holders[1]), first_place(was), first_place(now)
        yield at.change("changed", *said, Replacement(at.path, now), quiet=quiet)
        return
    before: str | None = None
    renewed = _other_unit(was, now)
    for key, inner in now.items():
        below = At(at.address, (*at.path, key), at.title, at.record) if alone else _entry(at, key, inner)
        if key in was:
            yield from values(below, was[key], inner, holders, quiet)
        elif key in renewed:
            other = was[renewed[key]]
            swaps = Replacement(below.path, inner, before), Replacement((*at.path, renewed[key]), REMOVED)
            once, anew = (f"{format_value(side)} {side.unit.symbol}" for side in (other, inner))
            yield below.change("changed", once, anew, first_place(other), first_place(inner), *swaps, quiet=quiet)
        elif isinstance(inner, Record):
            yield added(_entry(at, key, inner, whole=True), inner, before, singular(at.path[-1]), quiet)
        else:
            place, swap = first_place(inner, key, holders[1]), Replacement(below.path, inner, before)
            yield below.change("changed", "", format_value(inner), NOWHERE, place, swap, quiet=quiet)
        before = key
    kept = {*now, *renewed.values()}
    for key, inner in was.items():
        if key in kept:
            continue
        if isinstance(inner, Record):
            yield removed(_entry(at, key, inner, whole=True), inner, singular(at.path[-1]), quiet)
        else:
            below, place = _entry(at, key, inner), first_place(inner, key, holders[0])
            yield below.change(
                "changed", format_value(inner), "", place, NOWHERE, Replacement(below.path, REMOVED), quiet=quiet
            )


def _quantities_only_in(side: Mapping[str, Any], other: Mapping[str, Any]) -> dict[tuple[str, Hashable], str]:
    """The keys of quantities that one side alone has, by their label and what they measure."""
    found: dict[tuple[str, Hashable], str] = {}
    for key, value in side.items():
        if key not in other and isinstance(value, Quantity):
            found[label(key), value.unit.kinds] = key
    return found


def _other_unit(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """New keys of quantities that were there in another unit of the same kind: `peak_gib` for what was `peak_gb`."""
    gone = _quantities_only_in(was, now)
    came = _quantities_only_in(now, was)
    return {key: gone[said] for said, key in came.items() if said in gone}


def _entry(at: At, key: str, inner: Any, whole: bool = False) -> At:
    """Where an entry of a map stands. A record in one is called by its kind too, but where it is told as a whole."""
    said = label(key)
    if isinstance(inner, Record):
        kind = "" if whole else f"{singular(at.path[-1])} "
        said = f"{kind}{getattr(inner, 'title', None) or key}"
    return at.below(key, key, title=said)


def _holds_records(*maps: Any) -> bool:
    values = [value for each in maps if isinstance(each, Mapping) for value in each.values()]
    return any(isinstance(value, Record) for value in values)


def _written(at: At, value: Any, holder: Any) -> Place:
    """Where a value is written: that of its record for one without a place; nowhere for one that is not written."""
    own = fields(holder) if isinstance(holder, Record) else []
    absent = at.path[-1] in own and at.path[-1] not in holder.model_fields_set
    return first_place(value) if absent else first_place(value, holder)
