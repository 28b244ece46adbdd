"""Released versions on disk: reading them, telling what of them was changed, and adding one, all of it or nothing.

A release is its snapshot, `ledger/<project>/releases/<version>.json`, and its pages under `docs/<project>/releases/`.
Both are written once. Nothing else here or elsewhere writes to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from reckon.language.text import Place
from reckon.model.problem import Problem
from reckon.model.release import HOME, Changed, Snapshot, checksum, numeric, pages_folder, read_snapshot, snapshot_file

PENDING = ".pending.json"
INDEX = "index.md"

Releases = Mapping[str, tuple[Snapshot, ...]]
"""The snapshots of each project that has any, the newest first."""


NONE: Releases = MappingProxyType({})


def intact(root: Path, pages: bool = True) -> tuple[Releases, list[Problem]]:
    """All releases of a tree, and what of them is not as it was released; without `pages` only the snapshots."""
    known, problems = releases(root)
    return known, sorted({*problems, *(changed(root, known) if pages else ())})


def releases(root: Path) -> tuple[Releases, list[Problem]]:
    """All releases of a tree, and what is wrong with their snapshots."""
    found: dict[str, list[Snapshot]] = {}
    problems: list[Problem] = []
    for folder in _homes(root, "ledger", problems):
        for path in sorted(folder.iterdir()):
            if path.name.startswith("."):
                if path.name == PENDING:
                    problems.append(_cut_off(root, path))
                continue
            try:
                found.setdefault(folder.parent.name, []).append(_snapshot(root, path, folder.parent.name))
            except Changed as changed:
                problems.append(Problem(_at(root, path), changed.wrong, changed.right or _back(root, path)))
    return {name: tuple(sorted(some, key=_order, reverse=True)) for name, some in found.items()}, problems


def changed(root: Path, known: Releases) -> list[Problem]:
    """What is not as it was released: pages that differ, are missing, or belong to no release."""
    problems: list[Problem] = []
    pages = {path: one for some in known.values() for one in some for path in one.pages}
    for path, one in pages.items():
        problems += _page(root, path, one)
    for folder in _homes(root, "docs", problems):
        for file in _below(folder):
            if file.relative_to(root).as_posix() not in pages and file != folder / INDEX:
                if _unread(root, file, known):
                    continue  # its snapshot is told already: nothing is known of its pages
                right = "remove it" if _at_release(root, file, known) else "remove it, or get back its snapshot"
                problems.append(Problem(_at(root, file), "this file belongs to no release", right))
    return problems


def _order(one: Snapshot) -> tuple[int, ...]:
    return numeric(one.version) or ()


def _homes(root: Path, top: str, problems: list[Problem]) -> Iterator[Path]:
    """The folders of releases below ledger/ or docs/; links are told and not followed."""
    above = root / top
    for folder in sorted(above.iterdir()) if above.is_dir() and not above.is_symlink() else ():
        home = folder / HOME
        if folder.is_symlink() or not home.exists():
            continue
        if home.is_symlink() or not home.is_dir():
            problems.append(Problem(_at(root, home), "this is no folder", "put the folder of the releases itself here"))
        else:
            yield home


def _below(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, without hidden ones; a link counts as a file."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
        else:
            yield path


def _snapshot(root: Path, path: Path, project: str) -> Snapshot:
    if path.suffix != ".json" or numeric(path.stem) is None:
        raise Changed("this file is no snapshot of a release", "remove it")
    if path.is_symlink() or not path.is_file():
        raise Changed("this is no file of its own")
    try:
        return read_snapshot(path.read_bytes().decode("utf-8"), project, path.stem)
    except UnicodeDecodeError:
        raise Changed("the snapshot is not what was released: it is no UTF-8") from None


def _page(root: Path, path: str, one: Snapshot) -> Iterator[Problem]:
    target = Path(root, path)
    if not path.startswith(f"{one.folder}/") or ".." in path.split("/"):
        yield Problem(Place(one.file, 1, 1), "the snapshot names a page elsewhere", _back(root, Path(root, one.file)))
    elif not target.is_file() or target.resolve() != root.resolve() / path:
        yield Problem(Place(path, 1, 1), f"this page of release {one.version} is missing", _back(root, target))
    elif checksum(target.read_bytes()) != one.pages[path]:
        yield Problem(Place(path, 1, 1), f"this page of release {one.version} was changed", _back(root, target))


def _at_release(root: Path, path: Path, known: Releases) -> bool:
    """Whether a file stands among the pages of a release."""
    name = path.relative_to(root).as_posix()
    return any(name.startswith(f"{one.folder}/") for some in known.values() for one in some)


def _unread(root: Path, path: Path, known: Releases) -> bool:
    """Whether a file stands where a release has its pages whose snapshot is there and cannot be read."""
    _, project, _, version, *_ = path.relative_to(root).parts
    return not _at_release(root, path, known) and Path(root, snapshot_file(project, version)).is_file()


def _at(root: Path, path: Path) -> Place:
    name = path.relative_to(root).as_posix().encode("utf-8", "replace").decode("utf-8")
    return Place("".join(one if one.isprintable() else "?" for one in name), 1, 1)


def _back(root: Path, path: Path) -> str:
    """How a file of a release is got back."""
    name = path.relative_to(root).as_posix()
    if not any((folder / ".git").exists() for folder in (root.resolve(), *root.resolve().parents)):
        return "get it back from a copy of yours: it is in no repository of git"
    return f"get it back: git checkout -- {name} (git checkout REVISION -- {name} where that was committed)"


def _cut_off(root: Path, path: Path) -> Problem:
    return Problem(_at(root, path), "a release was cut off here", "`render` completes it")


def blocked(root: Path, project: str, version: str) -> str:
    """What stands where a release of this version is to go; empty where there is room."""
    for path in (snapshot_file(project, version), pages_folder(project, version)):
        for step in Path(path).parents:
            if Path(root, step).is_symlink():
                return f"{step.as_posix()} is a link, and links are not followed; put the folder itself there"
        if Path(root, path).exists() or Path(root, path).is_symlink():
            return f"{path} is there already; a release is never written over"
    return ""
