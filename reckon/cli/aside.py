"""What can be worked out beside a command is, by a process of its own, where the machine has a processor for it.

`add` needs the ledger worked out twice, as it is and as it would be, and neither waits for the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from marshal import dumps, loads
from typing import Any, NoReturn


@contextmanager
def aside(make: Callable[[], Any]) -> Iterator[Callable[[], Any]]:
    """Begins to make something, and gives what waits for it: None where it could not be made, or not aside.

    It has to consist of texts, numbers, tuples, dictionaries and sets.
    """
    if not _room():
        yield lambda: None
        return
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        _answer(make, sink)
    os.close(sink)
    with open(source, "rb") as answer:
        try:
            yield lambda: loads(found) if (found := answer.read()) else None
        finally:
            _end(child)


def _room() -> bool:
    """Whether a copy of this process can run beside it: on Linux, which copies safely what has a single thread."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1


def _answer(make: Callable[[], Any], sink: int) -> NoReturn:
    """What the copy does: it answers, or ends without a word. Nothing is written that the command has not written."""
    try:
        with open(sink, "wb") as pipe:
            pipe.write(dumps(make()))
    finally:
        os._exit(0)


def _end(child: int) -> None:
    """Ends the copy, whose answer is there or is not wanted any more."""
    if os.waitpid(child, os.WNOHANG)[0]:
        return
    os.kill(child, 9)
    os.waitpid(child, 0)
