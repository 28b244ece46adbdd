"""Pieces of lines that fit a terminal: bars, cut titles, two texts at both ends of a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from textwrap import wrap

from reckon.compute.book import Book
from reckon.language.text import NOWHERE
from reckon.model.figure import Figure
from reckon.model.ledger import Ledger

from ..render import escape
from ..render.escape import terminal
from ..render.numbers import decimal, use_text

LINE_WIDTH = 80
BAR = 8
LABEL = 18


def bar(share: Fraction | None) -> str:
    """A share as blocks and percent; what is beyond the whole fills the bar. Empty where it is not known."""
    if share is None:
        return ""
    full = max(0, min(int(share * BAR), BAR))
    return "█" * full + "░" * (BAR - full) + (f" {decimal(share * 100, 0)}%" if share < 10 else " >10×")


def used_bar(planned: Figure | None, actual: Figure | None) -> str:
    """Hours used of the hours planned; that is no measure of the work done."""
    if planned is None or actual is None or not planned.use or actual.use is None:
        return ""
    return bar(actual.use / planned.use)


def use(figure: Figure | None) -> str:
    """The value to plan with; nothing where there is no figure."""
    return use_text(figure) if figure else ""


def cut(text: str, width: int) -> str:
    """A text in so many columns."""
    return text if len(text) <= width else text[: width - 1] + "…"


def fitted(left: str, right: str) -> str:
    """Two texts at both ends of a line; the left one is cut where they do not fit."""
    left = cut(left, LINE_WIDTH - len(right) - 2)
    return left + right.rjust(LINE_WIDTH - len(left))


def listed(label: str, text: str) -> Iterator[str]:
    """The lines of an entry of a list: its label and what is said under it, which goes on below where it is long."""
    for number, line in enumerate(wrap(text, LINE_WIDTH - LABEL, break_on_hyphens=False)):
        yield f"{'' if number else f'  {label}:':{LABEL}}{line}"


ANSWER_WIDTH = 100
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
    return wrap(line, ANSWER_WIDTH, initial_indent=indent, subsequent_indent=indent or "  ", break_on_hyphens=hyphens)


def columns(heads: Sequence[str], rows: Sequence[Row], form: str) -> Iterator[str]:
    """A table: what is said of a row stands below it on a terminal, in a column of its own in markdown."""
    yield from _markdown(heads, rows) if form == "markdown" else _terminal(heads, rows)


def _terminal(heads: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    shown = [[escape.terminal(cell) for cell in row] for row in (heads, *(row for row, _ in rows))]
    cells = [[*(cut(cell, LONGEST_CELL) for cell in row[:-1]), row[-1]] for row in shown]
    wide = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in cells]
    yield cut(lines[0], ANSWER_WIDTH)
    for line, (_, said) in zip(lines[1:], rows, strict=True):
        yield cut(line, ANSWER_WIDTH)
        yield from wrapped(escape.terminal(said), " " * 6) if said else ()


def _markdown(heads: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    noted = any(said for _, said in rows)
    yield "| " + " | ".join([*map(escape.cell, heads), *(["Notes"] if noted else [])]) + " |"
    yield "|---" * (len(heads) + noted) + "|"
    for cells, said in rows:
        yield "| " + " | ".join(escape.cell(cell) for cell in (*cells, *([said] if noted else []))) + " |"


def missing_text(missing: Sequence[str], names: Mapping[str, str]) -> str:
    """What is missing: by address, or as the command line calls it."""
    called = dict.fromkeys(names.get(address.rpartition(".")[2], address) for address in missing)
    return f"{', '.join(called)} {'is' if len(called) == 1 else 'are'} missing"


LONGEST = 60


def changes(ledger: Ledger) -> Iterator[str]:
    """A line for each change: `with pixelis.seeds = 5 (ledger: 3)`; none for a ledger as it stands."""
    for change in ledger.changes:
        was = "not in the ledger" if change.was is None else f"ledger: {cut(change.was, LONGEST)}"
        yield terminal(f"with {change.address} = {cut(change.value, LONGEST)} ({was})")


def wanting(book: Book, address: str) -> str:
    """A sentence about an input that is missing."""
    figure = book.get(address)
    if figure and not figure.missing:
        return f"Undefined where {address} can be zero."
    if figure and figure.place is not NOWHERE:
        return f"Missing: {address}, which is `unknown` ({figure.place.short})."
    owner, kind, name, *rest = [*address.split("."), "", "", ""][:3] + address.split(".")[3:]
    if not rest:
        return f"Missing: {address}."
    return f"Missing: {address}; write `{'.'.join(rest)}` below `{name}` in ledger/{owner}/{kind}.yaml."
