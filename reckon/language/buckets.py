"""Things gathered by what several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing")
Shared = TypeVar("Shared")


def group_by(things: Iterable[Thing], by: Callable[[Thing], Shared]) -> dict[Shared, list[Thing]]:
    """Things by what `by` says of each, in the order in which that first comes."""
    found: dict[Shared, list[Thing]] = {}
    for thing in things:
        found.setdefault(by(thing), []).append(thing)
    return found
