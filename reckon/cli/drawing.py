"""Draws the pictures of `render`, each once, and keeps what was drawn in the cache of the user.

What a specification gives does not depend on who draws it, or on what was drawn before; so it can be kept.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from reckon.keeping import Store
from reckon.present.charts import Drawing, Picture, drawer
from reckon.present.charts.picture import drawn_with, finished, specified
from reckon.present.charts.words import FONT

Waiting = Callable[[], Sequence[Drawing]]
"""What draws pictures once they are wanted, and gives them in the order in which they were asked for."""


@contextmanager
def drawn_with_cache(pictures: Sequence[Picture], store: Store | None) -> Iterator[Waiting]:
    """Gives what draws some pictures, those that `store` has not, and puts them there."""
    yield lambda: _draw_missing(pictures, store)


def _draw_missing(pictures: Sequence[Picture], store: Store | None) -> list[Drawing]:
    """The drawings of pictures: from the store, or drawn by vl-convert and stored."""
    texts = [specified(picture) for picture in pictures]
    svgs = {unmoved: _stored_svg(store, unmoved) if store else "" for _, unmoved in texts}
    missing = [unmoved for unmoved, svg in svgs.items() if not svg]
    # The engine takes as long to start as five pictures take: it is not asked for nothing.
    drawn = drawer.svgs(str(FONT), missing) if missing else []
    for unmoved, svg in zip(missing, drawn, strict=True):
        svgs[unmoved] = svg
        if store:
            store.put(zlib.compress(svg.encode("utf-8"), 1), *_store_key(unmoved))
    return [finished(svgs[unmoved], picture, spec) for picture, (spec, unmoved) in zip(pictures, texts, strict=True)]


def _stored_svg(store: Store, unmoved: str) -> str:
    """The SVG that is kept of a specification; empty where there is none that can be read."""
    with suppress(zlib.error, UnicodeDecodeError):
        return zlib.decompress(store.get(*_store_key(unmoved)) or b"").decode("utf-8")
    return ""


def _store_key(unmoved: str) -> list[str]:
    """All that a drawing depends on: its specification, and what draws it."""
    return [unmoved, drawer.VEGA_LITE, *(part.hex() for part in drawn_with())]
