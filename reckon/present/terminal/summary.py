"""`status`: where each project stands, in lines that fit the terminal.

It says what the status page says, of the same tables: the verdict, the limits and payers, the phases; with `items` also
items and seeds, and everything else that the page has beside a figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from reckon.compute.book import Book
from reckon.language.text import capitalise, first_of, list_first, plural
from reckon.model.figure import Figure, is_known, missing_of
from reckon.model.kinds import CEILING, EXTENDED, FINAL

from ..budget.accepted_findings import accepted_breaches
from ..budget.dates import has_few_days, phase_dates, whole_dates
from ..budget.energy import amount, groups_of
from ..budget.forecast_basis import describe_missing, expected_losses, rests_on, untold
from ..budget.grants import EXTENDED_RISK, limits_table, payers_table, unknown_of_grants
from ..budget.imports import imported_line
from ..budget.limits import FEW_DAYS, paid
from ..budget.state import verdict
from ..budget.work import ENDS, work_table
from ..render.escape import terminal
from ..render.numbers import figure_text, format_sentence
from ..table import Bold
from ..view import View
from .lines import Lines, counts, cut, fitted, grid, line_width, pieces, use

MOST_ROWS = 200
PART = "  "
"""What stands before the title of a part of the row above."""


def status(book: Book, projects: Sequence[str] = (), items: bool = False) -> Lines:
    """The lines of the summary of some projects, or of all; with a row for each item and seed if asked for."""
    for number, name in enumerate(projects or book.projects):
        if number:
            yield ""
        yield from map(terminal, _project(View(book, book.projects[name]), items))


def _project(view: View, items: bool) -> Lines:
    until = f"data to {view.through}" if view.runs else f"plan of {view.project.as_of}"
    yield fitted(f"{view.project.title} {view.project.version} ({view.id})", until)
    if view.kind == "budget":
        word, why = verdict(view)
        yield from wrap(f"{format_sentence(word).upper()}{format_sentence(why)}", line_width())
        yield from _ends(view, items)
    yield from _limits(view, items)
    if items:
        yield from _payers(view)
    if view.in_hours:
        yield from _phases(view, items)
    for text in (*_unknowns(view), " · ".join(filter(None, _sums(view))), *(_details(view) if items else ())):
        yield from wrap(text, line_width(), subsequent_indent="  ", break_on_hyphens=False)


def _ends(view: View, items: bool) -> Lines:
    """When the work is done and where it ends, with both ranges; by phase if asked for."""
    if view.done or not view.planned:
        return
    whole = whole_dates(view)
    parts = [f"{FEW_DAYS} to say when the work is done"] if has_few_days(view) else []
    if whole.done:
        parts = [f"done by {use(whole.done)}{_span(whole.spread)}"]
    elif whole.earliest:
        parts.append(f"at the earliest done by {use(whole.earliest)}")
    low, median, high = view.maybe_all("forecast", "p10", "p50", "p90")
    if view.runs and is_known(median):
        ends = (low, high) if low and high and low.use != high.use else None
        parts.append(f"forecast {figure_text(median)}{_span(ends)}")
    if parts:
        yield from wrap(f"{capitalise('; '.join(parts))}.", line_width(), break_on_hyphens=False)
    if items:
        for found in phase_dates(view):
            days = [f"done by {use(found.done)}{_span(found.spread)}"] if found.done else []
            days += [f"at the earliest {use(found.earliest)}"] if found.earliest else []
            yield from wrap(f"  {found.title}: {', '.join(days)}", line_width(), subsequent_indent="    ")


def _span(ends: tuple[Figure | None, Figure | None] | None) -> str:
    return f" ({use(ends[0])} to {use(ends[1])} in 8 of 10 simulations)" if ends else ""


def _limits(view: View, items: bool) -> Lines:
    """What is left of each limit and payer, the risk, and when it runs out; what else the page says if asked for."""
    columns, rows = limits_table(view).fitted()
    texts: list[list[str]] = []
    notes: list[str] = []
    for row in rows:
        found = [(str(column.heading), pieces(cell, column)) for cell, column in zip(row, columns, strict=True)]
        *most, ends = [said for heading, said in found if heading != EXTENDED_RISK]
        most[1][0] = most[1][0].partition(":")[0]  # why a risk is not known is said below the tables
        texts.append([*(said[0] for said in most), "; ".join(ends)])
        rest = [(heading, said if heading == EXTENDED_RISK else said[1:]) for heading, said in found[:-1]]
        notes.append("; ".join(f"{heading.lower()} {', '.join(said)}" for heading, said in rest if any(said)))
    headings = [str(column.heading) for column in columns if column.heading != EXTENDED_RISK]
    yield from grid(headings, texts, notes if items else ())
    if not view.runs and is_known(ceiling := view.maybe(CEILING.hours)):
        yield f"Ceiling: {figure_text(ceiling)}"


def _payers(view: View) -> Lines:
    """What else is known of who pays: charged, promised, still to do, short."""
    (head, *columns), rows = payers_table(view).fitted()
    for title, *cells in rows:
        said = [(str(column.heading), pieces(cell, column)) for cell, column in zip(cells, columns, strict=True)]
        told = "; ".join(
            f"{heading.lower()} {', '.join(texts)}"
            for heading, texts in said
            if any(text not in ("", "–") for text in texts)
        )
        name = "".join(pieces(title, head))
        yield from wrap(f"{PART}{name}: {told}", line_width(), subsequent_indent=PART * 2, break_on_hyphens=False)


def _phases(view: View, items: bool) -> Lines:
    """The hours of phases and of the whole; if asked for, those of items and seeds too."""
    columns, rows = work_table(view, items).fitted()
    texts = []
    for title, *cells in rows:
        said = [pieces(cell, column)[0] for cell, column in zip(cells, columns[1:], strict=True)]
        texts.append([PART * (not isinstance(title, Bold)) + pieces(title, columns[0])[0], *said])
    headings = [str(column.heading) for column in columns]
    if headings[-1] != ENDS:
        headings.append(ENDS)
        texts = [[*text, ""] for text in texts]
    lines = list(grid(headings, texts))
    yield from list_first(lines, MOST_ROWS, "  … and {} more rows: see `export`")


def _unknowns(view: View) -> Lines:
    """What is not known of the work and the forecast, and what would settle it."""
    if not view.planned:
        return
    for address in ("performance.complete_share", "forecast.p50"):
        figure = view.maybe(address)
        if view.runs and figure and figure.missing:
            yield f"{figure.title} unknown without {_describe_missing(view, figure.missing)}"
    missing = missing_of(view.maybe(total.hours) for total in (FINAL, EXTENDED))
    if missing:
        yield f"Budget unknown without {_describe_missing(view, missing)}"
    if blind := untold(view):
        many = plural(int(blind.use or 0), "piece")
        yield f"Nothing says how much of {many} of work is done: its forecast is based on hours alone."
    if not view.done:
        yield from (f"Unknown: {format_sentence(why)}" for why in unknown_of_grants(view))


def _describe_missing(view: View, missing: tuple[str, ...]) -> str:
    """The first input that would settle a figure, and how many more."""
    more = len(missing) - 1
    return cut(describe_missing(view, missing[0]), 60) + (f" and {more:,} more" if more else "")


def _sums(view: View) -> Lines:
    """Runs, money, energy, policies and findings, in a few words each."""
    runs = sum(view.ledger.rows.many)
    lost = view.maybe("actual.waste_share")
    share = f", {figure_text(lost)} of their hours lost" if lost and lost.use else ""
    yield f"{plural(runs, 'run')}{share}" if runs else ""
    yield format_sentence(paid(view))
    yield _energy(view)
    yield policies(view.book, view.id)
    yield f"findings: {counts(view.book, view.id)}"


def _energy(view: View) -> str:
    """Energy and emissions that were taken, with the budget of each."""
    found: list[str] = []
    for group in groups_of(view):
        spent, budget = (amount(view, group, f"{group}.{name}") for name in ("actual", FINAL.id))
        if spent and spent.missing:
            reason = f"energy unknown without {_describe_missing(view, spent.missing)}"
            found += [] if reason in found else [reason]
        elif spent:
            of = f" of {figure_text(budget)}" if view.planned and is_known(budget) else ""
            found.append(f"{figure_text(spent)}{of}")
    return ", ".join(found)


def policies(book: Book, project_id: str) -> str:
    """How many policies hold, and which are breached or cannot be decided yet."""
    found = book.policies.get(project_id, ())
    hold = sum(1 for result in found if result.holds)
    parts = [plural(hold, "policy met", "policies met")] if hold else []
    for value, words in ((False, "breached"), (None, "unknown")):
        judged = (result for result in found if result.holds is value)
        names = dict.fromkeys(result.name + (f" ({result.about})" if result.about else "") for result in judged)
        if names:
            parts.append(f"{len(names):,} {words}: {first_of(list(names), 3)}")
    return "; ".join(parts)


def _details(view: View) -> Lines:
    """What else the status page says beside its tables."""
    if losses := expected_losses(view):
        yield f"The forecast includes {figure_text(losses)} lost to failed runs."
    pace = view.maybe("pace.gpu_hours_per_day")
    if is_known(pace) and pace.use and not view.done:
        yield f"Pace: {figure_text(pace)}"
    if view.runs and (basis := format_sentence(rests_on(view))):
        yield f"What is done is known from {basis}."
    if view.ledger.imports:
        yield format_sentence(imported_line(view))
    yield from (f"Accepted: {format_sentence(breach)}" for breach in accepted_breaches(view))
