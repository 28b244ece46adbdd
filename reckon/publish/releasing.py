"""Adding a release: pages, snapshot and the entry in project.yaml, all of them or none.

The pages are staged in a hidden folder beside their place. Then one file is written whole, `.pending.json`, that says
all the rest: from there on the release is made, and `complete` does what is left to do, also after a crash. Before,
there is nothing but a hidden folder that the next release removes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reckon.model.release import HOME, Changed, Snapshot, checksum, read_snapshot

from .append import alone
from .files import Blocked, write_whole
from .releases import PENDING, blocked


def put(root: Path, snapshot: Snapshot, pages: Mapping[str, str], head: tuple[str, str]) -> None:
    """Adds a release with its pages by path; `head` is the text of project.yaml as it is and as it is to be.

    The caller holds the lock of the project. Raises Blocked before anything is written.
    """
    if said := blocked(root, snapshot.project, snapshot.version):
        raise Blocked(said)
    staged = _staged(root, snapshot)
    _remove(staged)
    try:
        for path, text in pages.items():
            write_whole(staged / Path(path).relative_to(snapshot.folder), text)
        _sync(staged)
        was, text = head
        plan = {"version": snapshot.version, "was": checksum(was.encode("utf-8")), "project": text,
                "snapshot": snapshot.text()}  # fmt: skip
        write_whole(_pending(root, snapshot.project), json.dumps(plan, ensure_ascii=False))
    except BaseException:
        if not _pending(root, snapshot.project).exists():
            _remove(staged)
        raise
    _complete(root, snapshot.project)


def pending(root: Path) -> list[str]:
    """The projects of which a release was cut off."""
    return [path.parents[1].name for path in sorted(root.glob(f"ledger/*/{HOME}/{PENDING}"))]


def complete(root: Path) -> list[str]:
    """Completes releases that were cut off; gives them as `project version`. Raises Blocked."""
    done = []
    for project in pending(root):
        with alone(root / "ledger" / project):
            if _pending(root, project).exists():
                done.append(f"{project} {_complete(root, project)}")
    return done


def _complete(root: Path, project: str) -> str:
    """Does what is left of a release to do, in an order in which each step can be done again."""
    path = _pending(root, project)
    try:
        plan = json.loads(path.read_bytes())
        snapshot = read_snapshot(plan["snapshot"], project, plan["version"])
        was, text = str(plan["was"]), str(plan["project"])
    except (ValueError, KeyError, TypeError, Changed):
        raise Blocked(f"{path.relative_to(root).as_posix()} cannot be read; remove it, and release again") from None
    staged, place = _staged(root, snapshot), Path(root, snapshot.folder)
    if staged.is_dir() and not place.exists():
        staged.rename(place)
    write_whole(Path(root, snapshot.file), plan["snapshot"])
    head = root / "ledger" / project / "project.yaml"
    now = checksum(head.read_bytes()) if head.is_file() else ""
    if now == was:
        write_whole(head.resolve(), text)
    path.unlink()
    if now not in (was, checksum(text.encode("utf-8"))):
        raise Blocked(f"{project} {snapshot.version} is released, but ledger/{project}/project.yaml was changed"
                      " meanwhile; write its entry under `versions` by hand")  # fmt: skip
    return snapshot.version


def _staged(root: Path, snapshot: Snapshot) -> Path:
    place = Path(root, snapshot.folder)
    return place.with_name(f".{place.name}.tmp")


def _pending(root: Path, project: str) -> Path:
    return root / "ledger" / project / HOME / PENDING


def _remove(folder: Path) -> None:
    """Removes a folder of ours, and the one above it where nothing else is in it."""
    if folder.is_dir():
        shutil.rmtree(folder)
        with suppress(OSError):
            folder.parent.rmdir()


def _sync(folder: Path) -> None:
    """Has the names in a folder on the disk too, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
