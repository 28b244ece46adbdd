"""What a change does to each budget, at a glance: spent, left and to be expected, before and now, and new findings.

It stands above the details in a review: whoever merges a run reads no more than this.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.versions.difference import Difference, Part
from reckon.model.kinds import CEILING, FINAL

from ..escape import cell, code, inline
from ..numbers import figure_text, use_text
from .words import signed

MOST_FINDINGS, MOST_PARTS = 10, 10
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
    for part in parts[:MOST_PARTS]:
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
