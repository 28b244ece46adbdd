"""The one cause of each stated figure that is wrong: what explains it twenty times better than chance does.

A kind of cause is a row of `KINDS`. Its generator says what a document would print if the cause were true; a guess
that prints as what is stated counts by how likely the cause is, and by how unlikely these digits are without one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as replace_figure
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import islice, takewhile
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO
from reckon.model.figure import Figure, Figures
from reckon.model.ledger import ProjectLedger

from . import guesses as g
from .agreement import CARRIED_ON, COARSE, CONSISTENT, CONTRADICTED, IMPRECISE, ROUNDED, SLIGHT, WRONG
from .claims import AGAIN, CARRIED, SHARED, Cause, Check, Checks, column_of, statement_of
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
    Kind("margin", "0.1", g.margin),
    Kind("rounded", "0.1", g.rounded),
    Kind("billed", "0.1", g.billed),
    Kind("gib", "0.1", g.gib),
    Kind("units", "0.1", g.units),
    Kind("digits", "0.1", g.digits),
    Kind("instead", "0.05", g.instead),
    Kind("quotient", "0.02", g.quotient, least_rows=3),
    Kind("two slips", "0.01", g.two_slips, least_rows=3),
)
"""All kinds of causes. Of equal odds the earlier is told."""
FOLLOWING = {"carried": CARRIED, "carried otherwise": CARRIED, "shared": SHARED}
"""Kinds that take other stated figures: where one of these is wrong, a figure stands below it."""
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
TIE = Fraction(2, 1000)
"""What is off by no more than this share, behind its last digit, was rounded to the other side."""
CLOSE = Fraction(3, 100)
"""How far a unit or a digit may be off the printed digits, at the price of that width."""
MOST_GUESSES, MOST_COUNTED, MOST_CHECKS = 1_000, 24, 2_000
CONTEXT = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""Odds are correctly rounded decimals, the same on every machine: no float decides."""
CENT = Decimal("0.01")


class Fit(NamedTuple):
    """A guess that prints as what is stated: its kind by number, what it has in common with those of its column, its
    odds before the digits are seen, and how surprising these are without it."""

    kind: int
    guess: Guess
    column: Hashable
    odds: Decimal
    surprise: Decimal


Fits = Mapping[int, Sequence[Fit]]
"""By the places of checks what fits each."""
Columns = Mapping[Hashable, tuple[tuple[int, ...], Decimal]]
"""By column, kind and mistake the rows that a cause fits, and the odds of all of them together."""


def explain(checks: Checks, figures: Figures, project: ProjectLedger) -> list[Check]:
    """The checks of a project, each that is wrong with what it says again, what it follows from, or what causes it."""
    found = list(checks)
    with localcontext(CONTEXT):
        for places in group_by(range(len(checks)), lambda place: checks[place].claim.document).values():
            if any(not checks[place].holds for place in places):
                _explain(Document(list(checks), places, figures, project), found)
    return found


def _explain(document: Document, found: list[Check]) -> None:
    checks = document.checks
    for place in [place for place in document.places if checks[place].agreement.kind in IMPRECISE]:
        # What only lies within its range is wrong where the document has it from figures that are.
        given = takewhile(lambda fit: not fit.kind, _fits(Miss(place, document)))
        found[place] = checks[place] = _withdrawn(document, place, given)
    own = []
    for place in [place for place in document.places if not checks[place].holds][:MOST_CHECKS]:
        earlier = _said_before(document, place)
        if earlier is None:
            own.append(place)
        else:
            found[place] = replace(checks[place], way=AGAIN, after=(earlier,))
    columns = {column_of(checks[place]) for place in own}
    # What is consistent may have a cause of its column all the same, or may be excused by rounding alone.
    consistent = [
        place
        for place in document.places
        if (kind := checks[place].agreement.kind) in (ROUNDED, COARSE)
        or (kind in CONSISTENT and column_of(checks[place]) in columns)
    ]
    misses = {place: Miss(place, document) for place in (*own, *consistent)}
    fits = {place: list(_fits(miss)) for place, miss in misses.items()}
    together = _columns(document, own, fits)
    # No row is evidence for a column that has a better cause of its own.
    ranked = {place: _ranked(document, fits[place], together) for place in own}
    best = {place: [fit for _, fit in ranked[place][:1]] if place in ranked else some for place, some in fits.items()}
    together = _columns(document, own, best)
    for place in own:
        causes = _ranked(document, fits[place], together)
        found[place] = _told(document, place, causes) if causes else checks[place]
    for place in consistent:
        if checks[place].agreement.kind in (ROUNDED, COARSE):
            found[place] = _withdrawn(document, place, fits[place])
    for place in document.places:
        _follow_notes(found, place)
    _join_known(document.places, found)


