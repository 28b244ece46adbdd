"""Steps from release to release, and to today: each worked out, or taken from what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from reckon.compute.book import Book
from reckon.compute.calculation import write_sheet
from reckon.compute.versions import change, difference, ledger_diff
from reckon.load import git, trees
from reckon.load.reader import collector_paused
from reckon.model.release import Snapshot
from reckon.present.export import found_in
from reckon.present.versions.page import Compared, VersionStep
from reckon.present.versions.step_text import read_words
from reckon.publish.releases import Releases
from reckon.user_cache import Store

from .books import side_of


def version_steps(book: Book, released: Releases, kept: Store | None = None) -> Mapping[str, Sequence[VersionStep]]:
    """What changed in each project with releases, from one to the next and to today, the newest first.

    The first follows on nothing. A release is calculated again from its snapshot, where a step from it or to it is not
    `kept`: two releases never change, so nor does what is said of the step between them.
    """
    if not released:
        return {}
    with collector_paused(more=True):
        today = difference.Side("today", book, findings=found_in(book))
        return {
            name: list(_Steps(today, some, kept).all())[::-1]
            for name, some in released.items()
            if name in book.ledger.projects
        }


class _Steps:
    """The steps of a project, and its releases calculated again, each once, when it is first asked for."""

    def __init__(self, today: difference.Side, some: Sequence[Snapshot], kept: Store | None) -> None:
        self._today, self._kept = today, kept
        self._released = some[::-1]
        self._sides: dict[str, difference.Side | None] = {}

    def all(self) -> Iterator[VersionStep]:
        """The steps, the oldest first."""
        yield VersionStep(None, self._released[0])
        for old, new in pairwise(self._released):
            yield self._between(old, new)
        found = self._compared(self._released[-1], self._today)
        yield VersionStep(self._released[-1], None, lambda: found)

    def _between(self, old: Snapshot, new: Snapshot) -> VersionStep:
        """The step between two releases. Of one that could not be compared nothing is kept: the machine may be why."""
        both = old.sealed, new.sealed
        kept = self._kept if all(both) else None  # one that was not read from its file has no checksum
        if kept and (text := kept.get(*both)) is not None:
            return VersionStep(old, new, lambda: self._compared(old, self._side(new)), read_words(text.decode("utf-8")))
        found = self._compared(old, self._side(new))
        step = VersionStep(old, new, lambda: found)
        if kept and step.known:
            kept.put(step.words.text().encode("utf-8"), *both)
        return step

    def _compared(self, old: Snapshot, side: difference.Side | None) -> Compared:
        was = self._side(old)
        if not was or not side:
            return None, None
        moved = difference.compare(was, side, write_sheet, [old.project])
        return moved, next((part for part in moved.parts if part.id == old.project), None)

    def _side(self, snapshot: Snapshot) -> difference.Side | None:
        """A release calculated again; None where this program cannot read its ledger any more."""
        if snapshot.version not in self._sides:
            self._sides[snapshot.version] = _calculated(snapshot)
        return self._sides[snapshot.version]


def unmatched(book: Book, released: Releases, project_id: str, version: str) -> list[str]:
    """What a version gives reasons for though it did not change since the newest release: addresses, as written there.

    Nothing where that release cannot be read any more.
    """
    entries = book.ledger.projects[project_id].project.versions.items()
    given = [str(address) for number, entry in entries if number == version for address in entry.reasons]
    some = released.get(project_id, ())
    if not given or not some:
        return given
    side = _calculated(some[0])
    return change.unmatched(given, ledger_diff.changes(side.book.ledger, book.ledger), project_id) if side else []


def _calculated(snapshot: Snapshot) -> difference.Side | None:
    """A release calculated again; None where this program cannot read its ledger any more."""
    with TemporaryDirectory(prefix="budget-") as folder:
        try:
            side, problems = side_of(trees.released(Path(folder), snapshot), snapshot.version)
        except git.NoTree:
            return None
    return None if problems or snapshot.project not in side.book.ledger.projects else side
