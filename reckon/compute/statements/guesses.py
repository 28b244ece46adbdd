"""What a document would print of a figure if it had made some mistake: a generator for each kind of cause."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import ceil, floor
from typing import NamedTuple

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, Value, point
from reckon.language.units import HOURS, Unit, combine, key_unit
from reckon.model.figure import Calculated, Figure, Figures, closure, value_in, walk_operands
from reckon.model.kinds import TOTALS
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import base_of, picked
from .agreement import decimals_of
from .claims import Check, Checks
from .clusters import statement_of
from .recalculation import recalculate, same_figure
from .structure import Term, factors_of, multiples_of, terms_of

MOST_TRIED = 12
"""So many other values of operands are tried."""
MOST_FIGURES = 300
MOST_ROUNDED = Fraction(1, 3)
"""More than this share is no rounding any more."""
GIB = Fraction(1024**3, 1000**3)
TEN, HUNDRED = Fraction(10), Fraction(100)
HOURS_BY_THOUSANDS = Fraction(18, 5)
UNITS = (
    (Fraction(1000), "0.15", "a factor of 1,000 (a prefix)"),
    (Fraction(60), "0.1", "a factor of 60 (minutes and hours, or seconds and minutes)"),
    (Fraction(3600), "0.07", "a factor of 3,600 (seconds and hours)"),
    (HOURS_BY_THOUSANDS, "0.07", "a factor of 3.6 (seconds divided by 1,000 where 3,600 makes hours)"),
    (Fraction(24), "0.05", "a factor of 24 (hours and days)"),
    (Fraction(1024), "0.05", "a factor of 1,024 (a binary prefix)"),
    (Fraction(8), "0.05", "a factor of 8 (bits and bytes, or the GPUs of a node)"),
)
"""Factors that units are mistaken by: the factor, how likely it is among them in one direction, and what it is."""
JOULES = "a factor of 3.6 (watt-hours and joules)"
DIGITS = (
    (TEN, "0.35", "ten times too high"),
    (1 / TEN, "0.35", "ten times too low"),
    (HUNDRED, "0.05", "a hundred times too high"),
    (1 / HUNDRED, "0.05", "a hundred times too low"),
)
SWAPPED_DIGITS = "0.2"
CALCULATED, OWN = Fraction(7, 10), Fraction(3, 10)
"""How likely a unit or digit is mistaken in the calculated value, and in what the document's own figures give."""
COUNTED = ("gpus", "seeds", "models", "samples", "runs", "tasks", "environments", "nodes", "epochs")
ROUND_SHARES = tuple(Fraction(number, 100) for number in (5, 10, 15, 20, 25, 30, 40, 50))
TIMES = tuple(key_unit(name) for name in ("minutes", "hours", "days", "seconds"))
TIME = (("time", 1),)
CUT = "its further digits were cut off, not rounded"
UP = "it was rounded up, not to the nearest"


class Guess(NamedTuple):
    """What would be printed if a cause were true, in the unit of the figure; the cause in words; what guesses of one
    mistake have in common in a column; where what it follows from stands among the checks; how likely it is among
    those of its kind, if they differ; whether it may fit within some per cent, and how many times as far as its last
    digit."""

    value: Value
    words: str
    key: Hashable = ""
    used: tuple[int, ...] = ()
    weight: Fraction | None = None
    is_near: bool = False
    coarse: Fraction = ONE


class Document(Struct, frozen=True, dict=True):
    """What a document states, with all that its figures rest on; `places` are those of its checks among all."""

    checks: Checks
    places: Sequence[int]
    figures: Figures
    project: ProjectLedger

    @cached_property
    def stated(self) -> Mapping[str, list[int]]:
        """The places of all that it states, by address."""
        return group_by(self.places, lambda place: self.checks[place].figure.address)

    @cached_property
    def records(self) -> Mapping[str, list[Figure]]:
        """The figures of the project, by record."""
        own = (figure for at, figure in self.figures.items() if at.startswith(f"{self.project.id}."))
        return group_by(own, lambda figure: record_of(figure.address))

    def as_stated(self, place: int) -> Figure:
        """What is stated at a place, as the figure that it is stated of."""
        check = self.checks[place]
        figure = check.figure
        leaves = {} if check.stated.value.exact else {figure.address: 1}
        return replace(check.stated, address=figure.address, title=figure.title, leaves=leaves)


