"""A new tree: made aside, inside the folder that it is for, and moved into place whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from . import shipped
from .files import Blocked, folders_made

ASIDE = ".budget-init"
BESIDE = (".git", ".venv", ".DS_Store")  # what may be there already: it stands in nobody's way
MOST_NAMED = 5


@contextmanager
def begun(folder: Path) -> Iterator[Path]:
    """A folder to make the tree in. What is in it at the end goes into `folder`; nothing does where anything fails.

    Raises Blocked where `folder` is no place for a tree.
    """
    _ask_for_room(folder)
    made = folders_made(folder)
    aside = folder / ASIDE
    try:
        try:
            aside.mkdir()
        except FileExistsError:
            raise Blocked(_full(folder, [ASIDE])) from None
        try:
            yield aside
            _move_in(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except BaseException:
        for new in reversed(made):
            with suppress(OSError):
                new.rmdir()
        raise


def starter(site_name: str) -> Mapping[str, bytes]:
    """The files that a new tree begins with, by path: those of the starter, and the settings of the site."""
    folder = shipped.starter()
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    settings = shipped.settings().read_bytes().decode("utf-8")
    ours = next(line for line in settings.splitlines() if line.startswith("site_name:"))
    return {**found, "mkdocs.yml": settings.replace(ours, f"site_name: {site_name}").encode()}


def repository_above(folder: Path) -> Path | None:
    """The top of the git repository that a folder lies in, where that is not the folder itself."""
    here = folder.resolve()
    top = next((one for one in (here, *here.parents) if (one / ".git").exists()), here)
    return None if top == here else top


def _ask_for_room(folder: Path) -> None:
    if folder.is_symlink():
        raise Blocked(f"{folder} is a link; name the folder itself. Nothing was written")
    if folder.exists() and not folder.is_dir():
        raise Blocked(f"{folder} is a file; name a new or empty folder. Nothing was written")
    found = sorted(one.name for one in folder.iterdir() if one.name not in BESIDE) if folder.exists() else []
    if found:
        raise Blocked(_full(folder, found))
    for one in folder.resolve().parents:
        if is_tree(one):
            right = f"a project of its own is a folder under {one / 'ledger'}; or name a folder elsewhere"
            raise Blocked(f"{folder} is inside another tree with a ledger: {right}. Nothing was written")


def _full(folder: Path, found: list[str]) -> str:
    names = ", ".join(found[:MOST_NAMED]) + (
        f" and {len(found) - MOST_NAMED:,} more" if len(found) > MOST_NAMED else ""
    )
    if found == [ASIDE]:
        right = f"another init is at work there; where none is, remove {folder / ASIDE}"
    else:
        right = "move that elsewhere, or name a new folder"
    return f"{folder} is not empty, it holds {names}: {right}. Nothing was written"


def is_tree(folder: Path) -> bool:
    """Whether there is a ledger in a folder; one that cannot be looked into has none."""
    with suppress(OSError):
        ledger = folder / "ledger"
        return (ledger / "catalog").is_dir() or any(ledger.glob("*/project.yaml"))
    return False


def _move_in(aside: Path, folder: Path) -> None:
    """Moves everything into the folder; takes all back where one thing cannot be moved."""
    moved: list[Path] = []
    try:
        for path in sorted(aside.iterdir()):
            target = folder / path.name
            if os.path.lexists(target):
                raise Blocked(_full(folder, [path.name]))
            path.rename(target)
            moved.append(target)
    except BaseException:
        for target in moved:
            target.rename(aside / target.name)
        raise
