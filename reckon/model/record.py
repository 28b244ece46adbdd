"""What a record is: a frozen class whose fields are its annotations, each read as the marks on its type say (`fields`).

Optional fields, lists (tuples), maps and records are put together of marked types. What is read here is right as a
whole; the first thing that is not ends it, and `load/refusing` then says all that is wrong. The fields of a kind of
record are looked up when it is first read, not on import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self, Union, cast
from typing import get_args as parts_of
from typing import get_origin as made_of
from typing import get_type_hints as hints_of

from reckon.language.text import NOWHERE, Place, place_of

from .fields import About, Field, FieldInfo, ReadBy, Then, unmarked
from .finding import Problem, nearest
from .scalars import wrong

OF_NODES = ("nodes", "node_hours", "gpus_per_node")
BY_NODES = "`gpus` are those of all nodes: write `gpus: 8` for two nodes of four"
"""What a record that counts GPUs says of keys that count nodes."""


class Kind(type):
    """A kind of record. What its fields are set to in the class are their defaults, and no attributes of it."""

    given: Mapping[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Kind:
        """The class, its defaults taken aside."""
        own = [field for field, text in space.get("__annotations__", {}).items() if not text.startswith("ClassVar")]
        given = {field: space.pop(field) for field in own if field in space}
        made = super().__new__(cls, name, bases, {"__slots__": (), **space})
        made.given = given
        return made

    @property
    def model_fields(cls) -> Mapping[str, FieldInfo]:
        """Its fields by name, those of the classes that it extends first."""
        return _fields(cls)


@cache
def _fields(kind: Kind) -> Mapping[str, FieldInfo]:
    given: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        given |= base.given if isinstance(base, Kind) else {}
    found = {}
    for name, hint in hints_of(kind, include_extras=True).items():
        if made_of(hint) is not ClassVar:
            said = given.get(name, ...)
            info = said if isinstance(said, FieldInfo) else FieldInfo(said)
            found[name] = info.of_type(hint)
    return found


class Record(metaclass=Kind):
    """An entry of a ledger. `free` names the field that takes the keys which no other field takes.

    `checked` names, by field, the method that looks at it once all are read. Two records are alike if all their fields
    are, their places too.
    """

    __slots__ = ("__dict__", "model_fields_set")
    free: ClassVar[str] = ""
    checked: ClassVar[Mapping[str, str]] = {}
    if TYPE_CHECKING:  # else it would be a field
        model_fields_set: set[str]

    place: Place = Field(NOWHERE)

    @classmethod
    def sort_keys(cls, raw: Mapping[str, Any], unknown: list[Problem] | None) -> dict[str, Any]:
        """Moves free keys to their field; adds problems about unknown ones to a list."""
        own, closed = _keys(cls), ("place", cls.free)
        spare = dict.fromkeys(key for key in raw if key not in own or key in closed)  # looked up for each key
        known = {key: value for key, value in raw.items() if key not in spare} if spare else dict(raw)
        known["place"] = place_of(raw)
        if cls.free:
            known[cls.free] = {key: raw[key] for key in spare}
        elif spare and unknown is not None:
            fields = [name for name in own if name not in closed]
            for key in spare:
                hint = BY_NODES if key in OF_NODES and "gpus" in own else nearest(key, fields)
                right = hint or "`budget guide reference` has them"
                unknown.append(Problem(place_of(key), f"unknown key `{key[:60]}`", right))
        return known

    @classmethod
    def of_read(cls, fields: dict[str, Any], said: set[str]) -> Self:
        """The record of all its fields, each of which was read as its type says.

        `said` are those that were written. Neither may be changed after this.
        """
        record = cls.__new__(cls)
        object.__setattr__(record, "__dict__", fields)
        object.__setattr__(record, "model_fields_set", said)
        return record

    @classmethod
    def model_validate(cls, raw: Any, unknown: list[Problem] | None = None) -> Self:
        """The record in a map. Problems about unknown keys are added to a list; raises Wrong for anything else."""
        return cast(Self, _read(cls, raw, unknown))

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """The record of fields that were read already; the others are as if they were not written."""
        fields = {name: values[name] if name in values else info.get_default()
                  for name, info in cls.model_fields.items() if name in values or not info.is_required()}  # fmt: skip
        return cls.of_read(fields, set(values) & set(fields))

    def model_copy(self, update: Mapping[str, Any] | None = None) -> Self:
        """The same record with some fields changed."""
        changed = update or {}
        return self.of_read({**self.__dict__, **changed}, {*self.model_fields_set, *changed})

    def whole(self) -> None:
        """Refuses what only all fields together show."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return bool(self.__dict__ == other.__dict__)

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


