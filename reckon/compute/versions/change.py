"""A change between two ledgers, as a value: what it is, where it stands on both sides, and what it swaps.

Why it was made, the authors say in the version history: `reasons` of a version, by address.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import Quantity, add_up
from reckon.language.text import NOWHERE, Place, Text
from reckon.model.kinds import SHARED
from reckon.model.ledger import Ledger, outwards
from reckon.model.record import Record
from reckon.model.records import Run
from reckon.model.runs import RunFile

Files: TypeAlias = tuple[RunFile, ...]
Key: TypeAlias = tuple[str, str]
Kind = Literal["changed", "added", "removed", "renamed", "moved", "order", "runs"]
RunKind = Literal["runs", "additions", "queued"]
RUN_KINDS: tuple[RunKind, ...] = get_args(RunKind)
MONTH = 7


class Gone:
    """Stands for what is not there."""


REMOVED: Final = Gone()


class RunsOf(Struct, frozen=True):
    """The runs of some (item, month), to be taken from the files of the other ledger."""

    files: Files
    keys: Collection[Key]

    def put_into(self, files: Files) -> Files:
        """The runs of some files, with those of these items and months taken from the others."""
        kept = {}
        for file in files:
            kept[file.file] = [run for run in file.runs if key_of(run) not in self.keys]
        for file in self.files:
            kept.setdefault(file.file, []).extend(run for run in file.runs if key_of(run) in self.keys)
        return tuple(RunFile(name, tuple(kept[name])) for name in sorted(kept))


class Replacement(Struct, frozen=True):
    """What is put at a path of a ledger (fields and keys, from the top), or taken away; new keys go behind `after`."""

    path: tuple[str, ...]
    value: object
    after: str | None = None


class RunSum(NamedTuple):
    """How many runs there are; the GPU-hours that they held, by kind of GPU; what they state that they cost, by
    currency; and what they were charged, in hours of the project's GPU. That is None where a ratio is missing, and
    until a book has said it (`charge_steps`)."""

    many: int
    cards: tuple[tuple[str, Fraction], ...]
    costs: tuple[tuple[str, Fraction], ...] = ()
    charged: Fraction | None = None

    @property
    def held(self) -> Fraction:
        """GPU-hours held, each on its own kind of GPU."""
        return add_up(hours for _, hours in self.cards)


class RunGroup(Struct, frozen=True):
    """The runs of an item in a month, before and after; which fields say something else, where as many entries are
    other ones; and the runs of each status in which they differ. `kind`: whether they are runs, or the entries that a
    project keeps beside them."""

    item: str
    month: str
    sums: tuple[RunSum, RunSum]
    kind: RunKind
    fields: tuple[str, ...] = ()
    statuses: tuple[tuple[str, RunSum, RunSum], ...] = ()

    @property
    def counts(self) -> tuple[int, int]:
        """How many they are, before and after."""
        return self.sums[0].many, self.sums[1].many

    @property
    def held(self) -> tuple[Fraction, Fraction]:
        """GPU-hours held, before and after."""
        return self.sums[0].held, self.sums[1].held

    @property
    def charged(self) -> tuple[Fraction | None, Fraction | None]:
        """What they were charged in hours of the project's GPU, before and after; None where a ratio is missing."""
        return self.sums[0].charged, self.sums[1].charged


class Change(Struct, frozen=True):
    """One difference: its kind, the address, what it concerns, what is written on both sides and where.

    `of` says what kind of record was added, removed, renamed or moved (item, phase, measurements, …), or stands in a
    list (claim, accepted finding); of what stands in one, `part` is the field that changed. `quiet` is what is not
    told, since it is words or an order without a meaning; `inert` what is told and can move no figure either.
    `record` is the address of the record that it is part of.
    """

    kind: Kind
    address: str
    title: str
    was: str = ""
    now: str = ""
    was_place: Place = NOWHERE
    now_place: Place = NOWHERE
    swaps: tuple[Replacement, ...] = ()
    record: str = ""
    of: str = ""
    part: str = ""
    quiet: bool = False
    inert: bool = False
    runs: RunGroup | None = None

    @property
    def scope(self) -> str:
        """What it belongs to: a project, `catalog` or `allocations`."""
        return self.address.partition(".")[0]

    @property
    def is_number(self) -> bool:
        """Whether it puts a number in the place of what is at its address."""
        return self.kind == "changed" and len(self.swaps) == 1 and isinstance(self.swaps[0].value, Quantity)

    @property
    def place(self) -> Place:
        """Where it stands now, or stood."""
        return self.now_place if self.now_place is not NOWHERE else self.was_place


