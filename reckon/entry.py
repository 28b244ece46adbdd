"""Where a command begins: one whose answer is known already is answered here, before anything else is imported.

`check`, `status` and `render` depend on the files of a tree, on how they are called and on this program, and on nothing
else. All of that goes into a key, by its contents and never by times of files; where an answer with that key was kept,
it is given again, to the byte. All else goes to `reckon.cli`, with what was kept for its pages.
"""

from __future__ import annotations

import gc
import os
import sys

from reckon.encoding import prepare, takes_colour, terminal_width
from reckon.user_cache import (
    MOST_BYTES,
    MOST_DRAWINGS,
    MOST_STEPS,
    MOST_TEMPLATES,
    Aids,
    Store,
    Unkept,
    cache,
    content,
    keep,
    read_cached,
    sha256,
)

TYPE_CHECKING = False  # `typing` takes longer to import than all that happens here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from hashlib import _Hash as Hash
    from typing import Any, TextIO

    Said = list[tuple[int, str]]
    """What a command says, in order: the number of a stream, and a text."""

OPTIONS = {
    "check": ("--format", "--fail-on", "--today"),
    "status": ("--format", "--set"),
    "render": (),
}
"""The commands whose answers are kept, each with the options that it may have and that take a value."""
FLAGS = ("--all",)
"""Those that take none."""
ANEW = "--no-cache"
COMPLETE = "__complete"
"""What the scripts of shells ask, before the words of a command line."""
MAKES_PAGES = frozenset(("render", "build", "serve"))
"""The commands that make pages, with what changed between releases."""
TREE = ("ledger", "templates", "docs", "mkdocs.yml", ".journal.json")
"""What is read of a tree, down to the journal of a change that was interrupted."""
BESIDE = ("templates", "starter", "mkdocs.yml", "docs/assets", "docs/guide", "requirements.txt", "pyproject.toml")
"""What belongs to the program in a checkout, beside the package."""
MOST_FILES = 20_000  # in a key
MOST_KEPT = 100  # answers in the cache
PROGRAM = os.path.dirname(os.path.abspath(__file__))
WHOLE = frozenset((0, 1, 2, 3))  # exit codes of commands that came to their end


def main() -> int:
    """Answers a command again where nothing changed since it was answered, or else runs it; gives the exit code."""
    prepare()
    if sys.argv[1:2] == [COMPLETE]:
        return _complete(sys.argv[2:])
    if "--" in sys.argv:  # behind it stands a command of somebody else
        return _run(sys.argv[1:], Aids())
    words = [word for word in sys.argv[1:] if word != ANEW]
    aids = Aids()
    anew = ANEW in sys.argv[1:]
    try:
        engine = digest() if _shows_pages(words) else ""
        aids = _aids(words, engine, anew)
        if anew:
            raise Unkept("recalculation requested")
        root = find_root(words)
        key = key_of(root, words, engine)
        path = os.path.join(cache(), key)
        known = recall(path)
    except (Unkept, OSError):
        return _run(words, aids)
    if known is not None:
        return _repeat_answer(*known)
    return _heard(words, path, lambda: key_of(root, words) == key, aids)


def _complete(words: Sequence[str]) -> int:
    """Writes what the last of some words can become, each in a line."""
    from reckon.completion import complete  # no other command needs it

    for word in complete(words, _calculate_silently):
        print(word)
    return 0


def _calculate_silently(root: str) -> None:
    """Calculates the ledger of a tree, and says nothing of it."""
    streams = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = sys.stderr = nowhere
        try:
            _run([f"--root={root}", "status"], Aids())
        finally:
            sys.stdout, sys.stderr = streams


def _run(words: Sequence[str], aids: Aids) -> int:
    gc.set_threshold(100_000, 20, 20)  # a command makes a great many small objects, and hardly a cycle of them
    from reckon.cli import main as run

    return run(words, aids)


def _shows_pages(words: Sequence[str]) -> bool:
    """Whether a command makes pages with what was kept of them. CI makes them anew."""
    return not os.environ.get("CI") and not MAKES_PAGES.isdisjoint(words)


def _aids(words: Sequence[str], engine: str, anew: bool = False) -> Aids:
    """What may be taken of what was kept. Whoever asks what is true has it all worked out and drawn anew but for
    templates, which are part of the program, as its bytecode is: `--check`, `--redraw`, and with `--no-cache`."""
    if not engine:
        return Aids()
    templates = Store("templates", MOST_TEMPLATES, engine)
    if anew or not {"--check", "--redraw"}.isdisjoint(words):
        return Aids(templates=templates)
    return Aids(
        Store("steps", MOST_STEPS, engine),
        Store("drawings", MOST_DRAWINGS),
        templates,
    )


def find_root(words: Sequence[str]) -> str:
    """The root of the tree that a command is about. Raises Unkept where its answers are not kept."""
    if os.environ.get("CI"):
        raise Unkept("CI recalculates")
    if sys.stdout is None or sys.stderr is None:
        raise Unkept("nobody listens")
    root = ""
    rest = list(words)
    while rest and rest[0].partition("=")[0] == "--root":
        root, rest = _value(rest)
    allowed = OPTIONS.get(rest.pop(0) if rest else "")
    if allowed is None:
        raise Unkept("not a command whose answers are kept")
    while rest:
        name = rest[0].partition("=")[0]
        if not name.startswith("-") or rest[0] in FLAGS:
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


