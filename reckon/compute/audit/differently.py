"""Figures that are stated more than once, with values that do not suit each other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.kinds import SHARED
from reckon.model.ledger import ProjectLedger

from ..book import Book
from .common import stated_at_all
from .own_sums import own_sums
from .stating import Statement, stated_of


def stated_differently(project: ProjectLedger, book: Book) -> Findings:
    """Values of one figure that cannot both be, which is a warning; or ranges of it that end differently, a note.

    A range may hold a single number, and an open range any that it reaches: these are no contradiction. Of what
    projects share, as a card, what the others state counts too.
    """
    for figure, every in _statements(project, book):
        statements = [each for each in every if not any(_within(each, other) for other in every)]
        pairs = [pair for pair in combinations(statements, 2) if pair[0].value != pair[1].value]
        apart = [(one, other) for one, other in pairs if _below(one, other) or _below(other, one)]
        unlike = apart or [pair for pair in pairs if _unlike(*pair)]
        if unlike:
            yield _finding(figure, statements, bool(apart))
    yield from own_sums(project, book)


def _statements(project: ProjectLedger, book: Book) -> Iterator[tuple[Figure, list[Statement]]]:
    """Each figure that is stated more than once, with all that is stated of it."""
    for address, (figure, own) in stated_of(project, book).items():
        every = own if address.startswith(f"{project.id}.") else [*own, *_elsewhere(project, book, address)]
        if len(every) > 1:
            yield figure, every


def _elsewhere(project: ProjectLedger, book: Book, address: str) -> Iterator[Statement]:
    """What other projects state of a figure that all share, each said to be of its project where it names no source."""
    for other in book.projects.values():
        if other.id != project.id and any(claim.of.startswith(SHARED) for claim in other.claims):
            for statement in stated_of(other, book).get(address, (None, []))[1]:
                source = statement.claim.source or other.project.title
                yield replace(statement, claim=statement.claim.model_copy(update={"source": source}))


def _within(number: Statement, other: Statement) -> bool:
    """Whether a number lies in a range that its document states: who picks one number of it contradicts nothing."""
    if not number.value.exact or other.value.exact or number.claim.source != other.claim.source:
        return False
    said = number.value.use
    low = other.value.low
    high = other.value.high
    return (low is None or said is None or low - other.low <= said) and (
        high is None or said is None or said <= high + other.high
    )


def _below(first: Statement, second: Statement) -> bool:
    """Whether the first value lies below the second, their rounding counted."""
    high = first.value.high
    low = second.value.low
    return high is not None and low is not None and high + first.high < low - second.low


def _unlike(first: Statement, second: Statement) -> bool:
    """Whether two ranges have ends that differ by more than their rounding; a single number is not a range."""
    if first.value.exact or second.value.exact:
        return False
    lows = (first.value.low, second.value.low)
    highs = (first.value.high, second.value.high)
    return _differ(*lows, first.low + second.low) or _differ(*highs, first.high + second.high)


def _differ(first: Fraction | None, second: Fraction | None, allowed: Fraction) -> bool:
    return first is not None and second is not None and abs(first - second) > allowed


def _finding(figure: Figure, statements: list[Statement], apart: bool) -> Finding:
    """One finding for a figure: each value once, with all places that state it."""
    values = group_by(statements, lambda statement: statement.value)
    sources = {statement.claim.document for statement in statements}
    (only,) = sources if len(sources) == 1 else ("",)
    told = say("stated in {only} as ", only=only) if only else say("stated as ")
    for number, same in enumerate(values.values()):
        at = stated_at_all((statement.claim for statement in same), known=only)
        told += (say(", ") if number else ()) + _said(same[0]) + say(" ({at})", at=at)
    return make_finding(
        "stated-differently",
        figure.address,
        say(
            "{title}: stated with values that cannot all be" if apart else "{title}: stated with different ranges",
            title=figure.title,
        ),
        told,
        "They cannot all be right, whatever the ledger comes to."
        if apart
        else "They overlap, but a reader cannot tell which range is meant.",
        "State it once, or the same everywhere.",
        tuple(dict.fromkeys(statement.claim.place for statement in statements))[:20],
        is_mild=not apart,
    )


def _said(statement: Statement) -> Sentence:
    """What is stated, `~` before it where it was called approximate."""
    about = str(statement.claim.states).strip().startswith(("~", "≈"))
    return say("~{value}" if about else "{value}", value=statement.stated)
