"""The one cause of each stated figure that is wrong: what explains it twenty times better than chance does.

A kind of cause is a row of `KINDS`. Its generator says what a document would print if the cause were true; a guess
that prints as what is stated counts by how likely the cause is, and by how unlikely these digits are without one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, Value
from reckon.model.figure import Figure, Figures, Worked, value_in
from reckon.model.ledger import ProjectLedger

from . import guesses as g
from .agreement import CONSISTENT, CONTRADICTED, ROUNDED, decimals_of
from .claims import AGAIN, CARRIED, Cause, Check, Checks
from .clusters import column_of
from .guesses import Document, Guess, Miss


class Kind(NamedTuple):
    """A kind of cause: how likely it is before anything is known, what it guesses, and in how many rows of a column it
    has to fit before it is told."""

    name: str
    prior: str
    guesses: Callable[[Miss], Iterator[Guess]]
    least_rows: int = 1


KINDS = (
    Kind("carried", "0.5", g.carried),
    Kind("carried otherwise", "0.2", g.carried_otherwise),
    Kind("shared", "0.3", g.shared),
    Kind("terms", "0.2", g.terms),
    Kind("factors", "0.2", g.factors),
    Kind("printing", "0.1", g.printing),
    Kind("swapped", "0.1", g.swapped),
    Kind("ends", "0.1", g.ends),
    Kind("margin", "0.1", g.margin),
    Kind("rounded", "0.1", g.rounded),
    Kind("billed", "0.1", g.billed),
    Kind("gib", "0.1", g.gib),
    Kind("units", "0.1", g.units),
    Kind("digits", "0.1", g.digits),
    Kind("rate", "0.05", g.rate),
    Kind("instead", "0.05", g.instead),
    Kind("quotient", "0.02", g.quotient, least_rows=3),
    Kind("two slips", "0.01", g.two_slips, least_rows=3),
)
"""All kinds of causes. Of equal odds the earlier is told."""
BY_FORMULA = ("carried", "carried otherwise")
"""What the ledger's own formula gives over what is stated: a figure that it gives stands below those."""
TOLD, PERHAPS, BY_ITS_FORMULA = Decimal("1.3"), Decimal("0.3"), Decimal("0.5")
"""From which odds, as powers of ten, a cause is told, is told with `perhaps`, and where the formula itself is it."""
BESIDE = Decimal("0.5")
"""Causes whose odds differ by no more are told both."""
MISFIT = Decimal(1)
"""What each row of a column that does not fit takes away."""
SPREAD = Decimal("0.3")
"""Within so many powers of ten half of all chance errors lie."""
PI = Decimal("3.141592653589793238462643383")
MOST_SURPRISE = Decimal(6)
CLOSE = Fraction(3, 100)
"""How far a unit or a digit may be off the printed digits, at the price of that width."""
MOST_GUESSES, MOST_COUNTED, MOST_CHECKS = 1_000, 24, 2_000
CONTEXT = Context(prec=28, rounding=ROUND_HALF_EVEN)
CENT = Decimal("0.01")


class Fit(NamedTuple):
    """A guess that prints as what is stated: its kind by number, its odds before the digits are seen, and how
    surprising these are."""

    kind: int
    guess: Guess
    odds: Decimal
    surprise: Decimal


class Column(NamedTuple):
    """Rows of a column that one cause fits, and the odds of all of them together."""

    rows: tuple[int, ...]
    odds: Decimal


def explain(checks: Checks, figures: Figures, project: ProjectLedger) -> list[Check]:
    """The checks of a project, each that is wrong with what it says again, what it follows from, or what causes it."""
    found = list(checks)
    for places in group_by(range(len(checks)), lambda place: checks[place].claim.document).values():
        if any(not checks[place].holds for place in places):
            _explain(Document(checks, places, figures, project), found)
    return found


def _explain(document: Document, found: list[Check]) -> None:
    wrong = [place for place in document.places if not document.checks[place].holds][:MOST_CHECKS]
    for place in wrong:
        if (earlier := _said_before(document, place)) is not None:
            found[place] = replace(found[place], way=AGAIN, after=(earlier,))
    own = [place for place in wrong if not found[place].way]
    consistent = [place for place in document.places if document.checks[place].agreement.kind in CONSISTENT]
    columns = group_by(own, lambda place: column_of(document.checks[place]))
    beside = [place for place in consistent if len(columns.get(column_of(document.checks[place]), ())) > 1]
    rounded = [place for place in consistent if document.checks[place].agreement.kind == ROUNDED]
    fits = {place: list(_fits(Miss(place, document))) for place in dict.fromkeys((*own, *beside, *rounded))}
    together = _columns(document, own, fits)
    best = {place: _ranked(document, place, fits[place], together)[:1] for place in own}
    # No row is evidence for a column that has a better cause of its own.
    left = {place: [pair[1] for pair in best[place]] if place in best else some for place, some in fits.items()}
    together = _columns(document, own, left)
    for place in own:
        found[place] = _told(document, place, fits[place], together)
    for place in rounded:
        if place not in own and (follows := _withdrawn(document, place, fits[place])):
            found[place] = follows


