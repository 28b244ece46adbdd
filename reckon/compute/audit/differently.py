"""What is stated more than once, with values that do not suit each other: figures and words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.model.figure import planned
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.agreement import CARRIED_ON, COARSE
from ..statements.claims import Check
from ..statements.guesses import CUT, GIB, UP
from .common import called, stated_at_all
from .stated import stated_of, stated_span


def stated_differently(project: ProjectLedger, book: Book) -> Findings:
    """Values of one figure that cannot both be, or words of one subject, which is a warning; or ranges that end
    differently, a note.

    A range may hold a single number, and an open range any that it reaches: these are no contradiction. A number that
    differs from the calculated one only by rounding differs from no other one either.
    """
    for address, own in stated_of(project, book).items():
        sharp = [
            each
            for each in own
            if not (each.value.exact and (each.kind in (COARSE, CARRIED_ON) or each.slip.endswith((CUT, UP))))
        ]
        statements = [each for each in sharp if not any(_is_within(each, other) for other in own)]
        unequal = (pair for pair in combinations(statements, 2) if pair[0].value != pair[1].value)
        pairs = [sorted(pair, key=lambda each: planned(each.stated)) for pair in unequal]
        is_apart = not all(stated_span(one).meets(stated_span(other)) for one, other in pairs)
        if is_apart or any(_is_unlike(*pair) for pair in pairs):
            values = group_by(statements, lambda each: each.value).values()
            said = [(_said(same[0]), [each.claim for each in same]) for same in values]
            found = _finding(address, own[0].figure.title, said, is_apart)
            mixed = next((pair for pair in pairs if _is_gib_beside_gb(*pair)), None)
            yield _say_gib(found, *mixed) if mixed else found
    for address, worded in group_by(book.worded[project.id], lambda each: each.address).items():
        words = group_by(worded, lambda each: each.stated.id).values()
        if len(words) > 1:
            said = [((same[0].stated.title,), [each.claim for each in same]) for same in words]
            yield _finding(address, worded[0].word.about, said, True)


def _is_within(number: Check, other: Check) -> bool:
    """Whether a number lies in a range that its document states: who picks one number of it contradicts nothing."""
    span = stated_span(other)
    is_range = number.value.exact and not other.value.exact and number.claim.source == other.claim.source
    return is_range and span.low <= planned(number.stated) <= span.high


def _is_unlike(first: Check, second: Check) -> bool:
    """Whether two ranges have ends that differ by more than their rounding; a single number is not a range."""
    one = first.value
    other = second.value
    ends = ((one.low, other.low, first.low + second.low), (one.high, other.high, first.high + second.high))
    differ = (abs(end - far) > allowed for end, far, allowed in ends if end is not None and far is not None)
    return not one.exact and not other.exact and any(differ)


def _is_gib_beside_gb(small: Check, large: Check) -> bool:
    """Whether two amounts of data, both printed in GB, are one amount if the smaller is in GiB."""
    is_in_gb = all("GB" in each.stated.unit.symbol for each in (small, large))
    apart = abs(planned(small.stated) * GIB - planned(large.stated))
    return is_in_gb and apart <= small.figure.unit.to_base(small.low * GIB + large.low)


def _say_gib(finding: Finding, small: Check, large: Check) -> Finding:
    """The finding with what to write where two statements are of one amount in two units."""
    title = (f"{called(small.figure)}: ", *_said(small), " is in GiB")
    remedy = ("Write GiB for ", *_said(small), ": that is ", *_said(large), ".")
    return replace(
        finding,
        title=title,
        severity="note",
        meaning="Both are the same size, once in GB and once in GiB.",
        remedy=remedy,
    )


def _finding(subject: str, title: str, said: Sequence[tuple[Sentence, Sequence[Claim]]], is_apart: bool) -> Finding:
    """One finding for a figure or a word: each value once, with all places that state it."""
    claims = [claim for _, same in said for claim in same]
    sources = {claim.document for claim in claims}
    only = sources.pop() if len(sources) == 1 else ""
    values = [value + say(" ({at})", at=stated_at_all(same, known=only)) for value, same in said]
    words = ": the stated ranges differ"
    meaning = "They overlap, but a reader cannot tell which range is meant."
    if is_apart:
        words = ": the stated values exclude each other"
        meaning = "At most one of them can be right."
    return make_finding(
        "stated-differently",
        subject,
        title + words,
        say("stated in {only} as " if only else "stated as ", only=only) + joined(values, ", "),
        meaning,
        places=sorted({claim.place for claim in claims})[:20],
        is_mild=not is_apart,
    )


def _said(statement: Check) -> Sentence:
    """What is stated, `~` before it where it was called approximate."""
    return say("{about}{value}", about=statement.about, value=statement.stated)
