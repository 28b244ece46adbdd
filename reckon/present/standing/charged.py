"""What was charged: by month, by outcome, by cause of waste; what runs state beside; and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

from reckon.model import records as r

from ..printing import counted
from ..rows import Row, Unclear, hours_of
from ..table import MOST_ROWS, As, Bold, Cell, LedgerLine, Table, below, figures, joined, words
from ..view import MOST_WANTED, View

MOST_RUNS = 20


def runs_table(view: View) -> Table:
    """The newest runs, at most twenty, the newest first; runs without a date as the ledger has them."""
    runs = nlargest(MOST_RUNS, (run for file in view.one.runs for run in file.runs), key=_ends)
    columns = [
        words("When", optional=True),
        words("Item"),
        words("Seed", optional=True),
        figures("GPU-hours"),
        *map(words, ("Status", "Notes", "Ledger line")),
    ]
    return Table(columns, [_run(view, run) for run in runs])


def _ends(run: r.Run) -> str:
    return str(run.end or run.date or run.start or "")


def _run(view: View, run: r.Run) -> list[Cell]:
    item, begun = view.one.items.get(run.item), run.date or run.start
    when = (begun or "", *((" to ", run.end) if run.end else ())) if begun or run.end else None
    status = joined(word for word in (run.status, "unplanned" if run.unplanned else None, run.kind) if word)
    notes = below(run.note, ("Source: ", run.source) if run.source else None)
    line = LedgerLine(f"{run.place.file.split('/', 2)[-1]}:{run.place.line}", run.place)
    return [when, str(item.title) if item else str(run.item), run.seed, hours_of(run), status, notes, line]


def months_table(view: View) -> Table:
    """The months in which something was charged, in order; the last two hundred."""
    at, book = f"{view.id}.actual.by_month.", view.book
    found = [address for address in book.figures if address.startswith(at) and not address.endswith(".so_far")]
    rows: list[list[Cell]] = []
    for month in found[-MOST_ROWS:]:
        rows.append([month.removeprefix(at), As(book[month], "bare"), As(book[f"{month}.so_far"], "bare")])
    return Table([words("Month"), figures("Charged"), figures("So far")], rows)


def statuses_table(view: View) -> Table:
    """What was charged by the status of runs."""
    rows = [_amount(row) for row in _below(view, "actual.by_status.")]
    return Table([words("Status"), figures("GPU-hours")], rows)


def causes(view: View) -> list[Row]:
    """What was wasted by its causes, the largest first."""
    return sorted(_below(view, "actual.waste.by_cause."), key=lambda row: -(row.figure.use or 0) if row.figure else 0)


def waste_table(view: View) -> Table:
    """What was wasted by its causes, and in all."""
    rows = [_amount(row) for row in causes(view)]
    total = [Bold("Wasted"), view.maybe("actual.waste")]
    return Table([words("Cause"), figures("GPU-hours")], [*rows, total] if rows else [])


def _amount(row: Row) -> list[Cell]:
    return [row.title, As(row.figure, "bare") if row.figure else None]


def _below(view: View, where: str) -> Iterator[Row]:
    at = f"{view.id}.{where}"
    for address, figure in view.book.figures.items():
        if address.startswith(at):
            yield Row(address.removeprefix(at).replace("-", " "), figure)


def earned_table(view: View) -> Table:
    """Earned value by phase, and of the budgets as a whole."""
    final, extended = (view.maybe(address) for address in ("budget.final", "performance.extended.bac"))
    rows = [
        _earned(view, f"phases.{name}", str(phase.title), f"phases.{name}.actual")
        for name, phase in view.one.plan.items() if phase.items
    ]  # fmt: skip
    title, spent = ("Final budget", "actual.base") if final else ("Extended budget", "actual.total")
    rows.append(_earned(view, "performance", Bold(title), spent))
    if extended:
        rows.append(_earned(view, "performance.extended", Bold("Extended budget"), "actual.total"))
    return Table([words("GPU-hours"), *map(figures, ("BAC", "EV", "AC", "CPI", "EAC", "ETC", "VAC"))], rows)


def _earned(view: View, at: str, title: Cell, spent: str) -> list[Cell]:
    addresses = (f"{at}.bac", f"{at}.earned", spent, *(f"{at}.{name}" for name in ("cpi", "eac", "etc", "vac")))
    return [title, *map(view.maybe, addresses)]


def unclear(view: View) -> Iterator[Unclear]:
    """The items that cannot be estimated at completion, with the inputs that would settle it."""
    for name, item in view.one.items.items():
        if missing := view.fig(f"plan.{name}.eac").missing:
            wanted = tuple(address.removeprefix(f"{view.id}.") for address in missing)
            more = len(wanted) - MOST_WANTED
            yield Unclear(str(item.title), wanted[:MOST_WANTED], counted(more, "more") if more > 0 else None)
