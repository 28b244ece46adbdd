"""Stated figures held against the reckoned ones, and the slip that would explain a difference.

A claim's tolerance is half of its last written digit; with `~`, half of the last digit that is not zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from operator import itemgetter

from reckon.language.expression import Binary, Expression, Formula, Name, Number, names
from reckon.language.quantity import Quantity, Value, read_quantity
from reckon.language.text import Refusal, Text, place_of
from reckon.language.units import PLAIN, Unit
from reckon.model.figure import Figure, Reckoned, Stated, operands
from reckon.model.records import Claim

from ..sheet.evaluate import derive

# Factors by which a figure is often off, and how that happens.
GIB_CALLED_GB = (Fraction(1024**3, 1000**3), "GiB called GB")
SLIPS: tuple[tuple[Fraction, str], ...] = (
    (Fraction(18, 5), "a factor of 3.6 (watt-hours and joules, or seconds and hours with a prefix)"),
    (Fraction(24), "a factor of 24 (hours and days)"),
    (Fraction(60), "a factor of 60 (minutes and hours, or seconds and minutes)"),
    (Fraction(3600), "a factor of 3,600 (seconds and hours)"),
    (Fraction(1000), "a factor of 1,000 (a prefix)"),
    (Fraction(1024), "a factor of 1,024 (a binary prefix)"),
    GIB_CALLED_GB,
)
# What is stated may have been rounded, or cut down, to two digits.
_CLOSE = Fraction(3, 100)
MOST_FACTORS = 8
NOTHING = "-"


def each(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Claims one by one: a table gives one for each of its cells, which stands at the place of the cell."""
    for claim in claims:
        if not claim.rows:
            yield claim
        for row, cells in claim.rows.items():
            for column, cell in zip(claim.columns, cells, strict=False):
                if cell != NOTHING:
                    place = place_of(cell)
                    own = {"of": f"{claim.of}.{row}.{column}", "at": f"{claim.at}, {row}", "states": cell}
                    texts = {key: Text(text, place) for key, text in own.items()}
                    yield claim.model_copy(update={**texts, "rows": {}, "columns": (), "place": place})


@dataclass(frozen=True, slots=True)
class Check:
    """A claim held against its figure: what was stated, whether it holds, and the slip that would explain it if not."""

    claim: Claim
    figure: Figure
    stated: Figure
    holds: bool
    off: Fraction
    slip: str = ""


def read_claim(claim: Claim, unit: Unit) -> Quantity:
    """The stated quantity of a claim in the unit of its figure, the `~` taken off. Raises Refusal."""
    text = str(claim.states or "").strip()
    quantity = read_quantity(text.lstrip("~≈ "), unit, place_of(claim.states))
    if quantity.value.unknown:
        raise Refusal("a claim of what is unknown claims nothing", "write what is stated there, or remove the claim")
    return quantity


def check(claim: Claim, figure: Figure, quantity: Quantity) -> Check:
    """Holds a claim against a figure that has a value."""
    stated = as_stated(claim, figure, quantity)
    low, high = tolerances(str(claim.states), quantity)
    off = _distance(quantity.value, figure.value, low, high)
    slip = _slip(quantity.value, figure, low, high) if off else ""
    return Check(claim, figure, stated, off == 0, off, slip)


def as_stated(claim: Claim, figure: Figure, quantity: Quantity) -> Figure:
    """What a claim states of a figure, as a figure."""
    title = f"{figure.title}, as stated"
    return Figure("", title, figure.unit, quantity.value, Stated(str(claim.states), quantity.place), quantity.form)


def traced(checks: Sequence[Check]) -> Iterator[Check]:
    """The checks; where a figure below one is off by a slip, that is what explains it, not a slip of its own."""
    slips = {check.figure.address: check.figure for check in checks if check.slip}
    roots = {address for address, figure in slips.items() if not any(one.address in slips for one in _below(figure))}
    for check in checks:
        first = "" if check.holds else next((one.title for one in _below(check.figure) if one.address in roots), "")
        yield replace(check, slip=f"it rests on {first}, which is stated wrong already") if first else check


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


def _half_digit(digits: str, end: Fraction | None, rounded: bool) -> Fraction:
    """Half of the last digit (the last that is not zero, in a rounded figure) of a number that comes to `end`."""
    if end is None or Fraction(digits) == 0:
        return Fraction(0)
    power = -len(digits.partition(".")[2])
    if rounded and not power:
        power = len(digits) - len(digits.rstrip("0"))
    return Fraction(10) ** power / 2 * abs(end) / Fraction(digits)


