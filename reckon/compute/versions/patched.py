"""A sheet in which stated inputs are put one by one: only what rests on them is reckoned again.

Writing the cells of a ledger takes much longer than reckoning one figure of them, and a new number at an address leaves
all other cells as they are. What is more than a number in the place of another takes a new sheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reckon.language.quantity import Quantity
from reckon.model.figure import Figure, Reckoned, Stated, closure, operands

from ..sheet.sheet import Sheet
from .change import Change


class Patched:
    """A sheet and one figure of it, which rests on nothing but stated inputs and formulas."""

    def __init__(self, sheet: Sheet, figure: Figure) -> None:
        self.sheet, self.address = sheet, figure.address
        self.upwards: dict[str, set[str]] = {}
        """The figures that rest directly on each cell."""
        cells = [below for below in closure(figure) if below.address in sheet.cells]
        self.sound = all(isinstance(cell.origin, Reckoned | Stated) for cell in cells)
        for cell in cells:
            for part in _cells_below(cell, sheet):
                self.upwards.setdefault(part.address, set()).add(cell.address)

    def takes(self, change: Change) -> bool:
        """Whether a change is a number in the place of another, with the same unit; if so, it is put in."""
        value = change.swaps[0].value if self.sound and change.is_number else None
        cell = self.sheet.cells.get(change.address)
        if not isinstance(value, Quantity) or not cell or not isinstance(was := cell.content, Quantity):
            return False
        same = (was.unit, was.form, was.place, was.text) == (value.unit, value.form, change.was_place, change.was)
        if not same or was.value.unknown or value.value.unknown:
            return False
        self.sheet.cells[change.address] = replace(cell, content=value, place=value.place)
        stale = [change.address]
        for one in stale:  # grows as it goes
            if self.sheet.figures.pop(one, None) is not None:
                stale.extend(self.upwards.get(one, ()))
        return True

    def figure(self) -> Figure | None:
        """The figure, reckoned again; None where it cannot be, and then nothing more can be put in."""
        found = self.sheet.settle(self.address)
        self.sound = self.sound and found is not None and not self.sheet.failed
        return found


def _cells_below(figure: Figure, sheet: Sheet) -> Iterator[Figure]:
    """The cells that a figure rests on directly; an end of a figure (`.low`) is no cell, and stands for its figure."""
    for one in operands(figure):
        if one.address in sheet.cells:
            yield one
        else:
            yield from _cells_below(one, sheet)
