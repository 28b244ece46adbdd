"""Figures calculated again: over other values of what lies below them, or step by step through sums and products."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reckon.language.expression import Name
from reckon.language.text import Refusal
from reckon.model.figure import Calculated, Figure, Figures, operands

from ..sheet.cells import base_of, picked
from ..sheet.evaluate import derive

MOST_FIGURES = 300
"""Where more figures than this lie below one, it is not calculated again from what is stated."""


def recalculate(target: Figure, given: Figures) -> tuple[Figure, tuple[str, ...]] | None:
    """A figure with the given ones in place of those below it, and the addresses of those that were used; None where
    too much lies below it, or it cannot be calculated so."""
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
                made[id(part)] = _derive_again(part, part.origin, made)
            except (Refusal, ArithmeticError):
                return None
        else:
            stack.append((part, True))
            stack.extend((operand, False) for operand in part.origin.operands.values())
    return made[id(target)], tuple(used)


def _derive_again(part: Figure, origin: Calculated, made: Mapping[int, Figure]) -> Figure:
    """A calculated figure over operands that may have been given another value."""
    inputs = {name: made[id(operand)] for name, operand in origin.operands.items()}
    if all(inputs[name] is operand for name, operand in origin.operands.items()):
        return part
    if isinstance(origin.formula.tree, Name) and base_of(part.address) != part.address:
        (whole,) = inputs.values()
        if base_of(part.address) == next(iter(origin.operands.values())).address:
            return replace(picked(whole, part.address.rpartition(".")[2]), address=part.address, title=part.title)
    return derive(
        origin.formula, inputs, part.unit, address=part.address, title=part.title, form=part.form, checked=False
    )


def same_figure(figure: Figure) -> Figure | None:
    """The figure that a figure is by another name; None of any other."""
    is_name = isinstance(figure.origin, Calculated) and isinstance(figure.origin.formula.tree, Name)
    return next(operands(figure)) if is_name else None
