"""What a change does to each budget that it touches, as a review begins: before, after, bridge, new findings.

Whoever merges a run reads no more than this. Projects that a change leaves as they were are not in it, and nothing of a
ledger can act: it is escaped, and the review lets no `@name` call anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.versions.difference import Difference, Part
from reckon.language.text import plural
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import CEILING, EXTENDED, FINAL, called
from reckon.model.release import ReleasedFinding

from ..budget.state import ProjectState, state_of
from ..render.escape import code, inline
from ..render.numbers import figure_text, told, use_text
from ..render.printing import Printer
from ..table import Cell, Table, figures, words
from ..view import View
from . import wording
from .markdown import bridge

MOST_FINDINGS, MOST_GLANCED, MOST_STEPS, MOST_GRANTS = 10, 10, 10, 4
ROWS = (
    (FINAL.title, FINAL.hours),
    (EXTENDED.title, EXTENDED.hours),
    (CEILING.title, CEILING.hours),
    ("Spent", "actual.total"),
    (f"Left of the {FINAL.words}", FINAL.remaining),
    ("Left below the ceiling", CEILING.remaining),
    ("Contingency left", "contingency.left"),
    ("Work complete", FINAL.complete),
    ("Forecast at the end, P50", "forecast.p50"),
    (f"Chance of exceeding the {FINAL.words}", FINAL.chance),
    ("Chance of exceeding the ceiling", CEILING.chance),
    (f"Cost of the {FINAL.words}", "money.final"),
    ("Money spent", "money.actual"),
    ("Energy taken", "energy.actual"),
    ("Emissions", "carbon.actual"),
)
STATE = "State"
RANGE = "forecast.p10", "forecast.p90"


def glance(of: Difference) -> Iterator[str]:
    """The lines for what projects share and for each project that differs, without one at either end."""
    shared = [wording.described(change) for part in of.parts if not part.id for change in part.told]
    lines = [f"**Shared**: {inline(wording.several(shared))}"] if shared else []
    parts = [part for part in of.parts if part.id]
    for part in parts[:MOST_GLANCED]:
        lines += ["", *_project(of, part)]
    if len(parts) > MOST_GLANCED:
        lines += ["", f"… and {len(parts) - MOST_GLANCED:,} more projects, which stand below."]
    yield from lines[1:] if lines[:1] == [""] else lines


def _project(of: Difference, part: Part) -> Iterator[str]:
    """What became of a project: its title, the figures of the whole that moved, why, and the findings."""
    if part.state:
        yield f"**{inline(wording.headline(part))}**"
        return
    rows: list[list[Cell]] = [[*row] for row in moved_figures(of.old.book, of.new.book, part.id)]
    yield f"**{inline(part.title)}**{counted_runs(part)}"
    if rows:
        yield from ("", str(Printer("").table(Table([words(""), figures("Before"), figures("Now")], rows))))
    was, now = (state_in(book, part.id) for book in (of.old.book, of.new.book))
    if now and now.grave and (was is None or was.word != now.word):
        yield from ("", f"**Now {now.word}**: {inline(told(now.why))}.")
    if part.bridge:
        yield from ("", *bridge(of, part, part.bridge, MOST_STEPS))
    yield from _listed("New findings:", _new_findings(part))
    dropped = [f"{inline(what)} (no longer found: {inline(gone)})" for what, gone in wording.dropped(part)]
    yield from _listed("Dropped, and a finding with it:", dropped)


def state_in(book: Book, project_id: str) -> ProjectState | None:
    """The state of a project (`budget/state` alone decides it); None where it is not there or not a budget."""
    project = book.ledger.projects.get(project_id)
    view = View(book, project) if project else None
    return state_of(view) if view and view.kind == "budget" else None


def _new_findings(part: Part) -> list[str]:
    """The findings that came and that nobody accepts, and those that are graver than they were."""
    gained = [each for each in part.gained if not each.accepted]
    found = [f"**{each.severity}**: {inline(each.title)} ({code(each.id)})" for each in gained]
    return found + [f"**{now.severity}**, until now a {was.severity}: {inline(now.title)} ({code(now.id)})"
                    for was, now in graver(part)]  # fmt: skip


def graver(part: Part) -> list[tuple[ReleasedFinding, ReleasedFinding]]:
    """The findings that are graver than they were and that nobody accepts, as they were and as they are."""
    return [(was, now) for was, now in part.altered
            if not now.accepted and SEVERITIES.index(now.severity) < SEVERITIES.index(was.severity)]  # fmt: skip


def _listed(head: str, entries: Sequence[str]) -> Iterator[str]:
    """The first of some entries under a line, and how many more there are; nothing where there are none."""
    if entries:
        yield from ("", head, "", *(f"- {entry}" for entry in entries[:MOST_FINDINGS]))
        yield from [f"- and {len(entries) - MOST_FINDINGS:,} more"] if len(entries) > MOST_FINDINGS else []


def counted_runs(part: Part) -> str:
    """How many runs there are more or fewer, and how many GPU-hours; without any, how much of each kind differs."""
    moved = [change.runs for change in part.told if change.runs]
    many = sum(swap.counts[1] - swap.counts[0] for swap in moved)
    hours = sum((swap.hours[1] - swap.hours[0] for swap in moved), Fraction(0))
    if not moved:
        return f": {wording.counted(part)}"
    if not many:
        return f": runs changed, {wording.signed(hours)} GPU-h"
    return f": {plural(abs(many), 'run')} {'more' if many > 0 else 'fewer'}, {wording.signed(hours)} GPU-h"


def moved_figures(old: Book, new: Book, project_id: str) -> Iterator[tuple[str, str, str]]:
    """Title, before and now of the state, of each figure of the whole, and of what is left of each grant, where they
    are not as they were."""
    project = new.ledger.projects[project_id].project
    then, today = (state_in(book, project_id) for book in (old, new))
    if then and today and then.word != today.word:
        yield STATE, then.word, today.word
    own = [(called(project, title), f"{project_id}.{address}") for title, address in ROWS]
    grants = [(f"Left of “{wording.cut(str(grant.title))}”", f"allocations.{name}.left")
              for name, grant in new.ledger.allocations.items() if project_id in grant.projects]  # fmt: skip
    for title, address in (*own, *grants[:MOST_GRANTS]):
        was, now = (_figure(book, project_id, address) for book in (old, new))
        if was != now:
            yield title, was, now


def _figure(book: Book, project_id: str, address: str) -> str:
    """A figure as it is printed, the forecast with its range; `–` where there is none."""
    figure = book.get(address)
    if figure is None or figure.missing:
        return "–"
    if address == f"{project_id}.forecast.p50":
        low, high = (book.get(f"{project_id}.{end}") for end in RANGE)
        if low and high and not low.missing and not high.missing and use_text(low) != use_text(high):
            return f"{figure_text(figure)} ({use_text(low)}–{use_text(high)})"
    return figure_text(figure)
