"""Writes the figures of one thing (a piece of work, a phase, a grant, a setup) below its address."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from msgspec import Struct

from reckon.language.expression import Formula
from reckon.language.quantity import Value
from reckon.language.units import GPU_HOURS, PLAIN, Unit, key_unit, label
from reckon.model.figure import Figure, Figures, Origin
from reckon.model.ledger import ProjectLedger

from .cells import Cell, Computed, Result, Term, read_formula, result
from .sheet import Sheet

LACKING = "nothing, as long as an input is missing"


class FigureWriter(Struct, frozen=True):
    """Writes figures below an address, each in the unit that its key names unless another is given; their titles begin
    with one title, where there is one."""

    sheet: Sheet
    at: str
    title: str = ""

    @classmethod
    def of_item(cls, sheet: Sheet, project: ProjectLedger, name: str, seed: str = "") -> FigureWriter:
        """That of an item of the plan, or of a seed of it."""
        at, title = f"{project.id}.plan.{name}", project.items[name].title
        return cls(sheet, f"{at}.seeds.{seed}", f"{title}, seed {seed}") if seed else cls(sheet, at, title)

    @classmethod
    def of_phase(cls, sheet: Sheet, project: ProjectLedger, name: str) -> FigureWriter:
        """That of a phase of the plan."""
        return cls(sheet, f"{project.id}.phases.{name}", project.plan[name].title)

    def has(self, key: str) -> bool:
        """Whether something stands there already."""
        return f"{self.at}.{key}" in self.sheet.cells

    def _name(self, key: str, words: str) -> tuple[str, str]:
        """The address and the title of a figure."""
        return f"{self.at}.{key}", f"{self.title}: {words}" if self.title else words

    def formula(
        self,
        key: str,
        words: str,
        formula: Term,
        form: str = "",
        over: str = "",
        unit: Unit | None = None,
        late: bool = False,
    ) -> None:
        """A figure that a formula gives; one with a form (`%`, `x`) is a ratio."""
        own = unit or (PLAIN if form else key_unit(key))
        content = read_formula(formula) if isinstance(formula, str) else formula
        self.sheet.write(Cell(*self._name(key, words), own, content, form=form, over=over, late=late))

    def hours(self, key: str, words: str, formula: Term, late: bool = False) -> None:
        """GPU-hours that a formula gives."""
        self.formula(key, words, formula, unit=GPU_HOURS, late=late)

    def compute(
        self,
        key: str,
        words: str,
        unit: Unit,
        needs: Iterable[str],
        work: Callable[[Figures], Result | Formula],
        form: str = "",
        late: bool = False,
    ) -> None:
        """A figure that a function works out of the figures that it needs."""
        content = Computed(tuple(dict.fromkeys(needs)), work)
        self.sheet.write(Cell(*self._name(key, words), unit, content, form=form, late=late))

    def count(
        self,
        key: str,
        words: str,
        unit: Unit,
        value: Value | Fraction | int,
        how: Origin | str,
        missing: Iterable[str] = (),
        form: str = "",
        is_uncertain: bool = False,
    ) -> None:
        """A figure that was counted, in words how; without a value where any input is missing. One that is uncertain by
        itself is an uncertain input of what rests on it."""
        address, title = self._name(key, words)
        found = result(value, how, (), missing, {address: 1} if is_uncertain else {})
        self.sheet.counted(Figure(address, title, unit, found.value, found.origin, form, found.missing, found.leaves))

    def count_once(self, key: str, words: str, unit: Unit, value: Value, how: str) -> str:
        """The same of what may stand there already; one that is not exact is uncertain. Gives its key back."""
        if not self.has(key):
            self.count(key, words, unit, value, how, is_uncertain=not value.exact)
        return key

    def by_default(self, key: str, words: str, how: str, form: str = "") -> None:
        """A figure that is one because nothing else is stated."""
        self.count(key, words, key_unit(key), 1, how, (), form)

    def lack(self, key: str, missing: Iterable[str], words: str = "", how: str = LACKING) -> None:
        """A figure that has no value because others are missing; its words are those of its key unless others are
        given."""
        self.count(key, words or label(key), key_unit(key), 0, how, missing)
