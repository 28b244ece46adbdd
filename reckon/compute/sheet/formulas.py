"""The formulas that the engine itself writes, as text to print and as trees to reckon."""

from __future__ import annotations

from functools import cache

from reckon.language.expression import Binary, Call, Expression, Formula, Name
from reckon.language.parser import read_expression

read_formula = cache(read_expression)


def total_of(addresses: list[str]) -> Formula:
    """The sum of some figures, flat however many they are."""
    text = " + ".join(addresses)
    if len(addresses) == 1:
        return Formula(text, Name(addresses[0], 0))
    return Formula(text, Call("sum", tuple(Name(one, 0) for one in addresses), 0))


def product_of(left: Formula, right: str) -> Formula:
    """A formula times a named figure."""
    text = f"({left.text})" if " " in left.text else left.text
    return Formula(f"{text} * {right}", Binary("*", left.tree, Name(right, 0), 0))


def sum_of(parts: list[Formula]) -> Formula:
    """The sum of some formulas."""
    terms: list[Expression] = []
    for part in parts:
        flat = isinstance(part.tree, Call) and part.tree.function == "sum"
        terms.extend(part.tree.terms if flat and isinstance(part.tree, Call) else [part.tree])
    return Formula(
        " + ".join(part.text for part in parts), terms[0] if len(terms) == 1 else Call("sum", tuple(terms), 0)
    )
