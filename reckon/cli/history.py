"""What changed from release to release, and since the newest: each is reckoned again from its snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.compute.versions.difference import Side
    from reckon.model.release import Snapshot
    from reckon.present.versions.page import VersionStep
    from reckon.publish.releases import Releases

NOW = "today"


def leaps(book: Book, released: Releases) -> Mapping[str, Sequence[VersionStep]]:
    """For each project with releases: from nothing to the first, from each to the next, and to today; newest first."""
    return {name: _leaps(book, some) for name, some in released.items() if name in book.ledger.projects}


def _leaps(book: Book, some: Sequence[Snapshot]) -> list[VersionStep]:
    from reckon.compute.reckoning import write_sheet
    from reckon.compute.versions.difference import Side, compare
    from reckon.present.export import found_in
    from reckon.present.versions.page import VersionStep

    project = some[0].project
    now = Side(NOW, book, findings=found_in(book))
    ends = [(one, _side(one)) for one in reversed(some)]
    found = [VersionStep(None, some[-1])]
    for (old, was), (new, side) in zip(ends, [*ends[1:], (None, now)], strict=True):
        difference = compare(was, side, write_sheet, [project]) if was and side else None
        parts = [one for one in difference.parts if one.id == project] if difference else []
        found.append(VersionStep(old, new, difference, parts[0] if parts else None))
    return found[::-1]


def unmatched(book: Book, released: Releases, project: str, version: str) -> list[str]:
    """What a version gives reasons for though it did not change since the newest release: addresses, as written there.

    Nothing where that release cannot be read any more.
    """
    from reckon.compute.versions.changes import changes
    from reckon.compute.versions.reasons import unmatched as without

    entries = book.ledger.projects[project].project.versions.items()
    given = [str(address) for number, entry in entries if number == version for address in entry.reasons]
    some = released.get(project, ())
    if not given or not some:
        return given
    side = _side(some[0])
    return without(given, changes(side.book.ledger, book.ledger), project) if side else []


def _side(snapshot: Snapshot) -> Side | None:
    """A release reckoned again; None where this program cannot read its ledger any more."""
    from reckon.compute.reckoning import reckon
    from reckon.compute.versions.difference import Side
    from reckon.load.git import NoTree
    from reckon.load.reader import collector_paused
    from reckon.load.trees import ledger_of, released

    with TemporaryDirectory(prefix="budget-") as folder, collector_paused():
        try:
            ledger, problems = ledger_of(released(Path(folder), snapshot))
        except NoTree:
            return None
        book, more = reckon(ledger)
    if problems or more or snapshot.project not in ledger.projects:
        return None
    return Side(snapshot.version, book, snapshot.project, snapshot.figures, {snapshot.project: snapshot.findings})