@cache
def _keys(kind: Kind) -> Mapping[str, None]:
    """The keys of a record as they are written: a field whose name would be a word of Python has another one there."""
    return dict.fromkeys(field.alias or name for name, field in kind.model_fields.items())


class _Step(NamedTuple):
    """A field that is read: its name, its reader, and whether records are in it: then that takes a list for problems
    about unknown keys too."""

    name: str
    read: Callable[..., Any]
    holds: bool


class _Plan(NamedTuple):
    """How a kind of record is read: its fields by how they are written, those that are made anew for each record, what
    stands for all others where they are not written, those that have to be, and what looks at fields afterwards."""

    steps: Mapping[str, _Step]
    fresh: tuple[tuple[str, Callable[[], Any]], ...]
    silent: Mapping[str, Any]
    needed: frozenset[str]
    checks: tuple[tuple[str, Callable[..., Any]], ...]
    keys: frozenset[str]


@cache
def _plan(kind: type[Record]) -> _Plan:
    fields = kind.model_fields
    own = {name: info for name, info in fields.items() if name != "place"}
    return _Plan(
        {info.alias or name: _step(name, info) for name, info in own.items()},
        tuple((name, info.default_factory) for name, info in own.items() if info.default_factory),
        {name: None if info.is_required() or info.default_factory else info.default for name, info in fields.items()},
        frozenset(name for name, info in own.items() if info.is_required()),
        tuple((name, getattr(kind, kind.checked[name])) for name in own if name in kind.checked),
        frozenset(info.alias or name for name, info in own.items() if name != kind.free),
    )


def _read(kind: type[Record], raw: Any, unknown: list[Problem] | None) -> Record:
    if isinstance(raw, kind):
        return raw
    if not isinstance(raw, dict):
        raise wrong([])
    steps, fresh, silent, needed, checks, keys = _plan(kind)
    fields, said = {**silent, "place": place_of(raw)}, {"place"}
    for name, make in fresh:
        fields[name] = make()
    if kind.free or not raw.keys() <= keys:
        raw = kind.sort_keys(raw, unknown)
        del raw["place"]
    for key, value in raw.items():
        name, read, holds = steps[key]
        fields[name] = read(value, unknown) if holds else read(value)
        said.add(name)
    if not needed <= said:
        raise wrong([])
    for name, look in checks:
        if name in said:
            fields[name] = look(fields[name], About(name, fields))
    record = kind.of_read(fields, said)
    record.whole()
    return record


def _step(name: str, info: FieldInfo) -> _Step:
    hint = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
    return _Step(name, *_reader(hint, name))


def _reader(hint: Any, name: str) -> tuple[Callable[..., Any], bool]:
    """What reads a type, and whether records are in it."""
    hint, marks = unmarked(hint)
    own = next((mark for mark in marks if isinstance(mark, ReadBy)), None)
    if own is not None:
        read, holds = (partial(_informed, own.func, About(name)) if own.informed else own.func), False
    else:
        read, holds = _composed(hint, name)
    for mark in marks:
        if isinstance(mark, Then):
            read = partial(_followed, read, mark.func)
    return read, holds


def _composed(hint: Any, name: str) -> tuple[Callable[..., Any], bool]:
    """What reads a type that is made of others: a record, something that may be empty, a list, a map."""
    parts, origin = parts_of(hint), made_of(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return partial(_read, hint), True
    if origin in (Union, UnionType) and len(parts) == 2 and NoneType in parts:
        read, holds = _reader(parts[0], name)
        return partial(_optional, read), holds
    if origin is tuple:
        read, holds = _reader(parts[0], name)
        return partial(_list, read), holds
    if origin is dict:
        (key, _), (read, holds) = _reader(parts[0], name), _reader(parts[1], name)
        return partial(_map, key, read), holds
    raise TypeError(f"nothing says how the field {name} is read")


def _informed(read: Callable[[Any, About], Any], about: About, raw: Any) -> Any:
    return read(raw, about)


def _followed(read: Callable[..., Any], then: Callable[[Any], Any], *raw: Any) -> Any:
    return then(read(*raw))


def _optional(read: Callable[..., Any], raw: Any, *more: Any) -> Any:
    return None if raw is None else read(raw, *more)


def _list(read: Callable[..., Any], raw: Any, *more: Any) -> Any:
    if not isinstance(raw, list | tuple):
        raise wrong([])
    return tuple([read(part, *more) for part in raw])


def _map(key: Callable[[Any], Any], read: Callable[..., Any], raw: Any, *more: Any) -> Any:
    if not isinstance(raw, dict):
        raise wrong([])
    return {key(name): read(part, *more) for name, part in raw.items()}
