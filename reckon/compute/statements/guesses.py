"""What a document would print of a figure if it had made some mistake: a generator for each kind of cause."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import ceil, floor
from typing import Any, NamedTuple

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, Value, point
from reckon.language.units import HOURS, SIGNS, Unit, combine, key_unit, spoken
from reckon.model.figure import Figure, Figures, closure, operands, planned, value_in, walk_operands
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import base_of, picked
from .agreement import decimals_of
from .claims import Check, statement_of, table_of
from .structure import factors_of, multiples_of, recalculate, same_figure, terms_of

MOST_FIGURES = 300
"""So many of the figures below one are looked through."""
MOST_ROUNDED = Fraction(1, 3)
"""What moves by more than this share was not rounded."""
GIB = Fraction(1024**3, 1000**3)
KILO = "seconds divided by 1,000 instead of 3,600"
MISTAKEN = (
    (Fraction(1000), "0.15", "a unit prefix", ""),
    (Fraction(60), "0.1", "minutes and hours, or seconds and minutes", "time"),
    (Fraction(3600), "0.07", "seconds and hours", "time energy"),
    (Fraction(18, 5), "0.07", KILO, "time"),
    (Fraction(24), "0.05", "hours and days", "time"),
    (Fraction(1024), "0.05", "a binary prefix", "data"),
    (Fraction(8), "0.05", "bits and bytes", "data"),
    (Fraction(8), "0.05", "the GPUs of a node", "gpu time money"),
)
"""Factors that units are mistaken by, how likely each is among them in one direction, what it is, and which kinds of
units it is of; all, where it names none."""
DIGITS = (
    (Fraction(10), "0.35", "ten times too high"),
    (Fraction(1, 10), "0.35", "ten times too low"),
    (Fraction(100), "0.05", "a hundred times too high"),
    (Fraction(1, 100), "0.05", "a hundred times too low"),
)
DIGITS_SWAPPED = "0.2"
CALCULATED, OWN = Fraction("0.7"), Fraction("0.3")
"""How likely a unit or digit is mistaken in the calculated value, and in what the document's own figures give."""
COUNTED = ("gpus", "seeds", "models", "samples", "runs", "tasks", "environments", "nodes", "epochs")
ROUND_SHARES = tuple(Fraction(number, 100) for number in (5, 10, 15, 20, 25, 30, 40, 50))
TIMES = tuple(key_unit(name) for name in ("minutes", "hours", "days", "seconds"))
BESIDE = "it follows from other stated figures:"
EXACTLY = "it is exactly "
CUT = "its further digits were cut off, not rounded"
UP = "it was rounded up, not to the nearest"


class Guess(NamedTuple):
    """What would be printed if a cause were true, in the unit of the figure; the cause in words; what guesses of one
    mistake have in common in a column; where what it takes stands among the checks; how likely it is among those of
    its kind, if they differ; whether it may fit within some per cent, and within how many times the last digit; and
    whether it says so little that is not seen at once that it is told only where it is sure."""

    value: Value
    words: str
    key: Hashable = ""
    used: tuple[int, ...] = ()
    weight: Fraction | None = None
    is_near: bool = False
    coarse: Fraction = ONE
    is_bold: bool = False


Guesses = Iterator[Guess]


