"""How far a stated value is from the calculated one, by how much it may be, and the slip that would explain it.

A slip is a factor, a count, an input that was left out, or a factor of a product that was rounded before it was used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple

from reckon.language.expression import Binary, Expression, Formula, Name, Number, names
from reckon.language.quantity import ZERO, Quantity, Value, point, read_quantity
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, Unit, combine, key_unit, spoken
from reckon.model.figure import Calculated, Figure, Worked, value_in, walk_operands

from ..sheet.evaluate import derive, measure
from .carried import base_of


class Slip(NamedTuple):
    """A factor by which a figure is often off, what it is called, and how it comes about."""

    factor: Fraction
    called: str
    means: str

    @property
    def told(self) -> str:
        """As it is told of one figure."""
        return f"off by {self.called} ({self.means})" if self.called else f"off by {self.means}"


GIB_CALLED_GB = Slip(Fraction(1024**3, 1000**3), "", "GiB called GB")
SLIPS = (
    Slip(Fraction(10), "a factor of 10", "a digit"),
    Slip(Fraction(24), "a factor of 24", "hours and days"),
    Slip(Fraction(60), "a factor of 60", "minutes and hours, or seconds and minutes"),
    Slip(Fraction(3600), "a factor of 3,600", "seconds and hours"),
    Slip(Fraction(1000), "a factor of 1,000", "a prefix"),
    Slip(Fraction(1024), "a factor of 1,024", "a binary prefix"),
    GIB_CALLED_GB,
)
_TEN_TIMES = {Fraction(10): "ten times too high", Fraction(1, 10): "ten times too low"}
_HOURS = Slip(Fraction(18, 5), "a factor of 3.6", "seconds divided by 1,000 where 3,600 makes hours")
_JOULES = Slip(Fraction(18, 5), "a factor of 3.6", "watt-hours and joules")
_COUNTED = ("gpus", "seeds", "models", "samples", "runs", "tasks", "environments", "nodes", "epochs")
# What is stated may have been rounded, or cut down, to two digits.
_CLOSE = Fraction(3, 100)
MOST_FACTORS = 8
# In which units a person prints a time; others are printed in their own.
_TIMES = tuple(key_unit(name) for name in ("minutes", "hours", "days", "seconds"))
_TIME = (("time", 1),)
# More than this is no rounding any more.
MOST_OFF = Fraction(1, 3)
MOST_DEEP = 4
CUT = "its further digits were cut off, not rounded"
UP = "it was rounded up, not to the nearest"


def slip_of(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """The slip that turns the figure into what was stated; empty where none does."""
    if explained := _left_out(stated, figure, low, high) or rounded_first(stated, figure, low, high):
        return explained
    # Who states one number of a range has calculated with the value to plan with.
    value = point(figure.use) if stated.exact and figure.use is not None else figure.value
    if not (value.low and value.high and stated.low and stated.high):
        return ""
    ratios = stated.low / value.low, stated.high / value.high
    off = [
        (max(abs(ratio / wanted - 1) for ratio in ratios), _off_by(slip, wanted))
        for slip in _factors(figure)
        for wanted in (slip.factor, 1 / slip.factor)
    ]
    nearest, name = min(off, key=itemgetter(0))
    return f"it is {name}" if nearest <= _CLOSE else ""


def _off_by(slip: Slip, factor: Fraction) -> str:
    """In words what a slip makes of a figure that is stated at some times its value: more GB than GiB are as much."""
    if slip == GIB_CALLED_GB:
        return f"the same amount in {'GiB, printed as GB' if factor < 1 else 'GB, printed as GiB'}"
    return _TEN_TIMES.get(factor, slip.told)


def is_cut(stated: Fraction, figure: Figure, half: Fraction) -> bool:
    """Whether a stated number of at least two digits is what is left of the figure behind its last digit."""
    if figure.use is None or not figure.value.exact or not 20 * half <= abs(stated) < abs(figure.use):
        return False
    return abs(figure.use) - abs(stated) < 2 * half and (stated < 0) == (figure.use < 0)


def nearly_whole(figure: Figure, half: Fraction) -> bool:
    """Whether a share is less than the whole, but rounded to digits of which `half` is the half would be all of it: who
    writes 99.99 % for 99.996 % means that it is not 100."""
    return figure.form == "%" and figure.use is not None and figure.use < 1 <= figure.use + half


def meant(figure: Figure) -> Iterator[tuple[Fraction, str]]:
    """Factors that several figures can share, upwards and downwards, each with the slip that it means."""
    for slip in _factors(figure):
        words = slip.means if slip.called else f"it is {slip.means}"
        yield slip.factor, words
        yield 1 / slip.factor, words


def meant_twice(figure: Figure) -> Iterator[tuple[Fraction, str]]:
    """Factors of two slips at once, of which one makes up for the other in part: hours that are too long by their
    unit, and of one model where there are four."""
    slips = list(_factors(figure))
    unit = slips[0]
    counts = [slip for slip in slips if not slip.called and slip != GIB_CALLED_GB]
    for count in counts:
        yield unit.factor / count.factor, f"{unit.means}, and {count.means} left out"


def _factors(figure: Figure) -> Iterator[Slip]:
    """Common factors, and the counts among what the figure is calculated from: its GPUs, seeds, models, samples."""
    data, energy = (any(kind == named for kind, _ in figure.unit.kinds) for named in ("data", "energy"))
    yield _JOULES if energy else _HOURS
    yield from (slip for slip in SLIPS if data or slip != GIB_CALLED_GB)
    for operand in walk_operands(figure):
        word = operand.address.rsplit(".", 1)[-1]
        if word in _COUNTED and operand.value.use and operand.value.use > 1:
            yield Slip(operand.value.use, "", f"the number of {'GPUs' if word == 'gpus' else word}")


def _left_out(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """The factors of the figure's product without which it is what was stated."""
    origin = figure.origin
    if not isinstance(origin, Calculated):
        return ""
    factors = list(_product(origin.formula.tree))
    for size in (1, 2) if 1 < len(factors) <= MOST_FACTORS else ():
        for dropped in combinations(range(len(factors)), size):
            found = _without([factor for index, factor in enumerate(factors) if index not in dropped], figure, origin)
            # A range explains a range, a number a number: one number somewhere inside a stated range explains nothing.
            if found and found.exact == stated.exact and distance(stated, found, low, high) == 0:
                shown = " and ".join(_shown(factors[index][1]) for index in dropped)
                return f"it comes out without the {'factor' if size == 1 else 'factors'} {shown}"
    return ""


