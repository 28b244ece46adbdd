"""A change of several files: all of them or none, even if the process is killed.

What is to be written is staged beside its place. Then one file is written whole, `.journal.json`, that says all of it:
from there on the change is made, and what is left of it can be done as often as it takes. Before, there is nothing but
hidden files, which the next who holds the lock of the same home removes. One file alone needs no journal.

A home is the folder of a project in the ledger, or the whole tree. `write_plan` says what may be written in which.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reckon.language.text import Place
from reckon.model import closing
from reckon.model.finding import Problem
from reckon.model.release import HOME, checksum
from reckon.model.tree import inside, is_hidden

from .files import ROUGH, Blocked, folders_made, rough_copy, write_whole
from .releases import entries_of, is_folder, linked
from .write_plan import (
    JOURNAL,
    RUNS,
    TREE,
    FileChange,
    FileStep,
    Plan,
    find_journals,
    planned,
    read_plan,
    takes,
)

_CI = (".budget", ".github", ".gitlab")
_SHARED = ("ledger/catalog", "ledger")
LOCK = ".add.lock"
Places = Mapping[str, Path]
"""Where files of a plan lie, by their paths in it."""


@contextmanager
def alone(root: Path, home: str) -> Iterator[None]:
    """Waits until nobody else writes in this folder of a tree, and keeps others waiting until the block ends.

    The system lets go of the lock of a process that is killed; the file it leaves behind means nothing. Raises Blocked
    where a link stands in its place, or leads out of the root above it.
    """
    path = Path(root, home, LOCK)
    if not inside(root, path.parent):
        raise Blocked(f"{home} leads out of the root by a link; replace it by the folder itself; nothing written")
    handle = _open_lock(path, f"{home}/{LOCK}".lstrip("/"))
    try:
        yield
    finally:
        try:
            if sys.platform != "win32":  # there a file that is open cannot be removed
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _open_lock(path: Path, name: str) -> int:
    """A handle on the lock file that holds the lock."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        if path.is_symlink():  # where the system has no O_NOFOLLOW, and to say it plainly where it has
            raise Blocked(f"{name} is a link, which `budget` does not follow; remove it; nothing written")
        handle = os.open(path, flags, 0o666)
        try:
            _lock(handle)
            # Whoever held it before may have removed the file meanwhile: then this is a lock on nothing.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.lstat(path)):
                    return handle
        except OSError as error:
            os.close(handle)
            right = "add the line by hand, or work on a copy on another disk"
            raise Blocked(f"{path.name} cannot be locked ({error.strerror}): {right}; nothing written") from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt
        import time

        while True:
            with suppress(OSError):
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
                return
            time.sleep(0.05)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def opened(root: Path, home: str) -> Iterator[list[str]]:
    """Holds the lock of a home, with what was cut off there completed before: gives what that was, in lines."""
    with alone(root, home):
        done = [_complete(root, read_plan(root, home, name)) for name in find_journals(root, home)]
        _sweep(root, home)
        yield done


def complete(root: Path) -> list[str]:
    """Completes what was cut off, in all projects: gives a line for each. Raises Blocked."""
    done = []
    for home in _homes(root):
        if find_journals(root, home) or any(_litter(root, home)):
            with opened(root, home) as told:
                done += told
    return done


def cut_off(root: Path, tree: bool = False) -> list[Problem]:
    """A problem for each project in which something was cut off, and for the tree itself, where that is asked for."""
    found = []
    for home in [*([TREE] if tree else []), *_homes(root)]:
        for name in find_journals(root, home):
            wrong, right = "an earlier command was interrupted here", f"`{_mends(home)}` completes it"
            try:
                if read_plan(root, home, name).release:
                    wrong = "a release was interrupted here"
            except Blocked:
                wrong, right = "`budget` did not write this file", "remove it"
            found.append(Problem(Place(name), wrong, right))
    return found


def apply_changes(root: Path, home: str, changes: Sequence[FileChange]) -> None:
    """Makes all the changes, or none. The caller holds the lock of the home.

    Raises Blocked before anything is changed: where a file is not what it was when it was read, or cannot be written.
    """
    plan = planned(home, changes)
    places, made = _places(root, plan), list[Path]()
    staged = {}
    try:
        for step in plan.steps:
            if step.data is not None:
                made += folders_made(places[step.path].parent)
                staged[step.path] = rough_copy(places[step.path], step.data)
        for step in plan.steps:
            if _checksum_of(places[step.path]) != step.was:
                raise Blocked(f"{step.path} was changed by someone else just now; nothing written, try again")
        if len(plan.steps) > 1:
            _journalled(root, plan, places, staged)
        elif staged and plan.steps[0].was is None:
            _create(plan.steps[0].path, staged, places)
        else:
            _make(plan.steps, places, staged)
    finally:
        for rough in staged.values():
            rough.unlink(missing_ok=True)
        for folder in reversed(made):
            with suppress(OSError):  # something is in it
                folder.rmdir()


def _journalled(root: Path, plan: Plan, places: Places, staged: Places) -> None:
    write_whole(root / plan.name, plan.text())
    try:
        _make(plan.steps, places, staged)
    except OSError as error:
        if plan.release:
            raise
        said = f"{plan.name} has the rest of an interrupted change, which cannot be completed now ({error.strerror})"
        again = "" if plan.home == TREE else "; do not add it again"
        raise Blocked(f"{said}: `{_mends(plan.home)}` completes it{again}") from None
    (root / plan.name).unlink()


