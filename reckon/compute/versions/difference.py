"""`compare`: two sides -> all that differs between them, project by project; and the figures that moved by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import ZERO
from reckon.language.text import NOWHERE
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Figures, closure
from reckon.model.kinds import FINAL, SHARED, group_of
from reckon.model.ledger import ByProject, ProjectLedger, outwards
from reckon.model.release import ReleasedFigure, ReleasedFinding

from ..book import Book
from ..sheet.cells import Addresses
from .change import Change
from .charge_steps import add_charges
from .dropped_requirements import Silenced, silenced
from .ledger_diff import changes
from .method import METHOD, Remade, as_released
from .steps import INPUTS, Bridge, Crossing, Step, Write, bridge, extensions_of, total_of

MOST_WALKED = 20_000
"""How many figures below one are looked at for the changed inputs that it rests on."""


class Side(Struct, frozen=True):
    """One of two sides: what it is called, its book, and the findings of its projects, where they are known.

    Of a release, `project` is the one it is of, `figures` are those that were released, and `method` is the number of
    the method by which they were.
    """

    name: str
    book: Book
    project: str = ""
    figures: Mapping[str, ReleasedFigure] = {}
    findings: ByProject[ReleasedFinding] = {}
    method: int = 0

    @property
    def remade(self) -> Remade | None:
        """A release as it is calculated today; None of another side."""
        return Remade(self.name, self.method, self.book.figures, self.figures) if self.figures else None


class Moved(Struct, frozen=True):
    """A figure on both sides. `because` are the changed inputs that it rests on; none where the calculation changed."""

    was: Figure
    now: Figure
    because: Addresses = ()

    @property
    def by(self) -> Fraction | None:
        """How much the value to plan with moved, in the figure's unit; None where one side has none."""
        return None if self.was.use is None or self.now.use is None else self.now.use - self.was.use

    @property
    def share(self) -> Fraction | None:
        """The same as a share of what it was; None where that is zero or not known."""
        return self.by / abs(self.was.use) if self.by is not None and self.was.use else None


class MethodChange(Struct, frozen=True):
    """A sentence of the changelog, with the figures that moved since a release (`since`) because of it."""

    since: str
    sentence: str
    figures: Addresses


class Threshold(Struct, frozen=True):
    """What a figure has to move by to be told: a share of what it was, or GPU-hours."""

    share: Fraction | None = None
    hours: Fraction | None = None

    def exceeded(self, was: Fraction | None, now: Fraction | None, gpu_hours: bool) -> bool:
        """Whether a move is told. One from or to nothing is, unless it is asked for GPU-hours of what has none."""
        if self.hours is not None:
            return gpu_hours and (was is None or now is None or abs(now - was) > self.hours)
        if self.share is None or was is None or now is None:
            return True
        return abs(now - was) > self.share * abs(was)


class Part(Struct, frozen=True):
    """What differs in one project, or in what all share (whose id is empty)."""

    id: str
    title: str
    state: str = ""  # added or removed, where the whole project is
    was: Figure | None = None
    now: Figure | None = None
    bridge: Bridge | None = None
    changes: tuple[Change, ...] = ()
    moved: tuple[Moved, ...] = ()
    came: Addresses = ()
    went: Addresses = ()
    gained: tuple[ReleasedFinding, ...] = ()
    lost: tuple[ReleasedFinding, ...] = ()
    altered: tuple[tuple[ReleasedFinding, ReleasedFinding], ...] = ()
    method: tuple[MethodChange, ...] = ()

    @property
    def told(self) -> tuple[Change, ...]:
        """The changes that are more than words."""
        return tuple(change for change in self.changes if not change.quiet)

    @property
    def silenced(self) -> tuple[Silenced, ...]:
        """Requirements that were dropped, each with the findings that are gone with it."""
        return silenced(self.told, self.lost, self.gained)

    @property
    def empty(self) -> bool:
        """Whether nothing moved, came or went."""
        return not (self.told or self.moved or self.gained or self.lost or self.altered or self.bridge or self.state)


class Difference(Struct, frozen=True):
    """All that differs between two sides: what all projects share first, then project by project."""

    old: Side
    new: Side
    parts: tuple[Part, ...]

    @property
    def books(self) -> tuple[Book, Book]:
        """The books of both."""
        return self.old.book, self.new.book

    @property
    def empty(self) -> bool:
        """Whether nothing is to be told."""
        return not self.parts


