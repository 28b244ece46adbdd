"""What new runs did to a budget: before and after, from the item up to the ceiling, in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reckon.compute.book import Book
from reckon.model.kinds import TOTALS
from reckon.model.ledger import ProjectLedger

from ..render.escape import terminal
from ..render.numbers import figure_text, number_text, told, use_text
from .lines import listed, use
from .status import contingency, counts

TITLE = 31
MOST_ROWS = 40
SEED = "  seed "
AddedRow = tuple[str, str, str, str]
"""A title, and the addresses of what is planned, actual and remaining."""
WHOLE = (
    ("Unplanned", "", "actual.unplanned", ""),
    *((total.title, total.hours, total.actual, total.remaining) for total in TOTALS.values()),
)


def added(before: Book, after: Book, project: str, keys: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The rows that changed, what is over its plan, what it did to the whole, and findings that are new.

    `keys` are items with their seeds.
    """
    rows = [row for row in _addresses(after.ledger.projects[project], list(dict.fromkeys(keys)))
            if all(at in after.figures for at in row[1:3] if at)]  # fmt: skip
    yield f"  {'GPU-hours':{TITLE}}{'planned':>9}{'before':>10}{'now':>10}{'remaining':>11}"
    for title, planned, actual, left in rows[:MOST_ROWS]:
        cells = [after.get(planned), before.get(actual), after.get(actual), after.get(left)]
        numbers = "".join(f"{use(cell):>{width}}" for cell, width in zip(cells, (9, 10, 10, 11), strict=True))
        yield terminal(f"  {_cut(title):{TITLE}}{numbers}".rstrip())
    if len(rows) > MOST_ROWS:
        yield f"  … and {len(rows) - MOST_ROWS:,} more rows"
    yield from (terminal(line) for line in _overruns(after, rows))
    yield from (terminal(line) for line in _whole(before, after, project))
    yield from (terminal(line) for line in _findings(before, after, project))


def _addresses(project: ProjectLedger, keys: list[tuple[str, str]]) -> Iterator[AddedRow]:
    """Title, and addresses of planned, actual and remaining: items with their seeds, phases, the project."""
    for name, phase in project.plan.items():
        chosen = [item for item in phase.items if any(item == key for key, _ in keys)]
        for item in chosen:
            at = f"{project.id}.plan.{item}"
            yield str(phase.items[item].title), f"{at}.total", f"{at}.actual", f"{at}.remaining"
            for seed in sorted({seed for key, seed in keys if key == item and seed}):
                seeds = f"{at}.seeds.{seed}"
                yield f"{SEED}{seed}", f"{at}.gpu_hours", f"{seeds}.actual", f"{seeds}.remaining"
        if chosen:
            at = f"{project.id}.phases.{name}"
            yield str(phase.title), f"{at}.planned", f"{at}.actual", f"{at}.remaining"
    strange = any(key not in project.items for key, _ in keys)
    for title, *addresses in WHOLE:
        planned, actual, left = (f"{project.id}.{address}" if address else "" for address in addresses)
        if title != "Unplanned" or strange:
            yield title, planned, actual, left


def _cut(text: str) -> str:
    return text if len(text) < TITLE else text[: TITLE - 2] + "…"


def _overruns(book: Book, rows: list[AddedRow]) -> Iterator[str]:
    """What is spent beyond its plan; a seed with the item that it is of, whose row stands above."""
    item = ""
    for title, _, _, at in rows:
        seed = title.startswith(SEED)
        item, name = (item, f"{item}, {title.strip()}") if seed else (title, title)
        left = book.get(at)
        if left and left.use is not None and left.use < 0:
            yield f"  over by {number_text(-left.use, False)} GPU-h: {name}"


def _whole(before: Book, after: Book, project: str) -> Iterator[str]:
    """What the runs did to the project: work done, contingency, forecast; each as it was, where that has changed."""
    for label, say in (("complete", _complete), ("contingency", contingency), ("forecast", _forecast)):
        was, now = say(before, project), say(after, project)
        if now:
            yield from listed(label, now)
        if now and was and was != now:
            yield from listed("  before", was)


def _complete(book: Book, project: str) -> str:
    done = book.get(f"{project}.performance.complete_share")
    return f"{figure_text(done)} of the work" if done and not done.missing else ""


def _forecast(book: Book, project: str) -> str:
    low, middle, high = (book.get(f"{project}.forecast.{name}") for name in ("p10", "p50", "p90"))
    if low is None or middle is None or high is None or middle.missing:
        return ""
    return f"{use_text(low)}–{use_text(high)} GPU-h (P10–P90), P50 {use_text(middle)}"


def _findings(before: Book, after: Book, project: str) -> Iterator[str]:
    """The findings that were not there before, by their first line, and how many there are now."""
    old = {finding.id for finding in before.findings.get(project, ())}
    found = [finding for finding in after.findings.get(project, ()) if not finding.accepted]
    new = [finding for finding in found if finding.id not in old]
    for finding in new[:10]:
        yield f"  {finding.severity}: {told(finding.title)} ({finding.id})"
    if new:
        yield f"  findings: {counts(after, project)}"