def _without(kept: list[tuple[str, Expression]], figure: Figure, origin: Calculated) -> Value | None:
    """What a product of some factors comes to; None where it measures something else, or cannot be calculated."""
    tree: Expression = Number(Quantity(point(1), PLAIN, "1"), 0)
    for operator, factor in kept:
        tree = Binary(operator, tree, factor, 0)
    used = {name.name: origin.operands[name.name] for name in names(tree)}
    units = {name: (operand.unit, "x") for name, operand in used.items()}
    apart = combine(measure(tree, units, frozenset()).kinds, figure.unit.kinds, -1)
    # But for devices: who forgets a time has none to state.
    if not used or not all(kind in ("gpu", "node") for kind, _ in apart):
        return None
    try:
        found = derive(Formula("", tree), used, figure.unit, checked=False)
    except Refusal:
        return None
    return None if found.missing else found.value


def _product(tree: Expression, operator: str = "*") -> Iterator[tuple[str, Expression]]:
    """The factors of a product and whether each multiplies or divides."""
    while isinstance(tree, Binary) and tree.operator in "*/":
        turned = tree.operator if operator == "*" else ("*" if tree.operator == "/" else "/")
        yield from _product(tree.right, turned)
        tree = tree.left
    yield operator, tree


def _shown(tree: Expression) -> str:
    match tree:
        case Name(name=name):
            return spoken(name.rpartition(".")[2])
        case Number(quantity=quantity):
            return quantity.text
        case Binary(operator=operator, left=left, right=right):
            inner = f"{_shown(left)} {operator} {_shown(right)}"
            return f"({inner})" if operator in "+-" else inner
    return "a part"


def tolerances(text: str, quantity: Quantity) -> tuple[Fraction, Fraction]:
    """Half of the last written digit of the first and of the last number in a text, in the quantity's unit."""
    written = re.findall(r"([0-9]+(?:\.[0-9]+)?)(?:[eE][+-]?[0-9]+)?", text)
    value = quantity.value
    if value.exact and len(written) > 1:
        # A sum of units, as in `118 d 5 h 41 min`: its last digit is that of its last part.
        last = read_quantity(f"{written[-1]}{text.rpartition(written[-1])[2]}", quantity.unit)
        half = _half_digit(written[-1], last.value.use, "~" in text)
        return half, half
    return _half_digit(written[0], value.low, "~" in text), _half_digit(written[-1], value.high, "~" in text)


def row_title(title: str) -> str:
    """What a figure is of, by its title: `A40 × 4` of `A40 × 4: hours`; all of it where it says no more."""
    return title.rpartition(": ")[0] or title


def decimals_of(text: str) -> int:
    """The digits behind the point of the last number in a text."""
    written = re.findall(r"[0-9]+(?:\.([0-9]+))?", text)
    return len(written[-1]) if written else 0


def _half_digit(digits: str, end: Fraction | None, rounded: bool) -> Fraction:
    """Half of the last digit (the last that is not zero, in a rounded figure) of a number that comes to `end`."""
    if end is None or Fraction(digits) == 0:
        return ZERO
    power = -len(digits.partition(".")[2])
    if rounded and not power:
        power = len(digits) - len(digits.rstrip("0"))
    return Fraction(10) ** power / 2 * abs(end) / Fraction(digits)