def _join_known(places: Sequence[int], found: list[Check]) -> None:
    """Notes that say nothing new follow from the first: ties, what is calculated with a figure that has a note, and a
    statement that is wrong anyhow."""
    notes = [place for place in places if found[place].kind == CARRIED_ON and not found[place].after]
    graver = {statement_of(found[place]) for place in places if found[place].kind in WRONG}
    known = []
    for place in notes:
        check = found[place]
        uses_note = any(used in notes for cause in check.causes for used in cause.used)
        if uses_note or check.off < TIE or statement_of(check) in graver:
            known.append(place)
    first = next((place for place in notes if place not in known), None)
    if first is not None:
        for place in known:
            found[place] = replace(found[place], way=CARRIED, after=(first,))


def _follow_notes(found: list[Check], place: int) -> None:
    """What follows from nothing but notes is one too, as is what states an end of them again; what is too far off for
    that follows from nothing."""
    check = found[place]
    for other in check.after:
        _follow_notes(found, other)
    if not check.after or any(found[other].kind != CARRIED_ON for other in check.after):
        return
    if check.way == AGAIN:
        found[place] = replace(check, agreement=replace(check.agreement, kind=CARRIED_ON))
    else:
        found[place] = _carried_on(replace(check, way="", after=()))


def _carried_on(check: Check) -> Check:
    """A check that differs by what its document had rounded before, as a note; as it is where it is far off."""
    is_note = check.off < SLIGHT
    return replace(check, agreement=replace(check.agreement, kind=CARRIED_ON)) if is_note else check


def _said_before(document: Document, place: int) -> int | None:
    """Where the same was stated of the same figure before, with as many digits or more, and is wrong there; a number
    may be an end of a range. A range may hold it, wherever that stands."""
    check = document.checks[place]
    ends = _ends_of(check)
    for earlier in document.stated[check.figure.address] if ends else ():
        other = document.checks[earlier]
        old = other.value
        before = ((old.low,), (old.high,)) if len(ends) > 1 else ((old.low, old.high),)
        is_same = all(
            any(known is not None and abs(end - known) <= half for known in others)
            for (end, half), others in zip(ends, before, strict=False)
        )
        is_inside = old.exact and ends[0][0] < (old.low or ZERO) < ends[-1][0]
        is_again = earlier < place if is_same else is_inside and _said_before(document, earlier) is None
        if is_again and not other.holds:
            return earlier
    return None


def _fits(miss: Miss) -> Iterator[Fit]:
    """The guesses that print as what is stated, with their odds; of several of one mistake the first."""
    calculated = miss.figure.value
    column = column_of(miss.check)
    for number, kind in enumerate(KINDS):
        every = islice(kind.guesses(miss), MOST_GUESSES)
        guesses = [guess for guess in every if guess.value.ends != calculated.ends]
        tried = len({guess.value.ends for guess in guesses})
        met = set[Hashable]()
        for guess in guesses:
            surprise = _surprise(miss.check, guess)
            if surprise is not None and guess.key not in met:
                met.add(guess.key)
                weight = guess.weight or Fraction(1, min(tried, MOST_COUNTED))
                odds = _log(Fraction(kind.prior) * weight)
                yield Fit(number, guess, (column, number, guess.key), odds, surprise)


def _surprise(check: Check, guess: Guess) -> Decimal | None:
    """How unlikely the digits are that are stated, if chance made them, as the negative power of ten: of a range the
    first end by where it lies, the second by its digits alone. None where the guess does not print so."""
    ends = _ends_of(check)
    guessed = (guess.value.use,) if len(ends) == 1 else (guess.value.low, guess.value.high)
    windows = ((ONE, ZERO), (guess.coarse, ZERO), (ONE, CLOSE if guess.is_near else ZERO))
    for coarse, least in dict.fromkeys(windows):
        halves = [max(half * coarse, least * abs(end)) for end, half in ends]
        rows = zip(ends, guessed, halves, strict=True)
        if ends and all(other is not None and -half <= other - end < half for (end, _), other, half in rows):
            return _unlikely(check, halves)
    return None


def _unlikely(check: Check, halves: Sequence[Fraction]) -> Decimal:
    """How unlikely it is that chance makes ends that lie so near to those that are stated."""
    ends = _ends_of(check)
    chance = _density(check, ends[0][0])
    for (end, _), half in zip(ends, halves, strict=True):
        chance *= _decades(end, half)
    return min(max(-chance.log10(), Decimal(0)), MOST_SURPRISE)


def _ends_of(check: Check) -> Sequence[tuple[Fraction, Fraction]]:
    """The number that is stated, or both ends, each with half of its last digit, in the unit of the figure; nothing of
    an open range."""
    value = check.value
    if value.low is None or value.high is None:
        return ()
    return ((value.low, check.low),) if value.exact else ((value.low, check.low), (value.high, check.high))


