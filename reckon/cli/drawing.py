"""Drawing many pictures beside whatever else is to be done, each once, and none that is known.

The engine of vl-convert is started for the first picture of a process, which takes as long as five pictures, and the
process stands still while it draws. So processes of their own draw, while this one fills pages. What a specification
gives does not hang on who draws it, or on what was drawn before; so it can be kept, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread

from reckon.present.charts import Drawing, Picture, drawer
from reckon.present.charts.picture import drawn_with, finished, specified
from reckon.present.charts.words import FONT
from reckon.user_cache import Store

FEW = 8
"""A process that draws fewer pictures than these takes longer to start than it saves."""

Waiting = Callable[[], Sequence[Drawing]]
"""What waits for pictures, and gives them in the order in which they were asked for."""


class Pen:
    """A process that draws. Its engine starts at once, and it waits for what is to be drawn.

    Raises OSError where it cannot begin, and ModuleNotFoundError where vl-convert is not installed.
    """

    def __init__(self) -> None:
        # Of a tree in which somebody stands, and of the environment, nothing is imported.
        command = [sys.executable, "-I", "-S", str(Path(drawer.__file__)), _libraries(), str(FONT)]
        self._told = TemporaryFile()  # noqa: SIM115 - `end` closes it
        pipe, silent = subprocess.PIPE, subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=self._told, stderr=silent)
        except OSError:
            self._told.close()
            raise
        self._asking: Thread | None = None

    def ask(self, specifications: Sequence[str]) -> None:
        """Begin to draw. It reads what it is asked once its engine has started, so that nobody waits for that here."""
        text = json.dumps(specifications).encode("ascii")
        self._asking = Thread(target=self._send, args=(text,), daemon=True)
        self._asking.start()

    def _send(self, text: bytes) -> None:
        with suppress(OSError):
            self._process.communicate(text)

    def drawn(self) -> list[str] | None:
        """What was drawn, once all is; None where it could not be."""
        if self._asking:
            self._asking.join()
        if self._process.wait():
            return None
        self._told.seek(0)
        drawn: list[str] = json.load(self._told)
        return drawn

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        if self._asking:
            self._asking.join()
        elif self._process.stdin:
            self._process.stdin.close()
        self._process.wait()
        self._told.close()


def likely(root: Path) -> bool:
    """Whether pictures of a tree will have to be drawn, as far as can be told before it is read: none is there, or the
    ledger changed after the pages. Only when drawing begins hangs on it, so times of files will do."""
    if cores() == 1:
        return False
    pages = [path.stat().st_mtime_ns for path in (root / "docs").glob("*/*.svg")]
    pages += [path.stat().st_mtime_ns for path in (root / "docs").glob("*/*.md")]
    changed = (path.stat().st_mtime_ns for path in (root / "ledger").rglob("*.yaml"))
    return not pages or max(changed, default=0) > max(pages)


def early(root: Path, ending: ExitStack) -> Pen | None:
    """A pen that has begun before it is known whether it is needed; None where that is not likely, or it cannot."""
    with suppress(OSError, ImportError):
        return _begun(ending) if likely(root) else None
    return None


def _begun(ending: ExitStack) -> Pen:
    pen = Pen()
    ending.callback(pen.end)
    return pen


@contextmanager
def drawn_beside(pictures: Sequence[Picture], kept: Store | None = None, pen: Pen | None = None) -> Iterator[Waiting]:
    """Begin to draw some pictures, and give what waits for them. Those that are `kept` are not drawn again; of others
    `pen` draws, if it is there, with more of its kind where it takes more."""
    texts = [specified(picture) for picture in pictures]
    found: dict[str, str] = {}
    if kept:
        found = {unmoved: svg for _, unmoved in texts if (svg := _recalled(kept, unmoved))}
    missing = [unmoved for unmoved in dict.fromkeys(unmoved for _, unmoved in texts) if unmoved not in found]
    with ExitStack() as ending:
        waiting: list[tuple[list[str], Pen | None]] = []
        for share in dealt(missing):
            with suppress(OSError, ImportError):
                pen = pen or _begun(ending)
                pen.ask(share)
            waiting.append((share, pen))
            pen = None

        def wait() -> list[Drawing]:
            for share, pen in waiting:
                for unmoved, svg in zip(share, (pen and pen.drawn()) or drawer.svgs(str(FONT), share), strict=True):
                    found[unmoved] = svg
                    if kept:
                        kept.put(zlib.compress(svg.encode("utf-8"), 1), *_key(unmoved))
            return [finished(found[unmoved], each, spec) for each, (spec, unmoved) in zip(pictures, texts, strict=True)]

        yield wait


def _recalled(kept: Store, unmoved: str) -> str:
    """The SVG that is kept of a specification; empty where there is none that can be read."""
    with suppress(zlib.error, UnicodeDecodeError):
        return zlib.decompress(kept.get(*_key(unmoved)) or b"").decode("utf-8")
    return ""


def _key(unmoved: str) -> list[str]:
    """All that a drawing hangs on."""
    return [unmoved, drawer.VEGA_LITE, *(part.hex() for part in drawn_with())]


def cores() -> int:
    """How many processes can run side by side."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def dealt(specifications: Sequence[str]) -> list[list[str]]:
    """Return specifications as shares, one for each process that is worth its start."""
    count = min(len(specifications), cores(), 1 + len(specifications) // FEW)
    return [list(specifications[first::count]) for first in range(count)]


def _libraries() -> str:
    """Return the folder in which vl-convert is installed. Raises ModuleNotFoundError."""
    from importlib.util import find_spec

    found = find_spec("vl_convert")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(name="vl_convert")
    return str(Path(found.origin).parents[1])
