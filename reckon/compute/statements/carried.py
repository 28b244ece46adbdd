"""What a document's own figures give: a formula over the values that the document states, and a share among GPUs.

A document that states a wrong figure and calculates with it makes one mistake, however many figures follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from msgspec import Struct

from reckon.language.expression import Name
from reckon.language.quantity import ZERO, Value
from reckon.language.text import Refusal
from reckon.model.figure import Calculated, Figure, Figures, Worked, closure, operands, value_in

from ..sheet.cells import picked
from ..sheet.evaluate import derive

MOST_FIGURES = 300
"""Where more figures than this lie below one, it is not calculated again from what is stated."""
MOST_SLACK = Fraction(1, 10)
"""Rounding of operands that can move a result by more than this share tells nothing any more."""
SHARED = "divided among the GPUs"
ENDS = (".low", ".use", ".high")


class Statement(Struct, frozen=True):
    """What a document states of a figure: the position of the check, the value, and half of its last digit at either
    end in the unit of the value; `at` is the place in the document without its last part, such as the row."""

    position: int
    figure: Figure
    stated: Figure
    low: Fraction
    high: Fraction
    at: str
    holds: bool

    @property
    def base(self) -> str:
        """The address of the figure; of an end of a figure, that of the whole."""
        return base_of(self.figure.address)

    @property
    def is_input(self) -> bool:
        """Whether it states an amount that the ledger has as it is: no digit of it was rounded off."""
        return self.figure.is_stated and self.same(self.figure)

    def same(self, other: Figure) -> bool:
        """Whether a figure has just the value that is stated."""
        return value_in(other, self.stated.unit) == self.stated.value


class Carried(NamedTuple):
    """What stated figures give for another one: the figure, and from which."""

    figure: Figure
    used: tuple[Statement, ...]


def base_of(address: str) -> str:
    """An address without `.low`, `.use` or `.high` at its end."""
    return address.rpartition(".")[0] if address.endswith(ENDS) else address


def carried(target: Figure, given: Mapping[str, Statement]) -> Carried | None:
    """A figure calculated from what is stated below it; None where nothing is, or too much lies below."""
    others = _others(target, given)
    found = _rebuilt(target, {at: statement.stated for at, statement in others.items()})
    if found is None or not found[1] or found[0].missing:
        return None
    figure, used = found
    return Carried(figure, tuple({others[at].position: others[at] for at in used}.values()))


def rounding_of(target: Figure, given: Mapping[str, Statement], found: Carried) -> Fraction:
    """How far the rounding of the stated figures can have moved what they give: reason to accuse nobody of another
    rounding, and none to agree."""
    others = _others(target, given)
    slack = ZERO
    for statement in found.used:
        if not statement.is_input:
            moved = replace(statement.stated, value=_moved(statement))
            same = {at: (moved if other is statement else other.stated) for at, other in others.items()}
            again = _rebuilt(target, same)
            slack += _apart(found.figure, again[0]) if again else ZERO
    return min(slack, abs(_size(found.figure)) * MOST_SLACK)


def _others(target: Figure, given: Mapping[str, Statement]) -> dict[str, Statement]:
    """What is stated of other figures than a target."""
    return {at: statement for at, statement in given.items() if base_of(at) != base_of(target.address)}


def _size(figure: Figure) -> Fraction:
    return figure.use or figure.value.low or figure.value.high or ZERO


def _moved(statement: Statement) -> Value:
    """A stated value, half of its last digit higher."""
    value = statement.stated.value
    by = max(statement.low, statement.high)
    return Value(*(None if end is None else end + by for end in value.ends))


def _apart(first: Figure, second: Figure) -> Fraction:
    ends = zip(first.value.ends, second.value.ends, strict=True)
    return max((abs(one - other) for one, other in ends if one is not None and other is not None), default=ZERO)


def _rebuilt(target: Figure, given: Figures) -> tuple[Figure, list[str]] | None:
    """A figure with the given ones in place of those below it, and the addresses of those that were used."""
    made: dict[int, Figure] = {}
    used: dict[str, None] = {}
    stack = [(target, False)]
    while stack:
        part, ready = stack.pop()
        if id(part) in made:
            continue
        if len(made) > MOST_FIGURES:
            return None
        if part is not target and part.address in given:
            used[part.address] = None
            made[id(part)] = given[part.address]
        elif not isinstance(part.origin, Calculated):
            made[id(part)] = part
        elif ready:
            try:
                made[id(part)] = _again(part, part.origin, made)
            except (Refusal, ArithmeticError):
                return None
        else:
            stack.append((part, True))
            stack.extend((operand, False) for operand in part.origin.operands.values())
    return made[id(target)], list(used)


def _again(part: Figure, origin: Calculated, made: Mapping[int, Figure]) -> Figure:
    """A calculated figure over operands that may have been given another value."""
    inputs = {name: made[id(operand)] for name, operand in origin.operands.items()}
    if all(inputs[name] is operand for name, operand in origin.operands.items()):
        return part
    if isinstance(origin.formula.tree, Name) and part.address.endswith(ENDS):
        (whole,) = inputs.values()
        if base_of(part.address) == next(iter(origin.operands.values())).address:
            return replace(picked(whole, part.address.rpartition(".")[2]), address=part.address, title=part.title)
    return derive(
        origin.formula, inputs, part.unit, address=part.address, title=part.title, form=part.form, checked=False
    )


def agrees(stated: Statement, found: Carried) -> bool:
    """Whether what is stated is what other stated figures give, to its printed digits.

    A single number may be any end of a range, or its value to plan with: who calculates takes one of them.
    """
    given = found.figure.value
    scale = stated.stated.unit.scale / found.figure.unit.scale
    said = value_in(stated.stated, found.figure.unit)
    below = stated.low * scale
    above = stated.high * scale
    if said.exact and said.use is not None:
        return any(end is not None and abs(said.use - end) <= below for end in given.ends)
    pairs = ((said.low, given.low, below), (said.high, given.high, above))
    return all(first is None or is_near(first, second, by) for first, second, by in pairs)


def is_near(first: Fraction | None, second: Fraction | None, by: Fraction) -> bool:
    """Whether two numbers are known that differ by so much at most."""
    return first is not None and second is not None and abs(first - second) <= by


def is_share(found: Carried) -> bool:
    """Whether it is what fewer GPUs take, divided among more."""
    return isinstance(found.figure.origin, Worked) and found.figure.origin.how == SHARED


def step_of(numbers: Sequence[Fraction]) -> Fraction:
    """The largest number of which all are multiples: in which steps a column is printed."""
    whole = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * whole) for number in numbers)), whole)


def is_below(stated: Statement, found: Carried) -> bool:
    """Whether less is stated than what other stated figures give, by the values to plan with."""
    return _base_size(stated.stated) < _base_size(found.figure)


def off(stated: Statement, found: Carried) -> Fraction:
    """How far what is stated is from what other stated figures give, by the values to plan with, in base units."""
    return abs(_base_size(stated.stated) - _base_size(found.figure))


def _base_size(figure: Figure) -> Fraction:
    return figure.unit.to_base(_size(figure))


def same_value(first: Statement, again: Statement) -> bool:
    """Whether a statement only says again what another one of the same figure says, with as many digits or fewer."""
    old = value_in(first.stated, again.stated.unit)
    new = again.stated.value
    if new.exact and new.use is not None:
        inside = old.low is not None and old.high is not None and old.low <= new.use <= old.high
        return inside or is_near(new.use, old.use, again.low)
    pairs = ((old.low, new.low, again.low), (old.high, new.high, again.high))
    return all(one == other or is_near(one, other, by) for one, other, by in pairs)


def shared(target: Statement, others: Mapping[str, list[Statement]], figures: Figures) -> Iterator[Carried]:
    """What a stated figure of a setup with fewer GPUs comes to, divided among those of this one: a document that puts
    one part of the work on each GPU calculates so, whatever the formula of the figure is."""
    gpus = _gpus(target.figure, figures)
    if gpus is None:
        return
    key = target.figure.address.rpartition(".")[2]
    rests = _rests_on(target.figure)
    for statements in others.values():
        for statement in statements:
            fewer = _gpus(statement.figure, figures)
            if fewer is None or fewer >= gpus or key not in _keys(statement.figure):
                continue
            if statement.figure.unit.kinds == target.figure.unit.kinds and _rests_on(statement.figure) <= rests:
                unit = target.figure.unit
                title = f"{statement.figure.title}, {SHARED}"
                value = value_in(statement.stated, unit).scaled(fewer / gpus)
                figure = Figure("", title, unit, value, Worked(SHARED, (statement.stated,)))
                yield Carried(figure, (statement,))


def _gpus(figure: Figure, figures: Figures) -> Fraction | None:
    """How many GPUs the record has that a figure is of."""
    gpus = figures.get(f"{figure.address.rpartition('.')[0]}.gpus")
    return gpus.use if gpus and gpus.value.exact and gpus.use else None


def _keys(figure: Figure) -> set[str]:
    """The key of a figure, and those of figures of the same record that it is by another name."""
    found = set[str]()
    record = figure.address.rpartition(".")[0]
    by_name: Figure | None = figure
    while by_name and by_name.address.rpartition(".")[0] == record:
        found.add(by_name.address.rpartition(".")[2])
        by_name = same_figure(by_name)
    return found


def same_figure(figure: Figure) -> Figure | None:
    """The figure that a figure is by another name; None of any other."""
    is_name = isinstance(figure.origin, Calculated) and isinstance(figure.origin.formula.tree, Name)
    return next(operands(figure)) if is_name else None


def _rests_on(figure: Figure) -> frozenset[str]:
    """The addresses of the stated amounts that a figure rests on, but for those of its own record."""
    own = figure.address.rpartition(".")[0] + "."
    return frozenset(
        part.address
        for part in closure(figure, most=MOST_FIGURES)
        if part.is_stated and not part.address.startswith(own)
    )