class Document(Struct, frozen=True, dict=True):
    """What a document states, with all that its figures rest on; `places` are those of its checks among all."""

    checks: list[Check]
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
        stated = self.checks[place].stated
        address = self.checks[place].figure.address
        return replace(stated, address=address, leaves={} if stated.value.exact else {address: 1})


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
        """Where its document states each figure below it, by address: in the same table, or else first; nothing of its
        own statement. Who states a value to plan with calculates with it."""
        checks = self.document.checks
        stated = self.document.stated
        found = {}
        for part in closure(self.figure, most=MOST_FIGURES):
            every = stated.get(part.address) or stated.get(f"{part.address}.use") or ()
            others = [place for place in every if statement_of(checks[place]) != statement_of(self.check)]
            if others and base_of(part.address) != base_of(self.figure.address):
                found[part.address] = min(others, key=lambda place: table_of(checks[place]) != table_of(self.check))
        return found

    @cached_property
    def own(self) -> Guess | None:
        """What the formula of the figure gives over what the document states; None where that is nothing."""
        found = self.with_changes({})
        return found if found and found.used else None

    def with_changes(self, changes: Mapping[str, Figure | None], words: str = "", key: Hashable = "") -> Guess | None:
        """The same with other figures in place of some that it states, or (None) those of the ledger."""
        given = {at: self.document.as_stated(place) for at, place in self.given.items() if at not in changes}
        found = recalculate(self.figure, given | {at: figure for at, figure in changes.items() if figure})
        if found is None:
            return None
        used = (self.given[at] for at in found[1] if at in given)
        return Guess(found[0].value, words, key, tuple(dict.fromkeys(used)))

    def replaced(self, old: Figure, new: Figure, words: str, is_bold: bool = False) -> Guesses:
        """The calculated figure with another one in place of one below it."""
        if found := recalculate(self.figure, {old.address: new}):
            yield Guess(found[0].value, words, (_last(old), _last(new)), is_bold=is_bold)

    def scaled(self, ratio: Fraction, words: str, key: Hashable, weight: str = "", **traits: Any) -> Guesses:
        """The calculated figure times a number; and what the document's own figures give, where that is another one.
        `traits` are those of the guesses."""
        bases = [(self.figure.value, CALCULATED)]
        if self.own and self.own.value != self.figure.value:
            bases.append((self.own.value, OWN))
        for value, likely in bases:
            weighted = Fraction(weight) * likely if weight else None
            yield Guess(value.scaled(ratio), words, key, (), weighted, **traits)


def record_of(address: str) -> str:
    """The address of the record that a figure is of."""
    return base_of(address).rpartition(".")[0]


def _last(figure: Figure) -> str:
    return figure.address.rpartition(".")[2]


def _name(figure: Figure) -> str:
    """What a figure is of its record."""
    return figure.title.rpartition(": ")[2]


def print_stated(check: Check) -> str:
    """What is stated, as it is printed: `$101–180`."""
    text = check.text.replace("-", "–")
    symbol = "" if text[-1:].isalpha() else check.stated.unit.symbol
    if symbol[:1] in SIGNS:
        return re.sub("(?=[0-9])", symbol[:1], text, count=1) + symbol[1:]
    return f"{text} {symbol}"


def carried(miss: Miss) -> Guesses:
    """Its formula over what is stated in the same table, or else first; itself, as stated in another unit; and as many
    times another figure of its record as it is, as epochs are."""
    half_digit = miss.figure.unit.to_base(miss.check.low)
    for place in miss.document.stated[miss.figure.address]:
        other = miss.document.checks[place]
        if other.holds and other.stated.unit != miss.check.stated.unit:
            value = other.value
            # Half of the last digit is rounded up by some, and down by others.
            if value.exact and abs(planned(other.stated) - planned(miss.check.stated)) == half_digit:
                value = miss.check.value
            yield Guess(value, f"it is {print_stated(other)} in another unit", "another unit", (place,))
    if miss.own:
        words = " and ".join(print_stated(miss.document.checks[place]) for place in miss.own.used[:3])
        # Who rounds to tens prints 246 as 250.
        is_round = (miss.check.value.high or ONE) % (20 * miss.check.high or 1) == 0
        yield miss.own._replace(words=f"{BESIDE} {words}", coarse=Fraction(10) if is_round else ONE)
    for part in _others(miss, miss.figure):
        times = planned(miss.figure) / (planned(part) or ONE)
        is_multiple = times > 1 and times.denominator == 1 and value_in(part).scaled(times) == value_in(miss.figure)
        for place in miss.document.stated.get(part.address, ()) if is_multiple else ():
            other = miss.document.checks[place]
            value = value_in(other.stated, miss.figure.unit).scaled(times)
            yield Guess(value, f"{BESIDE} {print_stated(other)}", "multiple", (place,))


def carried_otherwise(miss: Miss) -> Guesses:
    """The same with another value that is stated of one operand, with an end of it, or without it."""
    document = miss.document
    for place in miss.own.used if miss.own else ():
        figure = document.as_stated(place)
        stated = document.stated[figure.address]
        others = [(document.as_stated(at), f"{print_stated(document.checks[at])} for", at) for at in stated]
        others += [
            (replace(picked(figure, end), address=figure.address), f"the {end} end of", place)
            for end in ("low", "high")
        ]
        title = document.checks[place].figure.title.rpartition(": ")[2]
        for other, text, at in others:
            words = f"it follows from stated figures, with {text} “{title}”"
            guess = miss.with_changes({figure.address: other}, words, text) if other.value != figure.value else None
            if guess:
                yield guess._replace(used=(*guess.used, at))
        guess = miss.with_changes({figure.address: None}, "it follows from other stated figures")
        if guess and guess.used:
            yield guess


