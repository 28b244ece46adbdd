"""What takes long to make and most commands need few of, made when it is first used: methods of records,
regular expressions, the module `dataclasses` itself.

A start of the program comes by hundreds of these. Type checkers see what the standard library has.
"""

from __future__ import annotations

import re
import sys
from collections import _tuplegetter, namedtuple  # type: ignore[attr-defined]
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from .filling import NONE, LeanField, init_of

__all__ = ["Late", "NamedTuple", "Regex", "dataclass", "field", "fields", "late", "regex", "replace", "unhurried"]


class Regex:
    """A regular expression that is compiled when it is first asked for anything."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._made = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(*self._made), name)  # re keeps what it compiled
        setattr(self, name, found)
        return found


class Late:
    """A module, or something in it, that is imported when it is first asked for anything, or called."""

    def __init__(self, module: str, name: str = "") -> None:
        self._named = module, name

    def _real(self) -> Any:
        module, name = self._named
        found = sys.modules.get(module) or import_module(module)  # which takes long to find what is there
        return getattr(found, name) if name else found

    def __call__(self, *words: Any, **named: Any) -> Any:
        """Calls what it stands for."""
        return self._real()(*words, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what a library asks of every object
            raise AttributeError(name)
        return getattr(self._real(), name)


@contextmanager
def unhurried() -> Iterator[None]:
    """While a library is imported here, its regular expressions are ours: compiled once they are used, if ever."""
    real, re.compile = re.compile, Regex  # type: ignore[assignment]
    try:
        yield
    finally:
        re.compile = real


def late(module: str, *names: str) -> Any:
    """A module that few commands need; or what of it is called by these names: one by itself, several as a tuple.

    It stands in the `else` of an `if TYPE_CHECKING` whose other branch imports it, for type checkers and contracts.
    """
    found = tuple(Late(module, name) for name in names or ("",))
    return found if len(found) > 1 else found[0]


def _field_of(value: Any, keyword: bool) -> LeanField:
    """The field for which a class says this: what `field` gives, ours or that of the standard library, or a default."""
    if isinstance(value, LeanField):
        value.kw_only = value.kw_only or keyword
        return value
    real = sys.modules.get("dataclasses")
    if real is not None and isinstance(value, real.Field):
        said = {name: getattr(value, name) for name in LeanField.__slots__ if name not in ("name", "type", "kw_only")}
        said = {name: part for name, part in said.items() if part is not real.MISSING}
        return LeanField(**said, kw_only=keyword or value.kw_only is True)
    if value is not NONE and type(value).__hash__ is None:
        raise ValueError("a default that changes would be shared: use default_factory")
    return LeanField(default=value, kw_only=keyword)


def _dataclass(**options: bool) -> Any:
    """As `dataclasses.dataclass`, which compiles six methods for each class; here one begins with none."""
    return lambda kind: _lean(kind, **options)


def _lean(
    kind: type, *, frozen: bool = False, slots: bool = False, kw_only: bool = False, eq: bool = True,
    repr: bool = True, order: bool = False,
) -> type:  # fmt: skip
    """The class with its fields, and methods that are the same for all such classes or made when they are needed."""
    own, ours = dict(vars(kind)), {}
    known: dict[str, LeanField] = {}
    for base in kind.__mro__[:0:-1]:
        known |= vars(base).get("__lean__", {})
    for name, text in own.get("__annotations__", {}).items():
        if "ClassVar" not in str(text):
            ours[name] = known[name] = found = _field_of(own.get(name, NONE), kw_only)
            found.name, found.type = name, text
            if found.default is not NONE and not slots:
                setattr(kind, name, found.default)
            elif name in own and not slots:
                delattr(kind, name)
    made: Any = _slotted(kind, own, ours, known) if slots else kind
    made.__lean__ = known
    made.__dataclass_fields__ = _Real(made, known, "__dataclass_fields__")
    made.__dataclass_params__ = _Real(made, known, "__dataclass_params__", frozen=frozen, eq=eq)
    if "__match_args__" not in own:
        setattr(made, "__match_args__", tuple(each.name for each in known.values() if each.init and not each.kw_only))  # noqa: B010 - mypy takes no assignment
    methods = _methods(made, known, frozen, own)
    for name in ("__init__", *(["__repr__"] if repr else []), *(["__eq__"] if eq else []),
                 *(["__setattr__", "__delattr__"] if frozen else []),
                 *(["__lt__", "__le__", "__gt__", "__ge__"] if order else [])):  # fmt: skip
        if name not in own:
            setattr(made, name, methods[name])
    if eq and own.get("__hash__") is None:
        made.__hash__ = methods["__hash__"] if frozen else None
    return made  # type: ignore[no-any-return]


def _slotted(kind: type, own: dict[str, Any], ours: Iterable[str], known: Iterable[str]) -> type:
    """The class again, with slots for its own fields: objects of it have no others."""
    there = {name for base in kind.__mro__[1:] for name in vars(base).get("__slots__", ())}
    space = {name: value for name, value in own.items() if name not in ours and name not in ("__dict__", "__weakref__")}
    space["__slots__"] = tuple(name for name in ours if name not in there)
    names = tuple(known)

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    space.setdefault("__getstate__", __getstate__)
    space.setdefault("__setstate__", __setstate__)
    made = type(kind)(kind.__name__, kind.__bases__, space)
    made.__qualname__ = kind.__qualname__
    return made


def _methods(made: Any, known: dict[str, LeanField], frozen: bool, own: dict[str, Any]) -> dict[str, Any]:
    """The methods that such a class has."""
    every = known.values()
    values, hashed = (_values([each.name for each in every if each.compare and kept(each)])
                      for kept in (lambda each: True, lambda each: each.hash))  # fmt: skip
    shown = [each.name for each in every if each.repr]

    def __init__(self: Any, *words: Any, **named: Any) -> None:
        made.__init__ = init_of(made, known)
        made.__init__(self, *words, **named)

    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def compared(name: str) -> Any:
        compare = getattr(tuple, name)
        return lambda self, other: (
            compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented
        )

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in known:
            raise _frozen(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is made or name in known:
            raise _frozen(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    def __hash__(self: Any) -> int:
        return hash(hashed(self))

    found = {method.__name__: method for method in (__init__, __repr__, __eq__, __setattr__, __delattr__, __hash__)}
    return found | {name: compared(name) for name in ("__lt__", "__le__", "__gt__", "__ge__")}


def _frozen(what: str) -> Exception:
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(what)


def _values(names: list[str]) -> Callable[[Any], Any]:
    """What gives the values of some attributes, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda thing: (getattr(thing, names[0]),)) if names else lambda thing: ()


