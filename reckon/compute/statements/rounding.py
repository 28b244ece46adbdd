"""How far a figure can have moved because what it is calculated from was rounded when it was written down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number
from reckon.language.lazy import regex
from reckon.language.quantity import ONE, ZERO, add_up, read_quantity
from reckon.language.text import Refusal
from reckon.model.figure import HOURS, OWN_HOURS, Calculated, Figure, Stated, Tallied, closure, planned
from reckon.model.ledger import ProjectLedger

from .agreement import tolerances

MOST_FIGURES, MOST_PLACES = 300, 12
_COUNTS = ("gpu", "node")
_ROUGH = regex(r"~|[0-9]\s*[kMBT]\b")
"""What is written so is rounded, however whole it is: 8B are 7.5 to 8.5."""


def rounding_of(figure: Figure, project: ProjectLedger) -> Fraction:
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
            is_whole = "." not in figure.origin.text and not _ROUGH.search(figure.origin.text)
            moved[id(figure)] = {(id(figure), is_whole): half}
        elif isinstance(figure.origin, Calculated):
            inputs = figure.origin.operands
            moves = {name: (planned(operand), _move(operand, moved)) for name, operand in inputs.items()}
            moved[id(figure)] = _spread(figure.origin.formula.tree, moves)[1]
    return moved[id(figure)]


def _half(figure: Figure, origin: Stated) -> Fraction:
    """Half of the last printed digit of a stated amount, in base units; 0 for a ratio, and for a count in full."""
    is_count = all(kind in _COUNTS for kind, _ in figure.unit.kinds) and not _ROUGH.search(origin.text)
    if figure.form or not figure.value.exact or is_count:
        return ZERO
    text = origin.text.lstrip("~ ")
    try:
        return figure.unit.to_base(tolerances(text, read_quantity(text, figure.unit))[0])
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
