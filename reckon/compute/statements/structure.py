"""What a figure consists of, as terms of a sum and factors of a product, and what it is over other values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Name
from reckon.language.quantity import ZERO, Value, point
from reckon.language.text import Refusal, first_of, place_of
from reckon.model.figure import (
    HOURS,
    OWN_HOURS,
    Calculated,
    Figure,
    Figures,
    Tallied,
    operands,
    planned,
    value_in,
    walk_operands,
)
from reckon.model.ledger import ProjectLedger

from ..sheet.arithmetic import Undetermined
from ..sheet.cells import base_of, picked
from ..sheet.evaluate import derive

MOST_LEVELS, MOST_TERMS, MOST_DEEP, MOST_NAMED = 3, 300, 4, 3
COUNTS = ("gpu", "node")
"""What is counted in whole numbers."""
MOST_FIGURES = 300
"""Where more figures than this lie below one, it is not calculated again."""


class Term(NamedTuple):
    """A part of a sum: what it is called, its value in base units, and the other parts above zero, in words."""

    title: str
    value: Value
    others: str = ""


def row_title(title: str) -> str:
    """What a figure is of, by its title: `A40 × 4` of `A40 × 4: hours`; all of it where it says no more."""
    return title.rpartition(": ")[0] or title


def terms_of(figure: Figure, project: ProjectLedger) -> list[Term]:
    """The parts of a sum, level by level, since subtotals are sums too; runs are parts. Empty where it is not a sum, or
    where they are too many."""
    found: list[Term] = []
    parts = parts_of(figure)
    for _ in range(MOST_LEVELS):
        if len(parts) > MOST_TERMS:
            return []
        found += _level(parts)
        parts = [below for part in parts for below in (parts_of(part) or [part])]
    for part in parts or [figure]:
        if isinstance(part.origin, Tallied) and part.origin.count <= MOST_TERMS:
            selection = part.origin.selection
            for _, run, traits in project.each_entry():
                amount = run.charged_hours if selection.field in (HOURS, OWN_HOURS) else getattr(run, selection.field)
                if amount and selection.means(traits):
                    found.append(Term(f"the run at {place_of(run.item).short}", point(part.unit.to_base(amount))))
    return list(dict.fromkeys(found))


def count_terms(figure: Figure) -> int:
    """Of how many terms a figure is the sum, or a multiple of the sum, those of subtotals counted one by one; 1 for any
    other."""
    sums = filter(None, map(parts_of, multiples_of(figure)))
    return max((sum(map(count_terms, parts)) for parts in sums), default=1)


def parts_of(figure: Figure) -> list[Figure]:
    """The terms of a sum, as it is written; of what is a figure by another name, that one."""
    origin = by_its_name(figure).origin
    if not isinstance(origin, Calculated):
        return []
    parts = [by_its_name(origin.operands[name]) for name in _summed(origin.formula.tree)]
    return parts if len(parts) > 1 else []


def by_its_name(figure: Figure) -> Figure:
    """The figure that a figure is by another name, however many names it has."""
    while same := same_figure(figure):
        figure = same
    return figure


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


def _level(parts: list[Figure]) -> Iterator[Term]:
    """The parts of a sum at one level, by what they are called among each other: their records, or what they are of
    one."""
    split = [part.title.partition(": ") for part in parts]
    is_by_record = len({head for head, _, _ in split}) == len(parts)
    titles = [head if is_by_record or not tail else tail for head, _, tail in split]
    above = [(part.use or 0) > 0 for part in parts]
    for index, part in enumerate(parts):
        others = [title for at, title in enumerate(titles) if at != index and above[at]]
        if None not in part.value.ends:
            yield Term(titles[index], value_in(part), first_of(others, MOST_NAMED) if len(others) > 1 else "")


def factors_of(figure: Figure) -> dict[str, Fraction]:
    """The counts and shares that multiply a figure, by their keys, and one over those that divide it: calculated again
    with one in their place, it is so many times less. A ratio that was measured is not forgotten."""
    found: dict[str, Fraction] = {}
    for part in walk_operands(figure):
        number = part.use or ZERO
        is_count = number.denominator == 1 and all(kind in COUNTS for kind, _ in part.unit.kinds)
        if part.value.exact and 0 < number != 1 and (is_count or part.form == "%"):
            without = recalculate(figure, {part.address: replace(part, value=point(1))})
            rest = planned(without[0]) if without else ZERO
            found |= {
                part.address.rpartition(".")[2]: times
                for times in (number, 1 / number)
                if rest * times == planned(figure)
            }
    return found


def multiples_of(figure: Figure) -> Iterator[Figure]:
    """The figures of which a figure is a multiple, the nearest first, itself last."""
    waiting = [(figure, 0)]
    for multiple, deep in waiting:
        if isinstance(multiple.origin, Calculated) and deep < MOST_DEEP:
            inputs = multiple.origin.operands
            parts = _product(multiple.origin.formula.tree)
            below = [inputs[part.name] for is_above, part in parts if is_above and isinstance(part, Name)]
            waiting += [(operand, deep + 1) for operand in below]
            yield from (operand for operand in below if operand.use != figure.use)
    yield figure


def _product(tree: Expression, is_above: bool = True) -> Iterator[tuple[bool, Expression]]:
    """The factors of a product, each with whether it multiplies."""
    while isinstance(tree, Binary) and tree.operator in "*/":
        yield from _product(tree.right, is_above == (tree.operator == "*"))
        tree = tree.left
    yield is_above, tree


def recalculate(target: Figure, given: Figures) -> tuple[Figure, tuple[str, ...]] | None:
    """A figure with the given ones in place of those below it, and the addresses of those that were used; None where
    too much lies below it, or it cannot be calculated so."""
    made: dict[int, Figure] = {}
    used: dict[str, None] = {}

    def again(part: Figure) -> Figure:
        if id(part) in made:
            return made[id(part)]
        if len(made) > MOST_FIGURES:
            raise OverflowError("too much lies below it")
        made[id(part)] = part
        if part is not target and part.address in given:
            used[part.address] = None
            made[id(part)] = given[part.address]
        elif isinstance(part.origin, Calculated):
            below = reversed(list(part.origin.operands.items()))
            made[id(part)] = _derive_again(part, part.origin, {name: again(operand) for name, operand in below})
        return made[id(part)]

    try:
        return again(target), tuple(used)
    except (Refusal, ArithmeticError, Undetermined):
        return None


def _derive_again(part: Figure, origin: Calculated, inputs: Figures) -> Figure:
    """A calculated figure over operands that may have been given another value."""
    if all(inputs[name] is operand for name, operand in origin.operands.items()):
        return part
    if isinstance(origin.formula.tree, Name) and base_of(part.address) != part.address:
        (whole,) = inputs.values()
        if base_of(part.address) == next(operands(part)).address:
            return replace(picked(whole, part.address.rpartition(".")[2]), address=part.address, title=part.title)
    return derive(
        origin.formula, inputs, part.unit, address=part.address, title=part.title, form=part.form, checked=False
    )


def same_figure(figure: Figure) -> Figure | None:
    """The figure that a figure is by another name; None of any other."""
    is_name = isinstance(figure.origin, Calculated) and isinstance(figure.origin.formula.tree, Name)
    return next(operands(figure)) if is_name else None
