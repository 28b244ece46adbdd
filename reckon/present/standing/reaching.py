"""Whether and when a limit is reached, or was: the one rule that pages and terminal tell it by.

A day is told only where the limit is as likely passed as not; else the work ends first.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.model.figure import Figure
from reckon.model.kinds import EXTENDED, FINAL, TOTALS

LIKELY = Fraction(1, 2)
"""From this probability on a limit is taken to be passed."""
PASSED = "passed"
DONE = "the work is done"
ENDS_FIRST = "the work ends first"
NOT_BEFORE = "not before its end"
ENDED = "ended"
NO_PACE = "nothing was charged lately"


class Reach(NamedTuple):
    """How near a limit is: whether it is passed, the day of that, past or to come, or why no day is told."""

    passed: bool
    day: Figure | None
    instead: str
    chance: Figure | None


def reach(book: Book, project: str, name: str) -> Reach | None:
    """How near a project is to one of TOTALS; None where it has no such limit."""
    total = TOTALS[name]
    left = book.get(f"{project}.{total.remaining}")
    if left is None:
        return None
    chance = book.get(f"{project}.{total.chance}")
    if chance is None and total is EXTENDED:
        chance = book.get(f"{project}.{FINAL.chance}")  # of a project that is all extension
    return _reach(book, (project,), left, book.get(f"{project}.limits.{name}.reached"), chance)


def reach_grant(book: Book, name: str) -> Reach | None:
    """How near the projects that share a grant are to using it up; None where none of them has figures."""
    at, projects = f"allocations.{name}", book.ledger.allocations[name].projects
    left, end, left_days = (book.get(f"{at}.{key}") for key in ("left", "end", "days_to_end"))
    if left is None:
        return None
    found = _reach(book, projects, left, book.get(f"{at}.reached"), book.get(f"{at}.probability_over"))
    if found.passed:
        return found
    if left_days and left_days.use == 0:
        return found._replace(day=None, instead=ENDED)
    late = found.day and end and found.day.use is not None and end.use is not None and found.day.use > end.use
    return found._replace(day=None, instead=NOT_BEFORE) if late else found


def is_passed(left: Figure) -> bool:
    """Whether more was spent than there was."""
    return not left.missing and left.use is not None and left.use < 0


def _reach(
    book: Book, projects: Iterable[str], left: Figure, day: Figure | None, chance: Figure | None
) -> Reach:  # fmt: skip
    passed = is_passed(left)
    if passed:
        instead = "" if day and not day.missing else PASSED
    elif all(is_done(book, project) for project in projects):
        instead = DONE
    elif chance and not chance.missing and chance.use is not None and chance.use < LIKELY:
        instead = ENDS_FIRST
    elif day is None:
        begun = any(file.runs for project in projects for file in book.ledger.projects[project].runs)
        instead = "runs have no dates" if begun else "not begun"
    else:
        instead = NO_PACE if day.missing or day.use is None else ""
    return Reach(passed, None if instead else day, instead, chance)


def is_done(book: Book, project: str) -> bool:
    """Whether all the work of a project is done, extensions included, so that nothing more is spent."""
    done = next((figure for total in (EXTENDED, FINAL) if (figure := book.get(f"{project}.{total.complete}"))), None)
    return done is not None and done.use == 1
