"""What a figure consists of, as terms of a sum and factors of a product, and what it is over other values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Formula, Name, Number, names
from reckon.language.quantity import Value, point
from reckon.language.text import Refusal, first_of, place_of
from reckon.language.units import PLAIN, spoken
from reckon.model.figure import HOURS, OWN_HOURS, Calculated, Figure, Figures, Tallied, operands, value_in
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import base_of, picked
from ..sheet.evaluate import derive, measure

MOST_LEVELS, MOST_TERMS, MOST_DEEP, MOST_NAMED = 3, 300, 4, 3
_COUNTS = ("gpu", "node")
MOST_FIGURES = 300
"""Where more figures than this lie below one, it is not calculated again."""


class Term(NamedTuple):
    """A part of a sum: what it is called, its value in base units, and the other parts above zero, in words."""

    title: str
    value: Value
    others: str = ""


class Factor(NamedTuple):
    """A factor of a product: what it is called, the last word of its address, and its number; of what the product is
    divided by, one over that."""

    title: str
    key: str
    number: Fraction


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
                    title = f"the run at {place_of(run.item).short}"
                    found.append(Term(title, point(part.unit.to_base(amount))))
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


def factors_of(figure: Figure, deep: int = 0) -> Iterator[Factor]:
    """The numbers that a figure is a product of, or divided by, without a unit of their own or GPUs, through products
    of products: who forgets a time has none to state."""
    if not isinstance(figure.origin, Calculated) or deep > MOST_DEEP:
        return
    inputs = figure.origin.operands
    for is_above, part in _product(figure.origin.formula.tree):
        key = shown = _shown(part)
        below: list[Factor] = []
        if isinstance(part, Name):
            key = part.name.rpartition(".")[2]
            below = list(factors_of(inputs[part.name], deep + 1))
        number = _number(part, inputs)
        found = [Factor(shown, key, number), *below] if number else below
        yield from found if is_above else [each._replace(number=1 / each.number) for each in found]


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


def _number(tree: Expression, inputs: Figures) -> Fraction | None:
    """The count, share or sum that a factor without a unit but GPUs and nodes is, other than one; None of any other: a
    ratio that was measured is not forgotten."""
    used = {name.name: inputs[name.name] for name in names(tree)}
    units = {name: (operand.unit, "x") for name, operand in used.items()}
    kinds = measure(tree, units, frozenset()).kinds
    if any(kind not in _COUNTS for kind, _ in kinds):
        return None
    try:
        found = derive(Formula("", tree), used, PLAIN, checked=False)
    except (Refusal, ArithmeticError):
        return None
    number = found.use if not found.missing and found.value.exact else None
    is_share = not isinstance(tree, Name) or used[tree.name].form == "%"
    return number if number and number > 0 and number != 1 and (is_share or number.denominator == 1) else None


def _shown(tree: Expression) -> str:
    match tree:
        case Name(name=name):
            return spoken(name.rpartition(".")[2])
        case Number(quantity=quantity):
            return quantity.text
        case Binary(operator=operator, left=left, right=right):
            inner = f"{_shown(left)} {operator} {_shown(right)}"
            return f"({inner})" if operator in "+-" else inner
    return "a part"


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
    except (Refusal, ArithmeticError):
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
