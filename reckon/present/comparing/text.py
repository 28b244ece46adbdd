"""What differs between two sides, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import TypeAlias

from reckon.compute.versions.change import Change
from reckon.compute.versions.changes import ORDER
from reckon.compute.versions.difference import Difference, Part
from reckon.language.text import plural

from ..escape import terminal
from ..numbers import decimal
from .groups import Group, accepted, alike, claims, entry, inputs, owners
from .reasons import beside, given, of_step
from .words import (
    ARROW,
    Authors,
    altered,
    by_whom,
    described,
    headline,
    places_of,
    shared_steps,
    signed,
    standing,
    step_lines,
    step_words,
    where,
)

MOST_ENTRIES, MOST_GROUPED, MOST_ALIKE = 40, 12, 3
WIDTH, ACROSS = 58, 76
Entry: TypeAlias = tuple[str, ...]
"""What is told of one thing, in lines."""


def text(of: Difference, authors: Authors) -> Iterator[str]:
    """All that differs; no line where nothing does."""
    if of.empty:
        return
    yield terminal(f"{of.old.name}{ARROW}{of.new.name}")
    for part in of.parts:
        yield ""
        yield terminal(headline(part))
        for title, entries in _sections(of, part, authors):
            found = list(entries)
            if found:
                yield f"  {title}"
                yield from (terminal(f"    {line}") for line in _most(found))
    if any(part.bridge for part in of.parts):
        yield ""
        yield from wrap(f"Steps swap inputs one by one, in ledger order: {ORDER}.", ACROSS)


def _sections(of: Difference, part: Part, authors: Authors) -> Iterator[tuple[str, Iterable[Entry]]]:
    if part.bridge:
        yield f"step by step, {part.bridge.unit.symbol}".rstrip(", "), [tuple(_bridge(of, part))]
    yield "changed beside it, with reason", (_reasoned(words, why) for words, why in beside(part, given(of, part)))
    yield "inputs", (_entry(described(one), _at(one, authors)) for one in inputs(part))
    yield "claims", _listed(claims(part), authors)
    yield "accepted findings", _listed(accepted(part), authors)
    yield "findings gained", (_entry(f"{standing(one)}: {one.title}", one.id) for one in part.gained)
    yield "findings lost", (_entry(f"{standing(one)}: {one.title}", one.id) for one in part.lost)
    yield "findings judged otherwise", (_entry(altered(pair), pair[1].id) for pair in part.altered)
    yield "figures that moved", _figures(part)


def _most(entries: list[Entry]) -> Iterator[str]:
    for one in entries[:MOST_ENTRIES]:
        yield from one
    if len(entries) > MOST_ENTRIES:
        yield f"… and {len(entries) - MOST_ENTRIES:,} more: `--format json` has all"


def _entry(words: str, behind: str, indent: str = "") -> Entry:
    """An entry in a line; or in two, where one would be broken by a terminal."""
    if not behind or len(indent) + len(words) + len(behind) + 2 <= ACROSS:
        return (f"{indent}{words}" + (f"  {behind}" if behind else ""),)
    return f"{indent}{words}", f"{indent}    {behind}"


def _at(one: Change, authors: Authors) -> str:
    who = by_whom(one, authors)
    return " ".join(word for word in (where(one), f"({who})" if who else "") if word)


def _reasoned(words: str, why: str) -> Entry:
    return (words, *wrap(why, ACROSS, initial_indent="    ", subsequent_indent="    "))


def _bridge(of: Difference, part: Part) -> Iterator[str]:
    crossing, said = part.bridge, given(of, part)
    if not crossing:
        return
    places = places_of(crossing)
    was, now = (decimal(end or Fraction(0), places) for end in (crossing.was.use, crossing.now.use))
    yield f"{of.old.name:{WIDTH}}{was:>12}"
    steps = list(crossing.steps)
    for one in steps[:MOST_ENTRIES]:
        by = signed(one.by, places) if one.by else "range"
        yield f"{step_words(one, of):{WIDTH}}{' ' + by:>12}"
        if lines := step_lines(one):
            yield f"    {lines}"
        yield from wrap(of_step(one, said), ACROSS, initial_indent="    ", subsequent_indent="    ")
    if rest := steps[MOST_ENTRIES:]:
        by = signed(sum((one.by for one in rest), Fraction(0)), places)
        yield f"{f'… and {len(rest):,} more steps: `--format json` has all':{WIDTH}}{' ' + by:>12}"
    yield f"{of.new.name:{WIDTH}}{now:>12}"
    yield from wrap(shared_steps(crossing), ACROSS)


def _listed(groups: Sequence[Group], authors: Authors) -> Iterator[Entry]:
    """Entries of a list, those that changed alike under one line; of many that are merely changed, the first."""
    for group in groups:
        first, many = group.entries[0], len(group.entries)
        if many == 1:
            yield _entry(f"{entry(first)}: {group.what}", _at(first, authors))
            continue
        shown = group.entries[: MOST_ALIKE if first.kind == "changed" and many > MOST_ALIKE + 1 else MOST_GROUPED]
        lines = [f"{many:,} {group.what}"]
        for one in shown:
            lines += _entry(entry(one), _at(one, authors), "  ")
        if many > len(shown):
            lines.append(f"  … and {many - len(shown):,} more: `--format json` has all")
        yield tuple(lines)


def _figures(part: Part) -> Iterator[Entry]:
    for one in alike(part.moved):
        yield _entry(f"{one.said(part.id)}:", f"{one.was}{ARROW}{one.now}" + (f" ({one.by})" if one.by else ""))
    for some, what in ((part.came, "new"), (part.went, "gone")):
        if some:
            yield _entry(f"{plural(len(some), 'figure')} {what}:", owners(some, part.id))
