"""Stated figures that do not agree, by cause: which are one mistake, and which only follow from it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.language.units import Unit
from reckon.model.figure import Figure, Worked, planned
from reckon.model.finding import Sentence, joined, say

from ..sheet.cells import picked
from ..statements.carried import SHARED, base_of, same_figure
from ..statements.claims import ARITHMETIC, DIVIDED, Check, Checks
from ..statements.slips import CUT, meant, meant_twice, row_title
from .common import called, counted, in_unit_of, stated_at
from .quotients import Quotient, quotients
from .stating import statement_of

FAR = Fraction(6, 5)
"""A factor nearer to one than this is told as rows that do not agree, not as one factor."""
NEAR = Fraction(21, 20)
"""The same of a factor that two slips give, one making up for much of the other. Three rows have to miss by it."""
MOST_HIDDEN = 4
"""So many rows are named that have the factor of others and agree nevertheless."""
NARROW = Fraction(5, 4)
"""What is stated with so few digits that the factor could be anything within this ratio tells of no factor."""


class OneFactor(NamedTuple):
    """A factor by which several stated figures miss; what slip it is; how many of them were cut off, not rounded; and
    where others of their table stand among the checks that have it too, and agree by the width of their range alone."""

    factor: Fraction
    slip: str
    cut: int
    hidden: tuple[int, ...] = ()


class StatedCause(Struct, frozen=True):
    """One mistake among stated figures: where its figures stand among the checks, and by what factor all of them
    miss, if one does; `arithmetic` where they follow from what their document states elsewhere; `quotient` where they
    are one column divided by another."""

    roots: tuple[int, ...]
    one_factor: OneFactor | None = None
    arithmetic: bool = False
    quotient: Quotient | None = None

    def title(self, checks: Checks) -> Sentence:
        """What is wrong with all of them."""
        what = _what([checks[at].figure for at in self.roots])
        many = counted(len(self.roots), Unit(symbol="stated figures"))
        if self.arithmetic:
            of = checks[self.roots[0]].claim.document
            told = say("{many} do not agree, but follow from what is stated beside them", many=many)
            return (f"{of}: ", *told) if of else told
        if self.quotient:
            return say(
                "{what}: {many} are {above} divided by {below}",
                what=what,
                many=many,
                above=self.quotient.above,
                below=self.quotient.below,
            )
        if not self.one_factor and all(_below_share(checks[at]) for at in self.roots):
            return say("{what}: {many} are less than what fewer GPUs take, divided among all", what=what, many=many)
        if not self.one_factor and (one := self._statement(checks)):
            figures = ((in_unit_of(one.stated, checks[at].figure),) for at in self.roots)
            stated = say(
                "{at}: the stated {one} does not agree with the calculated ", at=stated_at(one.claim), one=one.stated
            )
            return stated + joined(figures, " and ")
        if not self.one_factor:
            return say("{what}: {many} do not agree", what=what, many=many)
        return say(
            "{what}: {many} are {factor} times what their inputs give",
            what=what,
            many=many,
            factor=counted(self.one_factor.factor),
        )

    def arithmetic_of(self, checks: Checks) -> Sentence:
        """By what factor all of them miss, and how, or that all were cut off; nothing where each has numbers of its
        own."""
        if not self.one_factor and all(checks[at].slip == CUT for at in self.roots):
            return say("the further digits of each were cut off, not rounded")
        if not self.one_factor:
            return ()
        slip = say(": {slip}", slip=self.one_factor.slip) if self.one_factor.slip else ()
        cut = self.one_factor.cut
        ends = say("; {cut} of them cut off at the last digit, not rounded", cut=counted(cut)) if cut else ()
        return (*say("each misses by the same factor"), *slip, *_hidden(checks, self.one_factor.hidden), *ends)

    def _statement(self, checks: Checks) -> Check | None:
        """The one statement that is held against all of them; None where there are several."""
        one, *more = {statement_of(checks[at]): checks[at] for at in self.roots}.values()
        return None if more else one


def _hidden(checks: Checks, places: Sequence[int]) -> Sentence:
    """What is stated of rows that have the slip as well, beside what is planned there; nothing where there are none."""
    if not places:
        return ()
    rows = [
        say(
            "{stated} of {what} ({planned} planned)",
            stated=checks[at].stated,
            what=row_title(called(checks[at].figure)),
            planned=picked(in_unit_of(checks[at].stated, checks[at].figure), "use"),
        )
        for at in places[:MOST_HIDDEN]
    ]
    told = say("; so does ") + joined(rows, ", ")
    return told + say(", inside the calculated range only because that is wide")


def _below_share(check: Check) -> bool:
    """Whether less is stated than what is stated of fewer GPUs comes to, shared among those of this setup."""
    own = check.own
    if check.way or own is None or not isinstance(own.origin, Worked) or own.origin.how != SHARED:
        return False
    return planned(check.stated) < planned(own)


def _what(figures: Sequence[Figure]) -> str:
    """What most figures of several records are, by their titles; of as many the shortest;
    where all are alike, or no two, the title of the first."""
    if len({called(figure) for figure in figures}) == 1:
        return called(figures[0])
    ends = [called(figure).rpartition(": ")[2] for figure in figures]
    often = max(ends, key=lambda end: (ends.count(end), -len(end)))
    text = often if ends.count(often) > 1 else called(figures[0])
    heads = {re.split("[,:] ", called(figure))[0] for figure in figures}
    if len(heads) == len(set(ends)) == 1 and all(": " in called(figure) for figure in figures):
        text = f"{heads.pop()}: {often}"
    return text[:1].upper() + text[1:]


def causes_of(checks: Checks, apart: Container[int]) -> tuple[list[StatedCause], dict[int, int]]:
    """The mistakes among the checks that do not hold, but for those `apart`, which have a cause already; and for each
    such check the place of its mistake among them."""
    divided = [StatedCause(each.members, quotient=each) for each in quotients(checks)]
    taken = {at for cause in divided for at in cause.roots}
    wrong = [at for at, check in enumerate(checks) if not check.holds and at not in apart]
    roots = [at for at in wrong if _is_root(checks[at]) and at not in taken]
    right = [at for at in wrong if checks[at].way == ARITHMETIC and at not in taken]
    found = [*divided, *_grouped(checks, roots), *_by_document(checks, right)]
    own = {at: place for place, cause in enumerate(found) for at in cause.roots}
    places = {at: place for at in wrong if (place := _home(checks, at, own, found)) is not None}
    return found, places


def _is_root(check: Check) -> bool:
    """Whether a check follows from no other that does not agree, nor by its formula from what is stated beside it."""
    return not check.way or (check.way == DIVIDED and not check.after)


def _by_document(checks: Checks, right: Iterable[int]) -> Iterator[StatedCause]:
    by_document = group_by(right, lambda at: checks[at].claim.document)
    yield from (StatedCause(tuple(some), arithmetic=True) for some in by_document.values())


def _home(checks: Checks, at: int, own: Mapping[int, int], found: Sequence[StatedCause]) -> int | None:
    """The mistake that a check is part of, or follows from; of several the one with most figures."""
    waiting = [at]
    met = {at}
    homes = list[int]()
    for each in waiting:
        if each in own:
            homes.append(own[each])
            continue
        new = [other for other in checks[each].after if other not in met]
        met.update(new)
        waiting += new
    return max(homes, key=lambda place: (not found[place].arithmetic, len(found[place].roots), -place), default=None)


def _grouped(checks: Checks, roots: Sequence[int]) -> Iterator[StatedCause]:
    """The mistakes among figures that follow from nothing: those that miss by one factor, and rows of one kind."""
    factors: dict[int, OneFactor] = {}
    parent = {at: at for at in roots}

    def top(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    def join(some: Iterable[int]) -> None:
        first, *rest = some
        for at in rest:
            low, high = sorted((top(first), top(at)))
            parent[high] = low

    taken: set[int] = set()
    for some in _alike(checks, roots, lambda check: ()):
        free = [at for at in some if at not in taken]
        if (fitting := _one_factor(checks, free)) is not None:
            members, factor = fitting
            join(members)
            taken.update(members)
            factors[min(members)] = factor._replace(hidden=tuple(_within_range(checks, members, factor)))
    left = [at for at in roots if at not in taken]
    for some in (*_alike(checks, left, _table), *_same(checks, left)):
        join(some)
    yield from (StatedCause(tuple(some), factors.get(first)) for first, some in group_by(roots, top).items())


def _table(check: Check) -> Hashable:
    """Where a row is stated without the row, whether it is above or below the calculated one, and what explains a time
    that is the share of fewer GPUs, or below it: that is a mistake of its own."""
    above = planned(check.stated) > planned(check.figure)
    return _where(check)[1], above, check.slip if _below_share(check) else check.way


def _where(check: Check) -> tuple[str, str]:
    """The document and the table in which a row is stated."""
    return check.claim.document, check.claim.at.rpartition(",")[0]


def _alike(checks: Checks, roots: Iterable[int], more: Callable[[Check], Hashable]) -> Iterator[list[int]]:
    """Checks of figures whose addresses differ in one part alone, as a card, a seed or a model does."""
    kinds: dict[Hashable, list[int]] = defaultdict(list)
    for at in roots:
        check = checks[at]
        address = base_of(_same_as(check.figure).address).split(".")
        for index in range(1, len(address) - 1):
            pattern = (*address[:index], "*", *address[index + 1 :])
            kinds[(check.claim.document, pattern, more(check))].append(at)
    yield from (some for some in kinds.values() if len({checks[at].figure.address for at in some}) > 1)


def _same_as(figure: Figure) -> Figure:
    """The figure that a named figure is by another name; else itself."""
    named = same_figure(figure) if figure.address.split(".")[1:2] == ["figures"] else None
    return named or figure


def _same(checks: Checks, roots: Iterable[int]) -> Iterator[list[int]]:
    """Checks of one statement that is held against several figures; and of one figure that is stated otherwise too."""
    kinds: dict[Hashable, list[int]] = defaultdict(list)
    for at in roots:
        check = checks[at]
        source, _, *stated = statement_of(check)
        kinds[("at", *statement_of(check))].append(at)
        kinds[("record", source, tuple(check.figure.address.split(".")[:4]), *stated)].append(at)
        kinds[("figure", source, base_of(check.figure.address))].append(at)
    yield from (some for some in kinds.values() if len(some) > 1)


def _one_factor(checks: Checks, some: Sequence[int]) -> tuple[list[int], OneFactor] | None:
    """Those of some checks that miss by one factor, two of different figures at least; None where there are none.

    A stated number is what it is rounded from, or cut off from; so a factor lies between two ends, and one that lies
    between the ends of all of them is the factor of all. Factors that mean a slip are tried first.
    """
    spans = {at: span for at in some if (span := _span(checks[at])) is not None}
    ends = {at: span for at, span in spans.items() if 0 < span[1] <= span[0] * NARROW}
    best: tuple[list[int], Fraction, str] = ([], ZERO, "")
    tried = [(factor, slip) for at in ends for factor, slip in meant(checks[at].figure)]
    twice = dict.fromkeys(pair for at in ends for pair in meant_twice(checks[at].figure))
    tried += [*twice, *((low, "") for low, _, _ in ends.values())]
    for factor, slip in dict.fromkeys(tried):
        members = [at for at, (low, high, _) in ends.items() if low <= factor < high]
        far = NEAR if (factor, slip) in twice else FAR
        if len(members) > len(best[0]) and (factor >= far or factor <= 1 / far):
            best = (members, factor, slip)
    members, factor, slip = best
    if len({checks[at].figure.address for at in members}) < (2 if slip and (factor, slip) not in twice else 3):
        return None
    if not slip:
        factor = (max(ends[at][0] for at in members) + min(ends[at][1] for at in members)) / 2
    return members, OneFactor(factor, slip, sum(1 for at in members if factor >= ends[at][2]))


def _within_range(checks: Checks, members: Sequence[int], factor: OneFactor) -> Iterator[int]:
    """Other rows of their table that have the factor too: what is planned there is not what is stated, and only the
    range around it is wide enough."""
    for at, check in enumerate(checks):
        span = _span(check) if check.holds and not check.figure.value.exact else None
        has_it = span and span[0] <= factor.factor < span[1] and not span[0] <= 1 <= span[2]
        if has_it and any(_is_row_beside(check, checks[member]) for member in members):
            yield at


def _is_row_beside(check: Check, member: Check) -> bool:
    """Whether two are of one column of one table: of figures whose addresses differ in one part alone."""
    first, second = (base_of(_same_as(each.figure).address).split(".") for each in (check, member))
    apart = [index for index, (one, other) in enumerate(zip(first, second, strict=False)) if one != other]
    same_table = _where(check) == _where(member)
    return same_table and len(first) == len(second) and len(apart) == 1 and 0 < apart[0] < len(first) - 1


def _span(check: Check) -> tuple[Fraction, Fraction, Fraction] | None:
    """Between which ends the factor lies that a figure was stated with, and from where on it was cut off; None where
    no number can be told."""
    # What is stated beside a figure, where that gives something else, is what it was calculated from.
    stated = check.stated
    figure = check.own or check.figure
    if stated.use is None or not stated.value.exact or not figure.use or not stated.use:
        return None
    half = check.figure.unit.to_base(check.low)
    said = stated.unit.to_base(stated.use)
    exact = figure.unit.to_base(figure.use)
    if said <= 0 or exact <= 0:
        return None
    return (said - half) / exact, (said + 2 * half) / exact, (said + half) / exact
