"""Where a project stands before its runs change, worked out beside what they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from reckon.compute.book import Book
from reckon.present.terminal.additions import Earlier, earlier

from .aside import aside

Standing = Callable[[], Earlier]


@contextmanager
def standing(before: Book, project_id: str, keys: Sequence[tuple[str, str]]) -> Iterator[Standing]:
    """Begins to work out where a project stands, as far as runs of these items and seeds change it; gives what waits
    for that. Where the ledger has problems it raises what `before` raises."""
    with aside(lambda: _plain(earlier(before, project_id, keys))) as answer:

        @cache
        def found() -> Earlier:
            told = answer()
            return Earlier(*told) if told else earlier(before, project_id, keys)

        yield found


def _plain(found: Earlier) -> tuple[object, ...]:
    return dict(found.actual), found.whole, set(found.findings)
