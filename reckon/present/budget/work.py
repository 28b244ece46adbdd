"""The tables of the work: phases, items and seeds with the budgets that they add up to; what was charged, by month, by
outcome and by what lost it; earned value; the contingency of each phase, and what drew on it; and all runs, on a page
that only a site has, made when it is built: of a project of thousands of runs it would make each commit a large one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

from reckon.compute.budget.actuals import by_seed
from reckon.compute.budget.attempts import IMPORTED
from reckon.compute.budget.drawdown import ContingencyUse
from reckon.language.units import HOURS as WALL_HOURS
from reckon.language.units import PLAIN
from reckon.model import records as r
from reckon.model.figure import OUTSIDE, Figure, Worked, is_known
from reckon.model.kinds import EXTENDED, FINAL, Total, called
from reckon.model.records.imports import HOURS

from ..render.printing import counted, further
from ..table import MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Columns, Table, below, figures, given, joined, words
from ..table_rows import FigureRow, Unclear, are_abroad, charged_of, figure_of, hours_of, use_of
from ..view import MOST_WANTED, OfProject, View
from .dates import end_cell
from .forecast_basis import describe_missing
from .imports import ledger_line

MOST_RUNS = 20
ENDS = "Ends (planned)"
SEEDS = ("seed", "seedless")
"""The levels of rows that are parts of the row above."""


class WorkRow(NamedTuple):
    """A row: what it is (`phase`, `item`, `seed`, `seedless`, `budget`, a key of OUTSIDE), title and figures.

    `at` is the address inside the project below which its figures are, where it is a part of the plan; `ends` says of a
    phase when it is done.
    """

    level: str
    title: str
    at: str
    ends: Cell
    planned: Figure | None
    actual: Figure | None
    remaining: Figure | None = None
    complete: Figure | None = None
    forecast: Figure | None = None
    useful: Figure | None = None
    waste: Figure | None = None
    idle: Figure | None = None

    @property
    def marked(self) -> Cell:
        """The title: bold unless it is part of a row above, after an arrow where that is a part itself."""
        if self.level in SEEDS:
            return ("↳ ", self.title)
        return self.title if self.level == "item" else Bold(self.title)


def used_share(view: View) -> Figure | None:
    """The share of the budget that is spent: of the final one, or of the extended where all is extension."""
    return view.maybe(view.budget.used_share) if view.planned else None


def work_table(view: View, items: bool = True) -> Table:
    """Planned and actual hours, as far as there is a plan and as there are runs; of phases alone without `items`."""
    begun = view.runs or not view.planned
    columns: Columns = [view.hours, figures("Planned", shown=view.planned), figures("Spent", shown=begun)]
    columns += [figures(heading, shown=view.planned and begun) for heading in ("Left", "Forecast", "Done")]
    columns.append(figures(ENDS, nothing="", shown=view.planned, optional=True))
    charged: CellRow = [Bold("Spent"), None, As(view.fig("actual.total"), "bare"), *[None] * 4]
    totals = [_reserved(view), *map(_cells, budget_rows(view))] if view.planned else [charged]
    rows = (row for row in work_rows(view) if items or row.level not in ("item", *SEEDS))
    return Table.of(columns, map(_cells, rows), filter(None, totals))


def _cells(row: WorkRow) -> CellRow:
    return [row.marked, row.planned, row.actual, row.remaining, row.forecast, row.complete, row.ends]


def _reserved(view: View) -> CellRow | None:
    """The row of the contingency: how much of it is drawn and left; none where there is none."""
    drawn = view.maybe("contingency.drawn")
    if drawn is None:
        return None
    spent = (As(drawn, "bare"), " drawn")
    return [Bold("Contingency"), view.maybe("budget.contingency"), spent, view.maybe("contingency.left"), "", "", ""]


def useful_table(view: View) -> Table:
    """What was charged for phases and items, how much of it was useful and lost, and idle where that was measured."""
    rows = [row for row in islice(work_rows(view), MOST_ROWS) if row.level in ("phase", "item")]
    whole = [As(view.fig("actual.total"), "bare"), *view.maybe_all("actual", "useful", "waste", "idle")]
    columns: Columns = [view.hours, figures("Actual"), figures("Useful"), figures("Lost")]
    columns.append(figures("Idle", shown=view.maybe("actual.idle") is not None))
    parts = ([row.marked, row.actual, row.useful, row.waste, row.idle] for row in rows)
    return Table(columns, [*parts, [Bold("All"), *whole]])


def work_rows(view: View) -> Iterator[WorkRow]:
    """The rows in the order of the plan."""
    for phase_id, phase in view.ledger.plan.items():
        if phase.hour_items:
            yield _make_row(view, "phase", phase.title, f"phases.{phase_id}", "planned", end_cell(view, phase_id))
            for name, item in phase.hour_items.items():
                yield from _item(view, name, item)
    for each in OUTSIDE:
        if spent := view.maybe(f"actual.{each.key}"):
            yield WorkRow(each.key, each.title, "", None, None, spent)


def _item(view: View, name: str, item: r.Item) -> Iterator[WorkRow]:
    at = f"plan.{name}"
    yield _make_row(view, "item", item.title, at, "total")
    for seed in by_seed(view.ledger, item) if view.runs else ():
        yield _make_row(view, "seed", f"seed {seed}", f"{at}.seeds.{seed}", "bac")
    if view.maybe(f"{at}.no_seed.actual"):
        yield _make_row(view, "seedless", "no seed named", f"{at}.no_seed", "bac")


def budget_rows(view: View) -> list[WorkRow]:
    """The budgets as a whole: the final one with what the base was charged, the extended one with everything."""
    there = [total for total in (FINAL, EXTENDED) if view.maybe(total.hours)]
    return [_budget(view, total, at) for total, at in zip(there, (FINAL, EXTENDED), strict=False)]


def _budget(view: View, total: Total, at: Total) -> WorkRow:
    """A budget. What of it is done and its forecast stand where those of `at` do: of the final one, if it is alone."""
    hours = (total.hours, total.actual, total.remaining, f"{at.earned}.complete_share", f"{at.forecast}.p50")
    return WorkRow("budget", called(view.project, total.title), "", None, *map(view.maybe, hours))


def _make_row(view: View, level: str, title: str, at: str, planned: str, ends: Cell = None) -> WorkRow:
    keys = ("actual", "remaining", "complete_share", "forecast_p50", "useful", "waste", "idle")
    return WorkRow(level, title, at, ends, *view.maybe_all(at, planned, *keys))


def runs_table(view: View) -> Table:
    """The newest runs, at most twenty, the newest first; runs without a date as the ledger has them. With some on
    another GPU than the project's there stands which, and what is charged."""
    runs = [*newest_runs(view, MOST_RUNS)]
    abroad = are_abroad(view.ledger, runs)
    columns: Columns = [
        words("When", optional=True),
        "Item",
        words("Seed", optional=True),
        figures("GPU-hours"),
        words("GPU", shown=abroad),
        figures("Charged", shown=abroad),
        "Status",
        "Notes",
        "Ledger line",
    ]
    found = [(run_cells(view, run), view.ledger.card_of(run), charged_of(view.book, view.ledger, run)) for run in runs]
    return Table(
        columns,
        [
            [*cells[:4], view.card(card) if card != view.project.gpu else None, charged, *cells[4:]]
            for cells, card, charged in found
        ],
    )


