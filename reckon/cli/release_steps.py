"""Steps from release to release, and to today: each worked out, or taken from what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import asdict

from reckon.compute.book import Book
from reckon.compute.calculation import write_sheet
from reckon.compute.versions import change, difference, ledger_diff
from reckon.load import git, trees
from reckon.model.release import Snapshot
from reckon.present.export import found_in
from reckon.present.versions.page import Compared, StepWords, VersionStep, read_words, step_text
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
    today = difference.Side("today", book, findings=found_in(book))
    return {
        name: list(_Steps(some[::-1], kept).all(today))[::-1]
        for name, some in released.items()
        if name in book.projects
    }


class _Steps:
    """The steps of a project, and its releases calculated again, each once, when it is first asked for."""

    def __init__(self, released: Sequence[Snapshot], kept: Store | None) -> None:
        self._released, self._kept = released, kept
        self._sides: dict[str, difference.Side | None] = {}

    def all(self, today: difference.Side) -> Iterator[VersionStep]:
        """The steps, the oldest first."""
        yield VersionStep(new=self._released[0])
        for old, new in pairwise(self._released):
            compared = cache(partial(self._compared, old, new))
            yield VersionStep(**asdict(self._between(old, new, compared)), old=old, new=new, compared=compared)
        last = self._released[-1]
        found = self._compared(last, today)
        yield VersionStep(**asdict(read_words(step_text(*found))), old=last, compared=lambda: found)

    def _between(self, old: Snapshot, new: Snapshot, compared: Callable[[], Compared]) -> StepWords:
        """The step between two releases. Of one that could not be compared nothing is kept: the machine may be why."""
        both = old.sealed, new.sealed
        kept = self._kept if all(both) else None  # one that was not read from its file has no checksum
        if kept and (text := kept.get(*both)) is not None:
            return read_words(text.decode())
        made = step_text(*compared())
        words = read_words(made)
        if kept and words.known:
            kept.put(made.encode(), *both)
        return words

    def _compared(self, old: Snapshot, new: Snapshot | difference.Side) -> Compared:
        was, now = self._side(old), self._side(new) if isinstance(new, Snapshot) else new
        if not was or not now:
            return None, None
        moved = difference.compare(was, now, write_sheet, [old.project])
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
    entries = book.projects[project_id].project.versions.items()
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
    return None if problems or snapshot.project not in side.book.projects else side
