"""A formula and its operands -> a Figure. Each input range enters once, however often the input is used.

An input that only raises the result gives its low end to the low end of the result; one that does both is tried at both
ends; more than twelve such inputs are refused. No function here recurses from figure to figure: chains may be long.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from itertools import product

from reckon.language.expression import Formula, Name
from reckon.language.quantity import UNKNOWN, Value, point
from reckon.language.text import NOWHERE, Place, Refusal
from reckon.language.units import Unit
from reckon.model.figure import Figure, Reckoned, missing_of, operands

from .arithmetic import Undetermined, in_measure, number
from .dimensions import check_target, counted_words, measure
from .slopes import Slope, slope

MOST_MIXED = 12


def derive(
    formula: Formula,
    inputs: Mapping[str, Figure],
    unit: Unit,
    *,
    address: str = "",
    title: str = "",
    place: Place = NOWHERE,
    form: str = "",
    checked: bool = True,
) -> Figure:
    """The figure that a formula gives over its operands, in the unit asked for. Raises Refusal with the position.

    `checked=False` leaves the units unchecked, to try what a formula would give with a factor left out.
    """
    if checked:
        units = {name: (figure.unit, form_of(figure)) for name, figure in inputs.items()}
        check_target(measure(formula.tree, units, counted_words(units, unit)), unit)
    origin = Reckoned(formula, inputs, place)
    if isinstance(formula.tree, Name):
        form = form or inputs[formula.tree.name].form
    missing = missing_of(inputs.values())
    if missing:
        return Figure(address, title, unit, UNKNOWN, origin, form, missing)
    value, moves = _reckoned(origin, unit)
    return Figure(address, title, unit, value, origin, form, (), moves)


def _reckoned(origin: Reckoned, unit: Unit) -> tuple[Value, Mapping[str, int]]:
    """The value of a formula in a unit, and which way each of its uncertain inputs moves it."""
    tree, inputs = origin.formula.tree, origin.operands
    if isinstance(tree, Name):
        same = inputs[tree.name]
        if (same.leaves or same.value.exact) and (same.unit is unit or same.unit.scale == unit.scale):
            return same.value, same.leaves  # another name for a figure moves as it does
    if any(figure.leaves for figure in inputs.values()):
        return _spread(origin, unit)
    return point(unit.from_base(number(tree, lambda name: _base(inputs[name])))), {}


def _base(figure: Figure) -> Fraction:
    if figure.value.use is None:
        raise Undetermined
    return figure.unit.to_base(figure.value.use)


def _slope_of(figure: Figure) -> Slope:
    low, high, base = figure.value.low, figure.value.high, figure.unit.to_base
    bottom = None if low is None else base(low)
    return Slope(bottom, bottom if high is low else None if high is None else base(high), figure.leaves)


def _spread(origin: Reckoned, unit: Unit) -> tuple[Value, Mapping[str, int]]:
    """Low, use and high of a formula in a unit, and which way each of its uncertain inputs moves it."""
    bounds = slope(origin.formula.tree, lambda name: _slope_of(origin.operands[name]))
    if reached := _reached(bounds, origin.operands.values()):
        low, high = (unit.from_base(end) for end in reached)
        return Value(low, _use(origin, unit), high), bounds.moves
    lows, highs = _tried(Figure("", "", unit, UNKNOWN, origin), bounds.moves)
    use = _use(origin, unit)
    # Between its ends an input that raises and lowers can go further than at both of them.
    known = [] if use is None else [use]
    lowest = None if None in lows else min([end for end in lows if end is not None] + known)
    highest = None if None in highs else max([end for end in highs if end is not None] + known)
    return Value(lowest, use, highest), bounds.moves


def _use(origin: Reckoned, unit: Unit) -> Fraction | None:
    try:
        return unit.from_base(number(origin.formula.tree, lambda name: _base(origin.operands[name])))
    except Undetermined:
        return None


def _reached(bounds: Slope, inputs: Collection[Figure]) -> tuple[Fraction, Fraction] | None:
    """The bounds, in base units, where they are the ends: if each input moves all parts one way, all reach theirs."""
    low, high = bounds.low, bounds.high
    if low is None or high is None or not (in_measure(low) and in_measure(high)):
        return None
    alike = all(bounds.moves.values()) and all(figure.leaves or figure.value.exact for figure in inputs)
    return (low, high) if alike else None


def _tried(figure: Figure, moves: Mapping[str, int]) -> list[list[Fraction | None]]:
    """A figure at its low and at its high corners: several where inputs move it both ways. None where one is open."""
    assert isinstance(figure.origin, Reckoned)
    mixed = sorted(leaf for leaf, direction in moves.items() if direction == 0)
    if len(mixed) > MOST_MIXED:
        right = f"at most {MOST_MIXED} can be tried at both ends: fix some"
        raise Refusal(f"{len(mixed)} ranges both raise and lower the result", right)
    ends: list[list[Fraction | None]] = []
    for raising in (-1, 1):
        fixed = {leaf: raising * direction for leaf, direction in moves.items() if direction}
        tried = [{**fixed, **dict(zip(mixed, signs, strict=True))} for signs in product((-1, 1), repeat=len(mixed))]
        ends.append([_corner(figure, corner) for corner in tried])
    return ends


def _corner(figure: Figure, corner: Mapping[str, int]) -> Fraction | None:
    """The figure with each uncertain input at its low (-1) or high (1) end; None where such an end is open."""
    values: dict[int, Fraction] = {}
    stack = [(figure, False)]
    while stack:
        one, ready = stack.pop()
        if ready:
            assert isinstance(one.origin, Reckoned)
            inputs = one.origin.operands
            values[id(one)] = number(one.origin.formula.tree, lambda name, inputs=inputs: values[id(inputs[name])])  # type: ignore[misc]
        elif one is figure or (one.leaves and not _side(one, corner)):
            stack.append((one, True))
            stack.extend((operand, False) for operand in operands(one) if id(operand) not in values)
        else:
            end = one.value.use if not one.leaves else one.value.low if _side(one, corner) < 0 else one.value.high
            if end is None:
                return None
            values[id(one)] = end * one.unit.scale
    return values[id(figure)] / figure.unit.scale


def _side(figure: Figure, corner: Mapping[str, int]) -> int:
    """Which end of a figure a corner stands for: it need not be walked to its inputs then. 0 where it is neither."""
    sides = {corner[leaf] * direction for leaf, direction in figure.leaves.items()}
    return sides.pop() if len(sides) == 1 else 0


def form_of(figure: Figure) -> str:
    """How a ratio was written, if it was; one that is reckoned cannot be mistaken for a percentage."""
    while isinstance(figure.origin, Reckoned):
        tree = figure.origin.formula.tree
        if not isinstance(tree, Name):
            return "x"
        figure = figure.origin.operands[tree.name]
    return figure.form
