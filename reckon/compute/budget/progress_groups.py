"""Runs that tell alike how far work has come: these are added up, and looked at one by one only where that matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import iso, last_day
from reckon.language.text import Place
from reckon.model.fixed_point import Number, summed
from reckon.model.ledger import Kinds, ProjectLedger
from reckon.model.records import Run
from reckon.model.runs import Grouped

DAY_LENGTH = len("2026-01-31")


class Moment(NamedTuple):
    """When an attempt was made: by its number (0 where it says none), then by its date."""

    number: int
    day: str

    def after(self, other: Moment) -> bool:
        """Whether it is known to be later than another one."""
        if self.number != other.number:
            return self.number > other.number
        return bool(self.day and other.day) and self.day > other.day


@lru_cache(maxsize=8192)
def moment_on(attempt: str | None, day: str) -> Moment:
    """The moment of an attempt with such a number on a day; a month is its last one."""
    ended = iso(last_day(day)) if 0 < len(day) < DAY_LENGTH else day.replace("T", " ")
    return Moment(int(attempt) if attempt and attempt.isdecimal() else 0, ended)


class Completion(NamedTuple):
    """An attempt that completed and states no progress: what it finishes, and its hours (None: a ratio is missing)."""

    moment: Moment
    place: Place
    hours: Number | None
    ends: str


class Attempted(NamedTuple):
    """A run that states no progress, as far as it tells of work; `imported` is whatever says that it was."""

    status: str
    run: str | None
    attempt: str | None
    start: str | None
    end: str | None
    date: str | None
    job: str | None
    imported: object
    place: Place
    many: int
    progress: None = None


def moment_of(run: Run | Attempted) -> Moment:
    """When an attempt was made."""
    return moment_on(run.attempt, run.end or run.date or run.start or "")


class Telling(NamedTuple):
    """What tells groups of runs apart: the number of their kind, the name of their logical run, the source that they
    were imported from, and whether they state progress."""

    kind: int
    run: str | None
    source: str | None
    progress: bool


class RunGroups:
    """The runs of a project by what they tell."""

    def __init__(self, project: ProjectLedger, kinds: Kinds) -> None:
        self.rows = rows = project.rows
        states = [total is not None for total in rows.column("progress.total")]
        columns = kinds.of, rows.column("run"), rows.column("imported.source"), states
        keys = dict.fromkeys(zip(*columns, strict=True))
        numbers = {key: number for number, key in enumerate(keys)}
        # Zipped again: a list of these keys would take more memory than all columns of the runs.
        groups = [numbers[key] for key in zip(*columns, strict=True)]
        self.sums = Grouped(rows, groups, len(numbers))
        self.groups = [Telling._make(key) for key in numbers]

    @cached_property
    def charged(self) -> Sequence[int]:
        """How many runs of each group were charged any hours."""
        charged = zip(self.rows.many, self.rows.charged.values, strict=True)
        return summed(self.sums.of, [many if hours else 0 for many, hours in charged], self.sums.size)

    @cached_property
    def numbers(self) -> Sequence[Sequence[int]]:
        """The numbers of the runs of each group."""
        found: list[list[int]] = [[] for _ in self.groups]
        for number, group in enumerate(self.sums.of):
            found[group].append(number)
        return found

    def each(self, group: int) -> Iterator[tuple[int, Attempted]]:
        """The runs of a group that states no progress, one by one, with their numbers."""
        rows = self.rows
        columns = [rows.column(name) for name in (*Attempted._fields[:7], "imported.source")]
        for number in self.numbers[group]:
            said = (column[number] for column in columns)
            yield number, Attempted._make((*said, rows.place(number), rows.many[number], None))


class Alike(Struct, frozen=True):
    """The runs of a group, none of which states progress: what they finish, and what an hour of theirs counts (None
    where that is not known), in parts of which a piece of work knows how many make one."""

    groups: RunGroups
    group: int
    status: str
    ends: str
    ratio: Number | None

    @property
    def hours(self) -> Number:
        """Their hours, as far as these are known."""
        total: Number = self.groups.sums.hours[self.group] * (self.ratio or 0)
        return total

    @property
    def many(self) -> int:
        """How many runs they are."""
        return self.groups.sums.many[self.group]

    @property
    def charged(self) -> int:
        """How many of them took hours that are known."""
        return self.groups.charged[self.group] if self.ratio else 0

    def each(self) -> Iterator[tuple[int, Attempted, Number | None]]:
        """Each of them with its number and its hours."""
        hours = self.groups.rows.charged.values
        for number, run in self.groups.each(self.group):
            yield number, run, None if self.ratio is None else hours[number] * self.ratio

    def completions(self) -> Iterator[tuple[int, Completion]]:
        """Each as an attempt that completed, with its number."""
        for number, run, hours in self.each():
            yield number, Completion(moment_of(run), run.place, hours, self.ends)
