"""The same figure stated in several places, with values that do not suit each other; whatever the ledger comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from reckon.language.quantity import Value
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Sentence, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.claims import as_stated, each, read_claim
from ..statements.closeness import tolerances
from .common import stated_at


@dataclass(frozen=True, slots=True)
class _Statement:
    """What is stated of a figure in one place: the claim, the value, and half of its last digit at either end."""

    claim: Claim
    stated: Figure
    value: Value  # in the unit of the figure that it is stated of
    low: Fraction
    high: Fraction


def stated_differently(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Values of one figure that cannot both be, which is a warning; or ranges of it that end differently, a note.

    A range may hold a single number, and an open range any that it reaches: these are no contradiction.
    """
    for figure, some in _statements(one, book):
        pairs = [pair for pair in combinations(some, 2) if pair[0].value != pair[1].value]
        apart = [pair for pair in pairs if _apart(*pair)]
        unlike = apart or [pair for pair in pairs if _unlike(*pair)]
        if unlike:
            yield _finding(figure, some, bool(apart))


def _statements(one: ProjectLedger, book: Book) -> Iterator[tuple[Figure, list[_Statement]]]:
    """Each figure that is stated more than once, with all that is stated of it."""
    found: dict[str, tuple[Figure, list[_Statement]]] = {}
    for claim in each(one.claims):
        figure = book.quoted(one.id, claim.of)
        if claim.states is not None and figure:
            quantity = read_claim(claim, figure.unit)
            ends = tolerances(str(claim.states), quantity)
            statement = _Statement(claim, as_stated(claim, figure, quantity), quantity.value, *ends)
            found.setdefault(figure.address, (figure, []))[1].append(statement)
    yield from (pair for pair in found.values() if len(pair[1]) > 1)


def _apart(one: _Statement, other: _Statement) -> bool:
    """Whether two values share nothing, their rounding counted."""
    return _below(one, other) or _below(other, one)


def _below(one: _Statement, other: _Statement) -> bool:
    high, low = one.value.high, other.value.low
    return high is not None and low is not None and high + one.high < low - other.low


def _unlike(one: _Statement, other: _Statement) -> bool:
    """Whether two ranges have ends that differ by more than their rounding; a single number is no range."""
    if one.value.exact or other.value.exact:
        return False
    lows, highs = (one.value.low, other.value.low), (one.value.high, other.value.high)
    return _differ(*lows, one.low + other.low) or _differ(*highs, one.high + other.high)


def _differ(one: Fraction | None, other: Fraction | None, allowed: Fraction) -> bool:
    return one is not None and other is not None and abs(one - other) > allowed


def _finding(figure: Figure, some: list[_Statement], apart: bool) -> Finding:
    """One finding for a figure: each value once, with all places that state it."""
    values: dict[Value, list[_Statement]] = {}
    for statement in some:
        values.setdefault(statement.value, []).append(statement)
    told: Sentence = ()
    for same in values.values():
        at = "; ".join(dict.fromkeys(stated_at(one.claim) for one in same))
        told += (say(", ") if told else say("stated as ")) + _said(same[0]) + say(" ({at})", at=at)
    return Finding(
        "stated-differently", "warning" if apart else "note", figure.address,
        say("{title}: stated with values that cannot all be" if apart else "{title}: stated with different ranges",
            title=figure.title), told,
        say("They cannot all be right, whatever the ledger comes to." if apart
            else "They overlap, but a reader cannot tell which range is meant."),
        say("State it once, or the same everywhere."),
        tuple(dict.fromkeys(one.claim.place for one in some))[:20],
    )  # fmt: skip


def _said(statement: _Statement) -> Sentence:
    """What is stated, `~` before it where it was called approximate."""
    about = str(statement.claim.states).strip().startswith(("~", "≈"))
    return say("~{value}" if about else "{value}", value=statement.stated)
