"""Where the lines of a scalar stand in its file, so that a mistake in a long text is told at its own line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reckon.language.text import Place

Starts = tuple[tuple[int, Place], ...]


def line_starts(source: Sequence[str], event: Any, place: Place) -> Starts:
    """For each line of a scalar event: where in its value it begins, and where in the file.

    A line that reads otherwise there (escapes in quotes) is left out; what stands in it is told from the line before.
    """
    found: list[tuple[int, Place]] = []
    at = 0
    for line, column, text in _lines(source, event):
        if text and (begins := event.value.find(text, at)) >= 0:
            found.append((begins, Place(place.file, line + 1, column + 1)))
            at = begins + len(text)
    return tuple(found)


def _lines(source: Sequence[str], event: Any) -> Iterator[tuple[int, int, str]]:
    """Line, column (from 0) and text of what a scalar has in each line, without quotes and the header of a block."""
    start, end = event.start_mark, event.end_mark
    quoted = event.style in ("'", '"')
    for line in range(start.line + (event.style in ("|", ">")), min(end.line + 1, len(source))):
        first = start.column + quoted if line == start.line else 0
        text = source[line][first : end.column - quoted if line == end.line else None]
        yield line, first + len(text) - len(text.lstrip()), text.strip()
