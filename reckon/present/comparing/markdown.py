"""What differs between two sides, as a comment in a review: a short summary first, details folded, all of it bounded.

Nothing of a ledger can act in it: it is escaped for tables, and `@name` calls nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reckon.compute.versions.changes import ORDER
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.steps import Bridge

from ..escape import attribute, cell, code, inline
from ..numbers import decimal
from .groups import accepted, alike, claims, entry, gist, inputs
from .reasons import beside, given, of_step
from .words import (
    Authors,
    altered,
    by_whom,
    counted,
    described,
    headline,
    places_of,
    shared_steps,
    signed,
    standing,
    step_lines,
    step_words,
)
from .words import where as lines_of

MOST_ROWS = 40
MOST_PARTS = 40
MOST_CHARACTERS = 60_000
LEFT_OUT = "Further details are left out here: `budget diff` has them."
Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]


def markdown(of: Difference, authors: Authors) -> Iterator[str]:
    """All that differs; no line where nothing does."""
    if of.empty:
        return
    shown = of.parts[:MOST_PARTS]
    for part in shown:
        yield f"**{_calm(inline(headline(part)))}**  "
        if part.bridge:
            yield f"{inline(counted(part))}  "
    if len(of.parts) > MOST_PARTS:
        yield f"… and {len(of.parts) - MOST_PARTS:,} more projects"
    yield ""
    yield f"From {_calm(code(of.old.name))} to {_calm(code(of.new.name))}."
    size, left_out = 0, False
    for part in shown:
        for lines in _blocks(of, part, authors, len(shown) > 1):
            size += sum(len(line) + 1 for line in lines)
            left_out = left_out or size > MOST_CHARACTERS
            if not left_out:
                yield from lines
    if any(part.bridge for part in shown):
        yield from ("", f"Steps swap inputs one by one, in ledger order: {ORDER}.")
    if left_out:
        yield from ("", LEFT_OUT)


def _blocks(of: Difference, part: Part, authors: Authors, several: bool) -> Iterator[list[str]]:
    """The pieces of a part, each whole: its bridge, and its details."""
    if several:
        yield ["", f"### {_calm(inline(part.title))}"]
    if part.bridge:
        yield list(_bridge(of, part, part.bridge))
    if told := beside(part, given(of, part)):
        yield ["", "Changed beside it, with reason:", "", *(f"- {_prose(what)}. *{_prose(why)}*" for what, why in told)]
    for title, head, rows in _tables(part, authors):
        if rows:
            yield list(_folded(title, head, rows))


def _bridge(of: Difference, part: Part, crossing: Bridge) -> Iterator[str]:
    reasons = given(of, part)
    places, unit = places_of(crossing), crossing.unit.symbol
    ends = [decimal(end, places) if end is not None else "" for end in (crossing.was.use, crossing.now.use)]
    rows = [(_calm(code(of.old.name)), "", "", ends[0])]
    for one in crossing.steps:
        total = decimal(one.now.use, places) if one.now.use is not None else ""
        by = signed(one.by, places) if one.by else "range"
        what = _said(step_words(one, of)) + (f"<br>*{_said(why)}*" if (why := of_step(one, reasons)) else "")
        rows.append((what, _at(step_lines(one)), by, total))
    rows.append((_calm(code(of.new.name)), "", "", f"**{ends[1]}**"))
    yield ""
    yield f"{_calm(inline(crossing.title))}, step by step:"
    yield ""
    yield from _table(("Step", "Ledger lines", f"By{', ' + unit if unit else ''}", "Total"), rows, numbers=2)
    if said := shared_steps(crossing):
        yield from ("", said)


def _tables(part: Part, authors: Authors) -> Iterator[Table]:
    """What is folded: each table with its title and head. A column in which nothing stands is left out."""
    changed = inputs(part)
    rows = [(_said(described(one)), _at(lines_of(one)), _said(by_whom(one, authors))) for one in changed]
    yield _table_of(f"Inputs that changed ({len(changed):,})", ("Input", "Ledger lines", "By"), rows)
    for title, head, groups in (("Claims", "Claim", claims(part)), ("Accepted findings", "Finding", accepted(part))):
        entries = [
            (_said(group.what), _said(entry(one)), _at(lines_of(one)), _said(by_whom(one, authors)))
            for group in groups
            for one in group.entries
        ]
        yield _table_of(f"{title} ({gist(groups)})", ("Change", head, "Ledger lines", "By"), entries)
    found = [("gained", standing(one), _said(one.title), _at(one.id)) for one in part.gained]
    found += [("lost", standing(one), _said(one.title), _at(one.id)) for one in part.lost]
    found += [("now", pair[1].severity, _said(altered(pair)), _at(pair[1].id)) for pair in part.altered]
    counts = ((part.gained, "gained"), (part.lost, "lost"), (part.altered, "judged otherwise"))
    title = ", ".join(f"{len(some):,} {what}" for some, what in counts if some)
    yield _table_of(f"Findings ({title})", ("", "Severity", "Finding", "Id"), found)
    figures = [(_at(one.said()), _said(one.was), _said(one.now), _said(one.by)) for one in alike(part.moved)]
    yield _table_of(f"Figures that moved ({len(part.moved):,})", ("Figure", "Was", "Is", "By"), figures)


def _table_of(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    kept = [at for at in range(len(head)) if at < 2 or any(row[at] for row in rows)]
    return title, tuple(head[at] for at in kept), [tuple(row[at] for at in kept) for row in rows]


def _folded(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield from ("", '<details markdown="1">', f"<summary>{attribute(title)}</summary>", "")
    yield from _table(head, rows)
    yield from ("", "</details>")


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], numbers: int = 0) -> Iterator[str]:
    """A table with its first rows and a count of the others; the last columns may be numbers."""
    yield _row(head)
    yield "|" + "|".join("---:" if at >= len(head) - numbers else "---" for at in range(len(head))) + "|"
    few = len(rows) <= MOST_ROWS
    yield from map(_row, rows if few else rows[: MOST_ROWS - 1])
    if not few:
        last = [rows[-1]] if numbers else []  # a bridge ends in its total
        yield _row((f"… and {len(rows) - MOST_ROWS + 1 - len(last):,} more", *[""] * (len(head) - 1)))
        yield from map(_row, last)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _said(words: str) -> str:
    return _calm(cell(words))


def _prose(words: str) -> str:
    return _calm(inline(words))


def _at(words: str) -> str:
    return _calm(code(words))


def _calm(text: str) -> str:
    """Escaped text in which `@name` is no mention of anybody; inside code it is none anyway."""
    return text if text.startswith(("`", "<code>")) else text.replace("@", "@<!-- -->")
