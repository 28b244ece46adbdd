"""What a ledger says that its documents state: each value with where it stands, and how far its last digit reaches."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import Value
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.agreement import tolerances
from ..statements.claims import as_stated, each_claim, read_claim
from .common import Span


class Statement(Struct, frozen=True):
    """What is stated of a figure in one place: the claim, the value, and half of its last digit at either end."""

    claim: Claim
    stated: Figure
    value: Value  # in the unit of the figure that it is stated of
    low: Fraction
    high: Fraction

    @property
    def span(self) -> Span | None:
        """What it can have been before it was rounded, in the unit of the figure; None for an open range."""
        if self.value.low is None or self.value.high is None:
            return None
        return Span(self.value.low - self.low, self.value.high + self.high)


Stated = dict[str, tuple[Figure, list[Statement]]]
"""By address each figure of which something is stated, and all that is, in the order of the claims."""


def stated_of(project: ProjectLedger, book: Book) -> Stated:
    """All that the claims of a project state of figures."""
    found: Stated = {}
    for claim in each_claim(project.claims):
        figure = book.quoted(project.id, claim.of)
        if claim.states is not None and figure:
            quantity = read_claim(claim, figure.unit)
            ends = tolerances(claim.states, quantity)
            statement = Statement(claim, as_stated(claim, figure, quantity), quantity.value, *ends)
            found.setdefault(figure.address, (figure, []))[1].append(statement)
    return found


def single(stated: Stated, address: str, source: str | None = None) -> Statement | None:
    """The first single number that is stated of a figure, in a document where one is named; None for ranges alone."""
    _, statements = stated.get(address, (None, ()))
    for each in statements:
        if each.value.exact and source in (None, each.claim.document):
            return each
    return None
