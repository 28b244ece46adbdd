"""Figures written below an address, those that lack an input, and those that are another by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reckon.language.expression import Formula
from reckon.language.quantity import UNKNOWN, Value
from reckon.language.units import PLAIN, key_unit, label
from reckon.model.figure import Figure, Worked

from ..sheet.cells import Cell, Computed
from ..sheet.lookup import ENDS
from ..sheet.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes figures below an address, each in the unit that its key names; their titles begin with one title."""

    sheet: Sheet
    at: str
    title: str

    def formula(self, key: str, words: str, formula: str | Formula, form: str = "", over: str = "") -> None:
        """A figure that a formula gives; one with a form (`%`, `x`) is a ratio."""
        unit = PLAIN if form else key_unit(key)
        self.sheet.formula(f"{self.at}.{key}", f"{self.title}: {words}", unit, formula, form, over)

    def lack(self, key: str, words: str, missing: tuple[str, ...], how: str) -> None:
        """A figure that has no value because others are missing."""
        address, title = f"{self.at}.{key}", f"{self.title}: {words}"
        self.sheet.counted(Figure(address, title, key_unit(key), UNKNOWN, Worked(how), "", missing))


def lack(sheet: Sheet, address: str, title: str, missing: tuple[str, ...]) -> None:
    """Writes a figure that has no value because others are missing; its words are those of its key."""
    at, _, key = address.rpartition(".")
    Writer(sheet, at, title).lack(key, label(key), missing, "nothing, as long as an input is missing")


def take_over(sheet: Sheet, address: str, title: str, of: str, how: str) -> None:
    """Writes a figure that is another one in the unit of its own key: seconds of a row as seconds per step."""
    unit = key_unit(address.rpartition(".")[2])

    def figure(figures: Mapping[str, Figure]) -> Figure:
        one = figures[of]
        ends = (getattr(one.value, end) for end in ENDS)
        value = Value(*(None if end is None else unit.from_base(one.unit.to_base(end)) for end in ends))
        return Figure(address, title, unit, value, Worked(how, (one,), one.place), "", one.missing, one.leaves)

    sheet.write(Cell(address, title, unit, Computed((of,), figure)))
