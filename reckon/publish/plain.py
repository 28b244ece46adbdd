"""Plain files below a root, for copying: nothing is found that leads out of it, and nothing is read but files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from reckon.model.links import astray, is_hidden

from .files import HOME, Blocked

MOST_FOUND = 100_000
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def guide(root: Path) -> list[str]:
    """The pages under docs/guide/, which people write: their paths below docs/, in order. Links are left out.

    Raises Blocked where the folder itself leads out of the root.
    """
    docs = root / HOME
    if why := astray(root, docs / "guide"):
        raise Blocked(f"{HOME}/guide {why}; put the folder itself there")
    found = (Path(folder, name) for folder, _, names in os.walk(docs / "guide") for name in names)
    pages = (path.relative_to(docs) for path in found if path.suffix == ".md" and not path.is_symlink())
    return sorted(_sayable(path.as_posix()) for path in pages if not is_hidden(path))


def below(root: Path, folder: str, most: int = MOST_FOUND) -> Iterator[str]:
    """The files of a folder and of those in it: their paths below the root, in order, without hidden ones.

    A link inside the root stands for what it leads to. Raises Blocked, with the path, for one that leads elsewhere, and
    for what is neither file nor folder.
    """
    found = 0
    waiting: list[tuple[str, tuple[Path, ...]]] = [(folder, ())] if os.path.lexists(root / folder) else []
    while waiting:
        name, above = waiting.pop()
        path = root / name
        if why := astray(root, path):
            raise Blocked(f"{name} {why}; put the file itself there")
        found += 1
        if found > most:
            raise Blocked(f"{folder} holds more than {most:,} files; keep them elsewhere")
        if path.is_file():
            yield name
        elif not path.is_dir():
            raise Blocked(_odd(name, path))
        elif (real := path.resolve()) in above:
            raise Blocked(f"{name} leads into itself; put the folder itself there")
        else:
            names = sorted((_sayable(one) for one in os.listdir(path) if not one.startswith(".")), reverse=True)
            waiting += [(f"{name}/{one}", (*above, real)) for one in names]


def _sayable(name: str) -> str:
    """A name, if it can be written into a page. Raises Blocked."""
    if not name.isprintable():
        raise Blocked(f"`{name.encode('utf-8', 'replace').decode()}` is no name that a page can hold; rename the file")
    return name


def _odd(name: str, path: Path) -> str:
    if path.is_symlink():
        return f"{name} leads nowhere; put the file itself there"
    return f"{name} is no plain file; move it elsewhere"


def read(root: Path, name: str, take: Callable[[BinaryIO], None]) -> None:
    """Hands a file below the root to `take`, opened. Raises Blocked where it is none, or leads out of the root."""
    path = root / name
    if why := astray(root, path):
        raise Blocked(f"{name} {why}; put the file itself there")
    try:
        handle = os.open(path.resolve(), _OPEN)
    except OSError as error:
        raise Blocked(f"{name} cannot be read: {error.strerror}") from None
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Blocked(_odd(name, path))
        take(file)


def text(root: Path, name: str) -> str:
    """The text of a file below the root. Raises Blocked."""
    found: list[bytes] = []
    read(root, name, lambda file: found.append(file.read()))
    try:
        return found[0].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Blocked(f"{name} is not UTF-8 (byte {error.start + 1}); save it as UTF-8") from None
