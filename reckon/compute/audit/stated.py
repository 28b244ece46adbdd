"""All that is stated of figures; and what of it is wrong, in entries: rows that have one cause, and rows of one column,
statement or figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import ceil, inf

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.language.units import Unit
from reckon.model.figure import Figure, Span, planned
from reckon.model.finding import Sentence, joined, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..sheet.cells import base_of
from ..statements.agreement import CARRIED_ON, SLIGHT
from ..statements.claims import Check, Checks, column_of, statement_of, table_of
from ..statements.guesses import CUT
from .common import called, counted, in_unit_of, name_of

MOST_VALUES = 2
"""A title has so many values on one side, and one on the other."""
TWICE = 2
"""Above so many times it is said how many times, else by what share."""


def title_of(some: Checks) -> Sentence:
    """What is wrong with all stated figures of an entry."""
    what = name_of(_what([check.figure for check in some]))
    many = counted(len(some), Unit(symbol="stated figures"))
    if is_rounding(some[0]):
        share = 100 * max(check.agreement.apart for check in some)
        parts = 1 if share >= 10 else 10 if share >= 1 else 100  # rounded up, since it is the most
        return say("{many} differ a little, by at most {most}", many=many, most=f"{ceil(share * parts) / parts:g}%")
    tables = {table_of(check) for check in some}
    table = f" in “{min(tables)}”" if len(tables) == 1 else ""
    stated = {check.stated.value.ends: check.stated for check in some}
    figures = {check.figure.value.ends: in_unit_of(check.stated, check.figure) for check in some}
    if len(figures) * len(stated) > MOST_VALUES:
        return say("{what}: {many}{table} are {off}", what=what, many=many, table=table, off=_how_far_off(some))
    if len({statement_of(check) for check in some}) == 1:
        what = " and ".join(dict.fromkeys(name_of(called(check.figure)) for check in some))
        table = ""
    right = joined(((each,) for each in figures.values()), " and ")
    wrong = joined(((each,) for each in stated.values()), " or ")
    return (f"{what}: ", *right, ", not ", *wrong, table)


def _how_far_off(checks: Checks) -> str:
    """By what some stated figures are too high or too low; that they are wrong where these are not alike."""
    ratios: list[Fraction] = []
    for check in checks:  # of a stated range, each of its ends
        pairs = [*zip(check.value.ends, check.figure.value.ends, strict=True)]
        ratios += [(one or ZERO) / (other or 1) for one, other in (pairs[1:2] if check.value.exact else pairs)]
    low = min(ratios)
    high = max(ratios)
    if low <= 0 or low < 1 < high:
        return "not what their inputs give"
    way = "too high" if low > 1 else "too low"
    most = max(high, 1 / low)
    if most > TWICE:
        return f"up to {float(f'{float(most):.2g}'):,g} times {way}"
    return f"up to {round(100 * max(high - 1, 1 - low))}% {way}"


def _what(figures: Sequence[Figure]) -> str:
    """What most figures of several records are, by their titles, with the projection that all of them are of; of as
    many the shortest; where all are alike, or no two, the title of the first."""
    titles = [called(figure) for figure in figures]
    if len(set(titles)) == 1:
        return titles[0]
    ends = [title.rpartition(": ")[2] for title in titles]
    often = max(ends, key=lambda end: (ends.count(end), -len(end)))
    if ends.count(often) == 1:
        return titles[0]
    beginnings = {title.partition(", ")[0] for title in titles}
    text = f"{min(beginnings)}: {often}" if len(beginnings) == 1 else often
    return text[:1].upper() + text[1:]


def cluster(places: Sequence[int], keys: Callable[[int], Iterable[Hashable]]) -> list[list[int]]:
    """Places in groups, each in order: two that have a key in common are in one group, and so are their groups."""
    parent = {place: place for place in places}

    def top(place: int) -> int:
        while parent[place] != place:
            place = parent[place]
        return place

    first: dict[Hashable, int] = {}
    for place in places:
        for key in keys(place):
            low, high = sorted((top(first.setdefault(key, place)), top(place)))
            parent[high] = low
    return list(group_by(places, top).values())


def entries_of(checks: Checks) -> tuple[list[list[int]], dict[int, int]]:
    """The entries of the checks that are told, as the places of these; and for each such check the place of its entry:
    its own, or that of what it follows from."""
    wrong = [at for at, check in enumerate(checks) if not check.holds]
    found = cluster([at for at in wrong if not checks[at].way], lambda at: _keys(checks, at))
    own = {at: place for place, entry in enumerate(found) for at in entry}
    homes = {at: home for at in wrong if (home := _home(checks, at, own)) is not None}
    return found, homes


def is_rounding(check: Check) -> bool:
    """Whether a stated figure is a little off, by its rounding, and no more."""
    apart = abs(planned(check.stated) - planned(check.figure))
    is_rounded = not (check.value.exact and (check.causes or check.agreement.digits))
    is_known = check.kind == CARRIED_ON or check.slip == CUT or is_rounded
    return is_known and check.agreement.severity == "note" and apart < SLIGHT * planned(check.figure)


def _home(checks: Checks, at: int, own: dict[int, int]) -> int | None:
    """The first entry that a check follows from, on whatever way; of two the one of more stated figures."""
    size = Counter(own.values())
    waiting = [at]
    for each in waiting:
        if each in own:
            return own[each]
        after = sorted(checks[each].after, key=lambda other: -size[own.get(other, -1)])
        waiting += [other for other in after if other not in waiting]
    return None


def _keys(checks: Checks, at: int) -> Iterator[Hashable]:
    """What a row has in common with those of its entry: all rounding is one matter, as is all that has one cause,
    through the same amount, and one value that is stated of one record."""
    check = checks[at]
    if is_rounding(check):
        yield CARRIED_ON
        return
    cause = check.causes[0] if check.causes else None
    yield statement_of(check)
    yield check.claim.document, base_of(check.figure.address)
    record = tuple(check.figure.address.split(".")[:4])
    yield check.claim.document, record, check.text, check.stated.unit.kinds
    yield "from", at
    if cause and cause.kind == "carried":  # rows that one rounded figure moves
        yield from (("from", place) for place in cause.used if not checks[place].figure.is_stated)
    elif cause:
        yield cause.mistake
    if not (cause and cause.is_sure and cause.rows):
        above = planned(check.stated) > planned(check.figure)
        yield column_of(check), above, cause.kind if cause else ""


Stated = dict[str, list[Check]]
"""By address all that is stated of a figure, in the order of the claims."""


def stated_of(project: ProjectLedger, book: Book) -> Stated:
    """All that the claims of a project state of figures."""
    return group_by(book.checks[project.id], lambda check: check.figure.address)


def stated_span(check: Check) -> Span:
    """What is stated as it can have been before it was rounded, in base units; an open end is infinite."""
    low, _, high = check.value.ends
    unit = check.figure.unit
    least = -inf if low is None else unit.to_base(low - check.low)
    return Span(least, inf if high is None else unit.to_base(high + check.high))
