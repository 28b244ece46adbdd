"""What a sum consists of: the row whose amount a stated total misses, and how far rounded rows can have moved it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number
from reckon.language.quantity import ONE, ZERO, Value, add_up, read_quantity
from reckon.language.text import Refusal, first_of, place_of
from reckon.language.units import Unit
from reckon.model.figure import HOURS, OWN_HOURS, Calculated, Figure, Stated, Tallied, closure, planned, value_in
from reckon.model.ledger import ProjectLedger

from .carried import is_near, same_figure
from .slips import row_title, tolerances

MOST_FIGURES, MOST_ROWS, MOST_PLACES, MOST_NAMED, MOST_LEVELS = 300, 10_000, 12, 3, 3
_COUNTS = ("gpu", "node")


class Addend(NamedTuple):
    """A part of a sum: what it is called, and its amount in base units."""

    title: str
    amount: Fraction


def addends(figure: Figure, project: ProjectLedger) -> list[Addend]:
    """The parts of a sum, and the parts of those that are sums themselves, the nearest first; runs are parts too.

    Empty where the figure is not a sum, or one of too many parts to look through.
    """
    waiting = [figure]
    found = list[Addend]()
    for part in waiting:
        if part is not figure and part.use is not None and part.value.exact:
            found.append(Addend(row_title(part.title), planned(part)))
        if isinstance(part.origin, Calculated):
            waiting += (part.origin.operands[name] for name in _summed(part.origin.formula.tree))
        elif isinstance(part.origin, Tallied) and part.origin.count <= MOST_ROWS:
            found += _rows(part, part.origin, project)
        if len(waiting) > MOST_ROWS:
            return []
    return found


def _summed(tree: Expression) -> Iterator[str]:
    """The names that stand as terms of a sum; of a formula that is a name alone, that name."""
    match tree:
        case Name(name=name):
            yield name
        case Binary(operator="+", left=left, right=right):
            yield from _summed(left)
            yield from _summed(right)
        case Call(function="sum", terms=terms):
            for term in terms:
                yield from _summed(term)


def _rows(figure: Figure, origin: Tallied, project: ProjectLedger) -> Iterator[Addend]:
    """The runs of a sum over runs, each with its place."""
    for _, run, traits in project.each_entry():
        if origin.selection.means(traits):
            field = origin.selection.field
            amount = run.charged_hours if field in (HOURS, OWN_HOURS) else getattr(run, field, None)
            if amount:
                yield Addend(f"the run at {place_of(run.item).short}", figure.unit.to_base(amount))


def missed(stated: Fraction, figure: Figure, tolerance: Fraction, project: ProjectLedger) -> str:
    """The part of a sum without which it is what was stated; empty where there is none. In the figure's unit."""
    if figure.use is None or not figure.value.exact:
        return ""
    gap = figure.use - stated
    for part in addends(figure, project):
        amount = figure.unit.from_base(part.amount)
        if amount > 2 * tolerance and abs(gap - amount) <= tolerance:
            return part.title
    return ""


def alone(stated: Value, figure: Figure, low: Fraction, high: Fraction) -> str:
    """The part of a sum that a stated total is by itself, with the two or more others, above zero, that are not in it;
    empty where there is none, or where the others are no more than rounding. `low` and `high` are how far the ends of
    what is stated can have been rounded, in the figure's unit."""
    parts = _parts(figure)
    found = ""
    for _ in range(MOST_LEVELS):
        found = found or _alone(stated, parts, figure.unit, low, high)
        # Subtotals, as those of phases, give way to what they add up.
        parts = [below for part in parts for below in (_parts(part) or [part])]
        if len(parts) > MOST_FIGURES:
            break
    return found


def _alone(stated: Value, parts: Sequence[Figure], unit: Unit, low: Fraction, high: Fraction) -> str:
    values = [value_in(part, unit) for part in parts]
    if len(parts) < 3 or any(value.low is None or value.low < 0 for value in values):
        return ""
    lows = [value.low or ZERO for value in values]
    for index, value in enumerate(values):
        others = [part for part, other in zip(parts, lows, strict=True) if part is not parts[index] and other > 0]
        if len(others) > 1 and sum(lows) - lows[index] > low + high and _same(stated, value, low, high):
            titles = _titles(parts)
            left = [titles[id(part)] for part in others]
            return f"it is {titles[id(parts[index])]} alone: {first_of(left, MOST_NAMED)} are not in it"
    return ""


def _same(first: Value, second: Value, low: Fraction, high: Fraction) -> bool:
    """Whether two values are the same from end to end, but for rounding."""
    pairs = ((first.low, second.low, low), (first.high, second.high, high))
    return all(is_near(*pair) for pair in pairs)


def _parts(figure: Figure) -> list[Figure]:
    """The terms of a sum, as it is written; of a figure by another name, those of that one."""
    while same := same_figure(figure):
        figure = same
    if not isinstance(figure.origin, Calculated):
        return []
    return [figure.origin.operands[name] for name in _summed(figure.origin.formula.tree)]


def _titles(parts: Sequence[Figure]) -> dict[int, str]:
    """What parts are called among each other: their records, or what they are of one."""
    pairs = {id(part): part.title.partition(": ") for part in parts}
    heads = {head for head, _, _ in pairs.values()}
    return {key: head if len(heads) == len(parts) or not tail else tail for key, (head, _, tail) in pairs.items()}


