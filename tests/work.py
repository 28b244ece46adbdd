"""How much work something takes, counted in lines of Python that run: the same number on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar
from unittest.mock import patch

from reckon.language.text import Text

MOST_WORK = 20_000_000
Result = TypeVar("Result")


class TooMuchWork(AssertionError):
    """What grows beyond all measure fails by this, and does not hang."""


def compared(text: Text, other: object) -> bool:
    """A search through a list runs no line of Python; where texts of a ledger are compared by this, it does."""
    return str.__eq__(text, other)


def counted(of: Callable[[], Result]) -> tuple[int, Result]:
    """The lines that run while something is done, each turn of a loop anew; and what it gives. Raises TooMuchWork."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        if count > MOST_WORK:
            raise TooMuchWork(f"more than {MOST_WORK:,} lines ran")
        return trace

    before = sys.gettrace()
    with patch.object(Text, "__eq__", compared):
        sys.settrace(trace)
        try:
            result = of()
        finally:
            sys.settrace(before)
    return count, result


def work(of: Callable[[], object]) -> int:
    """The lines that run while something is done. Raises TooMuchWork."""
    return counted(of)[0]


def growth(of: Callable[[int], Callable[[], object]], size: int) -> float:
    """By how much the work grows where the size doubles: 2 is linear, 4 is quadratic. Raises TooMuchWork.

    `of` prepares what is to be done at a size. It is done at another one before, for what is only made on first use.
    """
    work(of(size // 2))
    small, large = work(of(size)), work(of(2 * size))
    return large / small
