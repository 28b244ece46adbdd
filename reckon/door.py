"""The door: a command whose answer is known already is answered here, before anything else is imported.

`check`, `status` and `render` depend on the files of a tree, on how they are called and on this program, and on nothing
else. All of that goes into a key, by its contents and never by times of files; where an answer with that key was kept,
it is given again, to the byte. All else goes to `reckon.cli`. Answers are kept in the cache of the user, who alone may
read and write there; never in the tree, which may come from a stranger.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from hashlib import sha256

from reckon.streams import prepare

TYPE_CHECKING = False  # `typing` takes longer to import than all that happens here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

OPTIONS = {
    "check": ("--format", "--fail-on", "--today"), "status": ("--format", "--set"), "render": (),
}  # fmt: skip
"""The commands whose answers are kept, each with the options that it may have; all of them take a value."""
TREE = ("ledger", "templates", "docs", "mkdocs.yml")
BESIDE = ("templates", "starter", "mkdocs.yml", "docs/assets", "docs/guide", "requirements.txt", "pyproject.toml")
"""What belongs to the program in a checkout, beside the package."""
MOST_FILES, MOST_BYTES = 20_000, 256 * 1024 * 1024  # of what goes into a key
MOST_KEPT, LONGEST = 100, 1024 * 1024  # answers in the cache, and bytes of one
PROGRAM = os.path.dirname(os.path.abspath(__file__))
HEAD = b"budget-ledger answer 1\n"
WHOLE = frozenset((0, 1, 2, 3))  # exit codes of commands that came to their end


class Unkept(Exception):
    """Why no answer can be kept for a command, or given again."""


def main() -> int:
    """Answers a command again where nothing changed since it was answered, or else runs it; gives the exit code."""
    prepare()
    words = sys.argv[1:]
    if "--no-cache" in words:
        return _run([word for word in words if word != "--no-cache"])
    try:
        root = asked(words)
        key = key_of(root, words)
        path = os.path.join(cache(), key)
        known = recall(path)
    except (Unkept, OSError):
        return _run(words)
    if known is not None:
        return _told(*known)
    return _heard(words, path, lambda: key_of(root, words) == key)


def _run(words: Sequence[str]) -> int:
    gc.set_threshold(100_000, 20, 20)  # a command makes a great many small objects, and hardly a cycle of them
    from reckon.cli import main as run

    return run(words)


def asked(words: Sequence[str]) -> str:
    """The root of the tree that a command is about. Raises Unkept where its answers are not kept."""
    if os.environ.get("CI"):
        raise Unkept("CI works things out anew")
    if sys.stdout is None or sys.stderr is None:
        raise Unkept("nobody listens")
    root, rest = "", list(words)
    while rest and rest[0].partition("=")[0] == "--root":
        root, rest = _value(rest)
    allowed = OPTIONS.get(rest.pop(0) if rest else "")
    if allowed is None:
        raise Unkept("not a command whose answers are kept")
    while rest:
        name = rest[0].partition("=")[0]
        if not name.startswith("-"):
            rest = rest[1:]
        elif name == "--root":
            root, rest = _value(rest)
        elif name in allowed:
            _, rest = _value(rest)
        else:
            raise Unkept("an option that may ask for more than the tree")
    return root or "."


def _value(words: list[str]) -> tuple[str, list[str]]:
    """The value of the option that stands first, and the words behind it."""
    _, sign, value = words[0].partition("=")
    if sign:
        return value, words[1:]
    if len(words) < 2:
        raise Unkept("an option without its value")
    return words[1], words[2:]


def key_of(root: str, words: Sequence[str]) -> str:
    """What an answer hangs on, as one digest: the tree, the call, the program, and all that is installed with it.

    Raises Unkept for a tree with links, with other things than files and folders, or larger than is worth it.
    """
    if not os.path.isdir(os.path.join(root, "ledger")):
        raise Unkept("there is no ledger")
    key = sha256()
    streams = [stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr)]
    call = [os.getcwd(), os.path.realpath(root), os.path.basename(sys.argv[0]), *words, repr(streams)]
    for text in (*call, sys.version, sys.platform, repr(sys.flags), *installed()):
        key.update(b"%d:" % len(data := os.fsencode(text)) + data)
    files = size = 0
    for top in (*program(), *(os.path.join(root, name) for name in TREE)):
        for path in contents(top):
            data = _bytes(path) if path[-1] != os.sep else b""
            files, size = files + 1, size + len(data)
            if files > MOST_FILES or size > MOST_BYTES:
                raise Unkept("too large a tree")
            name = os.fsencode(path)
            key.update(b"%d:%d:" % (len(name), len(data)))
            key.update(name)
            key.update(data)
    return key.hexdigest()


def program() -> list[str]:
    """What this program consists of: once installed, the list of its files with their digests; else the files."""
    beside = os.path.dirname(PROGRAM)
    if not os.path.exists(os.path.join(PROGRAM, "templates")):
        return [PROGRAM, *(os.path.join(beside, *name.split("/")) for name in BESIDE)]
    lists = [os.path.join(beside, name, "RECORD") for name in os.listdir(beside)
             if name.startswith("budget_ledger-") and name.endswith(".dist-info")]  # fmt: skip
    return lists if len(lists) == 1 and os.path.isfile(lists[0]) else [PROGRAM]


def installed() -> Iterator[str]:
    """The names of the packages that are installed, which end in their versions."""
    for folder in sys.path:
        try:
            yield from sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".pth")))
        except OSError:
            continue


def contents(top: str) -> Iterator[str]:
    """What lies at a path: files, and folders with a separator at their ends, in order. Bytecode is left out."""
    if os.path.islink(top):  # one that leads nowhere too
        raise Unkept(f"{top} is a link")
    try:
        below = sorted(os.scandir(top), key=lambda entry: entry.name)
    except NotADirectoryError:
        if not os.path.isfile(top):
            raise Unkept(f"{top} is not a plain file") from None
        yield top
        return
    except FileNotFoundError:
        yield f"{top}/none{os.sep}"
        return
    yield top + os.sep
    for entry in below:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from contents(entry.path)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path
        else:
            raise Unkept(f"{entry.path} is a link, or no file")


def _bytes(path: str) -> bytes:
    number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(number).st_size + 1
        data = os.read(number, size)  # a third faster than a file object, over hundreds of files
        while more := os.read(number, size):
            data += more
        return data
    finally:
        os.close(number)


def cache() -> str:
    """The folder of answers, made where it is not there. Raises Unkept where others may write to it."""
    above = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/.cache")
    if not os.path.isabs(above):
        raise Unkept("nowhere to keep answers")
    folder = os.path.join(above, "budget-ledger")
    os.makedirs(folder, 0o700, exist_ok=True)
    found = os.lstat(folder)
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077):
        raise Unkept("others may write to the cache")
    return folder


def recall(path: str) -> tuple[int, list[tuple[int, str]]] | None:
    """The exit code of a kept answer and what it said, in order: the number of a stream, a text. None without one."""
    try:
        whole = _bytes(path)
    except FileNotFoundError:
        return None
    digest, _, body = whole.removeprefix(HEAD).partition(b"\n")
    if not whole.startswith(HEAD) or sha256(body).hexdigest().encode() != digest:
        return None
    code, _, body = body.partition(b"\n")
    said = []
    while body:
        stream, _, rest = body.partition(b" ")
        size, _, rest = rest.partition(b"\n")
        said.append((int(stream), rest[: int(size)].decode("utf-8", "surrogatepass")))
        body = rest[int(size) :]
    return int(code), said


def keep(path: str, code: int, said: Sequence[tuple[int, str]]) -> None:
    """Keeps an answer, whole or not at all, and no more answers than there are to be: the oldest go."""
    body = b"%d\n" % code
    for stream, text in said:
        data = text.encode("utf-8", "surrogatepass")
        body += b"%d %d\n" % (stream, len(data)) + data
    if len(body) > LONGEST:
        return
    folder, new = os.path.dirname(path), f"{path}.{os.getpid()}"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(HEAD + sha256(body).hexdigest().encode() + b"\n" + body)
    os.replace(new, path)
    there = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime_ns)
    for entry in there[:-MOST_KEPT]:
        os.remove(entry.path)


def _told(code: int, said: Sequence[tuple[int, str]]) -> int:
    """Says again what was said, and gives its exit code."""
    try:
        for stream, text in said:
            to = sys.stdout if stream == 1 else sys.stderr
            to.write(text)
            to.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


class Ear(io.TextIOBase):
    """A stream that writes through, and notes what was written."""

    def __init__(self, stream: io.TextIOBase, number: int, said: list[tuple[int, str]]) -> None:
        super().__init__()
        self._stream, self._number, self._said = stream, number, said

    def write(self, text: str, /) -> int:
        """Writes a text through, and notes it."""
        self._said.append((self._number, text))
        return self._stream.write(text)

    def flush(self) -> None:
        """Flushes the stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The number of the stream's file."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """Always."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self._stream.encoding


def _heard(words: Sequence[str], path: str, unchanged: Callable[[], bool]) -> int:
    """Runs a command, and keeps its answer where the tree is still what it was when it began."""
    said: list[tuple[int, str]] = []
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Ear(stream, number, said) for number, stream in enumerate(streams, 1))  # type: ignore[arg-type]
    try:
        code = _run(words)
    finally:
        sys.stdout, sys.stderr = streams
    try:
        if code in WHOLE and unchanged():
            keep(path, code, said)
    except (Unkept, OSError):
        pass
    return code
