"""Points of a text picture that do not stand where the figures put them that are stated of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm

from msgspec import Struct

from reckon.language.quantity import ZERO
from reckon.language.text import Place, place_of
from reckon.language.units import Unit
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, joined, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.claims import NOTHING, as_stated, read_claim
from ..statements.structure import row_title
from .common import Span, called, counted, numbered

MOST_POINTS = 4
"""So many points are told, those that are off by most steps."""


class Drawn(Struct, frozen=True):
    """A point on one axis of a picture: what it is of, what is stated of it, from where to where it is drawn, and its
    line. `said` and `at` are the two in the unit of its figure."""

    title: str
    stated: Figure
    drawn: Figure
    said: Span
    at: Span
    place: Place

    @property
    def off(self) -> Fraction:
        """How far what is stated is from where it is drawn; 0 where it lies in there."""
        return max(self.said.low - self.at.high, self.at.low - self.said.high, ZERO)


def point_misplaced(project: ProjectLedger, book: Book) -> Findings:
    """A picture in which points stand elsewhere than what its document states of them: a warning for each picture."""
    seen = Counter[str]()
    for claim in project.claims:
        axes = [
            _off(project, book, claim, axis, column) for axis, column in enumerate(claim.columns if claim.drawn else ())
        ]
        if off := sorted((each for some in axes for each in some), key=lambda each: -each[0]):
            yield _finding(claim, off, numbered(seen, f"{project.id}.{claim.of}"))


def _off(project: ProjectLedger, book: Book, claim: Claim, axis: int, column: str) -> list[tuple[Fraction, Drawn]]:
    """The points that are a step of their axis or more from where they have to be, after how many steps: less is how
    lines are rounded, or cut off. The step is the largest number of which all that is drawn are multiples."""
    points = list(_axis(project, book, claim, axis, column))
    step = _step_of([abs(end) for each in points for end in each.at if end]) if points else ZERO
    return [(each.off / step, each) for each in points if step and each.off >= step]


def _step_of(numbers: Sequence[Fraction]) -> Fraction:
    """The largest number of which all are multiples: in which steps an axis is drawn."""
    whole = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * whole) for number in numbers)), whole)


def _axis(project: ProjectLedger, book: Book, claim: Claim, axis: int, column: str) -> Iterator[Drawn]:
    for row, cells in claim.drawn.items():
        figure = book.quoted(project.id, f"{claim.of}.{row}.{column}")
        texts = [part[axis] for part in (cells, claim.rows.get(row, ())) if axis < len(part)]
        if figure is None or NOTHING in texts or len(texts) < 2:
            continue
        drawn, stated = (claim.model_copy(update={"states": text}) for text in texts)
        where, said = (read_claim(each, figure.unit) for each in (drawn, stated))
        ends = where.value.low, where.value.high, said.value.low, said.value.high
        if None not in ends:
            first, last, least, most = (end or ZERO for end in ends)
            yield Drawn(
                row_title(called(figure)),
                as_stated(stated, figure, said),
                as_stated(drawn, figure, where),
                Span(least, most),
                Span(first, last),
                place_of(texts[0]),
            )


def _finding(claim: Claim, off: list[tuple[Fraction, Drawn]], subject: str) -> Finding:
    points = {each.title: each for _, each in reversed(off)}
    shown = [each for _, each in off if points[each.title] is each][:MOST_POINTS]
    told = joined(
        [
            say("{title} at {drawn}, stated {stated}", title=each.title, drawn=each.drawn, stated=each.stated)
            for each in shown
        ]
    )
    told += say("; and {more} more", more=str(len(points) - len(shown))) if len(points) > len(shown) else ()
    many = counted(len(points), Unit(symbol="points"))
    return make_finding(
        "point-misplaced",
        subject,
        say(
            "{at}: {many} do not stand where their stated figures are"
            if len(points) > 1
            else "{at}: a point does not stand where its stated figures are",
            at=claim.at,
            many=many,
        ),
        told,
        "Who looks at the picture compares what is not so; the numbers beside the points are right to read.",
        "Draw each point at its figures.",
        (claim.place, *(each.place for each in shown)),
    )