def rounding(figure: Figure, project: ProjectLedger) -> Fraction:
    """How far a figure can move while each amount that is stated below it moves by half of its last written digit.

    The hours of runs are such amounts; `project` has them. Counts and ratios are taken as they stand, eight GPUs are
    eight and 15% is what was decided, and so is a factor that is a whole number. In the figure's unit, to first order;
    0 for a figure that is stated itself, and where too much is below it.
    """
    below = list(closure(figure, most=MOST_FIGURES))
    calculated = isinstance(figure.origin, Calculated | Tallied)
    if not calculated or len(below) > MOST_FIGURES or not figure.value.exact:
        return ZERO
    moved: dict[int, _Moves] = {}
    for part in reversed(below):  # what lies below comes first, but for what is met on two ways
        if isinstance(part.origin, Tallied):
            moved[id(part)] = _of_runs(part, part.origin, project)
        _move(part, moved)
    return figure.unit.from_base(add_up(map(abs, _move(figure, moved).values())))


def _of_runs(figure: Figure, origin: Tallied, project: ProjectLedger) -> _Moves:
    """How far a sum of the hours of runs can move; not at all where they are many, or are divided over days.

    Hours on another GPU than that of the project are left out where they count as hours of that one.
    """
    asked = origin.selection
    if origin.count > MOST_FIGURES or asked.days or asked.field not in (HOURS, OWN_HOURS):
        return {}
    meant = [
        run
        for _, run, traits in project.each_run()
        if asked.means(traits) and (asked.field == OWN_HOURS or traits.gpu == project.gpu)
    ]
    halves = [
        _half_of(run.wall_hours or ZERO) * (run.gpus or 0) if run.gpu_hours is None else _half_of(run.gpu_hours)
        for run in meant
    ]
    whole = all(run.charged_hours.denominator == 1 for run in meant)
    return {(id(figure), whole): figure.unit.to_base(add_up(halves))} if halves else {}


def _half_of(number: Fraction) -> Fraction:
    """Half of the last digit of a number as it is kept, without zeros at its end; 0 where the digits have no end."""
    for places in range(MOST_PLACES):
        if (number * 10**places).denominator == 1:
            return Fraction(1, 2 * 10**places)
    return ZERO


_Moves = dict[tuple[int, bool], Fraction]
"""By which stated amounts a figure moves, and by how much as each grows; an amount that is met twice moves once. Beside
each stands whether it is written as a whole number: as a factor such a one is taken as it stands, as in 2 bytes."""
_Moving = tuple[Fraction, _Moves]


def _move(figure: Figure, moved: dict[int, _Moves]) -> _Moves:
    if id(figure) not in moved:
        moved[id(figure)] = {}
        if isinstance(figure.origin, Stated) and (half := _half(figure, figure.origin)):
            moved[id(figure)] = {(id(figure), "." not in figure.origin.text): half}
        elif isinstance(figure.origin, Calculated):
            inputs = figure.origin.operands
            moves = {name: (planned(operand), _move(operand, moved)) for name, operand in inputs.items()}
            moved[id(figure)] = _spread(figure.origin.formula.tree, moves)[1]
    return moved[id(figure)]


def _half(figure: Figure, origin: Stated) -> Fraction:
    """Half of the last digit of a stated amount, in base units; 0 for a count or a ratio."""
    if figure.form or not figure.value.exact or all(kind in _COUNTS for kind, _ in figure.unit.kinds):
        return ZERO
    try:
        return figure.unit.to_base(tolerances(origin.text, read_quantity(origin.text, figure.unit))[0])
    except (Refusal, IndexError):
        return ZERO


def _spread(tree: Expression, moves: Mapping[str, _Moving]) -> _Moving:
    """What an expression of sums and products, also cut to whole numbers, comes to in base units; and what moves it."""
    match tree:
        case Name(name=name):
            return moves[name]
        case Number(quantity=quantity):
            return quantity.unit.to_base(quantity.value.use or ZERO), {}
        case Negation(term=term):
            number, move = _spread(term, moves)
            return -number, _times((move, Fraction(-1)))
        case Call(function="sum", terms=terms):
            parts = [_spread(term, moves) for term in terms]
            return add_up(part[0] for part in parts), _times(*((part[1], ONE) for part in parts))
        case Call(function="floor" | "ceil" as function, terms=(term,)):
            number, move = _spread(term, moves)
            return Fraction(floor(number) if function == "floor" else ceil(number)), move
        case Binary(operator=operator, left=left, right=right):
            return _joined(operator, _spread(left, moves), _spread(right, moves))
    return ZERO, {}


def _joined(operator: str, left: _Moving, right: _Moving) -> _Moving:
    """A sum, difference, product or quotient, to first order."""
    first, move = left
    second, other = right
    if operator in "+-":
        sign = Fraction(1 if operator == "+" else -1)
        return first + sign * second, _times((move, ONE), (other, sign))
    move, other = ({leaf: by for leaf, by in moves.items() if not leaf[1]} for moves in (move, other))
    if operator == "*":
        return first * second, _times((move, second), (other, first))
    if not second:
        return ZERO, {}
    return first / second, _times((move, 1 / second), (other, -first / second**2))


def _times(*parts: tuple[_Moves, Fraction]) -> _Moves:
    """Moves times numbers, added up."""
    found: _Moves = defaultdict(Fraction)
    for moves, factor in parts:
        for leaf, move in moves.items():
            found[leaf] += move * factor
    return found