def compare(old: Side, new: Side, write: Write, projects: Sequence[str] = (), of: str = "") -> Difference:
    """What differs between two sides, in some projects or in all. `of` is the figure that is bridged, not the total.

    `write` writes the cells of the ledgers between the two: `calculation.write_sheet`.
    """
    only = tuple(projects)
    changed = tuple(add_charges(changes(old.book.ledger, new.book.ledger), old.book, new.book))
    names = [name for name in {**old.book.projects, **new.book.projects} if not only or name in only]
    compared = _Compared(old, new, changed, write, of)
    released = old.project or new.project
    parts = [compared.part(name) for name in (*names, *(() if released else ("",)))]
    if released:
        shared = tuple(change for change in changed if change.scope == "catalog")
        parts.append(Part("", "Shared", changes=shared))
    parts.sort(key=lambda part: bool(part.id))
    return Difference(old, new, tuple(part for part in parts if not part.empty))


class _Compared(Struct, frozen=True):
    old: Side
    new: Side
    changed: tuple[Change, ...]
    write: Write
    of: str

    def part(self, name: str) -> Part:
        """What differs in a project, or in what all share."""
        own = tuple(change for change in self.changed if (change.scope in SHARED if not name else change.scope == name))
        if not name:
            return self._filled(Part("", "Shared", changes=own))
        was, now = (side.book.projects.get(name) for side in (self.old, self.new))
        project = now or was
        assert project is not None
        if was and now:
            state = ""
        elif now:
            state = "added"
        else:
            state = "removed"
        # What extends a budget is left out where it is as it was.
        as_was = extensions_of(self.old.book, name) == extensions_of(self.new.book, name)
        of = self.of or FINAL.hours * as_was
        totals = _total(self.old, name, of), _total(self.new, name, of)
        part = Part(name, self._title(name, project), state, totals[0], totals[1], changes=own)
        if state:
            return part
        remade = self.old.remade, self.new.remade
        crossing = bridge(self.old.book, self.new.book, self.changed, self.write, name, of, remade)
        return self._filled(replace(part, bridge=crossing if crossing and crossing.steps else None))

    def _title(self, name: str, project: ProjectLedger) -> str:
        """What a project is called; with its id where another one has the same title."""
        title, every = project.project.title, (self.old.book.projects, self.new.book.projects)
        alike = (other for side in every for id_, other in side.items() if id_ != name)
        return f"{title} ({name})" if any(other.project.title == title for other in alike) else title

    def _filled(self, part: Part) -> Part:
        """A part with the figures that moved and the findings that came or went."""
        old, new = (_figures(side, part.id) for side in (self.old, self.new))
        back = _renamed(part.changes)
        found = sorted(moved(old, new, back, self.changed), key=lambda move: rank(part.id, move.now.address))
        backs = {address: back(address) for address in new}
        came = tuple(address for address, was in backs.items() if was not in old)
        kept = set(backs.values())
        went = tuple(address for address in old if address not in kept)
        part = replace(part, moved=tuple(found), came=came, went=went, method=self._method(found))
        return _with_findings(part, self.old, self.new) if part.id else part

    def _method(self, found: Sequence[Moved]) -> tuple[MethodChange, ...]:
        """What the method did to figures that moved, where the two sides were not calculated by the same one."""
        sides = [side.remade for side in (self.old, self.new)]
        older = min((side for side in sides if side), key=lambda side: side.number, default=None)
        if older is None or len({side.number for side in sides if side}) < sum(side is not None for side in sides):
            return ()
        until = max(side.number if side else METHOD for side in sides)
        own = ((move.was if older is sides[0] else move.now).address for move in found)
        now = {(move.was if older is sides[0] else move.now).address: move.now.address for move in found}
        changes = []
        for sentence, addresses in older.moved(own, until):
            figures = tuple(now[address] for address in addresses)
            changes.append(MethodChange(older.name, sentence, figures))
        return tuple(changes)


def _figures(side: Side, name: str) -> dict[str, Figure]:
    """The figures of a project, or of what is shared, as they were released where they were."""
    every = side.book.figures.items()
    own = side.book.own(name).items() if name else [pair for pair in every if pair[0].partition(".")[0] in SHARED]
    return {at: as_released(figure, side.figures.get(at)) for at, figure in own}