def shared(miss: Miss) -> Guesses:
    """What is stated of a record with fewer GPUs, divided among those of this one: who puts one part of the work on
    each GPU calculates so, whatever the formula of the figure is."""
    gpus = _gpus(miss, miss.figure)
    for places in miss.document.stated.values() if gpus else ():
        other = miss.document.checks[places[0]]
        share = _gpus(miss, other.figure) / gpus
        is_alike = other.figure.unit.kinds == miss.figure.unit.kinds
        if 0 < share < 1 and is_alike and _rests_on(other.figure) <= _rests_on(miss.figure):
            words = f"it is the {print_stated(other)} stated for fewer GPUs, divided by the number of GPUs"
            value = value_in(other.stated, miss.figure.unit).scaled(share)
            yield Guess(value, words, _last(other.figure), (places[0],))


def _gpus(miss: Miss, figure: Figure) -> Fraction:
    """How many GPUs the record has that a figure is of; 0 where it says nothing of them."""
    return planned(miss.document.figures.get(f"{record_of(figure.address)}.gpus"))


def _rests_on(figure: Figure) -> set[str]:
    """The addresses of the stated amounts that a figure rests on, but for those of its own record."""
    own = record_of(figure.address)
    below = (part.address for part in closure(figure, most=MOST_FIGURES) if part.is_stated)
    return {address for address in below if record_of(address) != own}


def terms(miss: Miss) -> Guesses:
    """A part of the sum left out, counted twice, or alone, which is most often the first."""
    whole = miss.figure.value
    weight = ONE
    for title, value, others in terms_of(miss.figure, miss.document.project):
        part = value.scaled(1 / miss.figure.unit.scale)
        alone = f"it is {title} alone" + (f": {others} are not in it" if others else "")
        yield Guess(_sum(whole, part, -1), f"{title} is left out", ("less", title))
        yield Guess(_sum(whole, part, 1), f"{title} is counted twice", ("more", title), is_bold=True)
        weight /= 2
        yield Guess(part, alone, ("alone", title), weight=weight)


def _sum(whole: Value, part: Value, sign: int) -> Value:
    ends = zip(whole.ends, part.ends, strict=True)
    return Value(*(None if one is None or other is None else one + sign * other for one, other in ends))


def factors(miss: Miss) -> Guesses:
    """GPUs, seeds, epochs or another number left out, or counted twice; counts also where the formula has none."""
    found = factors_of(miss.figure)
    for key, number in found.items():
        title = spoken(key)
        yield from miss.scaled(1 / number, f"the factor {title} is left out", ("less", key))
        yield from miss.scaled(number, f"the factor {title} is counted twice", ("more", key), is_bold=True)
    for key, title, number in _counts(miss):
        if key not in found:
            yield from miss.scaled(1 / number, f"it is divided by {title}", ("over", key))
            yield from miss.scaled(number, f"it is multiplied by {title}", ("times", key))


def _counts(miss: Miss) -> Iterator[tuple[str, str, Fraction]]:
    """The counts below a figure, the GPUs of its record and the seeds of its project: key, words, and number."""
    beside = (f"{record_of(miss.figure.address)}.gpus", f"{miss.document.project.id}.seeds")
    found = filter(None, map(miss.document.figures.get, beside))
    for key, figure in {_last(each): each for each in (*walk_operands(miss.figure), *found)}.items():
        if key in COUNTED and figure.value.exact and figure.use and figure.use > 1:
            yield key, f"the number of {'GPUs' if key == 'gpus' else key}", figure.use


def printing(miss: Miss) -> Guesses:
    """The calculated figure with its further digits cut off, or rounded up."""
    digits = [2 * half for half in (miss.check.low, miss.check.low, miss.check.high)]
    for way, words in ((floor, CUT), (ceil, UP)):
        ends = zip(miss.figure.value.ends, digits, strict=True)
        yield Guess(Value(*(end and digit and way(end / digit) * digit for end, digit in ends)), words, words)


