"""`status`: where each project stands, in lines that fit a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.compute.book import Book
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES
from reckon.model.ledger import ProjectLedger

from ..escape import terminal
from ..numbers import decimal, figure_text, use_text

WIDTH = 80
BAR = 8
TITLE = 31
TOTALS = (
    ("Final budget", "budget.final", "actual.base", "budget.remaining"),
    ("Extended budget", "budget.extended", "actual.total", "budget.extended_remaining"),
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
    rows = list(_rows(book, one))
    if rows:
        yield f"  {'GPU-hours':{TITLE + 1}}{'planned':>10}{'actual':>10}{'remaining':>11}  hours used"
        yield from rows


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
        figures = [book.get(f"{one.id}.phases.{name}.{column}") for column in ("planned", "actual", "remaining")]
        if figures[0]:
            yield _row(str(phase.title), *figures)
    for title, *addresses in TOTALS:
        figures = [book.get(f"{one.id}.{address}") for address in addresses]
        if figures[0]:
            yield _row(title, *figures)


def _row(title: str, planned: Figure | None, actual: Figure | None, left: Figure | None) -> str:
    columns = f"{_use(planned):>10}{' ' + _use(actual):>10}{' ' + _use(left):>11}"
    room = TITLE + 31 - len(columns)  # long numbers take their place from the title, never from each other
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
