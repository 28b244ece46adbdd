"""Sums that a document states, and that its own parts do not give, although each of them may be right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

from reckon.language.quantity import ZERO, add_up
from reckon.model.figure import Figure
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.agreement import CONFIRMED
from ..statements.claims import Check
from ..statements.structure import by_its_name, parts_of
from .common import called, counted, stated_at

LEAST_ROWS = 2
"""Of a sum so many rows have to stand in a table for this to be one of its parts."""


def own_sums(project: ProjectLedger, book: Book) -> Findings:
    """Notes on stated sums that hold: of a table whose rows do not add up to it, since one that it counts is not there;
    and of amounts in GB and GiB that were added as if both were the same."""
    checks = book.checks[project.id]
    tables: dict[tuple[str, str], dict[str, Check]] = defaultdict(dict)
    for check in checks:
        table = check.claim.at.rpartition(", ")[0]
        tables[check.claim.document, table][by_its_name(check.figure).address] = check
    seen = set[str]()
    for check in checks:
        claim = check.claim
        address = check.figure.address
        rows = tables.get((claim.document, claim.at), {})
        told = _told(check, rows) if check.holds and check.stated.value.exact and address not in seen else ()
        if told:
            seen.add(address)
            yield make_finding(
                "stated-differently",
                f"{address}#parts",
                say("{title}: the stated sum is not that of its parts", title=called(check.figure)),
                say("stated {stated} ({at}); ", stated=check.stated, at=stated_at(claim)) + told,
                "Who adds up what stands there gets another number.",
                "State the part that is missing, or the sum in one unit.",
                (claim.place, *(row.claim.place for row in rows.values())),
                is_mild=True,
            )


def _told(check: Check, rows: Mapping[str, Check]) -> Sentence:
    """What the parts of a sum come to instead; nothing where they give it."""
    parts = [*_addends(check.figure, rows)]
    stated = [rows[part.address] for part in parts if part.address in rows]
    left_out = [part for part in parts if part.address not in rows and part.use]
    whole = add_up(row.stated.use or ZERO for row in stated)
    if len(stated) >= LEAST_ROWS and left_out and all(row.holds for row in stated) and not _is(check, whole):
        named = joined((say("{title}, {part}", title=called(part), part=part) for part in left_out), " and ")
        return say("its rows there are {whole}; not among them: ", whole=counted(whole, check.figure.unit)) + named
    is_mixed = len({part.unit for part in parts}) > 1
    if is_mixed and check.kind != CONFIRMED and _is(check, add_up(part.use or ZERO for part in parts)):
        amounts = joined(((part,) for part in parts), " + ")
        return say("calculated {figure}; it is ", figure=check.figure) + amounts + say(" with both units taken for one")
    return ()


def _is(check: Check, number: Fraction) -> bool:
    """Whether a number is what is stated, to its last digit."""
    return check.stated.use is not None and abs(check.stated.use - number) <= check.low


def _addends(figure: Figure, rows: Mapping[str, Check]) -> Iterator[Figure]:
    """What a sum consists of, as far down as to the rows of its table."""
    for part in parts_of(figure):
        below = [] if part.address in rows else [*_addends(part, rows)]
        yield from below or [part]