def swapped(miss: Miss) -> Guesses:
    """Another figure of the record of an operand in its place."""
    for operand in operands(miss.figure):
        for other in _others(miss, operand):
            words = f"{other.title} is used in place of {_name(operand)}"
            yield from miss.replaced(operand, other, words, is_bold=True)


def instead(miss: Miss) -> Guesses:
    """Another figure of the same record."""
    for other in _others(miss, miss.figure):
        yield Guess(value_in(other, miss.figure.unit), f"it is the {_name(other)} instead", _last(other), is_bold=True)


def _others(miss: Miss, figure: Figure) -> Iterator[Figure]:
    """Other figures of a record that measure the same; none of what only says a figure again, nor of figures that the
    ledger lists one by one."""
    record = record_of(figure.address)
    for other in miss.document.records.get(record, ()) if not record.endswith(".figures") else ():
        is_same = base_of(other.address) in (base_of(figure.address), base_of(miss.figure.address))
        if other.unit.kinds == figure.unit.kinds and not (is_same or other.missing or same_figure(other)):
            yield other


def margin(miss: Miss) -> Guesses:
    """A share taken twice, left out, of what it is a part of, or of more than it should be; or what is left of it."""
    if miss.figure.form == "%":
        yield Guess(point(1 - planned(miss.figure)), "it is what the share leaves of 100%", "left")
    for share in _shares(miss.figure):
        number = planned(share)
        of = f"{_percent(number)} ({_name(share)})"
        parts = [operand for operand in operands(miss.figure) if operand.form != "%"]
        others = [(operand, other) for operand in parts for other in _others(miss, operand)]
        for operand, other in others:
            if planned(miss.figure) < planned(operand):
                yield from miss.replaced(operand, other, f"{of} is taken of {other.title}")
        for ratio, told in (
            (1 + number, "added twice"),
            (1 / (1 + number), "left out"),
            (1 / (1 - number), "taken of what it is a part of"),
        ):
            yield from miss.scaled(ratio, f"{of} is {told}", told)
        for operand, other in others:
            more = replace(other, value=_sum(operand.value, value_in(other, operand.unit), 1))
            yield from miss.replaced(operand, more, f"{of} is taken of {_name(operand)} and {_name(other)}")


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):g}%"


def _shares(figure: Figure) -> Iterator[Figure]:
    """The shares of which a figure is calculated, or what it is calculated from."""
    below = [part for operand in operands(figure) for part in (operand, *operands(operand))]
    for part in {each.address: each for each in below}.values():
        if part.form == "%" and part.value.exact and 0 < planned(part) < 1:
            yield part


def rounded(miss: Miss) -> Guesses:
    """An intermediate rounded first, as a person prints it: a time in any unit of time, all else in its own."""
    for part in [part for part in multiples_of(miss.figure) if not part.is_stated]:
        title = "the calculated figure" if part is miss.figure else part.title
        for unit in TIMES if part.unit.kinds == HOURS.kinds else (part.unit,):
            yield from _with_whole(miss, part, unit, round, f"{title} is rounded to {{}} first")


def billed(miss: Miss) -> Guesses:
    """Hours that are begun, billed as whole ones."""
    words = "begun hours are billed as whole ones: {}"
    for part in multiples_of(miss.figure):
        if part.unit.kinds == HOURS.kinds:
            yield from _with_whole(miss, part, HOURS, ceil, words)


def _with_whole(miss: Miss, part: Figure, unit: Unit, way: Callable[[Fraction], int], words: str) -> Guesses:
    """A figure that is a multiple of another, with that made a whole number of a unit, end by end."""
    ends = [end for end in value_in(part, unit).ends if end is not None and 0 < end < 1000]
    ratios = [way(end) / end for end in ends]
    if len(ends) == 3 and (way is ceil or all(abs(ratio - 1) <= MOST_ROUNDED for ratio in ratios)):
        pairs = zip(miss.figure.value.ends, ratios, strict=True)
        text = words.format(f"{way(ends[1])} {unit.symbol}")
        yield Guess(Value(*(end and end * ratio for end, ratio in pairs)), text, (_last(part), unit.symbol))


