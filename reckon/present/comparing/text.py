"""What differs between two sides, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from textwrap import wrap

from reckon.compute.bridge.changes import ORDER
from reckon.compute.bridge.difference import Difference, Part
from reckon.compute.bridge.steps import Bridge

from ..escape import terminal
from ..numbers import decimal
from .words import (
    ARROW,
    Authors,
    altered,
    by_whom,
    described,
    headline,
    moved_by,
    places_of,
    signed,
    step_lines,
    step_words,
    values,
)
from .words import where as lines_of

MOST_LINES = 40
WIDTH = 58


def text(of: Difference, authors: Authors) -> Iterator[str]:
    """All that differs; no line where nothing does."""
    if of.empty:
        return
    yield terminal(f"{of.old.name}{ARROW}{of.new.name}")
    for part in of.parts:
        yield ""
        yield terminal(headline(part))
        for title, lines in _sections(of, part, authors):
            found = list(lines)
            if found:
                yield f"  {title}"
                yield from (terminal(f"    {line}") for line in _most(found))


def _sections(of: Difference, part: Part, authors: Authors) -> Iterator[tuple[str, Iterable[str]]]:
    if part.bridge:
        yield f"step by step, {part.bridge.unit.symbol}".rstrip(", "), _bridge(of, part.bridge)
    yield "inputs", _inputs(part, authors)
    yield "figures that moved", _figures(part)
    yield "findings gained", (f"{one.severity}: {one.title} ({one.id})" for one in part.gained)
    yield "findings lost", (f"{one.severity}: {one.title} ({one.id})" for one in part.lost)
    yield "findings judged otherwise", (f"{altered(pair)} ({pair[1].id})" for pair in part.altered)


def _most(lines: list[str]) -> Iterator[str]:
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"… and {len(lines) - MOST_LINES:,} more: `--format json` has all"


def _bridge(of: Difference, crossing: Bridge) -> Iterator[str]:
    places = places_of(crossing)
    was, now = (decimal(end or Fraction(0), places) for end in (crossing.was.use, crossing.now.use))
    yield f"{of.old.name:{WIDTH}}{was:>12}"
    for one in crossing.steps:
        by = signed(one.by, places) if one.by else "range"
        yield f"{step_words(one, of):{WIDTH}}{' ' + by:>12}"
        if lines := step_lines(one):
            yield f"    {lines}"
    yield f"{of.new.name:{WIDTH}}{now:>12}"
    yield from wrap(f"Inputs are swapped one by one, in ledger order: {ORDER}.", 76)


def _inputs(part: Part, authors: Authors) -> Iterator[str]:
    for one in part.told:
        who = by_whom(one, authors)
        at = lines_of(one)
        yield described(one) + (f"  {at}" if at else "") + (f" ({who})" if who else "")


def _figures(part: Part) -> Iterator[str]:
    for one in part.moved:
        was, now = values(one)
        by = moved_by(one)
        address = one.now.address.removeprefix(f"{part.id}.")
        yield f"{address}: {was}{ARROW}{now}" + (f" ({by})" if by else "")
    for count, what in ((len(part.came), "new"), (len(part.went), "gone")):
        if count:
            yield f"{count:,} figure{'s'[: count != 1]} {what}"
