"""How large a file may be, by what it is, in bytes: the one list of it. A file may be a stranger's, and is read no
further. What is handed to a reader of its own, a line or a page at a time, is bounded there: archives of imports."""

from __future__ import annotations

import errno
from pathlib import Path

MIB = 1024 * 1024
TEMPLATE = DOCUMENT = MIB
EVENT = 2 * MIB  # of a forge
SETTINGS = 4 * MIB
PAGE = MEASUREMENTS = 16 * MIB  # a picture is a page too
LEDGER = TABLE = SNAPSHOT = 64 * MIB
WRITE_PLAN = 128 * MIB
EXPORT = 256 * MIB


def read_start(path: Path, most: int) -> bytes:
    """What a file holds, as far as one byte behind `most`: by the length it is told that it is too large."""
    with path.open("rb") as file:
        return file.read(most + 1)


def read_bounded(path: Path, most: int) -> bytes:
    """What a file holds. Raises OSError where that is more than `most` bytes."""
    raw = read_start(path, most)
    if len(raw) > most:
        raise OSError(errno.EFBIG, f"the file is larger than {most // MIB} MiB; remove it, or replace it", str(path))
    return raw