class Miss(Struct, frozen=True, dict=True):
    """A stated figure that is looked into."""

    place: int
    document: Document

    @property
    def check(self) -> Check:
        """The stated figure beside the calculated one."""
        return self.document.checks[self.place]

    @property
    def figure(self) -> Figure:
        """The calculated one."""
        return self.check.figure

    @cached_property
    def given(self) -> Mapping[str, int]:
        """Where its document states each other figure, by address: in the same table, or else first. Who states a value
        to plan with calculates with it."""
        found: dict[str, int] = {}
        table = table_of(self.check)
        statement = statement_of(self.check)
        checks = self.document.checks
        for address, places in self.document.stated.items():
            others = [place for place in places if statement_of(checks[place]) != statement]
            in_table = (place for place in others if table_of(checks[place]) == table)
            if others and base_of(address) != base_of(self.figure.address):
                found[address] = next(in_table, others[0])
        use = {base_of(at): place for at, place in found.items() if at.endswith(".use")}
        return {**use, **found}

    @cached_property
    def own(self) -> Guess | None:
        """What the formula of the figure gives over what the document states; None where it states nothing of that."""
        return self.recalculated({})

    def recalculated(self, changed: Mapping[str, Figure | None], words: str = "", key: str = "") -> Guess | None:
        """The same with other figures in place of some that it states, or (None) those of the ledger."""
        given = {at: self.document.as_stated(place) for at, place in self.given.items()}
        every = {at: figure for at, figure in {**given, **changed}.items() if figure is not None}
        found = recalculate(self.figure, every)
        if found is None or found[0].missing or not found[1]:
            return None
        used = tuple(dict.fromkeys(self.given[at] for at in found[1] if at in self.given))
        return Guess(found[0].value, words, key, used)


def record_of(address: str) -> str:
    """The address of the record that a figure is of."""
    return base_of(address).rpartition(".")[0]


def table_of(check: Check) -> str:
    """The place of a claim without its last part, such as the row."""
    return check.claim.at.rpartition(",")[0] or check.claim.at


def carried(miss: Miss) -> Iterator[Guess]:
    """Its formula over what is stated in the same table, or else first."""
    if miss.own and miss.own.used:
        words = " and ".join(_text_of(miss.document.checks[place]) for place in miss.own.used[:3])
        yield miss.own._replace(words=f"it follows from what is stated beside it: {words}")


def _text_of(check: Check) -> str:
    text = str(check.claim.states)
    return text if text[-1:].isalpha() else f"{text} {check.stated.unit.symbol}".strip()


def carried_otherwise(miss: Miss) -> Iterator[Guess]:
    """The same with another value that is stated of one operand, with an end of it, or without it."""
    checks = miss.document.checks
    for place in (miss.own.used if miss.own else ())[:MOST_TRIED]:
        address = checks[place].figure.address
        what = checks[place].figure.title
        for other in miss.document.stated[address]:
            if checks[other].stated.value != checks[place].stated.value:
                words = f"it follows from {_text_of(checks[other])}, stated of {what} elsewhere"
                yield from _used(miss.recalculated({address: miss.document.as_stated(other)}, words), place, other)
        for end in ("low", "high"):
            part = replace(picked(miss.document.as_stated(place), end), address=address)
            if not checks[place].stated.value.exact and not part.missing:
                yield from _used(miss.recalculated({address: part}, f"it follows from the {end} end of {what}", end))
        yield from _used(miss.recalculated({address: None}, f"it follows from what is stated, but for {what}"))


