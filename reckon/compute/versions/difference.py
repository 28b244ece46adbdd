"""`compare`: two sides -> all that differs between them, project by project."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from reckon.model.figure import Figure
from reckon.model.kinds import SHARED
from reckon.model.release import ReleasedFigure, ReleasedFinding

from ..book import Book
from .change import Change
from .changes import changes
from .moved import Moved, Threshold, as_released, is_hours, moved, rank
from .steps import INPUTS, Bridge, Step, Write, bridge, total_of


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sides: what it is called, its book, and the findings of its projects, where they are known.

    Of a release, `project` is the one it is of, and `figures` are those that were released.
    """

    name: str
    book: Book
    project: str = ""
    figures: Mapping[str, ReleasedFigure] = field(default_factory=dict)
    findings: Mapping[str, tuple[ReleasedFinding, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """What differs in one project, or in what all share (whose id is empty)."""

    id: str
    title: str
    state: str = ""  # added or removed, where the whole project is
    was: Figure | None = None
    now: Figure | None = None
    bridge: Bridge | None = None
    changes: tuple[Change, ...] = ()
    moved: tuple[Moved, ...] = ()
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    gained: tuple[ReleasedFinding, ...] = ()
    lost: tuple[ReleasedFinding, ...] = ()
    altered: tuple[tuple[ReleasedFinding, ReleasedFinding], ...] = ()

    @property
    def told(self) -> tuple[Change, ...]:
        """The changes that are more than words."""
        return tuple(one for one in self.changes if not one.quiet)

    @property
    def empty(self) -> bool:
        """Whether nothing moved, came or went."""
        return not (self.told or self.moved or self.gained or self.lost or self.altered or self.bridge or self.state)


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs between two sides: what all projects share first, then project by project."""

    old: Side
    new: Side
    parts: tuple[Part, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing is to be told."""
        return not self.parts


def compare(old: Side, new: Side, write: Write, projects: Sequence[str] = (), of: str = "") -> Difference:
    """What differs between two sides, in some projects or in all. `of` is the figure that is bridged, not the total.

    `write` writes the cells of the ledgers between the two: `reckoning.write_sheet`.
    """
    only = tuple(projects)
    changed = changes(old.book.ledger, new.book.ledger)
    names = [name for name in {**old.book.ledger.projects, **new.book.ledger.projects} if not only or name in only]
    compared = _Compared(old, new, changed, write, of)
    released = old.project or new.project
    parts = [compared.part(name) for name in (*names, *(() if released else ("",)))]
    if released:
        shared = tuple(one for one in changed if one.scope == "catalog")
        parts.append(Part("", "Shared", changes=shared))
    parts.sort(key=lambda one: bool(one.id))
    return Difference(old, new, tuple(one for one in parts if not one.empty))


@dataclass(frozen=True, slots=True)
class _Compared:
    old: Side
    new: Side
    changed: tuple[Change, ...]
    write: Write
    of: str

    def part(self, name: str) -> Part:
        """What differs in a project, or in what all share."""
        own = tuple(one for one in self.changed if (one.scope in SHARED if not name else one.scope == name))
        if not name:
            return self._filled(Part("", "Shared", changes=own))
        was, now = (side.book.ledger.projects.get(name) for side in (self.old, self.new))
        one = now or was
        assert one is not None
        state = "" if was and now else "added" if now else "removed"
        totals = _total(self.old, name, self.of), _total(self.new, name, self.of)
        part = Part(name, str(one.project.title), state, totals[0], totals[1], changes=own)
        if state:
            return part
        frozen = [total.value if side.figures and total else None
                  for side, total in zip((self.old, self.new), totals, strict=True)]  # fmt: skip
        books = self.old.book, self.new.book
        crossing = bridge(*books, self.changed, self.write, name, self.of, (frozen[0], frozen[1]))
        return self._filled(replace(part, bridge=crossing if crossing and crossing.steps else None))

    def _filled(self, part: Part) -> Part:
        """A part with the figures that moved and the findings that came or went."""
        old, new = (_figures(side, part.id) for side in (self.old, self.new))
        back = _renamed(part.changes)
        found = sorted(moved(old, new, back, self.changed), key=lambda one: rank(part.id, one.now.address))
        backs = {back(address) for address in new}
        came = tuple(address for address in new if back(address) not in old)
        went = tuple(address for address in old if address not in backs)
        part = replace(part, moved=tuple(found), came=came, went=went)
        return _with_findings(part, self.old, self.new) if part.id else part


def _figures(side: Side, name: str) -> dict[str, Figure]:
    """The figures of a project, or of what is shared, as they were released where they were."""
    scopes = (name,) if name else SHARED
    return {
        address: as_released(figure, side.figures.get(address))
        for address, figure in side.book.figures.items()
        if address.partition(".")[0] in scopes
    }


def _total(side: Side, name: str, of: str) -> Figure | None:
    total = total_of(side.book, name, of)
    return as_released(total, side.figures.get(total.address)) if total else None


def _renamed(changed: Sequence[Change]) -> Callable[[str], str]:
    """A function that gives the old address of a figure, where its record had another id."""
    pairs = {}
    for one in changed:
        if one.kind == "renamed" and len(one.swaps) == 2:
            pairs[one.address] = f"{one.address.rpartition('.')[0]}.{one.was}"

    def back(address: str) -> str:
        if not pairs:
            return address
        end = len(address)
        while end > 0:
            if was := pairs.get(address[:end]):
                return was + address[end:]
            end = address.rfind(".", 0, end)
        return address

    return back


def _with_findings(part: Part, old: Side, new: Side) -> Part:
    if part.id not in old.findings or part.id not in new.findings:
        return part
    was, now = ({one.id: one for one in side.findings[part.id]} for side in (old, new))
    both = [(was[one], now[one]) for one in now if one in was]
    return replace(
        part,
        gained=tuple(one for id_, one in now.items() if id_ not in was),
        lost=tuple(one for id_, one in was.items() if id_ not in now),
        altered=tuple((one, other) for one, other in both if one.severity != other.severity),
    )


def above(difference: Difference, threshold: Threshold) -> Difference:
    """What moved by more than a threshold: smaller moves are left out, and small steps of a bridge told as one."""
    parts = (_above(one, threshold) for one in difference.parts)
    return replace(difference, parts=tuple(one for one in parts if one is not None))


def _above(part: Part, threshold: Threshold) -> Part | None:
    kept = tuple(one for one in part.moved if threshold.passed(one.was.use, one.now.use, is_hours(one.now)))
    crossing = part.bridge
    if crossing and not _passes(crossing, crossing, threshold):
        crossing = None
    if not kept and crossing is None and not part.state:
        return None
    return replace(part, moved=kept, bridge=_joined(crossing, threshold) if crossing else None)


def _passes(crossing: Bridge, one: Bridge | Step, threshold: Threshold) -> bool:
    base = crossing.was.use or Fraction(0)
    hours = crossing.unit.symbol == "GPU-h"
    return threshold.passed(base, base + one.by, hours)


def _joined(crossing: Bridge, threshold: Threshold) -> Bridge:
    """The bridge with the steps that are too small joined with those beside them; it adds up as before."""
    steps: list[Step] = []
    for one in crossing.steps:
        small = one.cause == INPUTS and not _passes(crossing, one, threshold)
        last = steps[-1] if steps else None
        if small and last and last.cause == INPUTS and not _passes(crossing, last, threshold):
            steps[-1] = Step((*last.changes, *one.changes), last.was, one.now)
        else:
            steps.append(one)
    return replace(crossing, steps=tuple(steps))
