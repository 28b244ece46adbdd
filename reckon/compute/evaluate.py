"""A formula and its operands -> a Figure. Each input range enters once, however often the input is used.

An input that only raises the result gives its low end to the low end of the result; one that does both is tried at both
ends; more than twelve such inputs are refused. No function here recurses from figure to figure: chains may be long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

from reckon.language.expression import Formula, Name
from reckon.language.quantity import Value, point
from reckon.language.text import NOWHERE, Place, Refusal
from reckon.language.units import Unit
from reckon.model.figure import Figure, Reckoned, operands

from .arithmetic import Undetermined, number
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
        units = {name: (figure.unit, figure.form) for name, figure in inputs.items()}
        check_target(measure(formula.tree, units, counted_words(units, unit)), unit)
    origin = Reckoned(formula, inputs, place)
    if isinstance(formula.tree, Name):
        form = form or inputs[formula.tree.name].form
    missing = tuple(dict.fromkeys(one for figure in inputs.values() for one in figure.missing))
    if missing:
        return Figure(address, title, unit, Value(None, None, None), origin, form, missing)
    if not any(figure.leaves for figure in inputs.values()):
        exact = number(formula.tree, lambda name: _base(inputs[name])) / unit.scale
        return Figure(address, title, unit, point(exact), origin, form)
    bare = Figure(address, title, unit, Value(None, None, None), origin, form)
    value, moves = _spread(bare)
    return Figure(address, title, unit, value, origin, form, (), moves)


def _base(figure: Figure) -> Fraction:
    if figure.value.use is None:
        raise Undetermined
    return figure.value.use * figure.unit.scale


def _slope_of(figure: Figure) -> Slope:
    low, high = figure.value.low, figure.value.high
    scale = figure.unit.scale
    return Slope(None if low is None else low * scale, None if high is None else high * scale, figure.leaves)


def _spread(figure: Figure) -> tuple[Value, Mapping[str, int]]:
    """Low, use and high of a figure in its unit, and which way each of its uncertain inputs moves it."""
    origin = figure.origin
    assert isinstance(origin, Reckoned)
    moves = slope(origin.formula.tree, lambda name: _slope_of(origin.operands[name])).moves
    chain = list(_in_order(figure))
    leaves = {one.address: one for one in chain if one.address in moves and not isinstance(one.origin, Reckoned)}
    mixed = sorted(leaf for leaf, direction in moves.items() if direction == 0)
    if len(mixed) > MOST_MIXED:
        raise Refusal(
            f"{len(mixed)} ranges both raise and lower the result",
            f"at most {MOST_MIXED} can be tried at both ends: fix some",
        )
    ends: list[list[Fraction | None]] = []
    for raising in (-1, 1):
        fixed = {leaf: raising * direction for leaf, direction in moves.items() if direction}
        tried = [{**fixed, **dict(zip(mixed, signs, strict=True))} for signs in product((-1, 1), repeat=len(mixed))]
        ends.append([_corner(figure, chain, leaves, corner) for corner in tried])
    low = None if None in ends[0] else min(end for end in ends[0] if end is not None)
    high = None if None in ends[1] else max(end for end in ends[1] if end is not None)
    try:
        use = number(origin.formula.tree, lambda name: _base(origin.operands[name])) / figure.unit.scale
    except Undetermined:
        use = None
    return Value(low, use, high), moves


def _in_order(figure: Figure) -> Iterator[Figure]:
    """The uncertain figures below a figure and itself, operands before what is reckoned from them."""
    seen: set[int] = set()
    stack = [(figure, False)]
    while stack:
        one, ready = stack.pop()
        if ready:
            yield one
        elif id(one) not in seen:
            seen.add(id(one))
            stack.append((one, True))
            stack.extend((operand, False) for operand in operands(one) if operand.leaves)


def _corner(
    figure: Figure, chain: list[Figure], leaves: Mapping[str, Figure], corner: Mapping[str, int]
) -> Fraction | None:
    """The figure with each uncertain input at its low (-1) or high (1) end; None where such an end is open."""
    values: dict[int, Fraction] = {}
    for one in chain:
        if isinstance(one.origin, Reckoned):
            inputs = one.origin.operands
            values[id(one)] = number(one.origin.formula.tree, lambda name, inputs=inputs: _at(inputs[name], values))  # type: ignore[misc]
        else:
            end = one.value.low if corner[one.address] < 0 else one.value.high
            if end is None:
                return None
            values[id(one)] = end * one.unit.scale
    return values[id(figure)] / figure.unit.scale


def _at(figure: Figure, values: Mapping[int, Fraction]) -> Fraction:
    return values[id(figure)] if id(figure) in values else _base(figure)