def key_of(root: str, words: Sequence[str], engine: str = "") -> str:
    """What an answer hangs on, as one digest: the tree, the call, and the `engine`, which is the `digest` of now.

    Raises Unkept for a tree with links, with other things than files and folders, or larger than is worth it.
    """
    if not os.path.isdir(os.path.join(root, "ledger")):
        raise Unkept("there is no ledger")
    key = sha256((engine or digest()).encode())
    streams = [stream is not None and (stream.isatty(), takes_colour(stream)) for stream in (sys.stdout, sys.stderr)]
    command = os.path.basename(sys.argv[0])
    top = os.path.realpath(root)
    call = [os.getcwd(), top, command, *words, repr(streams), repr(terminal_width(0)), repr(_has_git(top))]
    _add(key, call, [os.path.join(root, name) for name in TREE])
    return key.hexdigest()


def _has_git(folder: str) -> bool:
    """Whether a folder lies in a git repository, from which a message would have a file restored."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def digest() -> str:
    """This program and all that is installed with it, as one digest. Raises Unkept as `key_of` does."""
    key = sha256()
    _add(key, (sys.version, sys.platform, repr(sys.flags), *installed()), program(), "__pycache__")
    return key.hexdigest()


def _add(key: Hash, texts: Iterable[str], tops: Iterable[str], but: str = "") -> None:
    """Adds texts and what lies at some paths to a key, without folders of a name."""
    for text in texts:
        key.update(b"%d:" % len(data := os.fsencode(text)) + data)
    files = size = 0
    for top in tops:
        for path in contents(top, but):
            data = content(path) if path[-1] != os.sep else b""
            files = files + 1
            size = size + len(data)
            if files > MOST_FILES or size > MOST_BYTES:
                raise Unkept("too large a tree")
            name = os.fsencode(path)
            key.update(b"%d:%d:" % (len(name), len(data)))
            key.update(name)
            key.update(data)


def program() -> list[str]:
    """What this program consists of: once installed, the list of its files with their digests; else the files."""
    beside = os.path.dirname(PROGRAM)
    if not os.path.exists(os.path.join(PROGRAM, "templates")):
        return [PROGRAM, *(os.path.join(beside, *name.split("/")) for name in BESIDE)]
    lists = [
        os.path.join(beside, name, "RECORD")
        for name in os.listdir(beside)
        if name.startswith("budget_ledger-") and name.endswith(".dist-info")
    ]
    return lists if len(lists) == 1 and os.path.isfile(lists[0]) else [PROGRAM]


def installed() -> Iterator[str]:
    """The names of the packages that are installed, which end in their versions."""
    for folder in sys.path:
        try:
            yield from sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".pth")))
        except OSError:
            continue


def contents(top: str, but: str = "") -> Iterator[str]:
    """What lies at a path: files, and folders with a separator at their ends, in order; folders of a name are left
    out."""
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
            if entry.name != but:
                yield from contents(entry.path, but)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path
        else:
            raise Unkept(f"{entry.path} is a link, or no file")


def recall(path: str) -> tuple[int, Said] | None:
    """The exit code of a kept answer and what it said, in order: the number of a stream, a text. None without one."""
    body = read_cached(path)
    if body is None:
        return None
    code, _, body = body.partition(b"\n")
    said = []
    while body:
        stream, _, rest = body.partition(b" ")
        size, _, rest = rest.partition(b"\n")
        said.append((int(stream), rest[: int(size)].decode("utf-8", "surrogatepass")))
        body = rest[int(size) :]
    return int(code), said


def remember(path: str, code: int, said: Said) -> None:
    """Keeps an answer, and no more answers than there are to be."""
    body = b"%d\n" % code
    for stream, text in said:
        data = text.encode("utf-8", "surrogatepass")
        body += b"%d %d\n" % (stream, len(data)) + data
    keep(path, body, MOST_KEPT)


def _repeat_answer(code: int, said: Said) -> int:
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


class Ear:
    """A stream that writes through, and notes what was written."""

    def __init__(self, stream: TextIO, number: int, said: Said) -> None:
        self._stream = stream
        self._number = number
        self._said = said

    def write(self, text: str, /) -> int:
        """Writes a text through, and notes it."""
        self._said.append((self._number, text))
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _heard(words: Sequence[str], path: str, unchanged: Callable[[], bool], aids: Aids) -> int:
    """Runs a command, and keeps its answer where the tree is still what it was when it began."""
    said: Said = []
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Ear(stream, number, said) for number, stream in enumerate(streams, 1))
    try:
        code = _run(words, aids)
    finally:
        sys.stdout, sys.stderr = streams
    try:
        if code in WHOLE and unchanged():
            remember(path, code, said)
    except (Unkept, OSError):
        pass
    return code
