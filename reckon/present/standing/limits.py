"""What must not be passed: budgets, the ceiling and grants, with the day on which each is reached; and money."""

from __future__ import annotations

from reckon.model.kinds import TOTALS

from ..table import As, Bold, Cell, ShareBar, Table, below, figures, words
from ..view import View
from .reaching import PASSED, Reach, reach, reach_grant


def limits_table(view: View) -> Table:
    """The limits that a project has: what is left to each, and when it is reached, or was."""
    rows: list[list[Cell]] = []
    for total in TOTALS.values():
        near = reach(view.book, view.id, total.id) if view.planned or not total.planned else None
        if near:
            days = None if near.passed or near.instead else view.maybe(f"limits.{total.id}.days_left")
            hours, left = As(view.fig(total.hours), "bare"), view.fig(total.remaining)
            rows.append([total.title, hours, left, days, _day(near), _chance(near)])
    headings = ("GPU-hours", "Left", "Days left", "Reached on", "Chance of passing")
    return Table([words("Limit"), *map(figures, headings)], rows)


def grants_table(view: View) -> Table:
    """The grants that a project draws on: what is used and left of each, its end and what that leaves."""
    rows = [_grant(view, name, near) for name in view.allocations if (near := reach_grant(view.book, name))]
    ends = ("Used up on", "Last day", "Unused then", "Pace needed", "Chance of passing")
    return Table([words("Allocation"), *map(figures, ("GPU-hours", "Used", "Left", *ends))], rows)


def _grant(view: View, name: str, near: Reach) -> list[Cell]:
    book, title = view.book, str(view.book.ledger.allocations[name].title)
    keys = ("used_share", "end", "used", "left", "unused", "pace_to_use_up")
    share, end, used, left, unused, needed = (book.get(f"allocations.{name}.{key}") for key in keys)
    hours = As(book[f"allocations.{name}.gpu_hours"], "bare")
    bar = ShareBar(share) if share and not share.missing else None
    last = end or "none"
    return [below(title, bar), hours, used, left, _day(near, "overdrawn since"), last, unused, needed, _chance(near)]


def _day(near: Reach, word: str = "passed on") -> Cell:
    """The day on which a limit is reached, or was passed; or why there is none."""
    if near.instead or not near.day:
        return near.instead or None
    return (f"{word} ", near.day) if near.passed else near.day


def _chance(near: Reach) -> Cell:
    return PASSED if near.passed else near.chance


def money_table(view: View) -> Table:
    """Planned and actual amounts by phase, and of the whole."""
    phases = [(str(phase.title), f"phases.{name}.money") for name, phase in view.one.plan.items() if phase.items]
    rows: list[list[Cell]] = [[title, view.maybe(f"{at}.planned"), view.maybe(f"{at}.actual")] for title, at in phases]
    whole: dict[str, Cell] = {"final": Bold("Final budget"), "extended": Bold("Extended budget"), "ceiling": "Ceiling"}
    limits = [(title, view.maybe(f"money.{key}")) for key, title in whole.items() if view.planned]
    rows += [[title, figure, ""] for title, figure in limits if figure]
    rows += [[Bold("Charged in all"), "", view.maybe("money.actual")]]
    return Table([words(""), figures("Planned", "full", shown=view.planned), figures("Actual", "full")], rows)