def distance(stated: Value, figure: Value, low: Fraction, high: Fraction) -> Fraction:
    """0 where a stated value holds, else by what share of the figure it is off at its worse end."""
    if stated.use is not None and stated.exact:
        number = stated.use
        beyond = [figure.low - low - number] if figure.low is not None else []
        beyond += [number - figure.high - high] if figure.high is not None else []
        if max(beyond, default=ZERO) <= 0:
            return ZERO
        if figure.use is None:
            return _share(max(beyond), number)
        return _share(max(abs(number - figure.use) - low, ZERO), figure.use)
    if figure.exact:
        assert figure.use is not None
        below = (stated.low - low - figure.use) if stated.low is not None else Fraction(-1)
        above = (figure.use - stated.high - high) if stated.high is not None else Fraction(-1)
        return _share(max(below, above, ZERO), figure.use)
    if _inside(stated, figure, low, high):
        return ZERO
    gaps = [ZERO]
    for stated_end, end, tolerance in ((stated.low, figure.low, low), (stated.high, figure.high, high)):
        if stated_end is not None and end is not None and abs(stated_end - end) > tolerance:
            gaps.append(_share(abs(stated_end - end) - tolerance, end))
    return max(gaps)


def _inside(stated: Value, figure: Value, low: Fraction, high: Fraction) -> bool:
    """Whether a stated range lies inside of the calculated one; one that is open upwards, whether it is reached."""
    if stated.low is None or figure.high is None:
        return False
    if stated.high is None:
        return figure.high >= stated.low - low
    return figure.low is not None and figure.low - low <= stated.low and stated.high <= figure.high + high


def _share(gap: Fraction, whole: Fraction) -> Fraction:
    """A gap as a share of a number; 1 where that is zero."""
    return gap / abs(whole) if gap and whole else Fraction(1 if gap else 0)


def rounded_first(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """What was rounded, and to what, so that the figure is what was stated; empty where no rounding explains it."""
    planned = stated.exact
    value = Value(figure.use, figure.use, figure.use) if planned else figure.value
    if value.low is None or value.high is None:
        return ""
    for factor in _factors_of(figure):
        for unit in _TIMES if factor.unit.kinds == _TIME else (factor.unit,):
            for (least, most), text in _rounded(factor, unit, planned):
                carried = Value(value.low * least, value.low * least if planned else None, value.high * most)
                if distance(stated, carried, low, high) == 0:
                    itself = base_of(figure.address) == base_of(factor.address)
                    rounded = "the calculated figure" if itself else factor.title
                    return f"it comes out when {rounded} is rounded to {text} first"
    return ""


def _factors_of(figure: Figure) -> Iterator[Figure]:
    """The calculated figures of which a figure is a multiple, the nearest first; those equal to it come last."""
    waiting = [(figure, 0)]
    seen = {figure.address}
    itself = []
    for multiple, deep in waiting:
        for operand in _multiplied(multiple):
            if operand.address not in seen and deep < MOST_DEEP:
                seen.add(operand.address)
                waiting.append((operand, deep + 1))
                if isinstance(operand.origin, Calculated | Worked):
                    if operand.value == figure.value or operand.use == figure.use:
                        itself.append(operand)
                    else:
                        yield operand
    yield from itself


def _multiplied(figure: Figure) -> Iterator[Figure]:
    """The operands that stand as factors in a product; the one figure that another is by name."""
    if isinstance(figure.origin, Calculated):
        for name in _names(figure.origin.formula.tree):
            yield figure.origin.operands[name]
    elif isinstance(figure.origin, Worked) and len(figure.origin.operands) == 1:
        yield figure.origin.operands[0]


def _names(tree: Expression) -> Iterator[str]:
    if isinstance(tree, Name):
        yield tree.name
    elif isinstance(tree, Binary) and tree.operator == "*":
        yield from _names(tree.left)
        yield from _names(tree.right)
    elif isinstance(tree, Binary) and tree.operator == "/":
        yield from _names(tree.left)


def _rounded(figure: Figure, unit: Unit, planned: bool) -> Iterator[tuple[tuple[Fraction, Fraction], str]]:
    """How many times the rounded ends are the exact ones, and the rounded text; nothing where none is rounded off."""
    value = value_in(figure, unit)
    low, high = (value.use, value.use) if planned else (value.low, value.high)
    if low is None or high is None or low < 1 or high >= 1000:
        return
    least = Fraction(round(low))
    most = Fraction(round(high))
    ratios = least / low, most / high
    if (least, most) != (low, high) and all(abs(ratio - 1) <= MOST_OFF for ratio in ratios):
        yield ratios, f"{least if least == most else f'{least}–{most}'} {unit.symbol}"
