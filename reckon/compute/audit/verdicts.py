"""Stated verdicts that rest on other stated figures: on setups on their times and costs, on memory on its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from reckon.model.figure import closure, planned
from reckon.model.ledger import Ids, ProjectLedger

from ..book import Book
from ..choosing.memory import TIGHT
from ..choosing.pareto import Point, Tradeoff, dominators, frontier
from ..statements.claims import Checks, Worded

_RANKED: Mapping[str, Callable[[Point], tuple[Fraction, ...]]] = {
    "cheapest": lambda point: (point.cost, point.time),
    "fastest": lambda point: (point.time, point.cost),
    "fewest-dollar-hours": lambda point: (point.time * point.cost,),
}
Where = dict[str, tuple[int, int]]
"""By setup, where its stated time and cost stand among the checks."""
CAUTIOUS = ("does-not-fit", TIGHT)
"""What is stated and what is calculated, where the statement errs on the side that runs out of no memory."""


def _stated(weighed: Tradeoff, checks: Checks, source: str) -> tuple[list[Point], Where]:
    """The first time and cost that a document states of each setup, as points, and where they stand."""
    first: dict[str, int] = {}
    for at, check in enumerate(checks):
        if check.stated.value.exact and check.claim.document == source:
            first.setdefault(check.figure.address, at)
    points, where = [], Where()
    for choice in weighed.choices.values():
        hours, usd = (first.get(f"{choice.at}.{key}") for key in ("hours", "usd"))
        if hours is not None and usd is not None:
            points.append(Point(choice.id, planned(checks[hours].stated), planned(checks[usd].stated)))
            where[choice.id] = (hours, usd)
    return points, where


def _decides(found: Worded, last: str, points: list[Point]) -> Ids:
    """The setups whose stated figures make a stated verdict; nothing where they give another one."""
    if last in _RANKED:
        best = min(points, key=_RANKED[last], default=None)
        return (best.id,) if best and best.id == found.stated.id else ()
    choice, _, what = last.rpartition(".")
    if what != "standing" or found.stated.id != "dominated":
        return ()
    by = dominators(points, frontier(points)).get(choice)
    return (by, choice) if by else ()


def find_wrong_grounds(project: ProjectLedger, book: Book, found: Worded) -> tuple[int, ...]:
    """Where the stated figures that do not agree stand among the checks, from which a stated verdict follows: times and
    costs of which it is the right conclusion, or parts of the need of what is tight and is stated not to fit."""
    checks = book.checks[project.id]
    source = found.claim.document
    wrong = {at: check for at, check in enumerate(checks) if not check.holds and check.claim.document == source}
    for weighed in book.tradeoffs[project.id]:
        at = f"{project.id}.setups.{weighed.name}."
        if found.address.startswith(at):
            points, where = _stated(weighed, checks, source)
            decides = _decides(found, found.address.removeprefix(at), points)
            return tuple(place for name in decides for place in where[name] if place in wrong)
    need = book.get(f"{found.address.removesuffix('.verdict')}.need_gib")
    if (found.stated.id, found.word.id) != CAUTIOUS or need is None:
        return ()
    parts = {part.address for part in closure(need)}
    return tuple(at for at, check in wrong.items() if check.figure.address in parts)