def _said_before(document: Document, place: int) -> int | None:
    """Where the same was stated of the same figure before, with as many digits or more, and is wrong there."""
    check = document.checks[place]
    for earlier in document.stated[check.figure.address]:
        other = document.checks[earlier]
        if earlier < place and not other.holds and _is_same(other, check):
            return earlier
    return None


def _is_same(old: Check, new: Check) -> bool:
    """Whether what is stated is within what was stated before, or that rounded."""
    first, second = (value_in(check.stated, new.figure.unit) for check in (old, new))
    if second.exact and second.use is not None:
        is_inside = first.low is not None and first.high is not None and first.low <= second.use <= first.high
        return is_inside or (first.use is not None and abs(second.use - first.use) <= new.low)
    ends = ((first.low, second.low, new.low), (first.high, second.high, new.high))
    return all(one == other or (one and other and abs(one - other) <= half) for one, other, half in ends)


def _fits(miss: Miss) -> Iterator[Fit]:
    """The guesses that print as what is stated, with their odds; of several of one mistake the first."""
    calculated = miss.figure.value
    for number, kind in enumerate(KINDS):
        guesses = [guess for guess in islice(kind.guesses(miss), MOST_GUESSES) if _differs(guess.value, calculated)]
        tried = len({guess.value.ends for guess in guesses}) or 1
        met = set[Hashable]()
        for guess in guesses:
            widths = _widths(miss.check, guess)
            if widths and guess.key not in met:
                met.add(guess.key)
                weight = guess.weight or Fraction(1, min(tried, MOST_COUNTED))
                yield Fit(number, guess, _log(Fraction(kind.prior) * weight), _surprise(miss.check, widths))


def _differs(value: Value, calculated: Value) -> bool:
    return value.use != calculated.use if calculated.exact else value != calculated


def _widths(check: Check, guess: Guess) -> tuple[Fraction, ...]:
    """How far what is stated could be off either way and the guess still be it: of a number, or of both ends; nothing
    where the guess does not print so."""
    ends = _ends_of(check)
    value = guess.value
    guessed = (value.use,) if len(ends) == 1 else (value.low, value.high)
    for coarse, least in ((ONE, ZERO), (guess.coarse, ZERO), (ONE, CLOSE if guess.is_near else ZERO)):
        halves = [max(half * coarse, least * abs(end)) for end, half in ends]
        pairs = list(zip(ends, guessed, halves, strict=True))
        if all(other is not None and end - half <= other < end + half for (end, _), other, half in pairs):
            return tuple(halves)
    return ()


def _ends_of(check: Check) -> tuple[tuple[Fraction, Fraction], ...]:
    """The number that is stated, or both ends, each with half of its last digit, in the unit of the figure; nothing of
    an open range."""
    value = value_in(check.stated, check.figure.unit)
    if value.exact and value.use is not None:
        return ((value.use, check.low),)
    if value.low is None or value.high is None:
        return ()
    return (value.low, check.low), (value.high, check.high)


def _surprise(check: Check, widths: Sequence[Fraction]) -> Decimal:
    """How unlikely the digits are that are stated, if chance made them: as the negative power of ten."""
    (first, _), *others = _ends_of(check)
    figure = check.figure.value
    exact = figure.use if not others and figure.use is not None else figure.low or figure.use
    apart = Decimal(1)
    if exact and first and (exact > 0) == (first > 0):
        apart = abs(_log(first / exact))
    ratio = CONTEXT.divide(apart, SPREAD)
    scale = CONTEXT.multiply(CONTEXT.multiply(PI, SPREAD), CONTEXT.add(1, CONTEXT.multiply(ratio, ratio)))
    chance = CONTEXT.divide(_decades(first, widths[0]), scale)
    for (end, _), width in zip(others, widths[1:], strict=True):
        chance = CONTEXT.multiply(chance, min(_decades(end, width), Decimal(1)))
    found = -CONTEXT.log10(chance) if chance else MOST_SURPRISE
    return min(max(found, Decimal(0)), MOST_SURPRISE)


def _decades(number: Fraction, half: Fraction) -> Decimal:
    """How many powers of ten lie between a number less and more half a width."""
    size = abs(number)
    return _log((size + half) / (size - half)) if size > half else Decimal(1)


