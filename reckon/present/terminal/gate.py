"""`can-i`: what a run that has not begun would do to each limit of a project.

The ledger as it is is compared with the ledger with the run in it. What is left at P50 and P90 is the limit less the
forecast of all work, of which the run is a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from reckon.compute.audit.common import counted, is_above
from reckon.compute.audit.limits import Limit, limits_of
from reckon.compute.book import Book
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Finding, Sentence, joined, say

from ..budget.grants import amount_cell
from ..render.numbers import format_sentence
from ..table import figures
from .lines import Lines, grid, line_width, pieces

HEADINGS = ("Limit", "Left", "Promised", "Run", "After", "P50", "P90", "Verdict")
COLUMN = figures("")
TEXTS = (
    "already passed; this run adds {more}",
    "passed by {over}",
    "short by {over} at P50",
    "short by {over} at P90",
    "short by {over} with what is promised",
)
"""What is said where too little is left: before a run, after it, at the end, and beyond what is promised."""
Amount = Figure | None


class Effect(NamedTuple):
    """What a run does to a limit: its amounts in the order of `HEADINGS`; what is said of it; whether the run takes
    some of it, and whether the limit is left short by more than before."""

    limit: Limit
    amounts: Sequence[Amount]
    words: Sentence
    adds: bool
    is_short: bool


def difference(first: Amount, second: Amount) -> Amount:
    """One figure less another; None where either is not known."""
    if first and second and first.use is not None and second.use is not None:
        return counted(first.use - second.use, first.unit)
    return None


def effects(before: Book, after: Book, project_id: str) -> list[Effect]:
    """What a run that `after` has does to each limit of a project. A plan that is the best case sets none, and no
    allocation does that has ended, unless the run is charged to it."""
    project = after.projects[project_id]
    found = list[Effect]()
    for limit in limits_of(project, after):
        taken = difference(after.get(limit.charged), before.get(limit.charged))
        adds = taken is None or taken.use != 0
        has_ended = f"{limit.subject}.days_since_end" in after.figures
        best_case = limit.is_planned and project.project.plan_is
        if limit.allowed in after.figures and not best_case and (adds or not has_ended):
            was = _left(before, limit)
            now = _left(after, limit)
            promised = before.get(f"{limit.subject}.committed")
            words, is_short = _judge([was[0], *now, difference(now[0], promised)], [None, *was, None], taken)
            found.append(Effect(limit, (was[0], promised, taken, *now), words, adds, is_short))
    return found


def _left(book: Book, limit: Limit) -> list[Amount]:
    """What is left of a limit: now, and at P50 and P90 once all work is done."""
    allowed, charged, in_turn, spent = map(
        book.get, (limit.allowed, limit.charged, f"{limit.subject}.granted_in_turn", limit.spent)
    )
    left = difference(in_turn or allowed, charged)
    coming = (difference(book.get(f"{limit.forecast}{percent}"), spent) for percent in (50, 90))
    return [difference(allowed, charged), *(difference(left, its) for its in coming)]


def _judge(left: Sequence[Amount], was: Sequence[Amount], taken: Amount) -> tuple[Sentence, bool]:
    """What is said of a limit of which so much is left, as `TEXTS` says it, and whether it is short by more than
    it `was`."""
    for text, amount, earlier in zip(TEXTS, left, was, strict=True):
        if amount and amount.use is not None and amount.use < 0:
            over = counted(-amount.use, amount.unit)
            words = say(text, over=over, more=taken)
            return (*words, *_without_it(earlier)), not earlier or is_above(earlier, amount)
    return ("fits",) if left[1] else ("not known",), not left[1]


def _without_it(earlier: Amount) -> Sentence:
    """What would be left without the run, or be lacking; nothing where that is not known."""
    if not earlier or earlier.use is None:
        return ()
    if earlier.use < 0:
        return say("; without it by {lacking}", lacking=counted(-earlier.use, earlier.unit))
    return say("; without it {left} left", left=earlier)


def notes(before: Book, after: Book, project_id: str, task: str, found: Sequence[Effect]) -> Iterator[Sentence]:
    """Who pays for a run, how much planned work is to do, how much of its task is done, and when all work is done."""
    payers = [f"“{each.limit.name}”" for each in found if each.adds and each.limit.subject.startswith("allocations.")]
    yield ("Paid by ", ", ".join(payers) or "none of the allocations", ".")
    for text, at in (
        ("Planned and not done before it: {was}.", f"{project_id}.work_to_do"),
        ("Its task is {was} done before it, {now} after it.", f"{task}.complete_share"),
        ("Work is done by {was} without it, by {now} with it.", f"{project_id}.pace.end"),
    ):
        was = before.get(at)
        now = after.get(at)
        if is_known(was) and is_known(now):
            yield say(text, was=was, now=now)


def verdict_of(found: Sequence[Effect], broken: Sequence[Finding], hours: Amount) -> tuple[str, str]:
    """Whether a run may be submitted, and why: the first error that it makes, or the limits that it leaves short."""
    if broken:
        return "No", format_sentence((*broken[0].title, ": ", *broken[0].arithmetic))
    if short := [(each.limit.name, ": ", *each.words) for each in found if each.adds and each.is_short]:
        return "Yes, but", format_sentence(joined(short))
    return "Yes", format_sentence(say("{hours} break no limit", hours=hours))


def rows_of(found: Sequence[Effect], write: Callable[[Figure], str | None]) -> list[list[str]]:
    """A row of each limit, in the order of `HEADINGS`, in which amounts are written so; what is not known is empty."""
    rows = []
    for each in found:
        amounts = [(amount and write(amount)) or "" for amount in each.amounts]
        rows.append([each.limit.name, *amounts, format_sentence(each.words)])
    return rows


def format_gate(verdict: Sequence[str], found: Sequence[Effect], said: Iterable[Sentence]) -> Lines:
    """The answer for a terminal: the verdict, a table of the limits, and what else is said."""
    yield from wrap(f"{': '.join(verdict)}.", line_width())
    yield from grid(HEADINGS, rows_of(found, lambda amount: pieces(amount_cell(amount), COLUMN)[0]))
    yield "After: left after the run. P50, P90: left once all work is done."
    yield from map(format_sentence, said)