def gib(miss: Miss) -> Guesses:
    """The same amount in GiB, printed as GB, or the other way; in MiB or TiB where that is what is printed."""
    letter = miss.check.stated.unit.symbol[:1]
    binary = Fraction(1024, 1000) ** " KMGT".find(letter)
    for ratio, own, other in ((1 / binary, "GiB", "GB"), (binary, "GB", "GiB")):
        if letter in "KMGT" and "data" in dict(miss.figure.unit.kinds):
            words = f"it is the same amount in {own}, printed as {other}".replace("G", letter)
            yield from miss.scaled(ratio, words, own)


def units(miss: Miss) -> Guesses:
    """Units mistaken."""
    for ratio, factor, weight, told in _unit_slips(miss.figure.unit):
        words = f"it is off by a factor of {float(factor):,g} ({told})"
        yield from miss.scaled(ratio, words, ratio, weight, is_near=True)


def _unit_slips(unit: Unit) -> Iterator[tuple[Fraction, Fraction, str, str]]:
    """By what a figure in a unit may be off if a unit was mistaken: the ratio, the factor, how likely, and what it is.
    A size is not off by seconds and hours, nor a time by bits and bytes."""
    kinds = [kind.partition(":")[0] for kind, _ in unit.kinds]
    for factor, weight, told, of in MISTAKEN:
        is_of_days = factor != 24 or unit.scale in (1, 24)
        if is_of_days and (not of or any(kind in of for kind in kinds)):
            yield factor, factor, weight, told
            yield 1 / factor, factor, weight, told


def digits(miss: Miss) -> Guesses:
    """A digit too many or too few, or two of them swapped. One is told with `perhaps` as well; two would say no more
    than both numbers do."""
    for ratio, weight, told in DIGITS:
        coarse = ratio if ratio == 10 else ONE
        is_bold = ratio in (100, Fraction(1, 100))
        words = f"{EXACTLY if miss.check.value == miss.figure.value.scaled(ratio) else 'it is '}{told}"
        yield from miss.scaled(ratio, words, ratio, weight, is_near=True, coarse=coarse, is_bold=is_bold)
    for base in miss.scaled(ONE, "two of its digits are swapped", "swapped", DIGITS_SWAPPED):
        for number in _with_digits_swapped(miss.check, base.value):
            yield base._replace(value=point(number))


def _with_digits_swapped(check: Check, value: Value) -> Iterator[Fraction]:
    """A number as it would be printed, with two digits beside each other swapped."""
    unit = check.stated.unit
    step = Fraction(1, 10 ** decimals_of(check.text))
    written = str(round(unit.from_base(check.figure.unit.to_base(value.use or ZERO)) / step))
    for at in range(len(written) - 1):
        other = written[:at] + written[at + 1] + written[at] + written[at + 2 :]
        if other != written and other.isdecimal() and other[0] != "0":
            yield check.figure.unit.from_base(unit.to_base(int(other) * step))


def quotient(miss: Miss) -> Guesses:
    """One stated column of its table divided by another, neither of which rests on it."""
    checks = [miss.document.checks[place] for place in miss.document.places]
    row = [check for check in checks if check.claim.at == miss.check.claim.at and planned(check.stated)]
    beside = [
        check
        for check in row
        if all(part.address != miss.figure.address for part in closure(check.figure, most=MOST_FIGURES))
    ]
    for above, below in permutations(beside, 2):
        if combine(above.stated.unit.kinds, below.stated.unit.kinds, -1) == miss.figure.unit.kinds:
            number = miss.figure.unit.from_base(planned(above.stated) / planned(below.stated))
            words = f"{_name(above.figure)} divided by {_name(below.figure)} is stated instead"
            yield Guess(point(number), words, (_last(above.figure), _last(below.figure)), is_near=True)


def two_slips(miss: Miss) -> Guesses:
    """A unit mistaken and a count left out, of which one makes up for the other in part."""
    for key, title, number in _counts(miss):
        for ratio, _, _, told in _unit_slips(miss.figure.unit):
            words = f"{told}, and {title} left out"
            # Nobody can tell this from a round share.
            share = ratio / number - 1
            if abs(share) in ROUND_SHARES:
                words = f"it is {_percent(abs(share))} too {'high' if share > 0 else 'low'}, perhaps by {words}"
            yield from miss.scaled(ratio / number, words, (ratio, key), is_near=True)
