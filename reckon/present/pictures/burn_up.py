"""Hours charged over time, beside the plan, the forecast and the limits."""

from __future__ import annotations

from fractions import Fraction

from reckon.compute.spending.drawdown import History
from reckon.compute.spending.history import Series
from reckon.language.days import first_day, iso, last_day
from reckon.model.figure import Figure
from reckon.model.kinds import CEILING, EXTENDED, FINAL

from ..charts import BurnUp, Fan, Limit
from ..charts.kinds.burn_up import MOST_DAYS
from ..numbers import figure_text
from ..view import View
from .said import UNIT, listed

FARTHEST = 3660
"""A forecast that is more days away than this is not drawn."""

Curve = tuple[tuple[str, float], ...]


def burn_up(view: View) -> BurnUp | None:
    """The running total of a project; None where too few days are known to make a line."""
    history = view.book.histories.get(view.id)
    if history is None or history.missing:
        return None
    actual, plan = _actual(history.whole), _plan(view)
    if len(actual) < 3 and not plan:
        return None
    limits, fan = _limits(view), _fan(view, history)
    shown = [date for date, _ in (*actual, *plan)] + ([fan.end] if fan else [])
    title = f"{view.project.title}: hours charged over time"
    return BurnUp(title, UNIT, actual, _alt(view, history, limits, fan), plan, fan,
                  tuple(Limit(name, float(figure.use or 0), figure_text(figure)) for name, figure in limits),
                  _ends(view, min(shown), max(shown)))  # fmt: skip


def _actual(spent: Series) -> Curve:
    """The total at the end of each day, from the one before the first on."""
    if not spent.days:
        return ()
    start = (iso(max(spent.first - 1, 1)), float(spent.undated))
    return (start, *((iso(day), float(hours)) for day, hours in spent.so_far()))


def _plan(view: View) -> Curve:
    """The planned hours over time, evenly over each phase; nothing unless each phase of the base budget has dates."""
    spans: list[tuple[int, int, Fraction]] = []
    for name, phase in view.one.plan.items():
        if phase.extension or not phase.items:
            continue
        planned = view.fig(f"phases.{name}.planned").use
        first, last = first_day(str(phase.since or "")), last_day(str(phase.until or ""))
        if planned is None or not first or not last or last < first:
            return ()
        spans.append((max(first - 1, 1), last, planned))
    days = sorted({day for first, last, _ in spans for day in (first, last)})
    return tuple((iso(day), float(sum(_by(day, *span) for span in spans))) for day in days)


def _by(day: int, first: int, last: int, hours: Fraction) -> Fraction:
    """What of some hours, spread evenly, falls before the end of a day."""
    return hours * Fraction(min(max(day - first, 0), last - first), max(last - first, 1))


def _limits(view: View) -> list[tuple[str, Figure]]:
    """The limits that are known."""
    totals = (CEILING, FINAL, EXTENDED) if view.planned else (CEILING,)
    found = [(total.title, figure) for total in totals if (figure := view.maybe(total.hours))]
    return [(name, figure) for name, figure in found if not figure.missing and figure.use is not None]


def _fan(view: View, history: History) -> Fan | None:
    """The forecast, on the day on which its median is spent at the present pace; None where there is no such day.

    Once extensions are charged, it is that of the extended budget: the line holds everything that was charged.
    """
    beyond = history.whole.total != history.base.total and view.maybe("forecast.extended.p50")
    at = "forecast.extended" if beyond else "forecast"
    ends = [view.maybe(f"{at}.{name}") for name in ("p10", "p50", "p90")]
    pace, level = view.maybe("pace.gpu_hours_per_day"), history.whole.total
    low, middle, high = (None if one is None or one.missing else one.use for one in ends)
    if low is None or middle is None or high is None or not pace or not pace.use or middle <= level or not ends[1]:
        return None
    days = -(-(middle - level) // pace.use)
    if days > FARTHEST:
        return None
    start, end = history.whole.last, history.whole.last + int(days)
    return Fan(iso(start), float(level), iso(end), float(low), float(middle), float(high), figure_text(ends[1]))


def _ends(view: View, first: str, last: str) -> tuple[tuple[str, str], ...]:
    """The last days of grants, unless they are so far off that the rest would shrink."""
    room = 2 * last_day(last) - last_day(first)
    found = []
    for name in view.allocations:
        end = view.book.get(f"allocations.{name}.end")
        if end and end.use is not None and last_day(first) <= end.use <= room:
            found.append((iso(int(end.use)), f"End of {view.book.ledger.allocations[name].title}"))
    return tuple(sorted(found)[:MOST_DAYS])


def _alt(view: View, history: History, limits: list[tuple[str, Figure]], fan: Fan | None) -> str:
    """The picture in a sentence with its numbers."""
    through, parts = view.maybe("pace.through"), []
    if through and history.whole.days:
        parts.append(f"by {figure_text(through)}, {figure_text(view.fig('actual.total'))} are charged")
    if limits:
        parts.append(f"the limits are {listed([f'{name.lower()} {figure_text(figure)}' for name, figure in limits])}")
    if fan:
        parts.append(f"the forecast's median of {fan.value} is spent on {fan.end} at the present pace")
    text = "; ".join(parts) or "the plan over time"
    return f"{text[0].upper()}{text[1:]}."
