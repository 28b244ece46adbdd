"""Files of a ledger that several people add to at once: one writer at a time, and each file whole or as it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .files import Blocked, rough_copy

LOCK = ".add.lock"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Waits until nobody else adds to this folder, and keeps others waiting until the block ends.

    The system lets go of the lock of a process that is killed; the file it leaves behind means nothing.
    """
    path = folder / LOCK
    handle = _held(path)
    try:
        yield
    finally:
        try:
            if sys.platform != "win32":  # there a file that is open cannot be removed
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _held(path: Path) -> int:
    """A handle on the lock file that holds the lock."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            _lock(handle)
            # Whoever held it before may have removed the file meanwhile: then this is a lock on nothing.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(path)):
                    return handle
        except OSError as error:
            os.close(handle)
            right = "add the line by hand, or work on a copy on another disk"
            raise Blocked(f"{path.name} cannot be locked ({error.strerror}): {right}; nothing was written") from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt
        import time

        while True:
            with suppress(OSError):
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
                return
            time.sleep(0.05)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)


def current(path: Path) -> str:
    """The text of a file with its line ends as they are; empty where there is none."""
    return path.read_bytes().decode("utf-8") if path.exists() else ""


def replace_whole(texts: Mapping[Path, tuple[str, str]]) -> None:
    """Writes files whole, each from one text to another. Raises Blocked, before any change, where one differs.

    All are prepared before the first is moved into place.
    """
    prepared: list[tuple[Path, Path]] = []
    try:
        for path, (_, text) in texts.items():
            target = path.resolve()  # a link inside the tree stays one
            target.parent.mkdir(parents=True, exist_ok=True)
            prepared.append((rough_copy(target, text), target))
        for path, (was, _) in texts.items():
            if current(path) != was:
                raise Blocked(f"{path.name} was changed by someone else just now; nothing was written, try again")
        for rough, target in prepared:
            os.replace(rough, target)
    finally:
        for rough, _ in prepared:
            rough.unlink(missing_ok=True)
