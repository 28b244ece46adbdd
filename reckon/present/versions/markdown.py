"""What a change does to each budget, at a glance: spent, left and to be expected, before and now, and new findings.

It stands above the details in a review: whoever merges a run reads no more than this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.versions.changes import ORDER
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.steps import Bridge
from reckon.model.kinds import CEILING, FINAL

from ..render.escape import attribute, cell, code, inline
from ..render.numbers import decimal, figure_text, use_text
from .words import (
    Authors,
    accepted,
    alike,
    altered,
    beside,
    by_whom,
    claims,
    counted,
    described,
    entry,
    gist,
    given,
    headline,
    inputs,
    of_step,
    places_of,
    shared_steps,
    signed,
    standing,
    step_lines,
    step_words,
)
from .words import where as lines_of

MOST_FINDINGS, MOST_GLANCED = 10, 10
ROWS = (
    ("Spent", "actual.total"),
    ("Left of the final budget", FINAL.remaining),
    ("Left below the ceiling", CEILING.remaining),
    ("Contingency left", "contingency.left"),
    ("Work complete", FINAL.complete),
    ("Forecast at the end, P50", "forecast.p50"),
    ("Probability of passing the final budget", FINAL.chance),
    ("Money spent", "money.actual"),
)
RANGE = "forecast.p10", "forecast.p90"


def glance(of: Difference) -> Iterator[str]:
    """The lines for the projects on both sides whose spending, budget or findings moved; none where nothing did."""
    parts = [part for part in of.parts if part.id and not part.state]
    for part in parts[:MOST_GLANCED]:
        rows = list(_rows(of.old.book, of.new.book, part.id))
        found = [one for one in part.gained if not one.accepted]
        if rows or found:
            yield from ("", f"**{inline(part.title)}**{_runs(part)}")
        if rows:
            yield from ("", "| | Before | Now |", "|---|---:|---:|", *rows)
        if found:
            yield from ("", "New findings:", "")
            yield from (
                f"- **{one.severity}**: {inline(one.title)} ({code(one.id)})" for one in found[:MOST_FINDINGS]
            )
            yield from [f"- and {len(found) - MOST_FINDINGS:,} more"] if len(found) > MOST_FINDINGS else []


def _runs(part: Part) -> str:
    """How many runs there are more or fewer, and how many GPU-hours; empty where none came or went."""
    moved = [one.runs for one in part.told if one.runs]
    many = sum(one.counts[1] - one.counts[0] for one in moved)
    hours = sum((one.hours[1] - one.hours[0] for one in moved), Fraction(0))
    if not moved:
        return ""
    if not many:
        return f": runs changed, {signed(hours)} GPU-h"
    word = "run" if abs(many) == 1 else "runs"
    what = "more" if many > 0 else "fewer"
    return f": {abs(many):,} {word} {what}, {signed(hours)} GPU-h"


def _rows(old: Book, new: Book, project: str) -> Iterator[str]:
    """A row for each figure of the whole that is not as it was."""
    for title, address in ROWS:
        was, now = (_told(book, project, address) for book in (old, new))
        if was != now:
            yield f"| {title} | {cell(was)} | {cell(now)} |"


def _told(book: Book, project: str, address: str) -> str:
    """A figure as it is printed, the forecast with its range; `–` where there is none."""
    figure = book.get(f"{project}.{address}")
    if figure is None or figure.missing:
        return "–"
    ends = [book.get(f"{project}.{one}") for one in RANGE] if address == "forecast.p50" else []
    if all(end and not end.missing for end in ends) and ends:
        low, high = (use_text(end) for end in ends if end)
        return f"{figure_text(figure)} ({low}–{high})" if low != high else figure_text(figure)
    return figure_text(figure)


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
