"""What must not be passed: budgets, the ceiling and grants, with the day on which each is reached, if it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reckon.model.figure import Figure
from reckon.model.kinds import TOTALS

from ..view import View
from .reaching import Reach, reach, reach_grant


class Limit(NamedTuple):
    """A row: the limit, what is left to it, and when it is reached, or was."""

    title: str
    hours: Figure
    left: Figure
    days: Figure | None
    near: Reach


class Grant(NamedTuple):
    """A row: a grant, what is used and left of it, its end and what that leaves, and when it is used up."""

    title: str
    hours: Figure
    used: Figure
    share: Figure
    left: Figure
    end: Figure | None
    unused: Figure | None
    needed: Figure | None
    near: Reach


def limit_rows(view: View) -> Iterator[Limit]:
    """The limits that a project has."""
    for total in TOTALS.values():
        near = reach(view.book, view.id, total.id) if view.planned or not total.planned else None
        if near:
            days = None if near.passed or near.instead else view.maybe(f"limits.{total.id}.days_left")
            yield Limit(total.title, view.fig(total.hours), view.fig(total.remaining), days, near)


def grant_rows(view: View) -> Iterator[Grant]:
    """The grants that a project draws on."""
    for name in view.allocations:
        at, book = f"allocations.{name}", view.book
        if near := reach_grant(book, name):
            yield Grant(
                str(book.ledger.allocations[name].title), book[f"{at}.gpu_hours"], book[f"{at}.used"],
                book[f"{at}.used_share"], book[f"{at}.left"], book.get(f"{at}.end"), book.get(f"{at}.unused"),
                book.get(f"{at}.pace_to_use_up"), near,
            )  # fmt: skip