def _used(guess: Guess | None, old: int = -1, new: int = -1) -> Iterator[Guess]:
    if guess and guess.used:
        yield guess._replace(used=tuple(new if place == old else place for place in guess.used))


def shared(miss: Miss) -> Iterator[Guess]:
    """What is stated of a record with fewer GPUs, divided among those of this one: who puts one part of the work on
    each GPU calculates so, whatever the formula of the figure is."""
    figures = miss.document.figures
    gpus = _gpus(figures, miss.figure)
    for place in [places[0] for places in miss.document.stated.values()] if gpus else ():
        other = miss.document.checks[place]
        fewer = _gpus(figures, other.figure)
        if gpus and fewer and fewer < gpus and _is_same_work(miss.figure, other.figure):
            value = value_in(other.stated, miss.figure.unit).scaled(fewer / gpus)
            yield Guess(value, "it is what is stated of fewer GPUs, divided among these", "", (place,))
            yield from _part_shared(miss, place, fewer / gpus)


def _is_same_work(figure: Figure, other: Figure) -> bool:
    """Whether another figure is of the same kind, and rests on nothing else outside of its record."""
    is_alike = figure.unit.kinds == other.unit.kinds and bool(_keys(figure) & _keys(other))
    return is_alike and _rests_on(other) <= _rests_on(figure)


def _part_shared(miss: Miss, place: int, share: Fraction) -> Iterator[Guess]:
    """A part of what fewer GPUs take, divided among all, without the other parts."""
    whole = miss.document.checks[place].figure
    for part in closure(whole, most=MOST_FIGURES):
        stated = miss.document.stated.get(part.address)
        is_part = part.unit.kinds == whole.unit.kinds and record_of(part.address) == record_of(whole.address)
        if stated and is_part and base_of(part.address) != base_of(whole.address):
            value = value_in(miss.document.checks[stated[0]].stated, miss.figure.unit).scaled(share)
            words = f"it is the {part.title.rpartition(': ')[2]} alone of fewer GPUs, divided among these"
            yield Guess(value, words, part.address.rpartition(".")[2], (stated[0],))


def _gpus(figures: Figures, figure: Figure) -> Fraction | None:
    """How many GPUs the record has that a figure is of."""
    gpus = figures.get(f"{record_of(figure.address)}.gpus")
    return gpus.use if gpus and gpus.value.exact else None


def _keys(figure: Figure) -> frozenset[str]:
    """The key of a figure, and those of figures of the same record that it is by another name."""
    same = same_figure(figure)
    more = _keys(same) if same and record_of(same.address) == record_of(figure.address) else frozenset()
    return more | {figure.address.rpartition(".")[2]}


def _rests_on(figure: Figure) -> frozenset[str]:
    """The addresses of the stated amounts that a figure rests on, but for those of its own record."""
    own = record_of(figure.address) + "."
    below = (part for part in closure(figure, most=MOST_FIGURES) if part.is_stated)
    return frozenset(part.address for part in below if not part.address.startswith(own))


def terms(miss: Miss) -> Iterator[Guess]:
    """A part of the sum left out, counted twice, or alone."""
    whole = miss.figure
    for term in terms_of(whole, miss.document.project):
        part = term.value.scaled(1 / whole.unit.scale)
        title = term.title
        yield Guess(_sum(whole.value, part, -1), f"it comes out when {title} is left out", ("less", title))
        yield Guess(_sum(whole.value, part, 1), f"it comes out when {title} is counted twice", ("more", title))
        yield Guess(part, f"it is {title} alone{_not_in(term)}", ("alone", title))


def _not_in(term: Term) -> str:
    return f": {term.others} are not in it" if term.others else ""


def _sum(whole: Value, part: Value, sign: int) -> Value:
    ends = zip(whole.ends, part.ends, strict=True)
    return Value(*(None if one is None or other is None else one + sign * other for one, other in ends))


