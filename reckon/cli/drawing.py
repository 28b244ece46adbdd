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

from reckon.keeping import Store
from reckon.present.charts import Drawing, Picture, drawer
from reckon.present.charts.picture import drawn_with, finished, specified
from reckon.present.charts.words import FONT

FEW = 8
"""A process that draws fewer pictures than these takes longer to start than it saves."""

Waiting = Callable[[], Sequence[Drawing]]
"""What waits for pictures, and gives them in the order in which they were asked for."""


@contextmanager
def drawn_beside(pictures: Sequence[Picture], kept: Store | None = None) -> Iterator[Waiting]:
    """Begin to draw some pictures, and give what waits for them. Those that are `kept` are not drawn again."""
    texts = [specified(picture) for picture in pictures]
    found: dict[str, str] = {}
    if kept:
        found = {unmoved: svg for _, unmoved in texts if (svg := _recalled(kept, unmoved))}
    missing = [unmoved for unmoved in dict.fromkeys(unmoved for _, unmoved in texts) if unmoved not in found]
    with ExitStack() as processes:
        waiting = [(some, _begun(some, processes)) for some in dealt(missing)]

        def wait() -> list[Drawing]:
            for some, ended in waiting:
                for unmoved, svg in zip(some, ended() or drawer.svgs(str(FONT), some), strict=True):
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


def dealt(specifications: Sequence[str]) -> list[list[str]]:
    """Return specifications as shares, one for each process that is worth its start."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = min(len(specifications), cores, 1 + len(specifications) // FEW)
    return [list(specifications[first::count]) for first in range(count)]


def _begun(specifications: Sequence[str], processes: ExitStack) -> Callable[[], list[str] | None]:
    """Begin a process that draws, and give what waits for it: what it drew, or None where it could not."""
    try:
        asked, told = TemporaryFile(), TemporaryFile()  # noqa: SIM115 - both are closed with the processes
        for file in (asked, told):
            processes.enter_context(file)
        asked.write(json.dumps(specifications).encode("ascii"))
        asked.seek(0)
        # Of a tree in which somebody stands, and of the environment, nothing is imported.
        command = [sys.executable, "-I", "-S", str(Path(drawer.__file__)), _libraries(), str(FONT)]
        process = subprocess.Popen(command, stdin=asked, stdout=told, stderr=subprocess.DEVNULL)
    except (OSError, ImportError):
        return lambda: None
    processes.callback(_end, process)

    def ended() -> list[str] | None:
        if process.wait():
            return None
        told.seek(0)
        drawn: list[str] = json.load(told)
        return drawn

    return ended


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that nobody waits for any more."""
    process.kill()
    process.wait()


def _libraries() -> str:
    """Return the folder in which vl-convert is installed. Raises ModuleNotFoundError."""
    from importlib.util import find_spec

    found = find_spec("vl_convert")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(name="vl_convert")
    return str(Path(found.origin).parents[1])
