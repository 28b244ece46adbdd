"""What takes long to make and most commands need few of, made when it is first used: methods of records,
regular expressions.

A start of the program comes by hundreds of both. Type checkers see what the standard library has.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["Regex", "dataclass", "regex"]


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


def _dataclass(*, frozen: bool = False, order: bool = False, eq: bool = True, repr: bool = True, **more: Any) -> Any:
    """As `dataclasses.dataclass`, which compiles six methods for each class; here a frozen one begins with none."""
    if not frozen or order or not eq or not repr:
        return dataclasses.dataclass(frozen=frozen, order=order, eq=eq, repr=repr, **more)
    return lambda kind: _lean(kind, more)


def _lean(kind: type, more: dict[str, Any]) -> type:
    """The class with its fields, and methods that are the same for all such classes or made when they are needed."""
    own = vars(kind)
    hashed = own.get("__hash__") is not None and "__hash__" in own
    below = any(hasattr(base, "__dataclass_params__") for base in kind.__mro__[1:])  # then it has to be said at once
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=below, **more)(kind)
    params = made.__dataclass_params__
    params.init = params.repr = params.eq = params.frozen = True
    fields = dataclasses.fields(made)
    names = [field.name for field in fields]
    values = _values([field.name for field in fields if field.compare])
    shown = [field.name for field in fields if field.repr]

    def __init__(self: Any, *words: Any, **named: Any) -> None:
        made.__init__ = _init(made, fields, more)
        made.__init__(self, *words, **named)

    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    for method in (__init__, __repr__, __eq__, __setattr__, __delattr__):
        if method.__name__ not in own:
            setattr(made, method.__name__, method)
    if not hashed:
        made.__hash__ = __hash__
    return made  # type: ignore[no-any-return]


def _values(names: list[str]) -> Any:
    """What gives the values of some attributes, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda thing: (getattr(thing, names[0]),)) if names else lambda thing: ()


def _init(made: Any, fields: tuple[dataclasses.Field[Any], ...], more: dict[str, Any]) -> Any:
    """The `__init__` that the standard library makes for such fields: that of another class with the same ones."""
    space: dict[str, Any] = {"__annotations__": {field.name: "Any" for field in fields}, "__module__": __name__}
    if hasattr(made, "__post_init__"):
        space["__post_init__"] = made.__post_init__
    for field in fields:
        space[field.name] = _again(field)
    alike = dataclasses.dataclass(frozen=True, repr=False, eq=False, slots=more.get("slots", False))
    return vars(alike(type(made.__name__, (), space)))["__init__"]


def _again(field: dataclasses.Field[Any]) -> Any:
    said: dict[str, Any] = {"init": field.init, "kw_only": field.kw_only}
    for name in ("default", "default_factory"):
        if getattr(field, name) is not dataclasses.MISSING:
            said[name] = getattr(field, name)
    return dataclasses.field(**said)


if TYPE_CHECKING:
    from dataclasses import dataclass
    from re import compile as regex
else:
    dataclass, regex = _dataclass, Regex
