"""What differs between two lists of records (claims, accepted findings, de-scoping steps), and between the runs.

Entries are matched by what names them. So another order is not a change, and an entry that is put between two others
does not shift those behind it. Runs are compared by item and month, whatever file they stand in.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.text import NOWHERE, Place
from reckon.model.figure import COSTS
from reckon.model.ledger import ProjectLedger
from reckon.model.record import Record
from reckon.model.records import Run
from reckon.model.runs import RunFile

from .canonical import brief, essence, fields, first_place
from .change import RUN_KINDS, Change, Key, Replacement, RunGroup, RunKind, RunsOf, RunSum, key_of
from .record_diff import PROSE, At, differences


class ListKind(Struct, frozen=True):
    """A kind of list: what an entry is called, the fields that name it, those without which two may be one, and whether
    words in it are told. An `inert` list moves no figure; in one that is `ranked` the order counts."""

    of: str
    named: tuple[str, ...]
    loose: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    inert: bool = True
    ranked: bool = False


CLAIMS = ListKind("claim", ("of", "at"), loose=("at", "source"))
ACCEPTED = ListKind("accepted finding", ("finding",), told=("reason", "by"))
DROPS = ListKind("de-scoping step", ("item", "phase", "seed"), inert=False, ranked=True)


def diff_lists(kind: ListKind, was: Sequence[Record], now: Sequence[Record], at: At) -> Iterator[Change]:
    """What differs between two lists, entry by entry. The last change puts the new list in the place of the old one."""
    found = [
        replace(change, swaps=(), of=kind.of, inert=kind.inert, record=at.address)
        for change in _diff_entries(kind, was, now, at)
    ]
    if found:
        yield from found[:-1]
        yield replace(found[-1], swaps=(Replacement(at.path, now),))


def _diff_entries(kind: ListKind, was: Sequence[Record], now: Sequence[Record], at: At) -> Iterator[Change]:
    were = _matched(kind, was, now)
    for number, entry in enumerate(now):
        own = _entry_address(kind, entry, at)
        if number in were:
            old = was[were[number]]
            for change in differences(own, old, entry):
                part = change.title.removeprefix(own.title).removeprefix(": ")
                field = change.swaps[0].path[len(own.path)]
                yield replace(change, title=own.title, part=part, quiet=change.quiet and field not in kind.told)
        else:
            yield own.change("added", "", brief(entry), NOWHERE, first_place(entry))
    kept = set(were.values())
    for number, entry in enumerate(was):
        if number not in kept:
            own = _entry_address(kind, entry, at)
            yield own.change("removed", brief(entry), "", first_place(entry), NOWHERE)
    order = [were[number] for number in range(len(now)) if number in were]
    if order != sorted(order):
        before = " then ".join(_entry_address(kind, entry, at).title for entry in was)
        after = " then ".join(_entry_address(kind, entry, at).title for entry in now)
        places = first_place(was), first_place(now)
        yield Change("order", at.address, f"Order of {kind.of}s", before, after, *places, quiet=not kind.ranked)


def _entry_address(kind: ListKind, entry: Record, at: At) -> At:
    """Where an entry stands: below the list, by what names it."""
    names = [str(value) for name in kind.named if (value := getattr(entry, name)) is not None]
    return At(f"{at.address}.{names[0] if names else ''}", at.path, ", ".join(names))


def _matched(kind: ListKind, was: Sequence[Record], now: Sequence[Record]) -> dict[int, int]:
    """New entry -> the old one that it was: the very same first, then one of the same name, then one like it."""
    found: dict[int, int] = {}
    for key in _keys(kind):
        spare: dict[Hashable, deque[int]] = defaultdict(deque)
        taken = set(found.values())
        for number, entry in enumerate(was):
            if number not in taken:
                spare[key(entry)].append(number)
        for number, entry in enumerate(now):
            if number not in found and (same := spare.get(key(entry))):
                found[number] = same.popleft()
    return found


def _keys(kind: ListKind) -> Iterator[Callable[[Record], Hashable]]:
    yield essence
    yield lambda entry: tuple(essence(getattr(entry, name)) for name in kind.named)
    if kind.loose:
        yield lambda entry: tuple(essence(getattr(entry, name)) for name in fields(entry) if name not in kind.loose)


_FIELDS = tuple(name for name in Run.model_fields if name != "place")


def _statements(files: Iterable[RunFile]) -> list[tuple[str, Run, tuple[Hashable, ...]]]:
    """Each run of some files with its file and all that it says."""
    found = []
    for file in files:
        for run in file.runs:
            what = tuple(essence(run.__dict__.get(name)) for name in _FIELDS)
            found.append((file.file, run, what))
    return found


def runs(old: ProjectLedger, new: ProjectLedger) -> Iterator[Change]:
    """A change for each item and month whose runs differ; a quiet one where only their order or file does. Entries that
    stand beside runs (costs without hours, queued jobs) are compared in the same way."""
    for kind in RUN_KINDS:
        yield from _diff_runs(old, new, kind)


def _diff_runs(old: ProjectLedger, new: ProjectLedger, kind: RunKind) -> Iterator[Change]:
    path, address = ("projects", new.id, kind), f"{new.id}.runs"
    files = getattr(new, kind)
    said = [_statements(getattr(old, kind)), _statements(files)]
    if [(file, what) for file, _, what in said[0]] == [(file, what) for file, _, what in said[1]]:
        return
    groups: dict[Key, tuple[_Group, _Group]] = defaultdict(lambda: (_Group(), _Group()))
    for side, (entries, project) in enumerate(zip(said, (old, new), strict=True)):
        for _, run, what in entries:
            groups[key_of(run)][side].add(run, what, project.card_of(run))
    keys = sorted(groups, key=lambda key: (key[1], key[0]))
    differ = [key for key in keys if groups[key][0].all != groups[key][1].all]
    for key in differ:
        swap = Replacement(path, files if key is differ[-1] else RunsOf(files, frozenset((key,))))
        before, after = groups[key]
        places = _first(before, after), _first(after, before)
        fields = _other_fields(before.all - after.all, after.all - before.all)
        group = RunGroup(*key, (before.sum(), after.sum()), kind, fields, _statuses(before, after))
        words = bool(fields) and PROSE.issuperset(fields)
        yield Change(
            "runs", address, f"{key[0]}, {key[1]}", "", "", *places, (swap,), address, "runs", quiet=words, runs=group
        )
    if not differ:
        yield Change("order", address, "Order", swaps=(Replacement(path, files),), record=address, quiet=True)


def _other_fields(gone: Counter[Hashable], came: Counter[Hashable]) -> tuple[str, ...]:
    """The fields in which as many runs differ; none where there are more of them or fewer."""
    if gone.total() != came.total():
        return ()
    was = [said for said in gone.elements() if isinstance(said, tuple)]
    now = [said for said in came.elements() if isinstance(said, tuple)]
    differing = []
    for number, name in enumerate(_FIELDS):
        if Counter(said[number] for said in was) != Counter(said[number] for said in now):
            differing.append(name)
    return tuple(differing)


class _Group:
    """The runs of an item in a month."""

    def __init__(self) -> None:
        self.all: Counter[Hashable] = Counter()
        self.runs: list[tuple[Run, str]] = []
        self.places: dict[Hashable, Place] = {}

    def add(self, run: Run, what: Hashable, card: str) -> None:
        """Adds a run by what it says, and by the kind of GPU that it was on."""
        self.all[what] += 1
        self.runs.append((run, card))
        self.places.setdefault(what, run.place)

    def sum(self, status: str = "") -> RunSum:
        """How many runs they are, or those of a status, and their hours; the kinds of GPU in the order of the
        alphabet."""
        many, cards = 0, defaultdict[str, Fraction](Fraction)
        costs = defaultdict[str, Fraction](Fraction)
        for run, card in self.runs:
            if status in ("", run.status):
                many += run.many
                cards[card] += run.charged_hours
                for name in COSTS:
                    if (amount := getattr(run, name)) is not None:
                        costs[name.removeprefix("cost_")] += amount
        return RunSum(many, tuple(sorted(cards.items())), tuple(sorted(costs.items())))


def _statuses(before: _Group, after: _Group) -> tuple[tuple[str, RunSum, RunSum], ...]:
    """The runs of each status in which they differ."""
    names = sorted({run.status for run, _ in (*before.runs, *after.runs)})
    pairs = ((name, before.sum(name), after.sum(name)) for name in names)
    return tuple((name, old, new) for name, old, new in pairs if old != new)


def _first(group: _Group, other: _Group) -> Place:
    """Where the first run stands that the other side does not have."""
    return min((group.places[said] for said in group.all - other.all), default=NOWHERE)
