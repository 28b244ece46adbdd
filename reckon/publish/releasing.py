"""Adding a release: pages, snapshot and the entry in project.yaml, all of them or none.

The pages are staged in a hidden folder beside their place. Then one file is written whole, `.pending.json`, that says
all the rest: from there on the release is made, and `complete` does what is left to do, also after a crash. Before,
there is nothing but hidden files and folders, which `complete` removes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from reckon.model.release import HOME, Snapshot, checksum
from reckon.model.sealed import MOST_BYTES, Changed, read_snapshot

from .append import alone, projects
from .files import Blocked, write_whole
from .releases import PENDING, blocked, linked

# What a write that was killed leaves behind: pages that were staged, and files before they are moved into place.
_LEFT_DOCS = re.compile(r"\.[0-9][0-9.]*\.tmp")
_LEFT_LEDGER = re.compile(r"\.(\.pending|[0-9][0-9.]*)\.json\.[0-9]+\.tmp")


def put(root: Path, snapshot: Snapshot, pages: Mapping[str, str], was: str) -> None:
    """Adds a release with its pages by path. `was` is the text of project.yaml now; the snapshot has what it is to be.

    The caller holds the lock of the project. Raises Blocked before anything is written.
    """
    if said := blocked(root, snapshot.project, snapshot.version) or _unreadable(snapshot):
        raise Blocked(said)
    _tidy(root, snapshot.project)
    staged = _staged(root, snapshot)
    try:
        for path, text in pages.items():
            write_whole(staged / Path(path).relative_to(snapshot.folder), text)
        _sync(staged)
        plan = {"version": snapshot.version, "was": checksum(was.encode("utf-8")), "snapshot": snapshot.text()}
        write_whole(_pending(root, snapshot.project), json.dumps(plan, ensure_ascii=False))
    except BaseException:
        if not _is_made(root, snapshot.project):
            _tidy(root, snapshot.project)
        raise
    _complete(root, snapshot.project)


def _unreadable(snapshot: Snapshot) -> str:
    """Why a snapshot could not be read again once it is written; empty where it can."""
    text = snapshot.text()
    if len(text.encode("utf-8")) > MOST_BYTES:
        return "the snapshot of this release would be larger than 64 MiB, which is not read again"
    try:
        read_snapshot(text, snapshot.project, snapshot.version)
    except Changed as changed:
        return f"the snapshot of this release could not be read again: {changed.wrong}"
    return ""


def complete(root: Path) -> list[str]:
    """Completes releases that were cut off, and removes what others left behind that were cut off before they were
    made; gives the completed ones as `project version`. Raises Blocked."""
    done = []
    for project in projects(root):
        if _is_made(root, project) or any(_left_behind(root, project)):
            with alone(root, project):
                if _is_made(root, project):
                    done.append(f"{project} {_complete(root, project)}")
                _tidy(root, project)
    return done


def _complete(root: Path, project: str) -> str:
    """Does what is left of a release to do, in an order in which each step can be done again.

    Whoever wrote the plan: only what `put` would have written is. Raises Blocked before anything else is.
    """
    path = _pending(root, project)
    snapshot, text, was = _planned(root, path, project)
    staged, place = _staged(root, snapshot), Path(root, snapshot.folder)
    if not place.exists():
        staged.rename(place)
    write_whole(Path(root, snapshot.file), text)
    head, entry = _head(root, project), snapshot.files[f"ledger/{project}/project.yaml"]
    now = checksum(head.read_bytes()) if head.is_file() else ""
    if now == was:
        write_whole(head, entry)
    path.unlink()
    if now not in (was, checksum(entry.encode("utf-8"))):
        raise Blocked(f"{project} {snapshot.version} is released, but ledger/{project}/project.yaml was changed"
                      " meanwhile; write its entry under `versions` by hand")  # fmt: skip
    return snapshot.version


def _planned(root: Path, path: Path, project: str) -> tuple[Snapshot, str, str]:
    """The release that was cut off, the text of its snapshot, and what project.yaml was. Raises Blocked."""
    name = path.relative_to(root).as_posix()
    if linked(root, name) or path.is_symlink() or not path.is_file() or path.stat().st_size > 2 * MOST_BYTES:
        raise Blocked(f"{name} is no file that was written here; remove it, and release again")
    try:
        plan = json.loads(path.read_bytes())
        text, was = str(plan["snapshot"]), str(plan["was"])
        snapshot = read_snapshot(text, project, plan["version"])
    except (ValueError, KeyError, TypeError, RecursionError, Changed):
        raise Blocked(f"{name} cannot be read; remove it, and release again") from None
    if wrong := _undone(root, snapshot, text):
        raise Blocked(f"{name} cannot be completed: {wrong}; remove it, and release again")
    return snapshot, text, was


def _undone(root: Path, snapshot: Snapshot, text: str) -> str:
    """What keeps a release from being completed; empty where nothing does."""
    if said := linked(root, snapshot.folder) or linked(root, snapshot.file):
        return said.partition(",")[0]
    there = Path(root, snapshot.file)
    if there.is_symlink() or (there.exists() and there.read_bytes() != text.encode("utf-8")):
        return f"{snapshot.file} is there already"
    place = Path(root, snapshot.folder)
    place = place if place.exists() else _staged(root, snapshot)
    if place.is_symlink() or not _holds(place, {Path(path).name: sum_ for path, sum_ in snapshot.pages.items()}):
        return f"the pages of {snapshot.version} are not those that it was to have"
    head = f"ledger/{snapshot.project}/project.yaml"
    if head not in snapshot.files or not _head(root, snapshot.project).is_relative_to(root.resolve()):
        return f"{head} is not what it was"
    return ""


def _holds(folder: Path, sums: Mapping[str, str]) -> bool:
    """Whether the files of a folder are these, by name and checksum, and no others."""
    if not folder.is_dir():
        return False
    files = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return sorted(path.name for path in files) == sorted(sums) and all(
        path.is_file() and not path.is_symlink() and checksum(path.read_bytes()) == sums[path.name] for path in files
    )


def _head(root: Path, project: str) -> Path:
    """The file that project.yaml is; a link inside the tree stays one."""
    return (root / "ledger" / project / "project.yaml").resolve()


def _staged(root: Path, snapshot: Snapshot) -> Path:
    place = Path(root, snapshot.folder)
    return place.with_name(f".{place.name}.tmp")


def _pending(root: Path, project: str) -> Path:
    return root / "ledger" / project / HOME / PENDING


def _is_made(root: Path, project: str) -> bool:
    """Whether a release is made, and not yet complete. A link that leads nowhere is one that somebody put there."""
    return os.path.lexists(_pending(root, project))


def _left_behind(root: Path, project: str) -> Iterator[Path]:
    """What a release left behind that was killed. Only who holds the lock of the project may remove it."""
    for top, named in (("docs", _LEFT_DOCS), ("ledger", _LEFT_LEDGER)):
        home = Path(root, top, project, HOME)
        if home.is_dir() and not home.is_symlink() and not linked(root, f"{top}/{project}/{HOME}"):
            yield from (path for path in sorted(home.iterdir()) if named.fullmatch(path.name))


def _tidy(root: Path, project: str) -> None:
    """Removes what was left behind, and folders that are empty without it."""
    for path in list(_left_behind(root, project)):
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path)
        with suppress(OSError):
            path.parent.rmdir()


def _sync(folder: Path) -> None:
    """Has the names in a folder on the disk too, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
