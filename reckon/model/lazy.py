"""What is worked out when somebody looks at it, because most commands do not: figures, findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache, cached_property, partial
from typing import Any, TypeVar

from .figure import Figure

Key = TypeVar("Key")
Held = TypeVar("Held")


class LateMapping(Mapping[Key, Held]):
    """A mapping that is made when it is first looked at."""

    def __init__(self, make: Callable[[], Mapping[Key, Held]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[Key, Held]:
        return self._make()

    def __getitem__(self, key: Key) -> Held:
        return self._made[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class LateValues(Mapping[Key, Held]):
    """A mapping of which the keys are known; each value is made when it is first looked at."""

    def __init__(self, keys: Iterable[Key], make: Callable[[Key], Held]) -> None:
        self._made = {key: cache(partial(make, key)) for key in keys}

    def __getitem__(self, key: Key) -> Held:
        return self._made[key]()

    def __iter__(self) -> Iterator[Key]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class LateFigure(Figure):
    """A figure that knows some of its fields and what makes the others, which runs once: when one of these is asked.

    Nobody can tell it from one that was made at once, as long as what it is made of does not change.
    """

    __slots__ = ("_make",)
    _make: Callable[[], Figure]

    @classmethod
    def of(cls, make: Callable[[], Figure], **known: Any) -> LateFigure:
        """A figure of which these fields are known; the others are those of the figure that is then made."""
        found = object.__new__(cls)
        for name, value in {"_make": make, **known}.items():
            object.__setattr__(found, name, value)
        return found

    def __getattr__(self, name: str) -> Any:
        # Python asks here only for what an object does not have yet.
        if name not in Figure.__slots__:
            raise AttributeError(name)
        made = self._make()
        for field in fields(Figure):
            object.__setattr__(self, field.name, getattr(made, field.name))
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Figure):
            return NotImplemented
        return all(getattr(self, field.name) == getattr(other, field.name) for field in fields(Figure))

    __hash__ = Figure.__hash__