def _density(check: Check, stated: Fraction) -> Decimal:
    """How likely chance is to be about as far off as what is stated, for each power of ten: the usual curve of errors
    that may be large."""
    figure = check.figure.value
    exact = figure.use if check.stated.value.exact else figure.low
    ratio = (_log(stated / exact) if exact and stated / exact > 0 else Decimal(1)) / SPREAD
    return 1 / (PI * SPREAD * (1 + ratio * ratio))


def _decades(number: Fraction, half: Fraction) -> Decimal:
    """How many powers of ten lie within a half on either side of a number; at most one."""
    low = abs(number) - half
    return min(_log((abs(number) + half) / low), Decimal(1)) if low > 0 and half else Decimal(1)


def _log(number: Fraction) -> Decimal:
    return (Decimal(number.numerator) / number.denominator).log10()


def _columns(document: Document, own: Sequence[int], fits: Fits) -> Columns:
    """The causes that fit several figures of one column: rows that have it add up, each that has not costs."""
    checks = document.checks
    rows: dict[Hashable, dict[str, tuple[int, Fit]]] = defaultdict(dict)
    for place, some in fits.items():
        for fit in some:
            rows[fit.column].setdefault(checks[place].figure.address, (place, fit))
    every = {(column_of(checks[place]), checks[place].figure.address) for place in document.places}
    sizes = Counter(column for column, _ in every)
    found = {}
    for key, fitting in rows.items():
        places, some_fits = zip(*fitting.values(), strict=True)
        if len(set(places).intersection(own)) > 1:
            misfits = sizes[column_of(checks[places[0]])] - len(fitting)
            surprise = sum((fit.surprise for fit in some_fits), Decimal(0))
            found[key] = places, some_fits[0].odds + surprise - misfits * MISFIT
    return found


def _ranked(document: Document, fits: Sequence[Fit], columns: Columns) -> list[tuple[Cause, Fit]]:
    """The causes that are to be told, the likeliest first; its own formula beats all others."""
    found = []
    of = document.checks[document.places[0]].claim.document
    for fit in fits:
        kind = KINDS[fit.kind]
        rows, odds = columns.get(fit.column, ((), fit.odds + fit.surprise))
        if max(len(rows), 1) >= kind.least_rows:
            odds = odds.quantize(CENT)
            is_sure = odds >= (BY_ITS_FORMULA if fit.kind == 0 else TOLD)
            mistake = fit.column if kind.least_rows > 1 else (of, fit.kind, fit.guess.key)
            found.append((Cause(kind.name, fit.guess.words, odds, is_sure, mistake, rows, fit.guess.used), fit))
    found.sort(key=_rank)
    return [(cause, fit) for cause, fit in found if cause.is_sure or (cause.odds >= PERHAPS and not fit.guess.is_bold)]


def _rank(found: tuple[Cause, Fit]) -> tuple[bool, Decimal, int]:
    cause, fit = found
    is_own_formula = fit.kind == 0 and cause.is_sure
    return not is_own_formula, -cause.odds, fit.kind


def _told(document: Document, place: int, ranked: Sequence[tuple[Cause, Fit]]) -> Check:
    """A check that is wrong, with its cause, or the two kinds that are as likely."""
    first, *others = [cause for cause, _ in ranked]
    near = [cause for cause in others if cause.kind != first.kind and cause.odds >= first.odds - BESIDE]
    is_formula = first.kind == KINDS[0].name
    wrong = tuple(at for at in first.used if not document.checks[at].holds)
    check = replace(document.checks[place], causes=(first, *([] if is_formula else near[:1])))
    if first.kind in FOLLOWING and first.is_sure and wrong:
        return replace(check, way=FOLLOWING[first.kind], after=wrong)
    if is_formula and first.is_sure:
        return _carried_on(check)
    return replace(check, given=_own_inputs(Miss(place, document)) if first.kind == "quotient" else None)


def _own_inputs(miss: Miss) -> Figure | None:
    """What the inputs that a document states give of a figure, where that is one other number."""
    own = miss.own
    if own is None or not (own.used and own.value.exact) or own.value == miss.figure.value:
        return None
    return replace_figure(miss.figure, address="", title="", value=own.value)


def _withdrawn(document: Document, place: int, fits: Iterable[Fit]) -> Check:
    """A check that rounding would excuse: it is wrong where its document's own figures give it, one of which is; and it
    is told where a rounded number is what they give."""
    check = document.checks[place]
    ranked = _ranked(document, [fit for fit in fits if not fit.kind], {})
    told = _told(document, place, ranked) if ranked else check
    if told.way:
        return replace(told, agreement=replace(check.agreement, kind=CONTRADICTED))
    return told if check.kind == COARSE and told.kind == CARRIED_ON else check
