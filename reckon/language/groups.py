"""Values in groups, by what each of them says."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Value = TypeVar("Value")
Key = TypeVar("Key", bound=Hashable)


def group_by(values: Iterable[Value], key: Callable[[Value], Key]) -> dict[Key, list[Value]]:
    """Values by their keys, in the order in which they come."""
    found: dict[Key, list[Value]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return found
