"""The slip that would explain a stated figure that does not hold: a factor, a count, or an input that was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from operator import itemgetter

from reckon.language.expression import Binary, Expression, Formula, Name, Number, names
from reckon.language.quantity import Quantity, Value
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, Unit, combine
from reckon.model.figure import Figure, Reckoned, below

from ..sheet.evaluate import derive, measure
from .closeness import distance
from .rounding import rounded_first

# Factors by which a figure is often off, and how that happens.
GIB_CALLED_GB = (Fraction(1024**3, 1000**3), "GiB called GB")
SLIPS: tuple[tuple[Fraction, str], ...] = (
    (Fraction(18, 5), "a factor of 3.6 (watt-hours and joules, or seconds and hours with a prefix)"),
    (Fraction(10), "a factor of 10 (a digit)"),
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


def _ends(value: Value) -> list[Fraction]:
    return [end for end in (value.low, value.high) if end is not None]


def slip_of(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """The slip that turns the figure into what was stated; empty where none does."""
    if explained := _left_out(stated, figure, low, high) or rounded_first(stated, figure, low, high):
        return explained
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
    for operand in below(figure):
        word = operand.address.rsplit(".", 1)[-1]
        if word in ("gpus", "seeds", "models") and operand.value.use and operand.value.use > 1:
            yield operand.value.use, f"the number of {'GPUs' if word == 'gpus' else word}"


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
    if not used or not _of_a_kind(tree, used, figure.unit):
        return False
    try:
        found = derive(Formula("", tree), used, figure.unit, checked=False)
    except Refusal:
        return False
    # A range explains a range, a number a number: one number somewhere inside a stated range explains nothing.
    return not found.missing and found.value.exact == stated.exact and distance(stated, found.value, low, high) == 0


def _of_a_kind(tree: Expression, used: Mapping[str, Figure], unit: Unit) -> bool:
    """Whether an expression measures what a unit does, but for devices: who forgets a time has none to state."""
    units = {name: (figure.unit, "x") for name, figure in used.items()}
    apart = combine(measure(tree, units, frozenset()).kinds, unit.kinds, -1)
    return all(kind in ("gpu", "node") for kind, _ in apart)


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
