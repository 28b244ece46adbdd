"""Released versions on disk: reading them, telling what of them was changed, and adding one, all of it or nothing.

A release is its snapshot, `ledger/<project>/releases/<version>.json`, and its pages under `docs/<project>/releases/`.
Both are written once. Nothing else here or elsewhere writes to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TypeVar

from reckon.language.groups import group_by
from reckon.language.lazy import regex
from reckon.language.text import Place
from reckon.model import bounds, release
from reckon.model.finding import Problem
from reckon.model.release import HOME, Changed, Snapshot, numeric, snapshot_file

from .files import KEPT

INDEX = "index.md"
_CONFLICT = regex(rb"^<{7} ", re.MULTILINE)

Releases = Mapping[str, tuple[Snapshot, ...]]
"""The snapshots of each project that has any, the newest first."""
Problems = list[Problem]
NONE: Releases = {}
Sealed = TypeVar("Sealed")


def intact(root: Path) -> tuple[Releases, Problems]:
    """All releases of a tree, and what of them is not as it was released."""
    known, problems = releases(root)
    return known, sorted({*problems, *changed(root, known)})


def releases(root: Path) -> tuple[Releases, Problems]:
    """All releases of a tree, and what is wrong with their snapshots."""
    problems: Problems = []
    found = read_each(root, homes(root, "ledger", HOME, problems), partial(_snapshot, root), problems)
    by_project = group_by(found, lambda snapshot: snapshot.project)
    for some in by_project.values():
        some.sort(key=lambda snapshot: numeric(snapshot.version) or (), reverse=True)
    return {name: tuple(some) for name, some in by_project.items()}, problems


def read_each(
    root: Path, folders: Iterable[Path], read: Callable[[Path], Sealed], problems: Problems
) -> Iterator[Sealed]:
    """What the files of some folders hold, hidden ones left out; a problem for each that is not what it was."""
    for path in chain.from_iterable(map(entries_of, folders)):
        if path.name.startswith("."):
            continue
        try:
            yield read(path)
        except Changed as changed:
            problems.append(Problem(place_of_file(root, path), changed.wrong, changed.right or back(root, path)))


def changed(root: Path, known: Releases) -> Problems:
    """What is not as it was released: pages that differ, are missing, or belong to no release."""
    problems = []
    snapshots = [snapshot for some in known.values() for snapshot in some]
    folders = {snapshot.folder for snapshot in snapshots}
    pages = {path: snapshot for snapshot in snapshots for path in snapshot.pages}
    found = (_page(root, path, snapshot) for path, snapshot in pages.items())
    problems += [problem for problem in found if problem]
    for folder in homes(root, "docs", HOME, problems):
        for file in _walk_files(folder):
            if file.relative_to(root).as_posix() in pages or file == folder / INDEX:
                continue
            place = folder / file.relative_to(folder).parts[0]
            if place.is_symlink() and place.is_dir():
                problems.append(_a_link(root, place))
                continue
            released = place.relative_to(root).as_posix() in folders
            if released or not Path(root, snapshot_file(folder.parent.name, place.name)).exists():  # else it is told
                right = "remove it" if released else "remove it, or restore its snapshot"
                problems.append(Problem(place_of_file(root, file), "this file is not part of a release", right))
    return problems


def homes(root: Path, top: str, name: str, problems: Problems) -> Iterator[Path]:
    """The folders of this name in those below ledger/ or docs/; links are told and not followed."""
    for folder in entries_of(root / top):
        home = folder / name
        if folder.is_symlink() or folder.name in KEPT or not os.path.lexists(home):
            continue
        if is_folder(home):
            yield home
        else:
            right = f"replace it by the folder of the {name}"
            problems.append(Problem(place_of_file(root, home), "this is not a folder", right))


def entries_of(folder: Path) -> list[Path]:
    """What lies in a folder, in order; nothing where there is none, or a link in its place."""
    return sorted(folder.iterdir()) if is_folder(folder) else []


def is_folder(path: Path) -> bool:
    """Whether there is a folder, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def _walk_files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, without hidden ones; a link counts as a file."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if is_folder(path):
            yield from _walk_files(path)
        else:
            yield path


