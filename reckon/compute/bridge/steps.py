"""The bridge from an old total to a new one: changes are made one by one, and the total is reckoned after each.

So the steps add up exactly: each begins where the one before it ended. A change after which the total cannot be
reckoned (a formula names what is not there yet) makes one step with those that follow, up to where it can be. What
a newer engine makes of an old ledger is a step of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reckon.language.quantity import Value
from reckon.language.units import Unit
from reckon.model.figure import Figure, Reckoned, Stated, operands
from reckon.model.ledger import Ledger

from ..book import Book
from ..reckoning import write_sheet
from .change import Change
from .swap import applied

MOST_RECKONED, FEWEST_RECKONED, MOST_RUNS = 400, 12, 400_000
TOTALS = ("budget.extended", "budget.final")
WORDS = frozenset(("title", "summary", "notes", "note", "source"))
ENGINE_OLD, INPUTS, ENGINE_NEW = "engine-old", "inputs", "engine-new"


@dataclass(frozen=True, slots=True)
class Step:
    """One cause: changes that go together, or a change of the reckoning itself; with the total before and after."""

    changes: tuple[Change, ...]
    was: Value
    now: Value
    cause: str = INPUTS

    @property
    def by(self) -> Fraction:
        """How much it moves the value to plan with."""
        return (self.now.use or Fraction(0)) - (self.was.use or Fraction(0))


@dataclass(frozen=True, slots=True)
class Bridge:
    """How a figure of a project came from its old value to its new one, in steps that add up exactly."""

    address: str
    title: str
    unit: Unit
    was: Value
    now: Value
    steps: tuple[Step, ...]

    @property
    def by(self) -> Fraction:
        """How much the value to plan with moved in all."""
        return (self.now.use or Fraction(0)) - (self.was.use or Fraction(0))


def total_of(book: Book, project: str, of: str = "") -> Figure | None:
    """The figure that is bridged: the one asked for, else the budget with what extends it; None without a value."""
    for address in (of,) if of else TOTALS:
        figure = book.get(f"{project}.{address}")
        if figure is not None:
            return figure if figure.use is not None else None
    return None


def bridge(
    old: Book, new: Book, changed: Sequence[Change], project: str, of: str = "",
    frozen: tuple[Value | None, Value | None] = (None, None),
) -> Bridge | None:  # fmt: skip
    """The bridge between the totals of a project, or of the figure asked for; None where there is none on both sides.

    `frozen` are the totals as they were released, where a side is a release.
    """
    was, now = total_of(old, project, of), total_of(new, project, of)
    if was is None or now is None or was.unit != now.unit:
        return None
    ends = [one if one and one.use is not None else None for one in frozen]
    walk = _Walk((old, new), changed, project, of, (was, now))
    steps = list(walk.steps())
    first, last = ends[0] or was.value, ends[1] or now.value
    if first != was.value:
        steps.insert(0, Step((), first, was.value, ENGINE_OLD))
    if last != now.value:
        steps.append(Step((), now.value, last, ENGINE_NEW))
    return Bridge(now.address, now.title, now.unit, first, last, tuple(steps))


class _Walk:
    """The walk from one ledger to another, change by change, along one figure of one project."""

    def __init__(
        self, books: tuple[Book, Book], changed: Sequence[Change], project: str, of: str, ends: tuple[Figure, Figure]
    ) -> None:
        self.books, self.project, self.of, self.ends = books, project, of, ends
        self.known, self.spent = _closure(ends)
        self.scopes = {project, *(address.partition(".")[0] for address in self.known)}
        self.changed = [one for one in changed if one.scope in (*self.scopes, "catalog", "allocations")]

    def steps(self) -> Iterator[Step]:
        """The steps in order. Nothing is reckoned after a change that the figure cannot rest on."""
        ledger, value = self._slim(self.books[0].ledger), self.ends[0].value
        waiting: list[Change] = []
        concerned = [one for one in self.changed if self._concerns(one)]
        every = -(-len(concerned) // self._most())
        counted = 0
        for one in self.changed:
            ledger = self._slim(applied(ledger, one))
            if not self._concerns(one):
                continue
            waiting.append(one)
            counted += 1
            if counted % every and counted < len(concerned):
                continue
            reached = self._value(ledger) if counted < len(concerned) else self.ends[1].value
            if reached is None:
                continue
            if reached != value:
                yield Step(tuple(waiting), value, reached)
            waiting, value = [], reached
        if value != self.ends[1].value:
            yield Step(tuple(waiting), value, self.ends[1].value)

    def _value(self, ledger: Ledger) -> Value | None:
        """The value of the figure in a ledger; None where it has none, or cannot be reckoned."""
        sheet = write_sheet(ledger).sheet
        for address in (self.of,) if self.of else TOTALS:
            if f"{self.project}.{address}" in sheet.cells:
                figure = sheet.settle(f"{self.project}.{address}")
                return figure.value if figure and figure.use is not None else None
        return None

    def _slim(self, ledger: Ledger) -> Ledger:
        """The ledger with what the figure can rest on: the projects that it reaches, and their runs where it does."""
        projects = {name: one for name, one in ledger.projects.items() if name in self.scopes}
        if not self.spent:
            projects = {name: replace(one, runs=()) if one.runs else one for name, one in projects.items()}
        return replace(ledger, projects=projects, sound=False)

    def _concerns(self, change: Change) -> bool:
        """Whether the figure can rest on what a change swaps: by its address, or that of its record."""
        if change.quiet or (change.kind == "runs" and not self.spent) or change.swaps[-1].path[-1] in WORDS:
            return False
        if self.spent or any(_within(change.address, one) or _within(one, change.address) for one in self.known):
            return True
        if any(change.address in book.figures for book in self.books):
            return False
        # What is no figure itself, as the scope of an item, concerns all that rests on its record; a phase, all items.
        return ".phases." in change.address or any(_within(change.record, one) for one in self.known)

    def _most(self) -> int:
        """How many ledgers are reckoned at most: fewer where there are many runs to be summed in each."""
        runs = sum(len(file.runs) for book in self.books for one in book.ledger.projects.values() for file in one.runs)
        return max(FEWEST_RECKONED, min(MOST_RECKONED, MOST_RUNS // (runs + 1))) if self.spent else MOST_RECKONED


def _within(outer: str, inner: str) -> bool:
    """Whether an address is at or below another."""
    return inner == outer or inner.startswith(f"{outer}.")


def _closure(ends: Sequence[Figure]) -> tuple[frozenset[str], bool]:
    """The addresses that figures rest on, and whether anything below them is counted or worked out of runs."""
    seen: set[int] = set()
    found: set[str] = set()
    spent = False
    waiting = list(ends)
    for one in waiting:  # grows as it goes
        if id(one) in seen:
            continue
        seen.add(id(one))
        found.add(one.address)
        spent = spent or not isinstance(one.origin, Reckoned | Stated)
        waiting.extend(operands(one))
    return frozenset(found), spent