def _mends(home: str) -> str:
    """The command that completes what was cut off in a home."""
    return "init --upgrade" if home == TREE else "render"


def _create(path: str, staged: Places, places: Places) -> None:
    """Puts a new file in its place; one that came there meanwhile stays."""
    try:
        os.link(staged[path], places[path])
    except FileExistsError:
        raise Blocked(f"{path} already exists; nothing written, try again") from None
    except (OSError, NotImplementedError):  # a disk without hard links
        os.replace(staged[path], places[path])


def _make(steps: Sequence[FileStep], places: Places, staged: Places) -> None:
    """Writes what is to be there, and then removes what is not: so nothing is gone before it stands elsewhere."""
    for step in steps:
        if step.data is not None:
            os.replace(staged.get(step.path) or rough_copy(places[step.path], step.data), places[step.path])
    for step in steps:
        if step.data is None:
            places[step.path].unlink(missing_ok=True)


def _complete(root: Path, plan: Plan) -> str:
    """Does what is left to do. Raises Blocked before anything is done, but for project.yaml beside a whole release."""
    places = _places(root, plan)
    late = [step.path for step in plan.steps if _checksum_of(places[step.path]) not in step.ends]
    if late and not (plan.release and late == [plan.head]):
        right = f"add what is missing to it, and remove {plan.name}"
        right = f"remove {plan.name}, and release again" if plan.release else right
        raise Blocked(f"{plan.name} cannot be completed: {late[0]} was changed meanwhile; {right}")
    for step in plan.steps:
        places[step.path].parent.mkdir(parents=True, exist_ok=True)
    _make([step for step in plan.steps if step.path not in late], places, {})
    (root / plan.name).unlink()
    if not plan.release:
        return f"completed an interrupted change in {plan.home or 'the tree'}: {len(plan.steps)} files"
    released = f"{plan.release.project} {plan.release.version}"
    if late:
        right = "write its entry under `versions` by hand"
        raise Blocked(f"{released} is released, but {plan.head} was changed meanwhile; {right}")
    return f"completed the release of {released}"


def _places(root: Path, plan: Plan) -> dict[str, Path]:
    """The files of a plan. Links of the ledger may lead to places in the tree, or in the ledger if there are several
    files; no others are followed."""
    below, places = "ledger" if len(plan.steps) > 1 else "", dict[str, Path]()
    for path in (step.path for step in plan.steps):
        place = root / path
        strict = plan.home == TREE or f"/{HOME}/" in path or f"/{closing.HOME}/" in path
        if strict and (said := linked(root, f"{path}/x")):
            raise Blocked(f"{said}. Nothing written")
        if not strict and (not inside(root, place, below) or is_hidden(place.resolve().relative_to(root.resolve()))):
            right = "replace it by the file itself; nothing written"
            raise Blocked(f"{path} leads out of {below or 'the tree'} by a link: {right}")
        places[path] = place.resolve()  # a link inside the tree stays one
        if places[path].exists() and not places[path].is_file():
            raise Blocked(f"{path} is not a file; move it elsewhere. Nothing written")
    if len(set(places.values())) < len(places):
        raise Blocked(f"two files of {plan.home} are the same, by a link; remove the link. Nothing written")
    return places


def _checksum_of(place: Path) -> str | None:
    """The checksum of a file as it is; None where there is none."""
    return checksum(place.read_bytes()) if place.exists() else None


def _homes(root: Path) -> list[str]:
    """The folders under ledger/. Links are not followed."""
    return [f"ledger/{path.name}" for path in entries_of(root / "ledger") if is_folder(path)]


def _folders(root: Path, home: str) -> Iterator[Path]:
    """The folders in which a change of a home stages files; the innermost first."""
    if home == TREE:
        tops = [root / name for name in _CI]
        shared = [root / name for name in _SHARED]
        inner = [path for top in tops if not top.is_symlink() for path in sorted(top.rglob("*"), reverse=True)]
        yield from filter(is_folder, [*inner, *tops, *shared, root])
        return
    from reckon.model.kinds import IMPORTED

    for name in (f"{RUNS}/{IMPORTED}", RUNS, closing.HOME, ""):
        folder = Path(root, home, name)
        if folder.is_dir() and inside(root, folder, "ledger"):
            yield folder
    for folder in (Path(root, "docs", Path(home).name, HOME), Path(root, home, HOME)):
        if folder.is_dir() and not linked(root, f"{folder.relative_to(root).as_posix()}/x"):
            yield from filter(is_folder, sorted(folder.iterdir()))
            yield folder


def _litter(root: Path, home: str) -> Iterator[Path]:
    """The files that killed processes had staged."""
    for folder in _folders(root, home):
        for path in sorted(folder.iterdir()):
            staged = path.relative_to(root).with_name(path.name[1:].rsplit(".", 2)[0] or path.name).as_posix()
            if ROUGH.fullmatch(path.name) and (home != TREE or staged == JOURNAL or takes(home, staged)):
                yield path


def _sweep(root: Path, home: str) -> None:
    """Removes those files, and folders of releases that are then empty. The lock is held, so nobody else is at work."""
    for path in list(_litter(root, home)):
        if is_folder(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    for folder in [path for path in _folders(root, home) if HOME in (path.name, path.parent.name)]:
        with suppress(OSError):
            folder.rmdir()


def current(root: Path, name: str) -> str | None:
    """The text of a file of a tree, in UTF-8, with its line ends as they are; None where there is none."""
    path = root / name
    return path.read_bytes().decode() if path.exists() else None
