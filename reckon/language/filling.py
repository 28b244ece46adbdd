"""The fields of a class of `lean`, and how its objects get their values: `__init__`, made when the first object is.

A site of many projects makes objects by the million, so that few fields are put without a loop, and defaults that are
the same for all objects without asking for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

NONE: Any = object()
"""In place of a default that is not there."""


class LeanField:
    """A field of a class: what the standard library has in a `dataclasses.Field`."""

    __slots__ = ("compare", "default", "default_factory", "hash", "init", "kw_only", "name", "repr", "type")

    def __init__(
        self, *, default: Any = NONE, default_factory: Any = NONE, init: bool = True, repr: bool = True,
        hash: bool | None = None, compare: bool = True, kw_only: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.type = "", ""
        self.default, self.default_factory, self.init, self.repr = default, default_factory, init, repr
        self.hash, self.compare, self.kw_only = compare if hash is None else hash, compare, kw_only

    def options(self) -> dict[str, Any]:
        """What makes such a field again."""
        said = {name: getattr(self, name) for name in self.__slots__ if name not in ("name", "type")}
        return {name: value for name, value in said.items() if value is not NONE}


def init_of(made: Any, known: dict[str, LeanField]) -> Any:
    """The `__init__` of a class. It goes round what refuses changes, which begins once an object is there."""
    every = sorted((each for each in known.values() if each.init), key=lambda each: each.kw_only)
    many, most = len(every), sum(not each.kw_only for each in every)
    names = [each.name for each in every]
    unsaid = [each for each in known.values() if not each.init]
    later = [each for each in unsaid if (each.default, each.default_factory) != (NONE, NONE)]
    put, fill, post = _put(made, names), _put(made, [each.name for each in later]), hasattr(made, "__post_init__")
    ends = tuple(each.default for each in every)
    # Fields up to here are given, or made for each object; behind it each has one default for all objects.
    least = max((number for number, end in enumerate(ends, 1) if end is NONE), default=0)

    def __init__(self: Any, *words: Any, **named: Any) -> None:
        if named or len(words) != many or many != most:
            if not named and least <= len(words) < many == most:
                words += ends[len(words) :]
            else:
                words = _whole(made, every, most, words, named)
        put(self, words)
        if later:
            fill(self, [each.default if each.default is not NONE else each.default_factory() for each in later])
        if post:
            self.__post_init__()

    return __init__


def _whole(
    made: Any, every: Sequence[LeanField], most: int, words: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """The values of all fields, of which some are given in order, some by name, and some not. Raises TypeError."""
    if len(words) > most:
        raise TypeError(f"{made.__qualname__}.__init__() takes {most} arguments, {len(words)} were given")
    whole = *words, *[_word(made, each, named) for each in every[len(words) :]]
    if named:
        raise TypeError(f"{made.__qualname__}.__init__() got an unexpected argument {next(iter(named))!r}")
    return whole


def _word(made: Any, each: LeanField, named: dict[str, Any]) -> Any:
    """What a field is given by its name, or else its default."""
    if each.name in named:
        return named.pop(each.name)
    if each.default is not NONE:
        return each.default
    if each.default_factory is NONE:
        raise TypeError(f"{made.__qualname__}.__init__() missing 1 required positional argument: {each.name!r}")
    return each.default_factory()


def _put(made: Any, names: Sequence[str]) -> Callable[[Any, Sequence[Any]], object]:
    """What puts values into the fields of these names."""
    slots = [getattr(getattr(made, name, None), "__set__", None) for name in names]
    if not any(slots):
        return lambda thing, values: thing.__dict__.update(zip(names, values, strict=True))
    setters = [slot or partial(_set, name) for name, slot in zip(names, slots, strict=True)]
    if len(setters) == 1:
        (only,) = setters
        return lambda thing, values: only(thing, values[0])
    if len(setters) == 3:
        first, second, third = setters
        return lambda thing, values: (first(thing, values[0]), second(thing, values[1]), third(thing, values[2]))

    def into_slots(thing: Any, values: Iterable[Any]) -> None:
        for setter, value in zip(setters, values, strict=True):
            setter(thing, value)

    return into_slots


def _set(name: str, thing: Any, value: Any) -> None:
    object.__setattr__(thing, name, value)
