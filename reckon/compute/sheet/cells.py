"""What can stand at an address: cells, the formulas that the engine itself writes, and what a name there means."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from reckon.language.expression import Binary, Call, Expression, Formula, Name
from reckon.language.parser import NAMED, read_expression
from reckon.language.quantity import UNKNOWN, Quantity, Value, point
from reckon.language.text import NOWHERE, Place
from reckon.language.units import Unit
from reckon.model.figure import Calculated, Figure, Figures, Origin, Worked
from reckon.model.ledger import outwards

ENDS = ("low", "use", "high")
Addresses = tuple[str, ...]
"""Addresses of figures: those that something reads, or those that are missing for it."""


class Result(NamedTuple):
    """What comes of a cell: its value, how it came about, the inputs that are missing, and the uncertain ones with the
    direction in which each moves it; with a title of its own where that depends on the result."""

    value: Value
    origin: Origin
    missing: Addresses
    leaves: Mapping[str, int]
    title: str


def result(
    value: Value | Fraction | int,
    how: Origin | str,
    rests_on: Iterable[Figure] = (),
    missing: Iterable[str] = (),
    leaves: Mapping[str, int] | None = None,
    title: str = "",
) -> Result:
    """What comes of a cell, in words how, with the figures that it rests on; no value where any input is missing."""
    lacks = tuple(dict.fromkeys(missing))
    known = value if isinstance(value, Value) else point(value)
    origin = Worked(how, tuple(rests_on)) if isinstance(how, str) else how
    return Result(UNKNOWN if lacks else known, origin, lacks, leaves or {}, title)


class Computed(Struct, frozen=True):
    """What a function makes of figures that are calculated before it: their addresses, and the function. It gives what
    comes of the cell, or the formula that does."""

    needs: Addresses
    work: Callable[[Figures], Result | Formula]


class Cell(Struct, frozen=True):
    """A place for a figure: its address, title and unit, and what it is to hold.

    `over` names what a formula divides by. Where that is not above zero, the figure has no value, and says so.
    What a `late` one holds is worked out when somebody looks at it; it has to be something that cannot be refused.
    """

    address: str
    title: str
    unit: Unit
    content: Quantity | Formula | Figure | Computed
    place: Place = NOWHERE
    formula_place: Place = NOWHERE
    form: str = ""
    over: str = ""
    late: bool = False


read_formula = cache(read_expression)
"""A formula of the engine, read once for each text."""
Term = str | Formula
"""A formula, or a text: a name that a formula is made of, or a formula that the program states."""


def formula_of(pattern: str, *terms: Term) -> Formula:
    """A formula with terms in the braces of a pattern, as `max({} - {}, 0 usd)`. The pattern is a text of the program;
    a term that is a text has to be a name, so that nothing that a ledger says can become arithmetic."""
    for term in terms:
        if isinstance(term, str) and not NAMED.fullmatch(term):
            raise ValueError(f"`{term}` is not a name")
    return read_formula(pattern.format(*(term if isinstance(term, str) else term.text for term in terms)))


def chain_of(sign: str, terms: Sequence[Term], within: str = "{}") -> Formula:
    """A formula of terms with a sign between them, within a pattern."""
    return formula_of(within.format(sign.join(["{}"] * len(terms))), *terms)


def total_of(addresses: list[str]) -> Formula:
    """The sum of some figures, flat however many they are."""
    return sum_of([formula_of("{}", address) for address in addresses])


def product_of(left: Formula, right: str) -> Formula:
    """A formula times a named figure."""
    text = f"({left.text})" if " " in left.text else left.text
    return Formula(f"{text} * {right}", Binary("*", left.tree, formula_of("{}", right).tree, 0))


def sum_of(parts: list[Formula]) -> Formula:
    """The sum of some formulas."""
    terms: list[Expression] = []
    for part in parts:
        flat = isinstance(part.tree, Call) and part.tree.function == "sum"
        terms.extend(part.tree.terms if flat and isinstance(part.tree, Call) else [part.tree])
    tree = terms[0] if len(terms) == 1 else Call("sum", tuple(terms), 0)
    return Formula(" + ".join(part.text for part in parts), tree)


def find(known: Container[str], address: str, name: str) -> tuple[str, str]:
    """The address that a name means, sought outwards from another, and the end that a suffix picks; empty if none."""
    if found := _sought(known, address, name):
        return found, ""
    stem, _, end = name.rpartition(".")
    found = _sought(known, address, stem) if stem and end in ENDS else ""
    return found, end if found else ""


def _sought(known: Container[str], address: str, name: str) -> str:
    """The first address outwards from another that ends in a name and is known, itself excepted; empty if none."""
    around = (*(f"{scope}.{name}" for scope in outwards(address)), name)
    return next((found for found in around if found in known and found != address), "")


def quoted(figures: Figures, project_id: str, address: str) -> Figure | None:
    """The figure that an address quoted in a project means (`budget.final`, `plan.sft.estimate.low`), or None."""
    found, end = find(figures, project_id, address)
    figure = figures.get(found)
    return picked(figure, end) if figure and end else figure


def base_of(address: str) -> str:
    """An address without `.low`, `.use` or `.high` at its end."""
    whole, _, end = address.rpartition(".")
    return whole if end in ENDS else address


def picked(figure: Figure, end: str) -> Figure:
    """One end of a figure as a figure of its own: `.low`, `.use` or `.high`."""
    number: Fraction | None = getattr(figure.value, end)
    value = Value(None, None, None) if number is None else point(number)
    missing = figure.missing or ((figure.address,) if number is None else ())
    origin = Calculated(Formula(f"{end} of {figure.address}", Name(figure.address, 0)), {figure.address: figure})
    address, title = f"{figure.address}.{end}", f"{figure.title} ({end})"
    return Figure(address, title, figure.unit, value, origin, figure.form, missing)
