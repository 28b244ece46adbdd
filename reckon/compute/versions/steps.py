"""The bridge from an old total to a new one: changes are made one by one, and the total is calculated after each.

So the steps add up exactly: each begins where the one before it ended. A change after which the total cannot be
calculated (a formula names what is not there yet) makes one step with those that follow, up to where it can be. What
the method of today makes of an old ledger is a step of its own, with the sentence of the changelog (`method`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import ZERO, Quantity, Value
from reckon.language.units import Unit
from reckon.model.figure import Calculated, Figure, Stated, closure, operands
from reckon.model.kinds import EXTENDED, FINAL, SHARED
from reckon.model.ledger import Ledger, outwards

from ..book import Book, Written
from ..sheet.sheet import Sheet
from .change import Change, applied
from .method import Remade, as_released

# Work is counted in operands looked at, some microseconds each. Writing a cell takes CELL of them; a run, RUN cells.
MOST_WORK, FEWEST_CALCULATED, CELL, RUN = 1_500_000, 12, 5, 1
BRIDGED = (EXTENDED.hours, FINAL.hours)
ENGINE_OLD, INPUTS, ENGINE_NEW = "engine-old", "inputs", "engine-new"
Write: TypeAlias = Callable[[Ledger], Written]
"""What writes the cells of a ledger. It is handed in: it knows all parts of the calculation, a bridge only cells."""


class Crossing(Struct, frozen=True):
    """The total before and after."""

    was: Value
    now: Value

    @property
    def by(self) -> Fraction:
        """How much the value to plan with moves."""
        return (self.now.use or ZERO) - (self.was.use or ZERO)


class Step(Crossing, frozen=True):
    """One cause: changes that go together, or a change of the method.

    `sentences` of the changelog say what changed in the method.
    """

    changes: tuple[Change, ...]
    cause: str = INPUTS
    sentences: tuple[str, ...] = ()


class Bridge(Crossing, frozen=True):
    """How a figure of a project came from its old value to its new one, in steps that add up exactly.

    Where very many inputs changed, up to `together` neighbours of them share a step.
    """

    address: str
    title: str
    unit: Unit
    steps: tuple[Step, ...]
    together: int = 1


def total_of(book: Book, project_id: str, of: str = "") -> Figure | None:
    """The figure that is bridged: the one asked for, else the budget with extensions; None without a value."""
    for address in (of,) if of else BRIDGED:
        figure = book.get(f"{project_id}.{address}")
        if figure is not None:
            return figure if figure.use is not None else None
    return None


def extensions_of(book: Book, project_id: str) -> Fraction:
    """How much the extensions of a project add to its budget."""
    extended, final = book.get_all(project_id, *BRIDGED)
    return ZERO if not (extended and final) else (extended.use or ZERO) - (final.use or ZERO)


def bridge(
    old: Book,
    new: Book,
    changed: Sequence[Change],
    write: Write,
    project_id: str,
    of: str = "",
    remade: tuple[Remade | None, Remade | None] = (None, None),
) -> Bridge | None:
    """The bridge between the totals of a project, or of the figure asked for; None where there is none on both sides.

    `remade` are the sides that are releases: their totals are those that were released.
    """
    was, now = total_of(old, project_id, of), total_of(new, project_id, of)
    if was is None or now is None or was.unit != now.unit:
        return None
    walk = _Walk((old, new), changed, write, project_id, of, (was, now))
    steps = list(walk.steps())
    first, last = (_released(total, side) for total, side in zip((was, now), remade, strict=True))
    if remade[0] and first != was.value:
        steps.insert(0, Step(first, was.value, (), ENGINE_OLD, remade[0].reasons(was)))
    if remade[1] and last != now.value:
        told = steps[0].sentences if steps else ()
        rest = tuple(sentence for sentence in remade[1].reasons(now) if sentence not in told)
        steps.append(Step(now.value, last, (), ENGINE_NEW, rest))
    return Bridge(first, last, now.address, now.title, now.unit, tuple(steps), walk.together)


def _released(total: Figure, side: Remade | None) -> Value:
    """A total as it was released, where it had a value then; else as it is."""
    released = as_released(total, side.released.get(total.address)) if side else total
    return released.value if released.use is not None else total.value


class _Walk:
    """The walk from one ledger to another, change by change, along one figure of one project."""

    def __init__(
        self,
        books: tuple[Book, Book],
        changed: Sequence[Change],
        write: Write,
        project_id: str,
        of: str,
        ends: tuple[Figure, Figure],
    ) -> None:
        self.books, self.write, self.project_id, self.of, self.ends = books, write, project_id, of, ends
        below = list(closure(*ends))
        # Whether anything that the figures rest on is counted or worked out of runs.
        self.spent = not all(isinstance(figure.origin, Calculated | Stated) for figure in below)
        self.known = frozenset(figure.address for figure in below)
        self.around = {outer for address in self.known for outer in outwards(address)}
        self.scopes = {project_id, *(address.partition(".")[0] for address in self.known)}
        self.changed = [change for change in changed if change.scope in (*self.scopes, *SHARED)]
        self.concerned = [change for change in self.changed if self._concerns(change)]
        self.together = self._together()

    def steps(self) -> Iterator[Step]:
        """The steps in order. Nothing is calculated after a change that the figure cannot rest on."""
        ledger, value = self._slim(self.books[0].ledger), self.ends[0].value
        sheet = self._sheet(ledger)
        waiting: list[Change] = []
        concerned = {id(change) for change in self.concerned}
        counted = 0
        for change in self.changed:
            ledger = self._slim(applied(ledger, change))
            if id(change) not in concerned:
                continue
            waiting.append(change)
            counted += 1
            sheet = sheet if sheet and sheet.takes(change) else None
            if not change.swaps or (counted % self.together and counted < len(self.concerned)):
                continue
            reached: Value | None = self.ends[1].value
            if counted < len(self.concerned):
                sheet = sheet or self._sheet(ledger)
                figure = sheet.figure() if sheet else None
                reached = figure.value if figure and figure.use is not None else None
            if reached is None:
                sheet = None
                continue
            if reached != value:
                yield Step(value, reached, tuple(waiting))
            waiting, value = [], reached
        if value != self.ends[1].value:
            yield Step(value, self.ends[1].value, tuple(waiting))

    def _sheet(self, ledger: Ledger) -> Patched | None:
        """The figure in a ledger, with the sheet that it is calculated on; None where it has no value."""
        sheet = self.write(ledger).sheet
        for address in (self.of,) if self.of else BRIDGED:
            if f"{self.project_id}.{address}" in sheet.cells:
                figure = sheet.settle(f"{self.project_id}.{address}")
                return Patched(sheet, figure) if figure and figure.use is not None else None
        return None

    def _slim(self, ledger: Ledger) -> Ledger:
        """The ledger with what the figure can rest on: the projects that it reaches, and their runs where it does."""
        projects = {name: project for name, project in ledger.projects.items() if name in self.scopes}
        if not self.spent:
            projects = {name: replace(each, runs=()) if each.runs else each for name, each in projects.items()}
        return replace(ledger, projects=projects, sound=False)

    def _concerns(self, change: Change) -> bool:
        """Whether the figure can rest on what a change swaps: by its address, or that of its record."""
        titled = change.kind == "renamed" and len(change.swaps) == 1
        if change.quiet or change.inert or titled or (change.kind == "runs" and not self.spent):
            return False
        known = change.address in self.around or any(at in self.known for at in outwards(change.address))
        if self.spent or known:
            return True
        if any(change.address in book.figures for book in self.books):
            return False
        # What is no figure itself, as the scope of an item, concerns all that rests on its record; a phase, all items.
        return ".phases." in change.address or change.record in self.around

    def _count_cells(self, book: Book) -> int:
        """How many figures of a book are of what is walked along."""
        return sum(at.partition(".")[0] in self.scopes for at in book.figures)

    def _together(self) -> int:
        """How many neighbouring inputs share a step, so that a walk along very many of them ends soon enough."""
        projects = [project for book in self.books for project in book.projects.values()]
        runs = sum(len(file.runs) for project in projects for file in project.runs)
        cells = max(map(self._count_cells, self.books))
        numbers = 0 if self.spent else sum(change.is_number for change in self.concerned)
        others = len(self.concerned) - numbers
        work = numbers * len(self.known) + others * (cells + RUN * runs * self.spent) * CELL
        return max(1, min(len(self.concerned) // FEWEST_CALCULATED, -(-work // MOST_WORK)))


class Patched:
    """A sheet and one figure of it, which rests on nothing but stated inputs and formulas."""

    def __init__(self, sheet: Sheet, figure: Figure) -> None:
        self.sheet, self.address = sheet, figure.address
        self.upwards: dict[str, set[str]] = {}
        """The figures that rest directly on each cell."""
        cells = [below for below in closure(figure) if below.address in sheet.cells]
        self.sound = all(isinstance(cell.origin, Calculated | Stated) for cell in cells)
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
        for address in stale:  # grows as it goes
            if self.sheet.figures.pop(address, None) is not None:
                stale.extend(self.upwards.get(address, ()))
        return True

    def figure(self) -> Figure | None:
        """The figure, calculated again; None where it cannot be, and then nothing more can be put in."""
        found = self.sheet.settle(self.address)
        self.sound = self.sound and found is not None and not self.sheet.failed
        return found


def _cells_below(figure: Figure, sheet: Sheet) -> Iterator[Figure]:
    """The cells that a figure rests on directly; an end (`.low`) is not a cell, and stands for its figure."""
    for operand in operands(figure):
        if operand.address in sheet.cells:
            yield operand
        else:
            yield from _cells_below(operand, sheet)
