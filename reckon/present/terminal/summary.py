"""`status`: where each project stands, in lines that fit a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reckon.compute.book import Book
from reckon.language.quantity import point
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES
from reckon.model.ledger import ProjectLedger

from ..escape import terminal
from ..numbers import decimal, figure_text, use_text

WIDTH = 80
BAR = 8
TITLE = 22
TOTALS = (
    ("Final budget", "budget.final", "actual.base", "budget.remaining", "performance.eac"),
    ("Extended budget", "budget.extended", "actual.total", "budget.extended_remaining", "performance.extended.eac"),
)


def status(book: Book, project: str = "") -> Iterator[str]:
    """The lines of the summary of one project, or of all."""
    for number, name in enumerate([project] if project else list(book.ledger.projects)):
        if number:
            yield ""
        yield from (terminal(line) for line in _project(book, book.ledger.projects[name]))


def _project(book: Book, one: ProjectLedger) -> Iterator[str]:
    yield _fitted(f"{one.project.title} {one.project.version} ({one.id})", f"as of {one.project.as_of}")
    for title, address in (("budget", "budget.final"), ("with extensions", "budget.extended"), ("ceiling", "ceiling")):
        if figure := book.get(f"{one.id}.{address}"):
            yield f"  {title + ':':18}{figure_text(figure)}"
    runs = sum(len(file.runs) for file in one.runs)
    yield f"  {'runs:':18}{f'{runs:,}' if runs else 'no runs recorded yet'}"
    yield f"  {'findings:':18}{counts(book, one.id)}"
    yield from _outlook(book, one)
    rows = list(_rows(book, one))
    if rows:
        yield f"  {'GPU-hours':{TITLE + 1}}{'planned':>10}{'actual':>10}{'remaining':>10}{'EAC':>10}  hours used"
        yield from rows


def _outlook(book: Book, one: ProjectLedger) -> Iterator[str]:
    """How far the work has come, where it leads, and how likely limits are passed."""
    at = f"{one.id}.performance"
    done, end, variance = (book.get(f"{at}.{name}") for name in ("complete_share", "eac", "vac"))
    if done and end and variance:
        used = book.get(f"{at}.used_share")
        spent = f"; {figure_text(used)} of the budget spent" if used and not used.missing else ""
        yield f"  {'complete:':18}{_or_why(done, f'{figure_text(done)} of the work{spent}')}"
        yield f"  {'EAC:':18}{_or_why(end, f'{figure_text(end)}, {_beside(variance)}')}"
    middle = book.get(f"{one.id}.forecast.p50")
    if middle is None:
        return
    low, high = (use_text(book[f"{one.id}.forecast.{name}"]) for name in ("p10", "p90"))
    within = f"{low}–{high} GPU-h (P10–P90), P50 {use_text(middle)}" if low != high else f"{low} GPU-h, all is done"
    yield f"  {'forecast:':18}{_or_why(middle, within)}"
    limits = (("budget", "plan"), ("ceiling", "ceiling"))
    likely = [(words, book.get(f"{one.id}.forecast.probability_over_{name}")) for words, name in limits]
    if told := [f"{name} {figure_text(figure)}" for name, figure in likely if figure and not figure.missing]:
        yield f"  {'likely passed:':18}{', '.join(told)}"


def _or_why(figure: Figure, text: str) -> str:
    """A text of a figure; or that it is undefined, and the first input that would settle it."""
    if not figure.missing:
        return text
    more = len(figure.missing) - 1
    wanted = _cut(figure.missing[0].partition(".")[2] or figure.missing[0], 34)
    return f"undefined without {wanted}" + (f" and {more:,} more" if more else "")


def _beside(variance: Figure) -> str:
    """How an estimate at completion stands to its budget."""
    if not variance.use:
        return "as budgeted"
    size = figure_text(replace(variance, value=point(abs(variance.use))))
    return f"{size} {'below' if variance.use > 0 else 'above'} the budget"


def counts(book: Book, project: str) -> str:
    """How many findings of each severity, the accepted ones apart: `2 errors, 1 warning; 1 accepted`."""
    found = book.findings.get(project, ())
    parts = []
    for severity in SEVERITIES:
        many = sum(1 for one in found if one.severity == severity and not one.accepted)
        if many:
            parts.append(f"{many} {severity}{'s'[: many != 1]}")
    accepted = sum(1 for one in found if one.accepted)
    return (", ".join(parts) or ("none open" if accepted else "none")) + (f"; {accepted} accepted" if accepted else "")


def _rows(book: Book, one: ProjectLedger) -> Iterator[str]:
    for name, phase in one.plan.items():
        figures = [book.get(f"{one.id}.phases.{name}.{column}") for column in ("planned", "actual", "remaining", "eac")]
        if figures[0]:
            yield _row(str(phase.title), *figures)
    for title, *addresses in TOTALS:
        figures = [book.get(f"{one.id}.{address}") for address in addresses]
        if figures[0]:
            yield _row(title, *figures)


def _row(title: str, planned: Figure | None, actual: Figure | None, left: Figure | None, end: Figure | None) -> str:
    columns = "".join(f"{' ' + _use(figure):>10}" for figure in (planned, actual, left, end))
    room = TITLE + 41 - len(columns) - 1  # long numbers take their place from the title, never from each other
    return f"  {_cut(title, room):{room + 1}}{columns}  {_bar(planned, actual)}".rstrip()


def _use(figure: Figure | None) -> str:
    return use_text(figure) if figure else ""


def _bar(planned: Figure | None, actual: Figure | None) -> str:
    """Hours used of the hours planned; that is no measure of the work done."""
    if planned is None or actual is None or not planned.use or actual.use is None:
        return ""
    share = actual.use / planned.use
    full = max(0, min(int(share * BAR), BAR))
    return "█" * full + "░" * (BAR - full) + (f" {decimal(share * 100, 0)}%" if share < 10 else " >10×")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _fitted(left: str, right: str) -> str:
    """Two texts at both ends of a line; the left one is cut where they do not fit."""
    left = _cut(left, WIDTH - len(right) - 2)
    return left + right.rjust(WIDTH - len(left))
