"""`status`: where each project stands, in lines that fit a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reckon.compute.audit import data_through
from reckon.compute.book import Book
from reckon.language.quantity import point
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import CEILING, EXTENDED, FINAL, budget_of
from reckon.model.ledger import ProjectLedger

from ..escape import terminal
from ..numbers import figure_text, use_text
from ..standing.reaching import PASSED, Reach, reach
from ..view import View
from .bars import cut, fitted, listed, use
from .standing import standing
from .table import grants, table


def status(book: Book, project: str = "", detail: bool = False) -> Iterator[str]:
    """The lines of the summary of one project, or of all; in detail with a row for each item and seed."""
    names = (project,) if project else tuple(book.ledger.projects)
    for number, name in enumerate(names):
        if number:
            yield ""
        yield from (terminal(line) for line in _project(book, book.ledger.projects[name], detail))


def shared(book: Book, projects: tuple[str, ...] = ()) -> Iterator[str]:
    """The lines of the grants that projects share."""
    return (terminal(line) for line in grants(book, projects or tuple(book.ledger.projects)))


def _project(book: Book, one: ProjectLedger, detail: bool) -> Iterator[str]:
    runs = sum(len(file.runs) for file in one.runs)
    told = f"data through {data_through(one)}" if runs else f"plan of {one.project.as_of}"
    yield fitted(f"{one.project.title} {one.project.version} ({one.id})", told)
    planned = View(book, one).planned
    if planned:
        yield from _budget(book, one)
    yield from listed("runs", f"{runs:,}" + _wasted(book, one.id) if runs else "no runs recorded yet")
    if planned:
        yield from _outlook(book, one)
    yield from standing(book, one)
    yield from listed("findings", counts(book, one.id))
    yield from table(book, one, detail)


def _budget(book: Book, one: ProjectLedger) -> Iterator[str]:
    found = []
    for title, total in (("", FINAL), ("with extensions ", EXTENDED), ("ceiling ", CEILING)):
        figure = book.get(f"{one.id}.{total.hours}")
        if figure and not figure.missing:
            found.append(title + figure_text(figure))
    missing = [one_ for total in (FINAL, EXTENDED) if (figure := book.get(f"{one.id}.{total.hours}"))
               for one_ in figure.missing]  # fmt: skip
    if missing and not found:
        found.append(f"unknown without {_wanted(tuple(dict.fromkeys(missing)))}")
    if found:
        yield from listed("budget", ", ".join(found))


def _wasted(book: Book, at: str) -> str:
    """The share of what was spent that came to nothing."""
    share = book.get(f"{at}.actual.waste_share")
    return f", {figure_text(share)} of their hours wasted" if share and not share.missing and share.use else ""


def _outlook(book: Book, one: ProjectLedger) -> Iterator[str]:
    """How far the work has come, where it leads, and how likely limits are passed."""
    at = f"{one.id}.performance"
    done, end, variance = (book.get(f"{at}.{name}") for name in ("complete_share", "eac", "vac"))
    if done and end and variance:
        spent = book.get(f"{at}.used_share")
        used = f"; {figure_text(spent)} of the budget spent" if spent and not spent.missing else ""
        yield from listed("complete", _or_why(done, f"{figure_text(done)} of the work{used}"))
        yield from listed("EAC", _or_why(end, figure_text(end) + _beside(variance)))
    yield from outlook(book, one.id)


def outlook(book: Book, project: str) -> Iterator[str]:
    """The forecast of a project and how likely its limits are passed; nothing where all is done."""
    low, middle, high = (book.get(f"{project}.forecast.{name}") for name in ("p10", "p50", "p90"))
    if low is None or middle is None or high is None or (not middle.missing and low.use == high.use):
        return
    within = f"{use(low)}–{use(high)} GPU-h (P10–P90), P50 {use_text(middle)}"
    yield from listed("forecast", _or_why(middle, within))
    limits = (("budget", budget_of(book.figures, project).id), ("ceiling", CEILING.id))
    if told := [f"{words} {said}" for words, name in limits if (said := _likely(reach(book, project, name)))]:
        yield from listed("likely passed", ", ".join(told))


def _likely(near: Reach | None) -> str:
    """How likely a limit is passed, or that it is."""
    if near is None or not near.chance or near.chance.missing:
        return ""
    return PASSED if near.passed else figure_text(near.chance)


def _or_why(figure: Figure, text: str) -> str:
    """A text of a figure; or that it is undefined, and the first input that would settle it."""
    return f"undefined without {_wanted(figure.missing)}" if figure.missing else text


def _wanted(missing: tuple[str, ...]) -> str:
    more = len(missing) - 1
    wanted = cut(missing[0].partition(".")[2] or missing[0], 34)
    return wanted + (f" and {more:,} more" if more else "")


def _beside(variance: Figure) -> str:
    """How an estimate at completion stands to its budget."""
    if variance.missing or variance.use is None:
        return ""
    if not variance.use:
        return ", as budgeted"
    size = figure_text(replace(variance, value=point(abs(variance.use))))
    return f", {size} {'below' if variance.use > 0 else 'above'} the budget"


def counts(book: Book, project: str) -> str:
    """How many findings of each severity, the accepted ones apart: `2 errors, 1 warning; 1 accepted`."""
    found = book.findings.get(project, ())
    parts = []
    for severity in SEVERITIES:
        many = sum(1 for one in found if one.severity == severity and not one.accepted)
        if many:
            parts.append(f"{many:,} {severity}{'s'[: many != 1]}")
    accepted = sum(1 for one in found if one.accepted)
    return (", ".join(parts) or ("none open" if accepted else "none")) + (
        f"; {accepted:,} accepted" if accepted else ""
    )
