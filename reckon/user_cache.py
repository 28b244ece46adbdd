"""What is kept in the cache of the user, who alone may read and write there: texts by keys that name all they hang on.

It is never in a tree, which may come from a stranger. What was kept is given back whole and as it was, or not at all.
Nothing heavy is imported here: `entry`, where every command begins, reads its answers so.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` takes longer to import than all that happens here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from hashlib import _Hash as Hash

HEAD = b"budget-ledger answer 1\n"
LONGEST = 1024 * 1024  # bytes of what is kept by one key
MOST_BYTES = 256 * 1024 * 1024  # of what goes into a key
MOST_STEPS = 2_000  # steps between releases in the cache
MOST_DRAWINGS, MOST_TEMPLATES = 300, 8  # pictures in the cache, and sets of compiled templates


class Unkept(Exception):
    """Why nothing can be kept, or given again."""


def sha256(data: bytes = b"") -> Hash:
    """As `hashlib.sha256`, which brings a library of its own: it is loaded once something has a digest."""
    from hashlib import sha256 as made

    return made(data)


def cache(*below: str) -> str:
    """The folder of what is kept, or one in it, made where it is not there. Raises Unkept where others may write."""
    above = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/.cache")
    if not os.path.isabs(above):
        raise Unkept("nowhere to keep answers")
    folder = above
    for name in ("budget-ledger", *below):
        folder = os.path.join(folder, name)
        os.makedirs(folder, 0o700, exist_ok=True)
        found = os.lstat(folder)
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077):
            raise Unkept("others may write to the cache")
    return folder


def content(path: str) -> bytes:
    """What a file has in it. Raises OSError, and Unkept where that is too much for a key."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(number).st_size + 1
        if size > MOST_BYTES:
            raise Unkept("too large a file")
        data = os.read(number, size)  # a third faster than a file object, over hundreds of files
        while more := os.read(number, size):
            data += more
        return data
    finally:
        os.close(number)


def read_cached(path: str) -> bytes | None:
    """What was kept in a file; None where there is none, or not what was kept. Raises OSError."""
    try:
        whole = content(path)
    except FileNotFoundError:
        return None
    digest, _, body = whole.removeprefix(HEAD).partition(b"\n")
    return body if whole.startswith(HEAD) and sha256(body).hexdigest().encode() == digest else None


def keep(path: str, body: bytes, most: int) -> None:
    """Keeps a text in a file, whole or not at all, and no more files beside it than so many: the oldest go.

    One that is too long is not kept. Raises OSError.
    """
    if len(body) > LONGEST:
        return
    folder = os.path.dirname(path)
    new = f"{path}.{os.getpid()}"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(HEAD + sha256(body).hexdigest().encode() + b"\n" + body)
    os.replace(new, path)
    if len(os.listdir(folder)) > most:
        files = [entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
        there = sorted(files, key=lambda entry: entry.stat().st_mtime_ns)
        for entry in there[:-most]:
            os.remove(entry.path)


class Store:
    """Bytes by all that they hang on, in a folder of the cache that has its `name`, and `most` files at most.

    `key` is what all that is in it hangs on.
    """

    def __init__(self, name: str, most: int, *key: str) -> None:
        self._name = name
        self._most = most
        self._key = key

    def get(self, *key: str) -> bytes | None:
        """What was kept by a key; None where nothing was, or nothing can be."""
        try:
            return read_cached(self._path(key))
        except (Unkept, OSError):
            return None

    def put(self, body: bytes, *key: str) -> None:
        """Keeps something by a key, where that can be."""
        try:
            path = self._path(key)
            keep(path, body, self._most)
        except (Unkept, OSError):
            pass

    def _path(self, key: Sequence[str]) -> str:
        name = sha256()
        for text in (*self._key, *key):
            name.update(sha256(text.encode("utf-8", "surrogatepass")).digest())
        return os.path.join(cache(self._name), name.hexdigest())


class Aids:
    """What a command has that is a process of its own: what was kept of `steps` between releases, of `drawings` and
    of `templates`, each where it may be used; and it may begin processes beside itself."""

    def __init__(
        self,
        steps: Store | None = None,
        drawings: Store | None = None,
        templates: Store | None = None,
    ):
        self.steps = steps
        self.drawings = drawings
        self.templates = templates