def _snapshot(root: Path, path: Path) -> Snapshot:
    project = path.parent.parent.name
    if path.suffix != ".json" or numeric(path.stem) is None:
        raise Changed("this file is not a snapshot of a release", "remove it")
    return release.read_snapshot(read_sealed(root, path, "the snapshot"), project, path.stem)


def read_sealed(root: Path, path: Path, what: str, never: str = "a release") -> str:
    """The text of a file that is sealed. Raises Changed where it can be none."""
    if path.is_symlink() or not path.is_file():
        raise Changed("this is a link, not a file")
    if path.stat().st_size > bounds.SNAPSHOT:
        raise Changed(f"{what} was changed: it is larger than 64 MiB")
    raw = path.read_bytes()
    if conflicting(raw):
        raise Changed("a merge conflict was left here", one_side(root, path, never))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Changed(f"{what} was changed: it is not UTF-8") from None


def _page(root: Path, path: str, snapshot: Snapshot) -> Problem | None:
    """What is wrong with a page of a release, if anything is."""
    target, mend = root / path, back
    if link := _find_link(root, path):
        return _a_link(root, link)
    if target.is_symlink():
        wrong = "was replaced by a link"
    elif not target.is_file():
        wrong = "is missing"
    elif release.checksum(raw := bounds.read_start(target, bounds.PAGE)) == snapshot.pages[path]:
        return None
    elif conflicting(raw):
        wrong, mend = "has a merge conflict in it", one_side
    else:
        wrong = "was changed"
    return Problem(Place(path), f"this page of release {snapshot.version} {wrong}", mend(root, target))


def conflicting(raw: bytes) -> bool:
    """Whether a file has in it what git leaves where it could not merge."""
    return b"<<<<<<< " in raw and _CONFLICT.search(raw) is not None  # `in` is a hundred times as fast


def _a_link(root: Path, folder: Path) -> Problem:
    return Problem(place_of_file(root, folder), "this folder was replaced by a link", "replace it by the folder itself")


def place_of_file(root: Path, path: Path) -> Place:
    """The place of a file as a whole, by a name that can be printed."""
    name = path.relative_to(root).as_posix().encode("utf-8", "replace").decode()
    return Place("".join(sign if sign.isprintable() else "?" for sign in name))


def back(root: Path, path: Path) -> str:
    """How to restore a file that never changes."""
    if not any((folder / ".git").exists() for folder in (root.resolve(), *root.resolve().parents)):
        return "restore it from your copy; it is not in a git repository"
    name = quote(path.relative_to(root).as_posix())
    return f"restore it: git checkout -- {name} (git checkout REVISION -- {name} where that was committed)"


def one_side(root: Path, path: Path, what: str = "a release") -> str:
    """How to resolve a merge conflict in a file of a release: one side is what was released."""
    name = quote(path.relative_to(root).as_posix())
    return f"{what} cannot be merged; take one side, git checkout --ours -- {name} (or --theirs)"


def blocked(root: Path, project: str, version: str) -> str:
    """What stands where a release of this version is to go; empty where there is room."""
    for path in (snapshot_file(project, version), release.pages_folder(project, version)):
        if said := linked(root, path):
            return said
        if os.path.lexists(root / path):
            return f"{path} already exists; a release is never replaced"
    return ""


def linked(root: Path, path: str) -> str:
    """Which folder above a path below the root is a link, and what would be right; empty where none is."""
    link = _find_link(root, path)
    if link is None:
        return ""
    return f"{link.relative_to(root).as_posix()} is a link, which `budget` does not follow; put the folder itself there"


def _find_link(root: Path, path: str) -> Path | None:
    """The first folder above a path below the root that is a link."""
    folders = (root / step for step in reversed(Path(path).parents) if step.parts)
    return next((folder for folder in folders if folder.is_symlink()), None)
