"""What was charged: by month, by outcome, by cause of waste; what runs state beside; and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest

from reckon.model import records as r
from reckon.model.sums import SUMMED

from ..printing import counted
from ..rows import MOST_ROWS, Month, Row, RunRow, Unclear, hours_of
from ..view import View

MOST_RUNS = 20
MOST_WANTED = 6


def latest(view: View) -> list[RunRow]:
    """The newest runs, at most twenty, the newest first; runs without a date as the ledger has them."""
    runs = (run for file in view.one.runs for run in file.runs)
    items = view.one.items
    return [
        RunRow(run, _title(items.get(run.item), run), hours_of(run)) for run in nlargest(MOST_RUNS, runs, key=_when)
    ]


def _when(run: r.Run) -> str:
    return str(run.end or run.date or run.start or "")


def _title(item: r.Item | None, run: r.Run) -> str:
    return str(item.title) if item else str(run.item)


def months(view: View) -> list[Month]:
    """The months in which something was charged, in order; the last two hundred."""
    at = f"{view.id}.actual.by_month."
    found = [address for address in view.book.figures if address.startswith(at) and not address.endswith(".so_far")]
    shown = found[-MOST_ROWS:]
    return [Month(one.removeprefix(at), view.book[one], view.book[f"{one}.so_far"]) for one in shown]


def statuses(view: View) -> list[Row]:
    """What was charged by the status of runs."""
    return list(_below(view, "actual.by_status."))


def causes(view: View) -> list[Row]:
    """What was wasted by its causes, the largest first."""
    return sorted(_below(view, "actual.waste.by_cause."), key=lambda row: -(row.figure.use or 0) if row.figure else 0)


def stated(view: View) -> list[Row]:
    """What runs state beside their hours, such as energy: a row for each summed field that any run has."""
    rows = [Row(field.shown, view.maybe(f"actual.{field.key}")) for field in SUMMED]
    return [row for row in rows if row.figure]


def _below(view: View, where: str) -> Iterator[Row]:
    at = f"{view.id}.{where}"
    for address, figure in view.book.figures.items():
        if address.startswith(at):
            yield Row(address.removeprefix(at).replace("-", " "), figure)


def unclear(view: View) -> Iterator[Unclear]:
    """The items that cannot be estimated at completion, with the inputs that would settle it."""
    for name, item in view.one.items.items():
        if missing := view.fig(f"plan.{name}.eac").missing:
            wanted = tuple(address.removeprefix(f"{view.id}.") for address in missing)
            more = len(wanted) - MOST_WANTED
            yield Unclear(str(item.title), wanted[:MOST_WANTED], counted(more, "more") if more > 0 else None)
