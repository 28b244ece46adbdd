"""What a project's own estimates ask of its plan, as changes that can be proposed, each with the reason in figures."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import TypeAlias

from reckon.compute.book import Book
from reckon.compute.budget.budget import covers_seeds

from ..render.numbers import figure_text

TITLE = "What its own estimates support"
ALL = "all-seeds"
STEPS = ((10, 1), (1, 10), (0, 1000))
"""To which part of an hour estimates are rounded, from so many hours on."""


Drafted: TypeAlias = tuple[str, str, str]
"""A change: its address in the project, the value that is to stand there, and why."""


def from_estimates(book: Book, project_id: str) -> list[Drafted]:
    """The changes after which no line of a plan is below the value that its estimate plans with, in plan order.

    Of a range that is the middle, unless the ledger says otherwise, rounded up. A line per seed whose estimate counts
    every seed already counts for all seeds then.
    """
    return [change for name in book.projects[project_id].items for change in _draft_item(book, project_id, name)]


def _draft_item(book: Book, project_id: str, name: str) -> Iterator[Drafted]:
    at = f"{project_id}.plan.{name}"
    plan = book.get(f"{at}.gpu_hours")
    estimate = book.get(f"{at}.estimate")
    if not (plan and estimate) or plan.use is None or estimate.use is None:
        return
    item = book.projects[project_id].items[name]
    total = book.get(f"{at}.estimate_total")
    twice = bool(item.scope == "per-seed" and book.get(f"{project_id}.seeds") and total and covers_seeds(total))
    if twice:
        why = f"The estimate of {figure_text(estimate)} counts every seed; the plan multiplies it by the seeds again."
        yield f"plan.{name}.scope", ALL, why
    if plan.use < estimate.use:
        of = "for a seed " if item.scope == "per-seed" and not twice else ""
        why = f"The estimate is {figure_text(estimate)} {of}and {figure_text(plan)} are planned."
        yield f"plan.{name}.gpu_hours", _up(estimate.use), why


def _up(hours: Fraction) -> str:
    """Hours rounded up."""
    step = next(step for least, step in STEPS if hours >= least)
    number = Fraction(ceil(hours * step), step)
    return str(number) if number.denominator == 1 else f"{float(number):g}"
