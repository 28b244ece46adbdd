"""Tables on paper: a budget at a glance and by phase, what documents without one have, and former releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import compress

from reckon.language.quantity import point
from reckon.model.figure import OUTSIDE, Figure
from reckon.model.kinds import CEILING, EXTENDED, FINAL, Total, called

from ..budget.status import Standing
from ..choosing import Choosing
from ..fitting.memory import filled
from ..measuring.overview import Overview
from ..render.numbers import figure_text, value_text
from ..render.printing import Printer
from ..table import DASH, Cell, Column, Table
from ..table_rows import estimate_called, hours_then
from ..view import View
from .blocks import Blocks, Row, flat

SUMMED = "the pages of the project; the sums have them"
MOST_TOLD = 4
COSTS = ("Planned cost", "Charged cost")


def add_glance(view: View, blocks: Blocks) -> None:
    """What is planned, charged, forecast and left of the budget, in hours and, where there are prices, in money."""
    total = view.budget
    if not view.planned or view.maybe(total.hours) is None:
        return
    ahead = view.runs and not Standing(view).done
    kept = [True, True, view.runs, ahead, ahead, view.runs]
    spent = _spent_of(view, total)
    hours = _at_a_glance(view, [total.hours, total.actual, total.remaining], FINAL.forecast)
    rows = [Row(["GPU-hours", *hours], fixed=True)]
    if view.maybe(f"money.{total.id}") or view.maybe("money.actual"):
        places = [f"money.{total.id}", spent, "money.remaining" if total is FINAL else ""]
        rows.append(Row(["Cost", *_at_a_glance(view, places, "money", "forecast_")], fixed=True))
    if len(rows) == 1 and not view.runs:  # one figure, which the sentence above has
        return
    names = (called(view.project, total.title), "Planned", "Charged", "Forecast, P50", "P10 to P90", "Left")
    add_columns(blocks, names, rows, kept)


def _spent_of(view: View, total: Total) -> str:
    """Where it is said what was spent of a budget."""
    return "money.base" if total is FINAL and view.maybe("money.base") else "money.actual"


def _at_a_glance(view: View, places: list[str], forecast: str, before: str = "") -> list[str]:
    planned, charged, left = (_bare(view.maybe(at)) or DASH for at in places)
    low, middle, high = (view.maybe(f"{forecast}.{before}{each}") for each in ("p10", "p50", "p90"))
    ends = f"{_bare(low)} to {_bare(high)}" if low and high and not (low.missing or high.missing) else DASH
    return [planned, charged, _bare(middle) or DASH, ends, left]


def add_columns(
    blocks: Blocks,
    names: Sequence[str],
    rows: Iterable[Row],
    kept: Sequence[bool],
    what: str = "rows",
    where: str = SUMMED,
) -> None:
    """A table of those columns alone that are kept: the first is of names, all others are of figures."""
    heads = list(compress(names, kept))
    shown = [row._replace(cells=list(compress(row.cells, kept))) for row in rows]
    blocks.table(heads, shown, "<" + ">" * (len(heads) - 1), what=what, where=where)


def add_table(view: View, blocks: Blocks) -> None:
    """The plan by phase with its sums; what is estimated, charged and left stands beside it where there is any.

    Each column adds up: a phase without an estimate enters as planned, what is outside the plan leaves less, and
    nothing is charged to the contingency itself.
    """
    estimated = any(view.maybe(f"phases.{name}.estimated") for name in view.ledger.plan)
    if not view.planned:
        _spent_table(view, blocks)
        return
    rows = list(_phases(view))
    costs = (any(row.cells[5] for row in rows), any(row.cells[6] for row in rows) and view.runs)
    kept = [True, True, estimated, view.runs, view.runs, *costs]
    names = ("GPU-hours", "Planned", estimate_called(view.book, view.id), "Charged", "Left", *COSTS)
    if not rows:
        return
    blocks.heading("The budget by phase")
    add_columns(blocks, names, rows, kept, "phases")
    drawn, left = view.maybe("contingency.drawn"), view.maybe("contingency.left")
    if view.runs and drawn and left and not (drawn.missing or left.missing) and drawn.use:
        over = left.use is not None and left.use < 0
        rest = ", more than it has" if over else f" of it, {figure_text(left)} are left"
        blocks.paragraph(
            f"Left is planned less charged. Nothing is charged to the contingency itself: work above its"
            f" plan and unplanned runs have drawn {figure_text(drawn)}{rest}."
        )


def _spent_table(view: View, blocks: Blocks) -> None:
    """What was charged to each item, where no plan is known, and what that cost where there are prices."""
    named = [
        (str(item.title), f"plan.{name}.actual", f"plan.{name}.money.actual")
        for name, item in view.ledger.items.items()
    ]
    named += [(each.title, f"actual.{each.key}", f"money.{each.key}.actual") for each in OUTSIDE]
    rows = [_figure_row(view, title, places) for title, *places in named if view.maybe(places[0])]
    rows.append(_figure_row(view, "Total charged", [CEILING.actual, "money.actual"], bold=True, fixed=True))
    blocks.heading("What was charged")
    priced = any(row.cells[2] for row in rows)
    add_columns(blocks, ("GPU-hours", "Charged", "Cost"), rows, [True, True, priced], "items")


def _phases(view: View) -> Iterator[Row]:
    yield from _phase_rows(view, extension=False)
    for each in OUTSIDE:
        if spent := view.maybe(f"actual.{each.key}"):
            yield _outside(each.title, spent, view.maybe(f"money.{each.key}.actual"))
    yield from _sums(view, FINAL, "contingency", "Contingency")
    yield from _phase_rows(view, extension=True)
    yield from _sums(view, EXTENDED, "extensions_contingency", "Contingency on extensions")
    if view.maybe(CEILING.hours):
        places = [CEILING.hours, "", CEILING.actual, CEILING.remaining, "money.ceiling", "money.actual"]
        yield _figure_row(view, CEILING.title, places, fixed=True)


def _phase_rows(view: View, extension: bool) -> Iterator[Row]:
    """The phases of the base budget or the extensions; one without an estimate enters their sum as planned."""
    keys = ("planned", "estimated", "actual", "remaining", "money.planned", "money.actual")
    for name, phase in view.ledger.plan.items():
        if phase.items and bool(phase.extension) == extension:
            row = _figure_row(view, phase.title, [f"phases.{name}.{key}" for key in keys])
            title, planned, estimated, *rest = row.cells
            yield Row([title, planned, estimated or (planned and f"{planned} as planned"), *rest])


def _outside(title: str, spent: Figure, cost: Figure | None) -> Row:
    """What was charged and not planned: it leaves as much less."""
    less = replace(spent, value=point(-spent.use)) if spent.value.exact and spent.use is not None else None
    return Row([title, "", "", _bare(spent), _bare(less), "", _bare(cost)], fixed=True)


def _sums(view: View, total: Total, reserve: str, title: str) -> Iterator[Row]:
    """The contingency of a budget, and what it comes to with that."""
    at = f"budget.{reserve}"
    if view.maybe(at):
        yield _figure_row(view, title, [at, f"estimates.{reserve}", "", at, f"money.{reserve}", ""], fixed=True)
    if view.maybe(total.hours):
        spent, estimate, cost = _spent_of(view, total), f"estimates.{total.id}", f"money.{total.id}"
        places = [total.hours, estimate, total.actual, total.remaining, cost, spent]
        yield _figure_row(view, called(view.project, total.title), places, bold=True, fixed=True)


def _figure_row(view: View, title: str, addresses: list[str], bold: bool = False, fixed: bool = False) -> Row:
    return Row([title, *(_bare(view.maybe(at)) for at in addresses)], bold, fixed)


def _bare(figure: Figure | None) -> str:
    """A figure in a table: hours stand under a heading that says so, money and all else have their unit."""
    if figure is None or figure.missing:
        return "" if figure is None else DASH
    return value_text(figure) if figure.unit.symbol == "GPU-h" else figure_text(figure)


def add_others(view: View, blocks: Blocks) -> None:
    """What a document without a budget is about: how its setups compare, what its projections come to, what fits."""
    main = Choosing(view).main
    for title, table, what in (
        ("The setups", main.overview if main else Table(()), "setups"),
        ("Projections", Overview(view).glances, "projections"),
        ("Memory and time", Overview(view).memory_of(filled(view)), "configurations"),
    ):
        if table:
            blocks.heading(title)
            blocks.table(*_table_texts(table), what=what)


def projected(view: View) -> str:
    """What the first projection comes to from each of its measurements; empty where there is none, or other words."""
    if view.kind != "measured" or view.texts("answer"):
        return ""
    _, rows, _ = _table_texts(Overview(view).glances)
    found = [row.cells for row in rows if row.cells[0] == rows[0].cells[0] and row.cells[4] != DASH][:MOST_TOLD]
    if not found:
        return ""
    said = [
        f"{whole}{f' and {cost[0]}' if cost and cost[0] != DASH else ''} from {source}"
        for _, source, _, _, whole, *cost in found
    ]
    return f"**{found[0][0]}: {'; '.join(said)}.**"


def _table_texts(table: Table) -> tuple[list[str], list[Row], str]:
    """A table of the pages as texts: its headings, its rows, and where its columns stand."""
    columns, cells = table.fitted()
    headings = [column.heading for column in columns]
    heads, *rows = [list(map(_cell_text, row, columns)) for row in (headings, *cells)]
    return heads, [Row(row) for row in rows], "".join(">" if column.right else "<" for column in columns)


def _cell_text(cell: Cell, column: Column) -> str:
    if cell is None or (isinstance(cell, Figure) and cell.missing and column.nothing):
        return column.nothing
    printer = Printer("")
    shown = printer.shown_as(cell, column.form) if isinstance(cell, Figure) else printer.piece(cell)
    return unescape(flat(str(shown)))


OF_A_VERSION = (FINAL.hours, "estimates.final", "forecast.p50", FINAL.actual)


def add_history(view: View, blocks: Blocks, version: str, day: str, draft: bool) -> None:
    """What each release planned, estimated and had used, the newest first, with this one at the top."""
    former = [release for release in view.releases if release.version != version]
    if not former or not any(view.maybe(at) for at in OF_A_VERSION):
        return
    blocks.heading("Estimate against use, by version")
    own = f"{version}{' (draft)' if draft else ''}"
    rows = [_version(own, day, [view.maybe(at) for at in OF_A_VERSION], bold=True)]
    for release in former:
        hours = [hours_then(release, at) for at in OF_A_VERSION]
        rows.append(_version(release.version, release.date, hours))
    names = [
        "Version",
        "Date",
        "Budget",
        estimate_called(view.book, view.id),
        "Forecast at the end, P50",
        "Used by then",
    ]
    blocks.table(names, rows, "<<>>>>", what="releases", where="the list of releases")
    blocks.paragraph("In GPU-hours, contingency included, without extensions.")


def _version(name: str, day: str, found: list[Figure | None], bold: bool = False) -> Row:
    """A version: before anything was used, a forecast knows no more than the plan, and is left out."""
    budget, estimated, forecast, used = found
    told = forecast if used is not None and used.use else None
    return Row([name, day, *(_bare(figure) or DASH for figure in (budget, estimated, told, used))], bold, fixed=bold)
