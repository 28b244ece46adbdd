"""`status`: where each project stands, in lines that fit a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from reckon.compute.audit.accepts import data_through
from reckon.compute.book import Book
from reckon.language.quantity import point
from reckon.model.figure import Figure, missing_of
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import CEILING, EXTENDED, FINAL, TOTALS, budget_of
from reckon.model.ledger import ProjectLedger

from ..budget.limits import ENDED, PASSED, Reach, is_done, reach, reach_grant
from ..budget.work import work_rows
from ..render.escape import terminal
from ..render.numbers import figure_text, use_text
from ..view import View
from .lines import bar, cut, fitted, listed, use, used_bar


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


def _project(book: Book, project: ProjectLedger, detail: bool) -> Iterator[str]:
    runs = sum(len(file.runs) for file in project.runs)
    told = f"data through {data_through(project)}" if runs else f"plan of {project.project.as_of}"
    yield fitted(f"{project.project.title} {project.project.version} ({project.id})", told)
    planned = View(book, project).planned
    if planned:
        yield from _budget(book, project)
    yield from listed("runs", f"{runs:,}" + _wasted(book, project.id) if runs else "no runs recorded yet")
    if planned:
        yield from _outlook(book, project)
    yield from standing(book, project)
    yield from listed("findings", counts(book, project.id))
    yield from table(book, project, detail)


def _budget(book: Book, project: ProjectLedger) -> Iterator[str]:
    found = []
    for title, total in (("", FINAL), ("with extensions ", EXTENDED), ("ceiling ", CEILING)):
        figure = book.get(f"{project.id}.{total.hours}")
        if figure and not figure.missing:
            found.append(title + figure_text(figure))
    missing = missing_of(book.get(f"{project.id}.{total.hours}") for total in (FINAL, EXTENDED))
    if missing and not found:
        found.append(f"unknown without {_wanted(missing)}")
    if found:
        yield from listed("budget", ", ".join(found))


def _wasted(book: Book, at: str) -> str:
    """The share of what was spent that came to nothing."""
    share = book.get(f"{at}.actual.waste_share")
    return f", {figure_text(share)} of their hours wasted" if share and not share.missing and share.use else ""


def _outlook(book: Book, project: ProjectLedger) -> Iterator[str]:
    """How far the work has come, where it leads, and how likely limits are passed."""
    at = f"{project.id}.performance"
    done, end, variance = (book.get(f"{at}.{name}") for name in ("complete_share", "eac", "vac"))
    if done and end and variance:
        spent = book.get(f"{at}.used_share")
        used = f"; {figure_text(spent)} of the budget spent" if spent and not spent.missing else ""
        yield from listed("complete", _or_why(done, f"{figure_text(done)} of the work{used}"))
        yield from listed("EAC", _or_why(end, figure_text(end) + _beside(variance)))
    yield from outlook(book, project.id)


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
        many = sum(1 for finding in found if finding.severity == severity and not finding.accepted)
        if many:
            parts.append(f"{many:,} {severity}{'s'[: many != 1]}")
    accepted = sum(1 for finding in found if finding.accepted)
    return (", ".join(parts) or ("none open" if accepted else "none")) + (
        f"; {accepted:,} accepted" if accepted else ""
    )


def standing(book: Book, project: ProjectLedger) -> Iterator[str]:
    """The lines; each is left out where there is nothing to say."""
    for label, text in (
        ("pace", _pace(book, project.id)),
        ("contingency", contingency(book, project.id)),
        ("money", _money(book, project.id)),
        ("policies", policies(book, project.id)),
    ):
        if text:
            yield from listed(label, text)


def _pace(book: Book, at: str) -> str:
    """The present pace, when work is done at it, and when limits are reached that it is likely to come to."""
    pace = book.get(f"{at}.pace.gpu_hours_per_day")
    if pace is None or pace.missing or not pace.use or is_done(book, at):
        return ""
    end = book.get(f"{at}.pace.end")
    days = [f"work done {use(end)} (P50)"] if end and not end.missing else []
    for total in TOTALS.values():
        near, words = reach(book, at, total.id), "budget" if total is FINAL else total.words
        if near and near.day:
            days.append(f"{words} {'passed' if near.passed else 'reached'} {use(near.day)}")
    return f"{figure_text(pace)}" + (f"; {', '.join(days)}" if days else "")


def contingency(book: Book, at: str) -> str:
    """How much of the contingency is drawn and left."""
    planned, drawn, left = (
        book.get(f"{at}.{name}") for name in ("budget.contingency", "contingency.drawn", "contingency.left")
    )
    if planned is None or drawn is None or left is None or left.missing or not planned.use or drawn.use is None:
        return ""
    return f"{bar(drawn.use / planned.use)} drawn; {figure_text(left)} of {use_text(planned)} left"


def _money(book: Book, at: str) -> str:
    parts, ended = [], _use(book, f"{at}.forecast.p10") == _use(book, f"{at}.forecast.p90")
    for name, words in (("actual", "spent"), ("final", "budget"), ("forecast_p50", "forecast P50")):
        figure = book.get(f"{at}.money.{name}")
        if figure and not figure.missing and not (ended and name == "forecast_p50"):
            parts.append(f"{_round(figure)} {words}")
    return ", ".join(parts)


def _use(book: Book, address: str) -> Fraction | None:
    figure = book.get(address)
    return figure.use if figure else None


def _round(figure: Figure) -> str:
    return figure.unit.symbol + use_text(figure)


def policies(book: Book, project: str) -> str:
    """How many policies hold, and which are breached or cannot be decided yet."""
    found = book.policies.get(project, ())
    if not found:
        return ""
    hold = sum(1 for result in found if result.holds)
    parts = [f"{hold:,} hold{'s'[: hold == 1]}"] if hold else []
    for value, words in ((False, "breached"), (None, "not decided yet")):
        judged = (result for result in found if result.holds is value)
        names = [result.name + (f" ({result.about})" if result.about else "") for result in judged]
        if names:
            shown = ", ".join(dict.fromkeys(names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
            parts.append(f"{len(names):,} {words}: {shown}" if value is False else f"{len(names):,} {words}")
    return "; ".join(parts)


TITLE = 22
MOST_ROWS = 200
COLUMNS = ("planned", "actual", "remaining", "eac")
INDENT = {"item": "  ", "seed": "    "}
Row = tuple[str, list[Figure | None]]


def table(book: Book, project: ProjectLedger, detail: bool) -> Iterator[str]:
    """The rows of a project's phases and limits; in detail, those of items and seeds too."""
    view = View(book, project)
    if not view.planned:
        yield f"  {'GPU-hours':{TITLE + 1}}{'actual':>10}"
        for title, figures in [*_plan(view, True), ("Actual", [None, book[f"{project.id}.actual.total"]])]:
            yield f"  {cut(title, TITLE):{TITLE}}{' ' + use(figures[1]):>11}"
        return
    rows = [*_plan(view, detail), *_totals(book, project)]
    if rows:
        yield f"  {'GPU-hours':{TITLE + 1}}{'planned':>10}{'actual':>10}{'remaining':>10}{'EAC':>10}  hours used"
        yield from (_row(title, figures) for title, figures in rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        yield f"  … and {len(rows) - MOST_ROWS:,} more rows: see `export`"


def _plan(view: View, detail: bool) -> Iterator[Row]:
    for row in work_rows(view):
        if row.level != "seedless" and (detail or row.level not in INDENT):
            yield INDENT.get(row.level, "") + row.title, [row.planned, row.actual, row.remaining, row.eac]


def _totals(book: Book, project: ProjectLedger) -> Iterator[Row]:
    for total in TOTALS.values():
        addresses = (total.hours, total.actual, total.remaining, total.eac)
        figures = [book.get(f"{project.id}.{address}") for address in addresses]
        if figures[0]:
            yield total.title, figures


def _row(title: str, figures: list[Figure | None]) -> str:
    columns = "".join(f"{' ' + use(figure):>10}" for figure in figures)
    room = TITLE + 41 - len(columns) - 1  # long numbers take their place from the title, never from each other
    return f"  {cut(title, room):{room + 1}}{columns}  {used_bar(figures[0], figures[1])}".rstrip()


def grants(book: Book, projects: tuple[str, ...]) -> Iterator[str]:
    """The grants that some projects share: granted, used and left, and how they end."""
    found = {name: grant for name, grant in book.ledger.allocations.items() if set(projects) & set(grant.projects)}
    if found:
        yield f"{'Allocations, GPU-hours':{TITLE + 13}}{'granted':>10}{'used':>10}{'left':>10}  share used"
    for name, grant in found.items():
        at = f"allocations.{name}"
        figures = [book.get(f"{at}.{column}") for column in ("gpu_hours", "used", "left")]
        columns = "".join(f"{' ' + use(figure):>10}" for figure in figures)
        room = TITLE + 43 - len(columns) - 1
        yield f"  {cut(str(grant.title), room - 2):{room - 1}}{columns}  {used_bar(figures[0], figures[1])}".rstrip()
        if ends := _ends(book, name):
            yield f"    {ends}"


def _ends(book: Book, name: str) -> str:
    """When a grant ends or has ended, and what that leaves unused; or when it is used up, or was."""
    near = reach_grant(book, name)
    end, unused = (book.get(f"allocations.{name}.{key}") for key in ("end", "unused"))
    if near and near.passed:
        return f"overdrawn since {use(near.day)}" if near.day else "overdrawn"
    parts = [f"{'ended' if near and near.instead == ENDED else 'ends'} {use(end)}"] if end else []
    if near and near.day:
        parts.append(f"at the present pace used up on {use(near.day)}")
    elif unused and unused.use:
        parts.append(f"{use(unused)} GPU-h {'unused' if near and near.instead == ENDED else 'are left unused'}")
    return "; ".join(parts)