def factors(miss: Miss) -> Iterator[Guess]:
    """GPUs, seeds, epochs or another number left out, or counted twice; GPUs and seeds also where the formula has
    none."""
    value = miss.figure.value
    met = set[tuple[str, Fraction]]()
    for title, key, number, is_above in factors_of(miss.figure):
        ratio = number if is_above else 1 / number
        met.add((key, ratio))
        yield Guess(value.scaled(1 / ratio), f"it comes out without the factor {title}", ("less", key))
        yield Guess(value.scaled(ratio), f"it comes out with the factor {title} twice", ("more", key))
    for count in _counts(miss):
        key = count.address.rpartition(".")[2]
        number = count.use or ONE
        if not {(key, number), (key, 1 / number)} & met:
            words = f"the number of {'GPUs' if key == 'gpus' else key}"
            yield Guess(value.scaled(number), f"it is off by {words}, which multiplied it", ("times", key))
            yield Guess(value.scaled(1 / number), f"it is off by {words}, which divided it", ("over", key))


def _counts(miss: Miss) -> Iterator[Figure]:
    """The counts below a figure, the GPUs of its record and the seeds of its project."""
    figures = miss.document.figures
    beside = (f"{record_of(miss.figure.address)}.gpus", f"{miss.document.project.id}.seeds")
    found = [figures[address] for address in beside if address in figures]
    for figure in {each.address: each for each in (*found, *walk_operands(miss.figure))}.values():
        if figure.address.rpartition(".")[2] in COUNTED and figure.value.exact and figure.use and figure.use > 1:
            yield figure


def printing(miss: Miss) -> Iterator[Guess]:
    """The calculated figure with its further digits cut off, or rounded up."""
    check = miss.check
    for way, words in ((floor, CUT), (ceil, UP)):
        ends = [
            None if end is None or not half else way(end / (2 * half)) * 2 * half
            for end, half in zip(miss.figure.value.ends, (check.low, check.low, check.high), strict=True)
        ]
        yield Guess(Value(*ends), words, words)


def swapped(miss: Miss) -> Iterator[Guess]:
    """Another figure of the record of an operand in its place."""
    for operand in _operands(miss.figure):
        for other in _others(miss, operand):
            found = recalculate(miss.figure, {operand.address: other})
            words = f"it comes out with {other.title} in place of {operand.title.rpartition(': ')[2]}"
            if found and not found[0].missing:
                yield Guess(found[0].value, words, (_last(operand), _last(other)))


def instead(miss: Miss) -> Iterator[Guess]:
    """Another figure of the same record."""
    for other in _others(miss, miss.figure):
        yield Guess(value_in(other, miss.figure.unit), f"it is {other.title}", _last(other))


def _last(figure: Figure) -> str:
    return figure.address.rpartition(".")[2]


def _others(miss: Miss, figure: Figure) -> Iterator[Figure]:
    """Other figures of a record that measure the same; none of what only says a figure again, nor of figures that the
    ledger lists one by one."""
    record = record_of(figure.address)
    if record == f"{miss.document.project.id}.figures":
        return
    for other in miss.document.records.get(record, ()):
        is_other = other.unit.kinds == figure.unit.kinds and base_of(other.address) != base_of(figure.address)
        if is_other and not other.missing and other.address != miss.figure.address and not same_figure(other):
            yield other


def ends(miss: Miss) -> Iterator[Guess]:
    """An end of a range, where one number is to be planned with."""
    whole = miss.document.figures.get(base_of(miss.figure.address), miss.figure)
    for end, words in ((whole.value.low, "low"), (whole.value.high, "high")):
        if end is not None:
            yield Guess(point(end), f"it is the {words} end of the range", words)


