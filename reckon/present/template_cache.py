"""The program's own templates, compiled once and kept for the next command; those of a tree are never kept."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reckon.user_cache import Store

from .sandbox import COMPILED


@contextmanager
def remembered(ours: Path, kept: Store | None) -> Iterator[None]:
    """While pages are made, have the code of the templates in a folder as it was `kept`; keep what is made of more.

    The store hangs on the program, these templates among it, on the version of Python and on all that is installed.
    Only the user can have written to it: whoever could, could as well write to the program.
    """
    body = kept.get() if kept else None
    if body:
        with suppress(ValueError, EOFError, TypeError):  # it is not what was kept
            COMPILED.have(marshal.loads(body))
    before = COMPILED.below(ours)
    yield
    if kept and (after := COMPILED.below(ours)).keys() != before.keys():
        kept.put(marshal.dumps(after))