def _total(side: Side, name: str, of: str) -> Figure | None:
    total = total_of(side.book, name, of)
    return as_released(total, side.figures.get(total.address)) if total else None


def _renamed(changed: Sequence[Change]) -> Callable[[str], str]:
    """A function that gives the old address of a figure, where its record had another id."""
    pairs = {
        change.address: f"{change.address.rpartition('.')[0]}.{change.was}"
        for change in changed
        if change.kind == "renamed" and len(change.swaps) == 2
    }

    def back(address: str) -> str:
        record = next((outer for outer in outwards(address) if outer in pairs), "") if pairs else ""
        return pairs[record] + address.removeprefix(record) if record else address

    return back


def _with_findings(part: Part, old: Side, new: Side) -> Part:
    if part.id not in old.findings or part.id not in new.findings:
        return part
    was = {finding.id: finding for finding in old.findings[part.id]}
    now = {finding.id: finding for finding in new.findings[part.id]}
    gained = tuple(finding for finding_id, finding in now.items() if finding_id not in was)
    lost = tuple(finding for finding_id, finding in was.items() if finding_id not in now)
    both = ((was[finding_id], finding) for finding_id, finding in now.items() if finding_id in was)
    altered = tuple((before, after) for before, after in both if before.severity != after.severity)
    return replace(part, gained=gained, lost=lost, altered=altered)


def above(difference: Difference, threshold: Threshold) -> Difference:
    """What moved by more than a threshold: smaller moves are left out, and small steps of a bridge told as one."""
    parts = (_above(part, threshold) for part in difference.parts)
    return replace(difference, parts=tuple(part for part in parts if part is not None))


def _above(part: Part, threshold: Threshold) -> Part | None:
    kept = tuple(move for move in part.moved if threshold.exceeded(move.was.use, move.now.use, is_hours(move.now)))
    crossing = part.bridge if part.bridge and _is_above_threshold(part.bridge, part.bridge, threshold) else None
    if not kept and crossing is None and not part.state:
        return None
    shown = {move.now.address for move in kept}
    method = []
    for each in part.method:
        figures = tuple(at for at in each.figures if at in shown)
        if figures:
            method.append(replace(each, figures=figures))
    crossing = _joined(crossing, threshold) if crossing else None
    return replace(part, moved=kept, bridge=crossing, method=tuple(method))


def _is_above_threshold(crossing: Bridge, step: Crossing, threshold: Threshold) -> bool:
    """Whether a step of a bridge, or all of it, is above the threshold, against the old total."""
    base = crossing.was.use or ZERO
    return threshold.exceeded(base, base + step.by, crossing.unit.symbol == "GPU-h")


def _joined(crossing: Bridge, threshold: Threshold) -> Bridge:
    """The bridge with the steps that are too small joined with those beside them; it adds up as before."""
    steps: list[Step] = []
    for step in crossing.steps:
        small = step.cause == INPUTS and not _is_above_threshold(crossing, step, threshold)
        last = steps[-1] if steps else None
        if small and last and last.cause == INPUTS and not _is_above_threshold(crossing, last, threshold):
            steps[-1] = Step(last.was, step.now, (*last.changes, *step.changes))
        else:
            steps.append(step)
    return replace(crossing, steps=tuple(steps))


def is_hours(figure: Figure) -> bool:
    """Whether a figure is in GPU-hours, to which a threshold in hours applies."""
    return figure.unit.kinds == GPU_HOURS.kinds and figure.unit.scale == GPU_HOURS.scale


def moved(old: Figures, new: Figures, renamed: Callable[[str], str], changed: Sequence[Change]) -> Iterator[Moved]:
    """Each figure of the new side that differs from the old one, but those that are themselves changed inputs.

    `renamed` gives the old address of a figure.
    """
    inputs = {change.address for change in changed}
    for address, now in new.items():
        was = old.get(renamed(address))
        if was is None or was.unit != now.unit:
            continue
        if was.value == now.value and was.missing == tuple(map(renamed, now.missing)):
            continue
        if now.is_stated and now.place is not NOWHERE:
            continue
        walked = closure(was, now, most=MOST_WALKED)
        yield Moved(was, now, tuple(dict.fromkeys(below.address for below in walked if below.address in inputs)))


def rank(project_id: str, address: str) -> int:
    """Where a figure of a project comes when the most asked for come first."""
    return group_of(address.removeprefix(f"{project_id}.").partition(".")[0]).told
