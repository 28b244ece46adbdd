"""The fields of a projection, with those that it takes over from its bases; and figures that are others by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reckon.language.expression import Formula
from reckon.language.quantity import UNKNOWN, Quantity, Value
from reckon.language.units import PLAIN, key_unit, label
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import Based

from ..sheet.cells import Cell, Computed
from ..sheet.lookup import ENDS
from ..sheet.sheet import Sheet

# What the steps of a projection come from.
COUNTS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")


class Fields(Based):
    """What a projection says, by itself or through its bases; addresses are those inside the project."""

    kind = "projections"

    @property
    def title(self) -> str:
        """What it is called."""
        return str(self.one.projections[self.name].title or self.name)

    @property
    def in_all(self) -> bool:
        """Whether steps are stated in all, and not nearer by than that what they come from."""
        steps = self.holder("steps")
        return bool(steps) and self.holder(*COUNTS, "steps") == steps

    @property
    def measurements(self) -> tuple[str, ...]:
        """The measurements that it projects, the one first that speed-ups are reckoned against."""
        named = self.value("measurements") or ()
        return tuple(str(name) for name in named if name in self.one.measurements)


def same(one: object, other: object) -> bool:
    """Whether two fields hold the same single number."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    return one.value.exact and other.value.exact and one.value.use == other.value.use


def below(one: object, other: object) -> bool:
    """Whether a field holds a single number that is less than that of another."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return False
    return one.value.exact and other.value.exact and (one.value.use or 0) < (other.value.use or 0)


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
