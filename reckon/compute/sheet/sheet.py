"""The sheet: every figure of a ledger is a cell at an address. Cells are written first, then all are calculated.

A cell holds a stated quantity, a formula, or a figure that was counted. Names in a formula are looked up from the cell
outwards: the inputs beside it, its record, the project, the root. That is the whole scoping rule, for formulas in the
ledger and for those of the engine alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain

from reckon.language.expression import Formula, Name, names
from reckon.language.quantity import UNKNOWN, Quantity
from reckon.language.text import NOWHERE, Refusal, Text
from reckon.model.figure import Calculated, Figure, Figures, Stated
from reckon.model.finding import Problem, nearest, refused
from reckon.model.kinds import group_of
from reckon.model.lazy import LateFigure
from reckon.model.ledger import outwards, touches

from .cells import Cell, Computed, Result, find, picked
from .evaluate import derive

MOST_SHOWN = 12
MOST_HINTS = 50
MOST_SOUGHT = 200

Meant = list[tuple[Name, str, str]]
"""The names in a formula, each with the address that it means and the end that a suffix picks."""


class Sheet:
    """Cells by address, and their figures once they are calculated."""

    def __init__(self, broken: frozenset[str] = frozenset()) -> None:
        self.cells: dict[str, Cell] = {}
        self.figures: dict[str, Figure] = {}
        self.problems: list[Problem] = []
        self.failed: set[str] = set()
        self.broken = broken
        self.hints = 0

    def write(self, cell: Cell) -> None:
        """Puts a cell in; an address is written once."""
        first = self.cells.setdefault(cell.address, cell)
        if first is not cell:
            assert cell.place is not NOWHERE, f"two cells at {cell.address}"
            right = f"rename one: the first is in {first.place.file}, line {first.place.line}"
            self.problems.append(Problem(cell.place, f"two figures have the address `{cell.address}`", right))

    def counted(self, figure: Figure) -> None:
        """Writes a cell that holds a figure already."""
        self.write(Cell(figure.address, figure.title, figure.unit, figure))

    def add(self, figure: Figure) -> None:
        """Adds a figure that was made from others after all cells were calculated."""
        self.counted(figure)
        self.figures[figure.address] = figure

    def reckon(self) -> None:
        """Calculates every cell, operands first, without recursion; circles and mistakes become problems."""
        for address in self.cells:
            self.settle(address)
        self.figures = {address: self.figures[address] for address in self.cells if address in self.figures}

    def settle(self, address: str) -> Figure | None:
        """The figure of a cell, calculated with all that it rests on; None where there is none or it failed."""
        path: dict[str, Meant] = {}
        stack = [(address, False)] if address in self.cells else []
        while stack:
            current, ready = stack.pop()
            if ready:
                self._fill(self.cells[current], path.pop(current))
            elif current in path:
                self._circle(list(path)[list(path).index(current) :])
            elif current not in self.figures and current not in self.failed:
                cell = self.cells[current]
                meant = [(name, *self.find(current, name.name)) for name in self._names(cell)]
                needs = cell.content.needs if isinstance(cell.content, Computed) else [found for _, found, _ in meant]
                waiting = [(need, False) for need in needs if need in self.cells and need not in self.figures]
                if waiting:
                    path[current] = meant
                    stack.append((current, True))
                    stack += waiting
                else:
                    self._fill(cell, meant)
        return self.figures.get(address)

    def _names(self, cell: Cell) -> Sequence[Name]:
        content = cell.content
        return tuple(names(content.tree)) if isinstance(content, Formula) else ()

    def find(self, address: str, name: str) -> tuple[str, str]:
        """The address that a name means from a cell, and the end that a suffix picks; both empty if there is none."""
        return find(self.cells, address, name)

    def _circle(self, circle: list[str]) -> None:
        if not any(address in self.failed for address in circle):
            written = (address for address in circle if self.cells[address].formula_place is not NOWHERE)
            cell = self.cells[next(written, circle[0])]
            addresses = circle[:MOST_SHOWN]
            if len(circle) > MOST_SHOWN:
                addresses.append("…")
            shown = " -> ".join([*addresses, circle[0]])
            self._complain(cell, Refusal(f"the formulas go in a circle: {shown}", "let one of them be a number"))
        self.failed.update(circle)

    def _complain(self, cell: Cell, refusal: Refusal) -> None:
        self.failed.add(cell.address)
        place = cell.formula_place
        if place is not NOWHERE:
            text = cell.content.text if isinstance(cell.content, Formula) else ""
            self.problems.append(refused(refusal, Text(text, place)))
        else:
            # The operand that is or spans zero, where that is what was divided by; else the first that is written down.
            placed = [operand for operand in self._rests_on(cell) if operand.place is not NOWHERE]
            zeros = filter(self._spans_zero, placed if "divides by zero" in refusal.wrong else [])
            where = next((operand.place for operand in (*zeros, *placed)), cell.place)
            self.problems.append(Problem(where, f"{cell.title} cannot be calculated: {refusal.wrong}", refusal.right))

    def _spans_zero(self, cell: Cell) -> bool:
        value = self.figures[cell.address].value if cell.address in self.figures else None
        return value is not None and (value.low or 0) <= 0 <= (value.high if value.high is not None else 1)

    def _rests_on(self, cell: Cell) -> Iterator[Cell]:
        """The cells that a cell rests on, the nearest first, up to a number at which the search has gone far enough."""
        waiting, seen = [cell.address], {cell.address}
        for address in waiting:
            for name in self._names(self.cells[address]):
                found = self.find(address, name.name)[0]
                if found and found not in seen and len(seen) < MOST_SOUGHT:
                    seen.add(found)
                    waiting.append(found)
                    yield self.cells[found]

    def _fill(self, cell: Cell, meant: Meant) -> None:
        """Calculates a cell whose operands are done; a cell that rests on a failed one fails silently with it."""
        if cell.address in self.failed:
            return
        content = cell.content
        if isinstance(content, Figure):
            self.figures[cell.address] = content
        elif isinstance(content, Quantity):
            self.figures[cell.address] = _make_stated_figure(cell, content)
        elif isinstance(content, Computed):
            if all(need in self.figures for need in content.needs):
                self.figures[cell.address] = _make_figure(cell, lambda: self._computed(cell, content))
            else:
                self.failed.add(cell.address)
        else:
            try:
                if (inputs := self._inputs(cell, meant)) is None:
                    self.failed.add(cell.address)
                else:
                    self.figures[cell.address] = _make_figure(cell, lambda: self._derived(cell, content, inputs))
            except Refusal as refusal:
                self._complain(cell, refusal)

    def _computed(self, cell: Cell, content: Computed) -> Figure:
        found = content.work(self.figures)
        if isinstance(found, Result):
            value, origin, missing, leaves, title = found
            return Figure(cell.address, title or cell.title, cell.unit, value, origin, cell.form, missing, leaves)
        meant = [(name, *self.find(cell.address, name.name)) for name in names(found.tree)]
        return self._derived(cell, found, self._inputs(cell, meant) or {})

    def _derived(self, cell: Cell, formula: Formula, inputs: Figures) -> Figure:
        if cell.over and _is_no_divisor(inputs[cell.over]):
            origin = Calculated(formula, inputs, cell.formula_place)
            missing = (inputs[cell.over].address,)
            return Figure(cell.address, cell.title, cell.unit, UNKNOWN, origin, cell.form, missing)
        return derive(
            formula,
            inputs,
            cell.unit,
            address=cell.address,
            title=cell.title,
            place=cell.formula_place,
            form=cell.form,
        )

    def _inputs(self, cell: Cell, meant: Meant) -> dict[str, Figure] | None:
        """The operands of a formula by name; None if one of them failed or could not be read."""
        inputs: dict[str, Figure] = {}
        whole = True
        for name, address, end in meant:
            if address in self.figures:
                inputs[name.name] = picked(self.figures[address], end) if end else self.figures[address]
            elif address in self.failed or self.could_be(cell.address, name.name):
                whole = False
            else:
                raise Refusal(f"there is no `{name.name}` here or further out", self._hint(cell, name.name), name.at)
        return inputs if whole else None

    def could_be(self, address: str, name: str) -> bool:
        """Whether a name could mean a part of the ledger that could not be read, or what is calculated from it."""
        scopes = outwards(address)
        if any(touches(self.broken, f"{scope}.{name}") for scope in scopes) or touches(self.broken, name):
            return True
        rests_on = group_of(name.partition(".")[0]).rests_on
        outermost = scopes[-1]
        addresses = chain.from_iterable((f"{outermost}.{part}", part) for part in rests_on)
        return any(touches(self.broken, each) for each in addresses)

    def _hint(self, cell: Cell, name: str) -> str:
        """What was perhaps meant. After many mistakes no more is guessed: one cause is behind most of them."""
        self.hints += 1
        if self.hints > MOST_HINTS:
            return "write it as an input next to the formula"
        if "-" in name:
            parts = name.split("-")
            if all(part.isdigit() or self.find(cell.address, part)[0] for part in parts):
                return f"a dash belongs to a name: write `{' - '.join(parts)}` to subtract"
        scopes = outwards(cell.address)
        if "." in name:
            project = scopes[-1] + "."
            known = (address for address in self.cells if address.startswith((project, "catalog.")))
            near = [address.removeprefix(project) for address in known]
        else:
            split = (address.rpartition(".") for address in self.cells)
            near = sorted({last for above, _, last in split if above in scopes})
        return nearest(name, near) or "write it as an input next to the formula"

    def near(self, project_id: str, address: str, more: Collection[str] = ()) -> str:
        """A hint at an address inside a project, or one more, that was perhaps meant; after many mistakes, none."""
        self.hints += 1
        if self.hints > MOST_HINTS:
            return ""
        project = f"{project_id}."
        within = (known for known in (*self.cells, *more) if known.startswith(project))
        names = [known.removeprefix(project) for known in within]
        # A last word alone, as `waste_share`: the figure of the whole project that ends so.
        ends = [name for name in names if name.endswith(f".{address}") and "." not in address]
        whole = sorted((name for name in ends if name.count(".") == 1), key=lambda name: (len(name), name))[:3]
        if not whole:
            return nearest(address, names)
        choices = " or ".join(f"`{name}`" for name in whole)
        return f"did you mean {choices}?"


def _make_figure(cell: Cell, make: Callable[[], Figure]) -> Figure:
    """What a cell holds: made at once, or when somebody looks at it."""
    return LateFigure.of(make, address=cell.address, title=cell.title, unit=cell.unit) if cell.late else make()


def _is_no_divisor(figure: Figure) -> bool:
    """Whether a figure cannot be divided by: known, but not above zero."""
    return not figure.missing and (figure.value.low is None or figure.value.low <= 0)


def _make_stated_figure(cell: Cell, quantity: Quantity) -> Figure:
    """The figure of a cell that holds a stated quantity; one with a range is an uncertain input."""
    origin = Stated(quantity.text, quantity.place)
    missing = (cell.address,) if quantity.value.unknown else ()
    uncertain = not quantity.value.exact and not missing
    leaves = {cell.address: 1} if uncertain else {}
    return Figure(cell.address, cell.title, quantity.unit, quantity.value, origin, quantity.form, missing, leaves)