def _log(number: Fraction) -> Decimal:
    return CONTEXT.log10(CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _key(document: Document, place: int, fit: Fit) -> Hashable:
    return column_of(document.checks[place]), fit.kind, fit.guess.key


def _columns(document: Document, own: Sequence[int], fits: dict[int, list[Fit]]) -> dict[Hashable, Column]:
    """The causes that fit several figures of one column: rows that have it add up, each that has not costs."""
    rows: dict[Hashable, dict[str, tuple[int, Fit]]] = {}
    for place, some in fits.items():
        for fit in some:
            row = rows.setdefault(_key(document, place, fit), {})
            row.setdefault(document.checks[place].figure.address, (place, fit))
    by_column = group_by(document.places, lambda place: column_of(document.checks[place]))
    sizes = {key: len({document.checks[place].figure.address for place in some}) for key, some in by_column.items()}
    found: dict[Hashable, Column] = {}
    for key, fitting in rows.items():
        (place, first), *_ = fitting.values()
        wrong = [each for each, _ in fitting.values() if each in own]
        if len(wrong) > 1:
            others = sizes[column_of(document.checks[place])] - len(fitting)
            surprise = sum((fit.surprise for _, fit in fitting.values()), Decimal(0))
            found[key] = Column(tuple(each for each, _ in fitting.values()), first.odds + surprise - others * MISFIT)
    return found


def _told(document: Document, place: int, fits: Iterable[Fit], columns: dict[Hashable, Column]) -> Check:
    """A check that is wrong, with its cause, or the two that are as likely."""
    check = document.checks[place]
    best = _ranked(document, place, fits, columns)
    if not best:
        return replace(check, own=_beside(document, place))
    (cause, fit), *_ = best
    near = [other for other, _ in best if other.odds >= cause.odds - BESIDE]
    told = tuple({other.kind: other for other in reversed(near)}.values())[:-3:-1]
    wrong = tuple(at for at in fit.guess.used if not document.checks[at].holds)
    follows = cause.kind in BY_FORMULA and cause.is_sure and wrong
    return replace(check, causes=told, way=CARRIED if follows else "", after=wrong if follows else ())


def _ranked(
    document: Document, place: int, fits: Iterable[Fit], columns: dict[Hashable, Column]
) -> list[tuple[Cause, Fit]]:
    """The causes that are to be told, the likeliest first; its own formula beats all others."""
    ranked = sorted(_causes(document, place, fits, columns), key=lambda pair: (-pair[0].odds, pair[1].kind))
    formula = [pair for pair in ranked if pair[0].kind == BY_FORMULA[0] and pair[0].odds >= BY_ITS_FORMULA]
    return formula[:1] or [pair for pair in ranked if pair[0].odds >= PERHAPS]


def _causes(
    document: Document, place: int, fits: Iterable[Fit], columns: dict[Hashable, Column]
) -> Iterator[tuple[Cause, Fit]]:
    for fit in fits:
        key = _key(document, place, fit)
        kind = KINDS[fit.kind]
        column = columns.get(key)
        alone = fit.odds + fit.surprise
        together = column.odds if column and len(column.rows) >= kind.least_rows else None
        if together is not None and (together >= alone or kind.least_rows > 1):
            yield _cause(kind.name, fit, together, key, column.rows if column else ()), fit
        elif kind.least_rows == 1:
            yield _cause(kind.name, fit, alone), fit


def _cause(name: str, fit: Fit, odds: Decimal, key: Hashable = None, rows: tuple[int, ...] = ()) -> Cause:
    rounded = odds.quantize(CENT, context=CONTEXT)
    is_sure = rounded >= (BY_ITS_FORMULA if name == BY_FORMULA[0] else TOLD)
    return Cause(name, fit.guess.words, rounded, is_sure, key, rows, fit.guess.used)


def _beside(document: Document, place: int) -> Figure | None:
    """What the same table gives for a figure, where that rests on stated figures that are wrong."""
    miss = Miss(place, document)
    table = g.table_of(miss.check)
    own = miss.own
    if own is None or all(document.checks[at].holds for at in own.used):
        return None
    if any(g.table_of(document.checks[at]) != table for at in own.used):
        return None
    decimals = decimals_of(str(miss.check.claim.states))
    origin = Worked("what is stated beside it", tuple(document.as_stated(at) for at in own.used))
    more = decimals if decimals > 1 else None
    return dataclasses.replace(miss.figure, address="", value=own.value, origin=origin, decimals=more)


def _withdrawn(document: Document, place: int, fits: Iterable[Fit]) -> Check | None:
    """A figure that rounding would excuse, and that its document's own figures give, one of which is wrong."""
    check = document.checks[place]
    for fit in fits:
        wrong = tuple(at for at in fit.guess.used if not document.checks[at].holds)
        if wrong and KINDS[fit.kind].name == BY_FORMULA[0]:
            cause = _cause(BY_FORMULA[0], fit, fit.odds + fit.surprise)
            agreement = replace(check.agreement, kind=CONTRADICTED)
            return replace(check, agreement=agreement, causes=(cause,), way=CARRIED, after=wrong)
    return None