def newest_runs(view: View, most: int) -> Iterator[r.Run]:
    """At most so many runs, the newest first, by when they ended; then those without a date, as the ledger has them."""
    rows = view.ledger.rows
    moments = [str(end or date or start or "") for end, date, start in rows.columns("end", "date", "start")]
    return map(rows.run, nlargest(most, range(len(rows)), key=moments.__getitem__))


def run_cells(view: View, run: r.Run) -> CellRow:
    """A run as cells: when, what of, its seed, its hours, what came of it, notes, and where it is corrected."""
    item, begun = view.ledger.item_of(run), run.date or run.start
    when = below(begun, ("to ", run.end) if run.end and run.end != begun else None)
    status = joined(word for word in (run.status, _outside(run), run.kind, run.jobs_told) if word)
    notes = below(run.note, ("Source: ", run.source) if run.source else None)
    line = ledger_line(view, run)
    return [when, item.title if item else str(run.item), run.seed, hours_of(run), status, notes, line]


def _outside(run: r.Run) -> str | None:
    """That it belongs to no item of the plan, in a word."""
    if run.unassigned:
        return "unassigned"
    return "unplanned" if run.unplanned else None


def months_table(view: View) -> Table:
    """The months in which something was charged, in order; the last two hundred."""
    at, book = f"{view.id}.actual.by_month.", view.book
    found = [address for address in book.own(view.id) if address.startswith(at) and not address.endswith(".so_far")]
    rows: CellRows = [
        [month.removeprefix(at), As(book[month], "bare"), As(book[f"{month}.so_far"], "bare")]
        for month in found[-MOST_ROWS:]
    ]
    return Table(["Month", figures("Charged"), figures("So far")], rows)


OTHER_FAILURE = "other failure"
"""What the status `failed` is called among causes: each of them is of failed attempts."""


def statuses_table(view: View) -> Table:
    """What was charged by the status of runs."""
    return Table(["Status", figures("GPU-hours")], [_amount(row) for row in _rows_below(view, "actual.by_status.")])


