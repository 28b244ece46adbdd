"""Files of a ledger that several people add to at once: one writer at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reckon.model.links import inside

from .files import Blocked

LOCK = ".add.lock"


@contextmanager
def alone(root: Path, home: str) -> Iterator[None]:
    """Waits until nobody else writes in this folder of a tree, and keeps others waiting until the block ends.

    The system lets go of the lock of a process that is killed; the file it leaves behind means nothing. Raises Blocked
    where a link stands in its place, or leads out of the root above it.
    """
    path = Path(root, home, LOCK)
    if not inside(root, path.parent):
        right = "put the folder itself there; nothing was written"
        raise Blocked(f"{home} leads out of the root by a link: {right}")
    handle = _held(path, f"{home}/{LOCK}".lstrip("/"))
    try:
        yield
    finally:
        try:
            if sys.platform != "win32":  # there a file that is open cannot be removed
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def projects(root: Path) -> list[str]:
    """The names of the folders under ledger/. Links are not followed."""
    ledger = root / "ledger"
    if not ledger.is_dir() or ledger.is_symlink():
        return []
    return sorted(path.name for path in ledger.iterdir() if path.is_dir() and not path.is_symlink())


def _held(path: Path, name: str) -> int:
    """A handle on the lock file that holds the lock."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        if path.is_symlink():  # where the system has no O_NOFOLLOW, and to say it plainly where it has
            raise Blocked(f"{name} is a link, and links are not followed: remove it; nothing was written")
        handle = os.open(path, flags, 0o666)
        try:
            _lock(handle)
            # Whoever held it before may have removed the file meanwhile: then this is a lock on nothing.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.lstat(path)):
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


def current(path: Path) -> str | None:
    """The text of a file of UTF-8 with its line ends as they are; None where there is none."""
    return path.read_bytes().decode("utf-8") if path.exists() else None
