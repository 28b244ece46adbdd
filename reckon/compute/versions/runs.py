"""What differs between the runs of two ledgers, by item and month, whatever file they stand in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator
from fractions import Fraction
from typing import TypeAlias

from reckon.language.text import NOWHERE, Place
from reckon.model.ledger import RunFile
from reckon.model.records import Run

from .change import Change, RunGroup, RunsOf, Swap
from .essence import essence

Files: TypeAlias = tuple[RunFile, ...]
Key: TypeAlias = tuple[str, str]
_FIELDS = tuple(name for name in Run.model_fields if name != "place")
MONTH = 7


def key_of(run: Run) -> Key:
    """The item and the month of a run; the month is empty where it has no date."""
    return str(run.item), str(run.end or run.date or run.start or "")[:MONTH]


def runs(old: Files, new: Files, project: str) -> Iterator[Change]:
    """A change for each item and month whose runs differ; a quiet one where only their order or file does."""
    path, address = ("projects", project, "runs"), f"{project}.runs"
    said = [[(file.file, run, _said(run)) for file in files for run in file.runs] for files in (old, new)]
    if [(file, one) for file, _, one in said[0]] == [(file, one) for file, _, one in said[1]]:
        return
    before, after = _groups(said[0]), _groups(said[1])
    keys = sorted({*before, *after}, key=lambda one: (one[1], one[0]))
    differ = [key for key in keys if before[key].all != after[key].all]
    for key in differ:
        swap = Swap(path, new if key is differ[-1] else RunsOf(new, frozenset((key,))))
        yield _change(project, key, before[key], after[key], (swap,))
    if not differ:
        yield Change("order", address, "Order", swaps=(Swap(path, new),), record=address, quiet=True)


class _Group:
    """The runs of an item in a month."""

    def __init__(self) -> None:
        self.all: Counter[Hashable] = Counter()
        self.hours = Fraction(0)
        self.places: dict[Hashable, Place] = {}


def _groups(said: Iterable[tuple[str, Run, Hashable]]) -> dict[Key, _Group]:
    found: dict[Key, _Group] = defaultdict(_Group)
    for _, run, what in said:
        group = found[key_of(run)]
        group.all[what] += 1
        group.hours += run.charged_hours
        group.places.setdefault(what, run.place)
    return found


def _said(run: Run) -> Hashable:
    return tuple(essence(value) for value in map(run.__dict__.get, _FIELDS))


def _change(project: str, key: Key, before: _Group, after: _Group, swaps: tuple[Swap, ...]) -> Change:
    places = _first(before, after), _first(after, before)
    group = RunGroup(*key, (before.all.total(), after.all.total()), (before.hours, after.hours))
    at = f"{project}.runs"
    return Change("runs", at, f"{key[0]}, {key[1]}", "", "", *places, swaps, at, "runs", runs=group)


def _first(one: _Group, other: _Group) -> Place:
    """Where the first run stands that the other side does not have."""
    own = [one.places[said] for said in one.all - other.all]
    return min(own, default=NOWHERE)


def with_runs_of(files: Files, new: Files, keys: Collection[Key]) -> Files:
    """The runs of some files, with those of some items and months taken from other files."""
    kept = {file.file: [run for run in file.runs if key_of(run) not in keys] for file in files}
    for file in new:
        kept.setdefault(file.file, []).extend(run for run in file.runs if key_of(run) in keys)
    return tuple(RunFile(name, tuple(kept[name])) for name in sorted(kept))
