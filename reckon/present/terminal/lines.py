"""Answers as lines: sentences and tables, for a terminal or in markdown. Nothing of a ledger can act in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap

from .. import escape
from .bars import cut

WIDTH = 100
LONGEST_CELL = 40
Row = tuple[tuple[str, ...], str]
"""The cells of a row, and what is to be said of it."""


def block(lines: Iterable[str], form: str, hyphens: bool = False) -> Iterator[str]:
    """Sentences: wrapped for a terminal, also after `hyphens` if asked for; a paragraph each in markdown."""
    for number, line in enumerate(lines):
        if form == "markdown":
            yield from ([""] if number else [])
            yield escape.inline(line)
        else:
            yield from wrapped(escape.terminal(line), hyphens=hyphens)


def wrapped(line: str, indent: str = "", hyphens: bool = False) -> list[str]:
    """A sentence over as many lines as it takes."""
    return wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent or "  ", break_on_hyphens=hyphens)


def columns(heads: Sequence[str], rows: Sequence[Row], form: str) -> Iterator[str]:
    """A table: what is said of a row stands below it on a terminal, in a column of its own in markdown."""
    yield from _markdown(heads, rows) if form == "markdown" else _terminal(heads, rows)


def _terminal(heads: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    shown = [[escape.terminal(cell) for cell in row] for row in (heads, *(row for row, _ in rows))]
    cells = [[*(cut(cell, LONGEST_CELL) for cell in row[:-1]), row[-1]] for row in shown]
    wide = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in cells]
    yield cut(lines[0], WIDTH)
    for line, (_, said) in zip(lines[1:], rows, strict=True):
        yield cut(line, WIDTH)
        yield from wrapped(escape.terminal(said), " " * 6) if said else ()


def _markdown(heads: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    noted = any(said for _, said in rows)
    yield "| " + " | ".join([*map(escape.cell, heads), *(["Notes"] if noted else [])]) + " |"
    yield "|---" * (len(heads) + noted) + "|"
    for cells, said in rows:
        yield "| " + " | ".join(escape.cell(one) for one in (*cells, *([said] if noted else []))) + " |"


def missing_text(missing: Sequence[str], names: Mapping[str, str]) -> str:
    """What is missing: by address, or as the command line calls it."""
    called = dict.fromkeys(names.get(one.rpartition(".")[2], one) for one in missing)
    return f"{', '.join(called)} {'is' if len(called) == 1 else 'are'} missing"