def margin(miss: Miss) -> Iterator[Guess]:
    """A share taken twice, left out, or of another total."""
    for share in _shares(miss.figure):
        number = share.use or ZERO
        title = share.title.rpartition(": ")[2]
        yield Guess(miss.figure.value.scaled(1 + number), f"{title} is added to it once more", "twice")
        yield Guess(miss.figure.value.scaled(1 / (1 + number)), f"{title} is left out", "none")
        yield Guess(miss.figure.value.scaled(1 / (1 - number)), f"{title} is taken of what it is a part of", "in")
        for total in TOTALS.values():
            whole = miss.document.figures.get(f"{miss.document.project.id}.{total.hours}")
            if whole and whole.unit.kinds == miss.figure.unit.kinds and whole.address != miss.figure.address:
                value = value_in(whole, miss.figure.unit).scaled(number)
                yield Guess(value, f"it is {title} of {whole.title}", total.id)


def rate(miss: Miss) -> Iterator[Guess]:
    """A round per cent that is not the stated one."""
    for share in _shares(miss.figure):
        for number in ROUND_SHARES:
            found = recalculate(miss.figure, {share.address: replace(share, value=point(number))})
            if number != share.use and found:
                words = f"it comes out with {int(100 * number)}% of {share.title.rpartition(': ')[2]}"
                yield Guess(found[0].value, words, number)


def _shares(figure: Figure) -> Iterator[Figure]:
    """The shares of which a figure is calculated, or what it is calculated from."""
    below = [part for operand in _operands(figure) for part in (operand, *_operands(operand))]
    for part in {each.address: each for each in below}.values():
        if part.form == "%" and part.value.exact and part.use is not None and 0 < part.use < 1:
            yield part


def _operands(figure: Figure) -> list[Figure]:
    return list(figure.origin.operands.values()) if isinstance(figure.origin, Calculated) else []


def rounded(miss: Miss) -> Iterator[Guess]:
    """An intermediate rounded first, as a person prints it: a time in any unit of time, all else in its own."""
    for part in multiples_of(miss.figure):
        for unit in TIMES if part.unit.kinds == TIME else (part.unit,):
            title = "the calculated figure" if part is miss.figure else part.title
            yield from _rounded(miss, part, unit, round, f"it comes out when {title} is rounded to {{}} first")


def billed(miss: Miss) -> Iterator[Guess]:
    """Hours that are begun, billed as whole ones."""
    for part in multiples_of(miss.figure):
        if part.unit.kinds == TIME:
            yield from _rounded(miss, part, HOURS, ceil, "it comes out when begun hours are billed as whole ones: {}")


def _rounded(miss: Miss, part: Figure, unit: Unit, way: object, words: str) -> Iterator[Guess]:
    value = value_in(part, unit)
    if any(end is None or not 0 < end < 1000 for end in value.ends):
        return
    exact = [end for end in value.ends if end is not None]
    whole = [Fraction(ceil(end) if way is ceil else round(end)) for end in exact]
    ratios = [new / old for new, old in zip(whole, exact, strict=True)]
    if all(abs(ratio - 1) <= MOST_ROUNDED for ratio in ratios) or way is ceil:
        known = zip(miss.figure.value.ends, ratios, strict=True)
        found = [None if end is None else end * ratio for end, ratio in known]
        text = f"{whole[1]} {unit.symbol}" if value.exact else f"{whole[0]}–{whole[2]} {unit.symbol}"
        yield Guess(Value(*found), words.format(text), (_last(part), unit.symbol))


def gib(miss: Miss) -> Iterator[Guess]:
    """The same amount in GiB, printed as GB, or the other way."""
    if any(kind == "data" for kind, _ in miss.figure.unit.kinds):
        yield Guess(miss.figure.value.scaled(1 / GIB), "it is the same amount in GiB, printed as GB", "gib")
        yield Guess(miss.figure.value.scaled(GIB), "it is the same amount in GB, printed as GiB", "gb")


