"""What must not be passed: budgets, the ceiling and grants, with the day on which each is reached, if it is."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from reckon.model.figure import Figure

from ..view import View

LIMITS = (
    ("final", "Final budget", "budget.final", "budget.remaining", "probability_over_plan"),
    ("extended", "Extended budget", "budget.extended", "budget.extended_remaining", "extended.probability_over_plan"),
    ("ceiling", "Ceiling", "ceiling", "actual.below_ceiling", "probability_over_ceiling"),
)
DONE = "the work is done"
ENDS_FIRST = "the work is forecast to end first"
NO_PACE = "nothing was charged lately"


class Limit(NamedTuple):
    """A row: the limit, what is left to it, and when it is reached, or was; `instead` stands where there is no day."""

    title: str
    hours: Figure
    left: Figure
    passed: bool
    days: Figure | None
    reached: Figure | None
    instead: str
    chance: Figure | None


class Grant(NamedTuple):
    """A row: a grant, what is used and left of it, the day on which it is used up or the words instead, and its end."""

    title: str
    hours: Figure
    used: Figure
    share: Figure
    left: Figure
    passed: bool
    reached: Figure | None
    instead: str
    end: Figure | None
    unused: Figure | None
    needed: Figure | None
    chance: Figure | None


def limit_rows(view: View) -> Iterator[Limit]:
    """The limits that a project has."""
    for name, title, hours, left, probability in LIMITS:
        rest, chance = view.maybe(left), view.maybe(f"forecast.{probability}")
        if chance is None and name == "extended":
            chance = view.maybe("forecast.probability_over_plan")  # of a project that is all extension
        if rest is None or not (view.planned or name == "ceiling"):
            continue
        days, reached = view.maybe(f"limits.{name}.days_left"), view.maybe(f"limits.{name}.reached")
        instead = _instead(view, rest, reached, chance)
        shown = None if instead else reached
        gone = _passed(rest)
        yield Limit(title, view.fig(hours), rest, gone, None if gone or instead else days, shown, instead, chance)


def _instead(view: View, left: Figure, reached: Figure | None, chance: Figure | None) -> str:
    """Why there is no day on which a limit is reached; empty where there is one."""
    if _passed(left) and reached and not reached.missing:
        return ""
    if _passed(left):
        return "passed"
    done = view.maybe("performance.extended.complete_share") or view.maybe("performance.complete_share")
    if done and done.use == 1:
        return DONE
    if chance and not chance.missing and chance.use is not None and chance.use < Fraction(1, 2):
        return ENDS_FIRST
    if reached is None:
        return "runs have no dates" if view.runs else "not begun"
    return NO_PACE if reached.missing or reached.use is None else ""


def grant_rows(view: View) -> Iterator[Grant]:
    """The grants that a project draws on."""
    for name in view.allocations:
        at, book = f"allocations.{name}", view.book
        if f"{at}.used" not in book.figures:
            continue
        left, chance = book[f"{at}.left"], book.get(f"{at}.probability_over")
        end, reached = book.get(f"{at}.end"), book.get(f"{at}.reached")
        instead = _instead(view, left, reached, chance)
        if not instead and not _passed(left) and _after(reached, end):
            instead = "not before its end"
        unused, needed = book.get(f"{at}.unused"), book.get(f"{at}.pace_to_use_up")
        yield Grant(
            str(book.ledger.allocations[name].title), book[f"{at}.gpu_hours"], book[f"{at}.used"],
            book[f"{at}.used_share"], left, _passed(left), None if instead else reached, instead, end,
            unused, needed, chance,
        )  # fmt: skip


def _passed(left: Figure) -> bool:
    return not left.missing and left.use is not None and left.use < 0


def _after(reached: Figure | None, end: Figure | None) -> bool:
    return bool(reached and end and reached.use is not None and end.use is not None and reached.use > end.use)