class _Real:
    """What the standard library notes of a class, for who asks for it: `dataclasses` is imported then."""

    def __init__(self, made: type, known: dict[str, LeanField], name: str, **params: bool) -> None:
        self._made, self._known, self._name, self._params = made, known, name, params

    def __get__(self, thing: object, owner: type) -> Any:
        import dataclasses

        space: dict[str, Any] = {"__module__": __name__}
        space["__annotations__"] = {name: each.type for name, each in self._known.items()}
        for name, each in self._known.items():
            space[name] = dataclasses.field(**each.options())
        twin: Any = dataclasses.dataclass(**self._params)(type(self._made.__name__, (), space))
        found = getattr(twin, self._name)
        setattr(self._made, self._name, found)
        return found


def _replace(thing: Any, /, **changes: Any) -> Any:
    """As `dataclasses.replace`."""
    known = getattr(type(thing), "__lean__", None)
    if known is None:
        from dataclasses import replace as whole

        return whole(thing, **changes)
    for name, each in known.items():
        if each.init and name not in changes:
            changes[name] = getattr(thing, name)
        elif not each.init and name in changes:
            raise ValueError(f"field {name} is declared with init=False, it cannot be specified with replace()")
    return type(thing)(**changes)


def _fields(kind: Any) -> tuple[LeanField, ...]:
    """As `dataclasses.fields`, of a class or an object of it."""
    return tuple(kind.__lean__.values())


class Named(tuple[Any, ...]):
    """What tuples can do whose places have names. What makes one is compiled when the first of its class is made."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    _field_defaults: Mapping[str, Any] = {}

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **changes: Any) -> Self:
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        said = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(said)})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


class _Naming(type):
    """Makes the class of a body with annotated names: a plain one, of which this is not the type."""

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        fields = tuple(space.get("__annotations__", ()))
        defaults = {field: space[field] for field in fields if field in space}
        if tuple(defaults) != fields[len(fields) - len(defaults) :]:
            raise TypeError(f"{name}: a field without a default follows one with a default")

        def first(kind: Any, /, *words: Any, **named: Any) -> Any:
            made.__new__ = namedtuple(name, fields, defaults=defaults.values()).__new__
            return made.__new__(kind, *words, **named)

        places = {field: _tuplegetter(at, "") for at, field in enumerate(fields)}
        own = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
        made: Any = type(name, (Named,), {**space, **own, **places, "__new__": first})
        return made


if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
    from re import compile as regex
    from typing import NamedTuple
else:
    dataclass, field, fields, replace, regex = _dataclass, LeanField, _fields, _replace, Regex
    NamedTuple = type.__new__(_Naming, "NamedTuple", (), {})
