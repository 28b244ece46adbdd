"""Counts and lists as they stand in sentences."""

from __future__ import annotations

from collections.abc import Iterable


def plural(number: int, word: str) -> str:
    """So many of something: `1 run`, `1,200 runs`. For words that only take an s."""
    return f"{number:,} {word}{'s' if number != 1 else ''}"


def some_of(names: Iterable[str], most: int) -> str:
    """The first of some names: `a, b, …`."""
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")
