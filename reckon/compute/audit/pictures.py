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
from .common import called, counted, numbered

MOST_POINTS = 3
"""So many points are told with their numbers, those that are off by most steps."""


class Drawn(Struct, frozen=True):
    """A point on one axis of a picture: what it is of, what is stated of it and where it is drawn, and its line. `said`
    and `at` are the ends of the two in the unit of its figure."""

    title: str
    stated: Figure
    drawn: Figure
    said: Sequence[Fraction]
    at: Sequence[Fraction]
    place: Place

    @property
    def off(self) -> Fraction:
        """How far what is stated is from where it is drawn; 0 where it lies in there."""
        return max(self.said[0] - self.at[1], self.at[0] - self.said[1], ZERO)


def point_misplaced(project: ProjectLedger, book: Book) -> Findings:
    """A picture in which points stand elsewhere than what its document states of them: a note for each picture."""
    seen = Counter[str]()
    for claim in project.claims:
        axes = claim.columns if claim.drawn else ()
        off = [each for axis in range(len(axes)) for each in _off(list(_axis(project, book, claim, axis)))]
        if off:
            off.sort(key=lambda each: -each[0])
            yield _finding(claim, off, numbered(seen, f"{project.id}.{claim.of}"))


def _off(points: Sequence[Drawn]) -> list[tuple[Fraction, Drawn]]:
    """The points that are a step of their axis or more from where they have to be, after how many steps: less is how
    lines are rounded, or cut off. The step is the largest number of which all that is drawn are multiples."""
    ends = [end for each in points for end in each.at if end]
    whole = lcm(*(end.denominator for end in ends))
    step = Fraction(gcd(*(int(end * whole) for end in ends)), whole)
    return [(each.off / step, each) for each in points if step and each.off >= step]


def _axis(project: ProjectLedger, book: Book, claim: Claim, axis: int) -> Iterator[Drawn]:
    stated = {each.claim.place: each for each in book.checks[project.id]}
    for row, cells in claim.drawn.items():
        check = stated.get(place_of(claim.rows[row][axis]))
        if check is None or cells[axis] == NOTHING:
            continue
        point = claim.model_copy(update={"states": cells[axis]})
        amount = read_claim(point, check.figure.unit)
        at, said = ([end for end in (each.low, each.high) if end is not None] for each in (amount.value, check.value))
        if len(at) == len(said) == 2:
            drawn = as_stated(point, check.figure, amount)
            yield Drawn(row_title(called(check.figure)), check.stated, drawn, said, at, place_of(cells[axis]))


def _finding(claim: Claim, off: list[tuple[Fraction, Drawn]], subject: str) -> Finding:
    points = {each.title: each for _, each in reversed(off)}
    shown = [each for _, each in off if points[each.title] is each][:MOST_POINTS]
    text = "{title} at {drawn} ({stated})"
    told = joined((say(text, title=each.title, drawn=each.drawn, stated=each.stated) for each in shown), ", ")
    told = ("the labels are drawn at (stated): ", *told)
    told += say(", and {more} more", more=str(len(points) - len(shown))) if len(points) > len(shown) else ()
    many = counted(len(points), Unit(symbol="points"))
    title = "{at}: a point is not at its stated figures"
    if len(points) > 1:
        title = "{at}: {many} are not at their stated figures"
    return make_finding(
        "point-misplaced",
        subject,
        say(title, at=claim.at, many=many),
        told,
        places=(claim.place, *(each.place for each in shown)),
    )
