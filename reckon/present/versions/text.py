"""What differs between two sides, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TypeAlias

from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.ledger_diff import ORDER
from reckon.compute.versions.list_diff import ACCEPTED, CLAIMS
from reckon.compute.versions.steps import Bridge
from reckon.language.quantity import add_up
from reckon.language.text import plural

from ..render.escape import terminal
from ..terminal.lines import Lines
from . import sentences
from .grouping import by_method, group_moves, owners
from .sentences import ARROW, Authors

MOST_ENTRIES, MOST_GROUPED, MOST_ALIKE = 40, 12, 3
WIDTH, ACROSS = 58, 76
Entry: TypeAlias = tuple[str, ...]
"""What is told of one thing, in lines."""


def format_text(of: Difference, authors: Authors) -> Lines:
    """All that differs; no line where nothing does."""
    if of.empty:
        return
    yield terminal(f"{of.old.name}{ARROW}{of.new.name}")
    for part in of.parts:
        yield ""
        yield terminal(sentences.headline(part))
        for title, entries in _sections(of, part, authors):
            if found := list(entries):
                yield f"  {title}"
                yield from (terminal(f"    {line}") for entry in found[:MOST_ENTRIES] for line in entry)
            if len(found) > MOST_ENTRIES:
                yield f"    … and {len(found) - MOST_ENTRIES:,} more: `--format json` has all"
    if any(part.bridge for part in of.parts):
        yield ""
        yield from wrap(f"Steps swap inputs one by one, in ledger order: {ORDER}.", ACROSS)


def _sections(of: Difference, part: Part, authors: Authors) -> Iterator[tuple[str, Iterable[Entry]]]:
    if part.bridge:
        yield f"step by step, {part.bridge.unit.symbol}".rstrip(", "), [tuple(_bridge(of, part, part.bridge))]
    if part.method:
        head = f"moved by the method, which changed since {part.method[0].since}"
        yield head, ((what, *_reason(why)) for what, why in by_method(part))
    yield (
        "also changed, with reason",
        ((what, *_reason(why)) for what, why in sentences.reasons_without_move(of, part)),
    )
    yield (
        "inputs",
        (_entry(sentences.described(change), _format_place(change, authors)) for change in sentences.inputs(part)),
    )
    yield "claims", _list_groups(sentences.grouped(part, CLAIMS.of), authors)
    yield "accepted findings", _list_groups(sentences.grouped(part, ACCEPTED.of), authors)
    gone = (_entry(what, f"no longer found: {titles}") for what, titles in sentences.dropped(part))
    yield "dropped, and a finding with it", gone
    for what, findings in (("gained", part.gained), ("lost", part.lost)):
        yield (
            f"findings {what}",
            (_entry(f"{sentences.standing(found)}: {found.title}", found.id) for found in findings),
        )
    yield "findings judged otherwise", (_entry(sentences.altered(pair), pair[1].id) for pair in part.altered)
    yield "figures that moved", _figures(part)


def _entry(words: str, behind: str, indent: str = "") -> Entry:
    """An entry in a line; or in two, where one would be broken by a terminal."""
    if not behind or len(indent) + len(words) + len(behind) + 2 <= ACROSS:
        return (f"{indent}{words}" + (f"  {behind}" if behind else ""),)
    return f"{indent}{words}", f"{indent}    {behind}"


def _format_place(change: Change, authors: Authors) -> str:
    who = sentences.by_whom(change, authors)
    return " ".join(word for word in (sentences.format_places(change), f"({who})" if who else "") if word)


def _reason(why: str) -> list[str]:
    return wrap(why, ACROSS, initial_indent="    ", subsequent_indent="    ")


def _bridge(of: Difference, part: Part, crossing: Bridge) -> Lines:
    first, *steps, last = sentences.bridge_lines(of, part)
    yield f"{first.what:{WIDTH}}{first.total:>12}"
    for line in steps[:MOST_ENTRIES]:
        yield f"{line.what:{WIDTH}}{' ' + line.by:>12}"
        if line.lines:
            yield f"    {line.lines}"
        yield from _reason(line.why)
    if rest := crossing.steps[MOST_ENTRIES:]:
        by = sentences.signed(add_up(step.by for step in rest), sentences.places_of(crossing))
        yield f"{f'… and {len(rest):,} more steps: `--format json` has all':{WIDTH}}{' ' + by:>12}"
    yield f"{last.what:{WIDTH}}{last.total:>12}"
    yield from wrap(sentences.shared_steps(crossing), ACROSS)


def _list_groups(groups: Mapping[str, Sequence[Change]], authors: Authors) -> Iterator[Entry]:
    """Entries of a list, those that changed alike under one line; of many that are merely changed, the first."""
    for became, entries in groups.items():
        first = entries[0]
        many = len(entries)
        if many == 1:
            yield _entry(f"{sentences.entry(first)}: {became}", _format_place(first, authors))
            continue
        shown = entries[: MOST_ALIKE if first.kind == "changed" and many > MOST_ALIKE + 1 else MOST_GROUPED]
        lines = [f"{many:,} {became}"]
        for change in shown:
            lines += _entry(sentences.entry(change), _format_place(change, authors), "  ")
        if many > len(shown):
            lines.append(f"  … and {many - len(shown):,} more: `--format json` has all")
        yield tuple(lines)


def _figures(part: Part) -> Iterator[Entry]:
    for move in group_moves(part.moved):
        yield _entry(f"{move.said(part.id)}:", f"{move.was}{ARROW}{move.now}" + (f" ({move.by})" if move.by else ""))
    for some, what in ((part.came, "new"), (part.went, "gone")):
        if some:
            yield _entry(f"{plural(len(some), 'figure')} {what}:", owners(some, part.id))
