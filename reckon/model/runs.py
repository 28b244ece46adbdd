"""The runs of a project as columns: what all of them say of one field, for whoever sums or compares these.

A scheduler has a hundred thousand runs. A record of each takes ten times the time and memory of its line, so that of a
file whose lines were read as columns a record is made only for who asks for one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from math import lcm
from typing import Any, Protocol, TypeVar, overload

from msgspec import Struct

from reckon.language.text import Place

from .fixed_point import Amounts, amounts, joined, summed
from .record import defaults
from .records import Run

Made = TypeVar("Made")
SILENT = defaults(Run)
"""What a run that does not write a field says in it."""


def stated_by(run: Run, name: str) -> Any:
    """What a run says in a field, or in a field of a record in it, as `imported.source`; None where it says nothing."""
    outer, _, inner = name.partition(".")
    value = getattr(run, outer)
    return getattr(value, inner) if inner and value is not None else value


class Columns(Protocol):
    """What a file that was read by columns knows of its runs."""

    def column(self, name: str) -> Sequence[Any] | None:
        """What each run says in a field, without its place; None where none says anything."""

    def amounts(self, name: str) -> Amounts | None:
        """The same of a field of numbers."""

    def says(self, name: str) -> bool:
        """Whether any run writes a field."""

    def place(self, number: int) -> Place:
        """Where a run stands, by its number from 0."""

    def record(self, number: int) -> Run:
        """The record of a run."""

    def __len__(self) -> int:
        """How many runs there are."""


class ColumnRuns(Sequence[Run]):
    """The runs of a file that was read by columns, in its order. Each record is made once, when it is asked for."""

    __slots__ = ("_made", "columns")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._made: dict[int, Run] = {}

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, at: int) -> Run: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Run]: ...
    def __getitem__(self, at: int | slice) -> Run | Sequence[Run]:
        numbers = range(len(self))[at]
        if isinstance(numbers, range):
            return tuple(map(self._run, numbers))
        return self._run(numbers)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sequence) and tuple(self) == tuple(other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def _run(self, number: int) -> Run:
        run = self._made.get(number)
        if run is None:
            run = self._made[number] = self.columns.record(number)
        return run


class RunFile(Struct, frozen=True):
    """The runs of one file, in its order."""

    file: str
    runs: Sequence[Run]


class AllRuns:
    """All runs of some files, in their order, as columns: each run has a number, from 0."""

    def __init__(self, files: Sequence[RunFile]) -> None:
        self.files = files
        self._begins = [*accumulate((len(file.runs) for file in files), initial=0)]
        self._made: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return self._begins[-1]

    def __iter__(self) -> Iterator[Run]:
        return chain.from_iterable(file.runs for file in self.files)

    def at(self, number: int) -> tuple[RunFile, int]:
        """The file of a run, and its number there, from 0."""
        file = bisect_right(self._begins, number) - 1
        return self.files[file], number - self._begins[file]

    def run(self, number: int) -> Run:
        """A run as a record."""
        file, own = self.at(number)
        return file.runs[own]

    def place(self, number: int) -> Place:
        """Where a run stands."""
        file, own = self.at(number)
        return file.runs.columns.place(own) if isinstance(file.runs, ColumnRuns) else file.runs[own].place

    def says(self, name: str) -> bool:
        """Whether any run may say anything in a field that one which does not write it would not say."""
        return self._once(("says", name), lambda: any(_state_field(file.runs, name) for file in self.files))

    def column(self, name: str) -> Sequence[Any]:
        """What each run says in a field, without its place; `imported.source` is a field of a record in a field."""
        if not self.says(name):  # one for all fields in which that means the same
            return self._once(("silent", silent := SILENT.get(name)), lambda: [silent] * len(self))
        parts = (_column(file.runs, name) for file in self.files)
        return self._once(("column", name), lambda: [*chain.from_iterable(parts)])

    def columns(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """What each run says in some fields."""
        return zip(*map(self.column, names), strict=True)

    def values(self, name: str) -> frozenset[Any]:
        """All that runs say in a field, each once."""
        return self._once(("values", name), lambda: frozenset(self.column(name)))

    def where(self, names: Sequence[str], test: Callable[..., bool]) -> list[int]:
        """The numbers of the runs that pass a test by what they say in some fields; none where none says anything."""
        if not any(map(self.says, names)):
            return []
        said = enumerate(self.columns(*names))
        return [number for number, values in said if test(*values)]

    def _once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What is made when it is first asked for by its key."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def amounts(self, name: str) -> Amounts:
        """What each run states in a field of one number."""
        return self._once(("amounts", name), lambda: joined([_amounts(file.runs, name) for file in self.files]))

    @cached_property
    def many(self) -> Sequence[int]:
        """How many runs each is: those of a scheduler may be counted together."""
        return [1 if jobs is None else jobs for jobs in self.column("jobs")]

    def spans(self) -> Iterator[tuple[str, int, int]]:
        """Each file with the number of its first run, and that behind its last one."""
        for file, first, last in zip(self.files, self._begins, self._begins[1:], strict=False):
            yield file.file, first, last

    @cached_property
    def charged(self) -> Amounts:
        """`Run.charged_hours` of each run."""
        stated, gpus, wall = map(self.amounts, ("gpu_hours", "gpus", "wall_hours"))
        per = lcm(gpus.per * wall.per, stated.per)
        times, rows = per // (gpus.per * wall.per), zip(stated.scaled(per), gpus.values, wall.values, strict=True)
        held = [(many or 0) * (took or 0) * times if hours is None else hours for hours, many, took in rows]
        return Amounts(held, per)

    @cached_property
    def held(self) -> Amounts:
        """`Run.held_hours` of each run."""
        if not self.says("gpu_hours"):
            return self.amounts("wall_hours")
        return amounts([run.held_hours for file in self.files for run in file.runs])


class Grouped:
    """Runs of which each is in one group: `of` has the number of the group of each run, below `size`."""

    def __init__(self, rows: AllRuns, of: Sequence[int], size: int) -> None:
        self.rows, self.of, self.size = rows, of, size

    @cached_property
    def numbers(self) -> Sequence[list[int]]:
        """The numbers of the runs of each group."""
        found: list[list[int]] = [[] for _ in range(self.size)]
        for number, group in enumerate(self.of):
            found[group].append(number)
        return found

    @cached_property
    def hours(self) -> Sequence[Any]:
        """The charged hours of each group, in the parts of `AllRuns.charged`."""
        return summed(self.of, self.rows.charged.values, self.size)

    @cached_property
    def many(self) -> Sequence[int]:
        """How many runs each group has."""
        return summed(self.of, self.rows.many, self.size)


def _state_field(runs: Sequence[Run], name: str) -> bool:
    if isinstance(runs, ColumnRuns):
        return runs.columns.says(name)
    silent = SILENT.get(name)
    return any(stated_by(run, name) != silent for run in runs)


def _column(runs: Sequence[Run], name: str) -> Sequence[Any]:
    if not isinstance(runs, ColumnRuns):
        return [stated_by(run, name) for run in runs]
    found, silent = runs.columns.column(name), SILENT.get(name)
    if found is None:
        return [silent] * len(runs)
    return found if silent is None else [silent if value is None else value for value in found]


def _amounts(runs: Sequence[Run], name: str) -> Amounts:
    if not isinstance(runs, ColumnRuns):
        return amounts([getattr(run, name) for run in runs])
    return runs.columns.amounts(name) or Amounts([None] * len(runs), 1)