def units(miss: Miss) -> Iterator[Guess]:
    """Units mistaken, in the calculated value or in what the document's own figures give."""
    is_energy = any(kind == "energy" for kind, _ in miss.figure.unit.kinds)
    for value, likely, used in _bases(miss):
        for factor, weight, told in UNITS:
            words = f"it is off by {JOULES if is_energy and factor == HOURS_BY_THOUSANDS else told}"
            for ratio in (factor, 1 / factor):
                yield Guess(value.scaled(ratio), words, ratio, used, Fraction(weight) * likely, is_near=True)


def digits(miss: Miss) -> Iterator[Guess]:
    """A digit too many or too few, or two of them swapped."""
    for value, likely, used in _bases(miss):
        for ratio, weight, told in DIGITS:
            yield Guess(
                value.scaled(ratio), f"it is {told}", ratio, used, Fraction(weight) * likely, True, max(ratio, ONE)
            )
        for number in _with_digits_swapped(miss.check, value):
            words = "two of its digits are swapped"
            yield Guess(point(number), words, "swapped", used, Fraction(SWAPPED_DIGITS) * likely)


def _bases(miss: Miss) -> Iterator[tuple[Value, Fraction, tuple[int, ...]]]:
    """The calculated value, and what the document's own figures give where that is another one; how likely each is."""
    yield miss.figure.value, CALCULATED, ()
    if miss.own and miss.own.value != miss.figure.value:
        yield miss.own.value, OWN, miss.own.used


def _with_digits_swapped(check: Check, value: Value) -> Iterator[Fraction]:
    """A number as it would be printed, with two digits beside each other swapped."""
    if value.use is None or not check.low:
        return
    unit = check.stated.unit
    decimals = decimals_of(str(check.claim.states))
    shown = unit.from_base(check.figure.unit.to_base(value.use))
    written = str(round(abs(shown) * 10**decimals))
    for at in range(len(written) - 1):
        other = written[:at] + written[at + 1] + written[at] + written[at + 2 :]
        if other != written:
            yield check.figure.unit.from_base(unit.to_base(Fraction(int(other), 10**decimals)))


def quotient(miss: Miss) -> Iterator[Guess]:
    """One stated column of its table divided by another, neither of which rests on it."""
    checks = miss.document.checks
    row = [place for place in miss.document.places if checks[place].claim.at == miss.check.claim.at]
    beside = [
        place for place in row if checks[place].stated.value.exact and not _rests_on_it(miss, checks[place].figure)
    ]
    for above, below in permutations(beside, 2):
        first = checks[above].stated
        second = checks[below].stated
        kinds = combine(first.unit.kinds, second.unit.kinds, -1)
        if kinds == miss.figure.unit.kinds and first.use and second.use:
            number = first.unit.to_base(first.use) / second.unit.to_base(second.use)
            what = [checks[place].figure.title.rpartition(": ")[2] for place in (above, below)]
            key = (_last(checks[above].figure), _last(checks[below].figure))
            value = point(miss.figure.unit.from_base(number))
            yield Guess(value, f"it is {what[0]} divided by {what[1]}", key, (above, below), is_near=True)


def _rests_on_it(miss: Miss, figure: Figure) -> bool:
    return any(part.address == miss.figure.address for part in closure(figure, most=MOST_FIGURES))


def two_slips(miss: Miss) -> Iterator[Guess]:
    """A unit mistaken and a count left out, of which one makes up for the other in part."""
    for count in _counts(miss):
        number = count.use or ONE
        key = _last(count)
        for factor, _, told in UNITS:
            means = told.partition("(")[2].removesuffix(")")
            words = f"{means}, and the number of {'GPUs' if key == 'gpus' else key} left out"
            yield Guess(miss.figure.value.scaled(factor / number), words, (factor, key), is_near=True)
            yield Guess(miss.figure.value.scaled(1 / factor / number), words, (1 / factor, key), is_near=True)
