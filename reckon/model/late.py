"""Figures that are worked out when somebody looks at them, because most commands do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reckon.language.lean import fields

from .figure import Figure


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
