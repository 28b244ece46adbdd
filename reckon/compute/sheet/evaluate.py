"""A formula and its operands -> a Figure. Each input range enters once, however often the input is used.

An input that only raises the result gives its low end to the low end of the result; an input that both raises and
lowers it is tried at both ends, and more than twelve such inputs are refused. No function here recurses from figure to
figure: chains may be long.

A formula is checked for what it measures: strict kinds must come out as the target's; counts may be left above the
line of a fraction, but never below it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Formula, Name, Negation, Number
from reckon.language.lazy import regex
from reckon.language.quantity import UNKNOWN, Value, point
from reckon.language.text import NOWHERE, Place, Refusal
from reckon.language.units import PLAIN, Powers, Unit, carries, combine, kind_words
from reckon.model.figure import Calculated, Figure, Figures, missing_of, operands, value_in

from .arithmetic import Slope, Undetermined, is_bounded, number, slope

MOST_MIXED = 12
_LIKE_UNIT = regex(r"(?!\w+_per_)(?:\w+_)?(?:second|minute|hour|day|week|month|gpu|node)").fullmatch
"""Whether a name ends in a single unit, and may mean something else: `second`, `per_gpu`."""
Units = Mapping[str, tuple[Unit, str]]
"""Unit and form of each name in a formula."""


def derive(
    formula: Formula,
    inputs: Figures,
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
        try:
            check_target(measure(formula.tree, units, counted_words(units, unit)), unit)
        except Refusal as refusal:
            names = ", ".join(filter(_LIKE_UNIT, units))
            right = f"{refusal.right}; a name is read as a unit: `{names}`" if names else refusal.right
            raise Refusal(refusal.wrong, right, refusal.at) from None
    origin = Calculated(formula, inputs, place)
    if isinstance(formula.tree, Name):
        form = form or inputs[formula.tree.name].form
    missing = missing_of(inputs.values())
    if missing:
        return Figure(address, title, unit, UNKNOWN, origin, form, missing)
    value, moves = _calculated(origin, unit)
    return Figure(address, title, unit, value, origin, form, (), moves)


def _calculated(origin: Calculated, unit: Unit) -> tuple[Value, Mapping[str, int]]:
    """The value of a formula in a unit, and which way each of its uncertain inputs moves it."""
    tree, inputs = origin.formula.tree, origin.operands
    if isinstance(tree, Name):
        same = inputs[tree.name]
        # Another name for a figure moves as that figure does.
        if (same.leaves or same.value.exact) and (same.unit is unit or same.unit.scale == unit.scale):
            return same.value, same.leaves
    if any(figure.leaves for figure in inputs.values()):
        return _spread(origin, unit)
    return point(unit.from_base(number(tree, lambda name: _base(inputs[name])))), {}


def _base(figure: Figure) -> Fraction:
    if figure.value.use is None:
        raise Undetermined
    return figure.unit.to_base(figure.value.use)


def _slope_of(figure: Figure) -> Slope:
    value = value_in(figure)
    return Slope(value.low, value.high, figure.leaves)


def _spread(origin: Calculated, unit: Unit) -> tuple[Value, Mapping[str, int]]:
    """Low, use and high of a formula in a unit, and which way each of its uncertain inputs moves it."""
    bounds = slope(origin.formula.tree, lambda name: _slope_of(origin.operands[name]))
    if reached := _reached(bounds, origin.operands.values()):
        low, high = (unit.from_base(end) for end in reached)
        return Value(low, _use(origin, unit), high), bounds.moves
    lows, highs = _corner_values(Figure("", "", unit, UNKNOWN, origin), bounds.moves)
    use = _use(origin, unit)
    # Between its ends an input that raises and lowers can go further than at both of them.
    known = [] if use is None else [use]
    lowest = None if None in lows else min([end for end in lows if end is not None] + known)
    highest = None if None in highs else max([end for end in highs if end is not None] + known)
    return Value(lowest, use, highest), bounds.moves


def _use(origin: Calculated, unit: Unit) -> Fraction | None:
    try:
        return unit.from_base(number(origin.formula.tree, lambda name: _base(origin.operands[name])))
    except Undetermined:
        return None


def _reached(bounds: Slope, inputs: Collection[Figure]) -> tuple[Fraction, Fraction] | None:
    """The bounds, in base units, where they are the ends: if each input moves all parts one way, all reach theirs."""
    low, high = bounds.low, bounds.high
    if low is None or high is None or not (is_bounded(low) and is_bounded(high)):
        return None
    alike = all(bounds.moves.values()) and all(figure.leaves or figure.value.exact for figure in inputs)
    return (low, high) if alike else None


def _corner_values(figure: Figure, moves: Mapping[str, int]) -> list[list[Fraction | None]]:
    """A figure at its low and at its high corners: several where inputs move it both ways. None where one is open."""
    assert isinstance(figure.origin, Calculated)
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
        part, ready = stack.pop()
        if ready:
            assert isinstance(part.origin, Calculated)
            inputs = part.origin.operands
            values[id(part)] = number(part.origin.formula.tree, lambda name, inputs=inputs: values[id(inputs[name])])  # type: ignore[misc]
        elif part is figure or (part.leaves and not _side(part, corner)):
            stack.append((part, True))
            stack.extend((operand, False) for operand in operands(part) if id(operand) not in values)
        else:
            if not part.leaves:
                end = part.value.use
            elif _side(part, corner) < 0:
                end = part.value.low
            else:
                end = part.value.high
            if end is None:
                return None
            values[id(part)] = end * part.unit.scale
    return values[id(figure)] / figure.unit.scale


def _side(figure: Figure, corner: Mapping[str, int]) -> int:
    """Which end of a figure a corner stands for, so that its inputs need not be walked; 0 where it is neither end."""
    sides = {corner[leaf] * direction for leaf, direction in figure.leaves.items()}
    return sides.pop() if len(sides) == 1 else 0


def form_of(figure: Figure) -> str:
    """How a ratio was written, if it was; a calculated ratio cannot be mistaken for a percentage."""
    while isinstance(figure.origin, Calculated):
        tree = figure.origin.formula.tree
        if not isinstance(tree, Name):
            return "x"
        figure = figure.origin.operands[tree.name]
    return figure.form or ("x" if figure.value is UNKNOWN else "")  # what is unknown is no bare number


class Measure(NamedTuple):
    """What an expression measures: strict kinds and counts; `bare` where it is a plain number without `%` or `x`."""

    kinds: Powers
    counts: Powers
    bare: bool = False


def measure(tree: Expression, units: Units, counted: frozenset[str]) -> Measure:
    """The kinds and counts of an expression; `counted` are the counts in play (`counted_words`).

    Raises Refusal where unlike things are added, or a plain input is added to a bare number without `%` or `x`.
    """
    match tree:
        case Number(quantity=quantity):
            return Measure(quantity.unit.kinds, (), not quantity.unit.kinds and not quantity.form)
        case Name(name=name):
            unit, _ = units[name]
            carried = [(count, 1) for count in sorted(counted) if _counts(name, unit, count)] if counted else []
            return Measure(unit.kinds, combine(unit.counts, tuple(carried)))
        case Negation(term=term):
            return measure(term, units, counted)
        case Binary(operator="*" | "/" as operator, left=left, right=right):
            first, second = measure(left, units, counted), measure(right, units, counted)
            sign = 1 if operator == "*" else -1
            kinds, counts = combine(first.kinds, second.kinds, sign), combine(first.counts, second.counts, sign)
            return Measure(kinds, counts, first.bare and second.bare)
        case Binary(left=left, right=right, at=at):
            return _added([left, right], [measure(left, units, counted), measure(right, units, counted)], units, at)
        case Call(function="sum", terms=terms, at=at):
            return _added(terms, [measure(term, units, counted) for term in terms], units, at)
        case Call(function="power", terms=terms, at=at):
            return _powered([measure(term, units, counted) for term in terms], at)
        case Call(function=function, terms=terms, at=at):
            found = _common_measure([measure(term, units, counted) for term in terms], at)
            _check_whole(function, found, at)
            return found
    raise Refusal("a number is expected here, not a condition", "comparisons belong into `when:`", tree.at)


def _counts(name: str, unit: Unit, count: str) -> bool:
    """Whether a name counts something: by its own last word, or by the key of the named figure that it leads to."""
    return carries(name, count) or (not unit.kinds and carries(unit.symbol.split("/")[0], count))


def _check_whole(function: str, found: Measure, at: int) -> None:
    """Refuses to round up or down what does not say to whole what: hours, or seconds?"""
    if function in ("ceil", "floor") and any(kind not in ("gpu", "node") for kind, _ in found.kinds):
        right = f"divide by a unit first, as in `{function}(time / 1 hour) * 1 hour`"
        raise Refusal(f"`{function}` of {kind_words(found.kinds)} depends on the unit", right, at)


def _powered(parts: list[Measure], at: int) -> Measure:
    """A power has no unit, and is of something without one: of a ratio, or of a count."""
    for part in parts:
        if part.kinds:
            raise Refusal(f"`power` of {kind_words(part.kinds)}", "divide by what it is compared with", at)
    return Measure((), ())


def _added(terms: Sequence[Expression], parts: list[Measure], units: Units, at: int) -> Measure:
    """`1 + x` means a share: an input there is written with its `%` or `x`, so that 10 is never taken for 10%."""
    if any(part.bare for part in parts):
        for term in terms:
            if isinstance(term, Name) and not units[term.name][0].kinds and not units[term.name][1]:
                right = "write its value with `%` (10%) or `x` (1.1x)"
                raise Refusal(f"`{term.name}` is added to a bare number", right, term.at)
    return _common_measure(parts, at)


def _common_measure(parts: list[Measure], at: int) -> Measure:
    first = parts[0]
    for part in parts[1:]:
        if part.kinds != first.kinds:
            wrong = f"{kind_words(first.kinds)} and {kind_words(part.kinds)} are put together"
            raise Refusal(wrong, "both sides must measure the same", at)
    counts = [dict(part.counts) for part in parts]
    named = sorted({name for count in counts for name in count})
    shared = {}
    for name in named:
        shared[name] = min(count.get(name, 0) for count in counts)
    return Measure(first.kinds, combine((), tuple(shared.items())), all(part.bare for part in parts))


def check_target(found: Measure, target: Unit) -> None:
    """Refuses a result that does not measure what its key says, or that leaves a count below."""
    if found.kinds != target.kinds:
        gpu_missing = combine(target.kinds, found.kinds, -1) == (("gpu", 1),)
        other = "look for a factor that is missing or too many, or name the rate in the key, as `usd_per_month`"
        right = "multiply by the number of GPUs" if gpu_missing else other
        if ("month", -1) in found.kinds and ("time", -1) in target.kinds:
            right = "a month has no fixed hours: divide by hours that you state, such as `hours_per_month: 730`"
        raise Refusal(f"this gives {kind_words(found.kinds)}, its key asks for {kind_words(target.kinds)}", right)
    given, wanted = dict(found.counts), dict(target.counts)
    for count, exponent in found.counts:
        if exponent < min(wanted.get(count, 0), 0):
            right = f"multiply by what counts each {count}, or look for a misspelt `_per_{count}`"
            raise Refusal(f"`per {count}` is left over", right)
    for count, exponent in target.counts:
        if given.get(count, 0) != exponent:
            right = f"divide by what counts each {count}, or rename the key"
            raise Refusal(f"its key says per {count}, the formula does not", right)


def counted_words(units: Units, target: Unit = PLAIN) -> frozenset[str]:
    """The words that stand after `per` in an expression: names that end in one of them count it."""
    below = [count for unit, _ in units.values() for count, exponent in unit.counts if exponent < 0]
    return frozenset(below + [count for count, _ in target.counts])
