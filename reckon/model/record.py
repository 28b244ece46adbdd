"""What a record is: a frozen pydantic model that is read from a map of a ledger file, and knows its place there.

The types of its fields say how each is read (`values`). The error that pydantic raises has all that is wrong with a
record; `load/validate` tells it with places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator
from pydantic.fields import FieldInfo

from reckon.language.text import NOWHERE, Place, place_of
from reckon.language.units import CURRENCIES, DOLLAR, OTHERS

from .fields import ReadBy
from .finding import Problem, nearest

OF_NODES = ("nodes", "node_hours", "gpus_per_node")
BY_NODES = "`gpus` counts all nodes: write `gpus: 8` for two nodes of four"
"""What a record that counts GPUs says of keys that count nodes."""


class Record(BaseModel):
    """An entry of a ledger. `free` names the field that takes the keys which no other field takes; `derived` are
    fields that nobody writes.

    Two records are alike if all their fields are, their places too.
    """

    # Most commands read few kinds of records: how one is validated is worked out when it is first read.
    model_config = ConfigDict(frozen=True, defer_build=True)

    free: ClassVar[str] = ""
    derived: ClassVar[tuple[str, ...]] = ()
    place: Annotated[Place, ReadBy(place_of, {})] = NOWHERE

    def __init_subclass__(cls, by_currency: str = "") -> None:
        """`by_currency` names a field that is in one currency: the same in each other of `CURRENCIES` follows it, with
        that currency in its name and description."""
        super().__init_subclass__()
        hints = dict[str, Any]()
        for name, hint in cls.__annotations__.items():
            hints[name] = hint
            if name == by_currency:
                for other, field in _in_other_currencies(name, getattr(cls, name)):
                    hints[other] = hint
                    setattr(cls, other, field)
        cls.__annotations__ = hints

    @model_validator(mode="before")
    @classmethod
    def sort_keys(cls, raw: Any, info: ValidationInfo) -> Any:
        """What is written, by field: the map itself stands for `place`, which is read from it.

        A problem for each unknown key is added to the list that is the context of validation, where one is given.
        """
        if not isinstance(raw, Mapping):
            return raw
        keys = written_keys(cls)
        found: dict[str, Any] = {"place": raw}
        spare = {}
        for key, value in raw.items():
            if key in keys:
                found[key] = value
            else:
                spare[key] = value
        cls.fill_in(found, info)
        if cls.free:
            found[cls.free] = spare
        elif info.context is not None:
            info.context.extend(_unknown_key(key, keys) for key in spare)
        return found

    def list_stated(self, names: Iterable[str]) -> list[str]:
        """Those of some fields that it states."""
        return [name for name in names if getattr(self, name) is not None]

    @classmethod
    def fill_in(cls, found: dict[str, Any], info: ValidationInfo) -> None:
        """Adds to what is written, by field, what follows from it."""


def _in_other_currencies(name: str, field: FieldInfo) -> Iterator[tuple[str, FieldInfo]]:
    """A field that is in dollars, or of a rate in the currency after them, once more for each other one, by name."""
    code = OTHERS[0] if OTHERS[0] in name else DOLLAR
    said = CURRENCIES[code]
    for other in OTHERS:
        if other != code:
            one, many = CURRENCIES[other].one, CURRENCIES[other].many
            words = str(field.description).replace(said.one, one).replace(said.many, many)
            same = FieldInfo(default=field.default, default_factory=field.default_factory, description=words)
            yield name.replace(code, other), same


@cache
def written_keys(kind: type[Record]) -> Mapping[str, None]:
    """The keys of a kind of record in their order, as they are written: a field whose name is a word of Python has an
    alias there."""
    closed = ("place", kind.free, *kind.derived)
    return {info.alias or name: None for name, info in kind.model_fields.items() if name not in closed}


def _unknown_key(key: str, keys: Mapping[str, None]) -> Problem:
    counts_nodes = key in OF_NODES and "gpus" in keys
    hint = BY_NODES if counts_nodes else nearest(key, keys)
    return Problem(place_of(key), f"unknown key `{key[:60]}`", hint or "see `budget guide reference`")


def defaults(kind: type[Record]) -> dict[str, Any]:
    """What stands for each field that is not written; None for one that has to be."""
    found = {}
    for name, info in kind.model_fields.items():
        found[name] = None if info.is_required() else info.get_default(call_default_factory=True)
    return found


def texts_in(value: object) -> Iterator[str]:
    """Every text of a record, or of what holds records, in their order."""
    if isinstance(value, str):
        yield value
    if isinstance(value, Record | Mapping):
        value = tuple(dict(value).values())
    if isinstance(value, tuple | list):
        for part in value:
            yield from texts_in(part)