def causes(view: View) -> list[FigureRow]:
    """What attempts lost by their status, the largest first."""
    rows = [row for row in _rows_below(view, "actual.waste.by_cause.") if row.figure and row.figure.use != 0]
    return sorted(rows, key=lambda row: -(row.figure.use or 0) if row.figure else 0)


def waste_table(view: View) -> Table:
    """What attempts lost by their status, and in all."""
    rows = [_amount(row) for row in causes(view)]
    if rows:
        rows.append([Bold("Lost"), view.maybe("actual.waste")])
    return Table(["Cause", figures("GPU-hours")], rows)


def _amount(row: FigureRow) -> CellRow:
    return [row.title, given(row.figure, "bare")]


def _rows_below(view: View, where: str) -> Iterator[FigureRow]:
    at = f"{view.id}.{where}"
    for address, figure in view.book.own(view.id).items():
        if address.startswith(at):
            status = address.removeprefix(at).replace("-", " ")
            yield FigureRow(OTHER_FAILURE if status == "failed" else status, figure)


def earned_table(view: View) -> Table:
    """Earned value by phase, item and seed, and of the planned work as a whole."""
    parts = [row for row in islice(work_rows(view), MOST_ROWS) if row.at]
    rows = [_earned(view, row.at, row.marked, f"{row.at}.actual") for row in parts]
    whole = FINAL if view.maybe(FINAL.hours) else EXTENDED
    rows.append(_earned(view, FINAL.earned, Bold("Planned work"), whole.actual))
    if view.maybe(f"{EXTENDED.earned}.bac"):
        rows.append(_earned(view, EXTENDED.earned, Bold("With extensions"), EXTENDED.actual))
    return Table([view.hours, *map(figures, ("BAC", "EV", "AC", "CPI", "EAC", "ETC", "VAC"))], rows)


def _earned(view: View, at: str, title: Cell, spent: str) -> CellRow:
    planned, earned, *others = view.maybe_all(at, "bac", "earned", "cpi", "eac", "etc", "vac")
    return [title, planned, earned, view.maybe(spent), *others]


def unclear(view: View) -> list[Unclear]:
    """The items that cannot be estimated at completion, with the inputs that would settle it."""
    found = []
    for name, item in view.ledger.items.items():
        if missing := view.fig(f"plan.{name}.eac").missing:
            named = tuple(describe_missing(view, address) for address in missing) + _of_sources(view, name)
            found.append(Unclear(item.title, named[:MOST_WANTED], further(len(named) - MOST_WANTED, "more")))
    return found


def _of_sources(view: View, name: str) -> tuple[str, ...]:
    """What could settle it beside, where all runs of a piece of work were imported: what their sources say of it."""
    at = f"{view.id}.plan.{name}"
    pieces = (at, *(f"{at}.seeds.{seed}" for seed in by_seed(view.ledger, view.ledger.items[name])))
    found = (view.book.get(f"{piece}.complete_share") for piece in pieces)
    silent = any(share and isinstance(share.origin, Worked) and share.origin.how == IMPORTED for share in found)
    counting = (name for name, source in view.ledger.imports.items() if source.counted == HOURS)
    return tuple(f"imports.{source}.finishes" for source in counting) if silent else ()


class Draw(NamedTuple):
    """Something that drew on the contingency: its number in the picture, its phase, and its figures."""

    number: Figure
    source: ContingencyUse
    title: str
    phase: str
    planned: Figure | None
    actual: Figure
    drawn: Figure
    since: Figure | None


def reserve_table(view: View) -> Table:
    """The phases of the base budget that have contingency or draw on it, then all of it; none without contingency."""
    columns: Columns = [view.hours, *map(figures, ("Planned", "Drawn", "Left", "Share left", "Freed"))]
    whole = view.maybe("budget.contingency")
    if not (whole and view.maybe("contingency.drawn")):
        return Table(columns)
    phases = {name: phase for name, phase in view.ledger.plan.items() if phase.items and not phase.extension}
    rows = [_reserve(view, phase.title, f"phases.{name}.contingency") for name, phase in phases.items()]
    if unplanned := view.maybe("actual.unplanned"):
        rows.append(["Unplanned", None, unplanned, None, None, None])
    return Table(columns, [*rows, [Bold("All"), whole, *_reserve(view, "", "contingency")[2:]]])


def _reserve(view: View, title: str, at: str) -> CellRow:
    return [title, *view.maybe_all(at, "planned", "drawn", "left", "left_share", "freed")]


def draws_table(view: View) -> Table:
    """What drew on the contingency, with its number in the picture."""
    columns: Columns = ["Work", *map(figures, ("Drawn", "Planned", "Actual", "Since")), "Phase"]
    return Table(
        columns,
        [
            [
                (row.number, " · ", row.title),
                row.drawn,
                row.planned,
                row.actual,
                row.since or "no date",
                row.phase or None,
            ]
            for row in draws(view)
        ],
    )