def _distance(stated: Value, figure: Value, low: Fraction, high: Fraction) -> Fraction:
    """0 where a stated value holds, else by what share of the figure it is off at its worse end."""
    if stated.use is not None and stated.exact:
        number = stated.use
        beyond = [figure.low - low - number] if figure.low is not None else []
        beyond += [number - figure.high - high] if figure.high is not None else []
        if max(beyond, default=Fraction(0)) <= 0:
            return Fraction(0)
        if figure.use is not None:
            gap = max(abs(number - figure.use) - low, Fraction(0))
            return gap / abs(figure.use) if gap and figure.use else Fraction(1 if gap else 0)
        return max(beyond) / abs(number) if number else Fraction(1)
    if figure.exact:
        assert figure.use is not None
        below = (stated.low - low - figure.use) if stated.low is not None else Fraction(-1)
        above = (figure.use - stated.high - high) if stated.high is not None else Fraction(-1)
        gap = max(below, above, Fraction(0))
        return gap / abs(figure.use) if gap and figure.use else Fraction(1 if gap else 0)
    gaps = [Fraction(0)]
    for one, two, tolerance in ((stated.low, figure.low, low), (stated.high, figure.high, high)):
        if one is not None and two is not None and abs(one - two) > tolerance:
            gaps.append((abs(one - two) - tolerance) / abs(two) if two else Fraction(1))
    return max(gaps)


def _ends(value: Value) -> list[Fraction]:
    return [end for end in (value.low, value.high) if end is not None]


def _slip(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """The slip that turns the figure into what was stated; empty where none does."""
    if left_out := _left_out(stated, figure, low, high):
        return left_out
    # Who states one number of a range has reckoned with the value to plan with.
    planned = [figure.use] * 2 if stated.exact and figure.use is not None else []
    mine, theirs = planned or _ends(figure.value), _ends(stated)
    if len(mine) != 2 or len(theirs) != 2 or not all(mine) or not all(theirs):
        return ""
    ratios = [one / two for one, two in zip(theirs, mine, strict=True)]
    off = [
        (max(abs(ratio / wanted - 1) for ratio in ratios), name)
        for factor, name in _factors(figure) for wanted in (factor, 1 / factor)
    ]  # fmt: skip
    nearest, name = min(off, key=itemgetter(0))
    return f"it is off by {name}" if nearest <= _CLOSE else ""


def _factors(figure: Figure) -> Iterator[tuple[Fraction, str]]:
    """Common factors, and the counts among what the figure is reckoned from: its GPUs, seeds, models."""
    data = any(kind == "data" for kind, _ in figure.unit.kinds)
    yield from (slip for slip in SLIPS if data or slip != GIB_CALLED_GB)
    for operand in _below(figure):
        word = operand.address.rsplit(".", 1)[-1]
        if word in ("gpus", "seeds", "models") and operand.value.use and operand.value.use > 1:
            yield operand.value.use, f"the number of {'GPUs' if word == 'gpus' else word}"


def _below(figure: Figure) -> Iterator[Figure]:
    """All that a figure is reckoned from, each once."""
    stack, seen = [figure], set()
    while stack:
        for operand in operands(stack.pop()):
            if id(operand) not in seen:
                seen.add(id(operand))
                stack.append(operand)
                yield operand


def _left_out(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """The factors of the figure's product without which it is what was stated."""
    origin = figure.origin
    if not isinstance(origin, Reckoned):
        return ""
    factors = list(_product(origin.formula.tree))
    for size in (1, 2) if 1 < len(factors) <= MOST_FACTORS else ():
        for dropped in combinations(range(len(factors)), size):
            kept = [factor for index, factor in enumerate(factors) if index not in dropped]
            if kept and _without(kept, figure, origin, stated, low, high):
                shown = " and ".join(_shown(factors[index][1]) for index in dropped)
                return f"it comes out when {shown} {'is' if size == 1 else 'are'} left out"
    return ""


def _without(
    kept: list[tuple[str, Expression]], figure: Figure, origin: Reckoned, stated: Value, low: Fraction, high: Fraction
) -> bool:
    tree: Expression = Number(Quantity(Value(Fraction(1), Fraction(1), Fraction(1)), PLAIN, "1"), 0)
    for operator, factor in kept:
        tree = Binary(operator, tree, factor, 0)
    used = {name.name: origin.operands[name.name] for name in names(tree)}
    if not used:
        return False
    try:
        found = derive(Formula("", tree), used, figure.unit, checked=False)
    except Refusal:
        return False
    # A range explains a range, a number a number: one number somewhere inside a stated range explains nothing.
    return not found.missing and found.value.exact == stated.exact and _distance(stated, found.value, low, high) == 0


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
            return name
        case Number(quantity=quantity):
            return quantity.text
        case Binary(operator=operator, left=left, right=right):
            inner = f"{_shown(left)} {operator} {_shown(right)}"
            return f"({inner})" if operator in "+-" else inner
    return "a part"
