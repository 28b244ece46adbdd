"""The cells of the sheet: what can stand at an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reckon.language.expression import Formula
from reckon.language.quantity import Quantity
from reckon.language.text import NOWHERE, Place
from reckon.language.units import Unit
from reckon.model.figure import Figure, Stated


@dataclass(frozen=True, slots=True)
class Computed:
    """What a function makes of figures that are reckoned before it: their addresses, and the function."""

    needs: tuple[str, ...]
    figure: Callable[[Mapping[str, Figure]], Figure]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place for a figure: its address, title and unit, and what it is to hold.

    `over` names what a formula divides by: where that is not above zero, the figure is undefined for want of it.
    """

    address: str
    title: str
    unit: Unit
    content: Quantity | Formula | Figure | Computed
    place: Place = NOWHERE
    formula_place: Place = NOWHERE
    form: str = ""
    over: str = ""


def stated(cell: Cell, quantity: Quantity) -> Figure:
    """The figure of a cell that holds a stated quantity; one with a range is an uncertain input."""
    origin = Stated(quantity.text, quantity.place)
    missing = (cell.address,) if quantity.value.unknown else ()
    uncertain = not quantity.value.exact and not missing
    leaves = {cell.address: 1} if uncertain else {}
    return Figure(cell.address, cell.title, quantity.unit, quantity.value, origin, quantity.form, missing, leaves)
