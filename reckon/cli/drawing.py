"""Drawing many pictures beside whatever else is to be done, each once, and none that is known.

vl-convert takes as long to start as it takes for five pictures, and a process stands still while it draws. So other
processes draw, a share each, while this one fills pages. What a specification gives does not hang on who draws it; so
it can be kept, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from reckon.extras import folder_of
from reckon.present.charts import Drawing, Picture, drawer
from reckon.present.charts.picture import Waiting, drawn_with, finished, specified
from reckon.present.charts.words import FONT
from reckon.user_cache import Store

FEW = 8
"""A process that draws fewer pictures than these takes longer to start than it saves."""


@contextmanager
def draw_beside(pictures: Sequence[Picture], store: Store | None = None) -> Iterator[Waiting]:
    """Begins to draw some pictures, and gives what waits for them. Those in the `store` are not drawn again."""
    texts = [specified(picture) for picture in pictures]
    drawn: dict[str, str] = {}
    if store:
        drawn = {unmoved: svg for _, unmoved in texts if (svg := _recalled(store, unmoved))}
    missing = list(dict.fromkeys(unmoved for _, unmoved in texts if unmoved not in drawn))
    with ThreadPoolExecutor(cores()) as pool:
        shares = deal(missing)
        waiting = [pool.submit(_draw_in_process, share) for share in shares]

        def wait() -> list[Drawing]:
            for share, waited in zip(shares, waiting, strict=True):
                for unmoved, svg in zip(share, waited.result(), strict=True):
                    drawn[unmoved] = svg
                    if store:
                        store.put(zlib.compress(svg.encode(), 1), *_key(unmoved))
            return [finished(drawn[unmoved], each, spec) for each, (spec, unmoved) in zip(pictures, texts, strict=True)]

        yield wait


def _draw_in_process(specifications: Sequence[str]) -> list[str]:
    """Pictures as SVG, drawn by another process; by this one where that cannot be.

    Raises ModuleNotFoundError where vl-convert is not installed.
    """
    # Of a tree in which somebody stands, and of the environment, nothing is imported.
    command = [sys.executable, "-I", "-S", str(Path(drawer.__file__)), str(folder_of("vl_convert")), str(FONT)]
    with suppress(OSError, subprocess.CalledProcessError, ValueError):
        text = json.dumps(specifications).encode("ascii")
        drawn: list[str] = json.loads(subprocess.run(command, input=text, capture_output=True, check=True).stdout)
        return drawn
    return drawer.svgs(str(FONT), specifications)


def _recalled(store: Store, unmoved: str) -> str:
    """The SVG that is kept of a specification; empty where there is none that can be read."""
    with suppress(zlib.error, UnicodeDecodeError):
        return zlib.decompress(store.get(*_key(unmoved)) or b"").decode()
    return ""


def _key(unmoved: str) -> list[str]:
    """What a drawing is cached by: its specification, the version of Vega-Lite, and what draws it."""
    return [unmoved, drawer.VEGA_LITE, *(part.hex() for part in drawn_with())]


def cores() -> int:
    """How many processes can run side by side."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def deal(specifications: Sequence[str]) -> list[list[str]]:
    """Return specifications as shares, one for each process that is worth its start."""
    count = min(len(specifications), cores(), 1 + len(specifications) // FEW)
    return [list(specifications[first::count]) for first in range(count)]