def draws(view: View) -> list[Draw]:
    """What drew on the contingency, in the order in which it began to; the two hundred largest of them."""
    if view.maybe("contingency.drawn") is None:
        return []
    extensions = {name for name, phase in view.ledger.plan.items() if phase.extension}
    sources = [source for source in view.book.histories[view.id].sources if source.phase not in extensions]
    found = [(drawn, source) for source in sources if (drawn := _drawn(view, source))]
    largest = sorted(found, key=lambda pair: -(pair[0].use or 0))[:MOST_ROWS]
    order = {source.at: place for place, source in enumerate(sources)}
    largest.sort(key=lambda pair: (_since(view, pair[1]), order[pair[1].at]))
    return [_draw(view, number, *pair) for number, pair in enumerate(largest, 1)]


def _since(view: View, source: ContingencyUse) -> int:
    return int(use_of(view.book.get(f"{source.at}.drawn_since")) or 0)


def _drawn(view: View, source: ContingencyUse) -> Figure | None:
    """What a source drew: its hours above its plan, or all of them where it has none; None where it drew nothing."""
    at = source.at if source.at.endswith(".unplanned") else f"{source.at}.{'drawn' if source.plan else 'actual'}"
    figure = view.book.get(at)
    return figure if figure and figure.use else None


def _draw(view: View, number: int, drawn: Figure, source: ContingencyUse) -> Draw:
    book, since = view.book, view.book.get(f"{source.at}.drawn_since")
    phase = view.ledger.plan.get(source.phase)
    return Draw(
        counted(number, ""),
        source,
        _title(view, source),
        phase.title if phase else "",
        book.get(source.plan),
        drawn if not source.plan else book[f"{source.at}.actual"],
        drawn,
        since if is_known(since) else None,
    )


def _title(view: View, source: ContingencyUse) -> str:
    inside = source.at.removeprefix(f"{view.id}.plan.")
    item, _, seed = inside.partition(".seeds.")
    if seed:
        return f"{view.ledger.items[item].title}, seed {seed}"
    if inside.endswith(".no_seed"):
        return f"{view.ledger.items[inside.removesuffix('.no_seed')].title}, no seed named"
    return str(view.ledger.items[item].title) if item in view.ledger.items else "Unplanned runs"


MOST_LISTED = 5_000
"""The most entries that the page lists: the newest. A browser sorts and filters these within a blink."""


class EveryRun(OfProject):
    """All runs of a project as its template sees them."""

    @property
    def entries(self) -> int:
        """How many entries the ledger has; each is a run, or several that a scheduler's jobs were counted as."""
        return len(self.ledger.rows)

    @cached_property
    def table(self) -> Table:
        """The newest runs, phase by phase in the order of the plan; each phase has its newest first."""
        listed = [(self._phase(run), run) for run in newest_runs(self.view, MOST_LISTED)]
        order = [*dict.fromkeys(phase.title for phase in self.ledger.plan.values()), *(each.title for each in OUTSIDE)]
        listed.sort(key=lambda pair: order.index(pair[0]))
        columns: Columns = [
            words("When", optional=True),
            "Phase",
            "Item",
            words("Seed", optional=True),
            figures("GPU-hours"),
            "Status",
            "Card",
            figures("GPUs", optional=True),
            figures("Hours", optional=True),
            figures("Runs", optional=True),
            words("Notes", optional=True),
            "Ledger line",
        ]
        rows = [self._row(phase, run) for phase, run in listed]
        return Table(columns, rows, max(0, self.entries - MOST_LISTED), "runs")

    @property
    def abroad(self) -> bool:
        """Whether runs were on another GPU than the project's, so that the budget is charged other hours."""
        return are_abroad(self.ledger, newest_runs(self.view, MOST_LISTED))

    @cached_property
    def _phases(self) -> dict[str, str]:
        """The title of the phase of each item."""
        return {item: phase.title for phase in self.ledger.plan.values() for item in phase.items}

    def _phase(self, run: r.Run) -> str:
        unplanned, unassigned = (each.title for each in OUTSIDE)
        return unassigned if run.unassigned else self._phases.get(run.item, unplanned)

    def _row(self, phase: str, run: r.Run) -> CellRow:
        when, item, seed, _, status, notes, line = run_cells(self.view, run)
        stated = (("GPUs", PLAIN, run.gpus), ("hours", WALL_HOURS, run.wall_hours), ("runs", PLAIN, run.jobs))
        amounts = (None if many is None else figure_of(run, what, unit, many) for what, unit, many in stated)
        card = self.view.card(self.ledger.card_of(run))
        return [when, phase, item, seed, hours_of(run), status, card, *amounts, notes, line]