def applied(ledger: Ledger, change: Change) -> Ledger:
    """The ledger with a change made in it."""
    for swap in change.swaps:
        ledger = _replace_at(ledger, swap.path, swap)
    return ledger


def _replace_at(tree: Any, path: tuple[str, ...], swap: Replacement) -> Any:
    """A tree (dataclass, record or map) with something else at a path; itself where the path leads nowhere."""
    if not path:
        return swap.value.put_into(tree) if isinstance(swap.value, RunsOf) else swap.value
    step, rest = path[0], path[1:]
    if isinstance(tree, Mapping):
        return _in_map(tree, step, rest, swap)
    if isinstance(tree, Record):
        return tree.model_copy(update={step: _replace_at(getattr(tree, step), rest, swap)})
    return replace(tree, **{step: _replace_at(getattr(tree, step), rest, swap)})


def _in_map(tree: Mapping[str, Any], step: str, rest: tuple[str, ...], swap: Replacement) -> dict[str, Any]:
    if rest:
        return {**tree, step: _replace_at(tree[step], rest, swap)} if step in tree else dict(tree)
    if swap.value is REMOVED:
        return {key: inner for key, inner in tree.items() if key != step}
    if step in tree:
        return {**tree, step: swap.value}
    entries = list(tree.items())
    places = {key: place for place, (key, _) in enumerate(entries)}
    at = 0 if swap.after is None else places.get(swap.after, len(entries) - 1) + 1
    return dict([*entries[:at], (step, swap.value), *entries[at:]])


def key_of(run: Run) -> Key:
    """The item and the month of a run; the month is empty where it has no date."""
    return run.item, run.moment[:MONTH]


def reasons(old: Ledger, new: Ledger, project_id: str) -> dict[str, Text]:
    """The reasons that the new ledger of a project gives and the old one does not, by whole address."""
    was, now = (dict(_iterate_reasons(ledger, project_id)) for ledger in (old, new))
    return {address: why for address, why in now.items() if was.get(address) != why}


def _iterate_reasons(ledger: Ledger, project_id: str) -> Iterator[tuple[str, Text]]:
    own = ledger.projects.get(project_id)
    yield from ledger.reasons.items()
    for version in own.project.versions.values() if own else ():
        for name, why in version.reasons.items():
            yield full_address(name, project_id), why


def full_address(name: str, project_id: str) -> str:
    """The address that a project means by a name: one of its own, unless it begins with what all projects share."""
    return name if name.startswith(tuple(f"{scope}." for scope in (*SHARED, project_id))) else f"{project_id}.{name}"


def find_reasons(changes: Iterable[Change], given: Mapping[str, Text]) -> tuple[Text, ...]:
    """The reasons for changes: of each the one for the nearest address at or above it. One is told once."""
    reasons: dict[Text, None] = {}
    for change in changes:
        for at in outwards(change.address):
            if at in given:
                reasons[given[at]] = None
                break
    return tuple(reasons)


def unmatched(names: Iterable[str], changes: Iterable[Change], project_id: str) -> list[str]:
    """The addresses, as a project writes them, at or below which nothing changed."""
    changed = [f"{change.address}." for change in changes]
    unmoved = []
    for name in names:
        prefix = f"{full_address(name, project_id)}."
        if not any(at.startswith(prefix) for at in changed):
            unmoved.append(name)
    return unmoved
