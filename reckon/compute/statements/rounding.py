"""A rounded intermediate carried on: a factor of a product that, rounded as people print it, gives what was stated."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.expression import Binary, Expression, Name
from reckon.language.quantity import Value
from reckon.language.units import Unit, key_unit
from reckon.model.figure import Figure, Reckoned, Worked

from .closeness import distance

# In which units a person prints a time; others are printed in their own.
_TIMES = tuple(key_unit(name) for name in ("minutes", "hours", "days", "seconds"))
_TIME = (("time", 1),)
# More than this is no rounding any more.
MOST_OFF = Fraction(1, 3)
MOST_DEEP = 4


def rounded_first(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """What was rounded, and to what, so that the figure is what was stated; empty where no rounding explains it."""
    planned = stated.exact
    value = Value(figure.use, figure.use, figure.use) if planned else figure.value
    if value.low is None or value.high is None:
        return ""
    for factor in _factors(figure):
        for unit in _TIMES if factor.unit.kinds == _TIME else (factor.unit,):
            if found := _rounded(factor, unit, planned):
                ends, text = found
                carried = Value(value.low * ends[0], value.low * ends[0] if planned else None, value.high * ends[1])
                if distance(stated, carried, low, high) == 0:
                    return f"it comes out when {factor.title} is rounded to {text} first"
    return ""


def _factors(figure: Figure) -> Iterator[Figure]:
    """The reckoned figures that a figure is so many times of, the nearest first; what is itself by name comes last."""
    waiting, seen, itself = [(figure, 0)], {figure.address}, []
    for one, deep in waiting:
        for operand in _multiplied(one):
            if operand.address not in seen and deep < MOST_DEEP:
                seen.add(operand.address)
                waiting.append((operand, deep + 1))
                if isinstance(operand.origin, Reckoned | Worked):
                    if operand.value == figure.value or operand.use == figure.use:
                        itself.append(operand)
                    else:
                        yield operand
    yield from itself


def _multiplied(figure: Figure) -> Iterator[Figure]:
    """The operands that stand as factors in a product; the one figure that another is by name."""
    if isinstance(figure.origin, Reckoned):
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


def _rounded(figure: Figure, unit: Unit, planned: bool) -> tuple[tuple[Fraction, Fraction], str] | None:
    """How many times the rounded ends are the exact ones, and the rounded text; None where nothing is rounded off."""
    value = figure.value
    ends = (value.use, value.use) if planned else (value.low, value.high)
    if ends[0] is None or ends[1] is None or not ends[0]:
        return None
    exact = [unit.from_base(figure.unit.to_base(end)) for end in ends if end is not None]
    if exact[0] < 1 or exact[1] >= 1000:
        return None
    whole = [Fraction(round(end)) for end in exact]
    ratios = [one / two for one, two in zip(whole, exact, strict=True)]
    if whole == exact or any(abs(ratio - 1) > MOST_OFF for ratio in ratios):
        return None
    text = f"{whole[0]}" if whole[0] == whole[1] else f"{whole[0]}–{whole[1]}"
    return (ratios[0], ratios[1]), f"{text} {unit.symbol}"
