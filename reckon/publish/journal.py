"""A change of several files of one project's ledger: all of them or none, also where a kill cuts it off.

What is to be written is staged beside its place. Then one file is written whole, `.journal.json`, that says all of it:
from there on the change is made, and `complete` does what is left to do, as often as it takes. Before, there is nothing
but hidden files, which the next who holds the lock of the project removes. One file alone needs no journal.

A journal can also come with a change of somebody else's. Nothing is taken from it that is not written here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reckon.language.text import Place
from reckon.model.links import inside, is_hidden
from reckon.model.problem import Problem
from reckon.model.release import checksum

from .append import alone, projects
from .files import ROUGH, Blocked, rough_copy, write_whole

JOURNAL = ".journal.json"
FORMAT = 1
MOST_BYTES = 128 * 1024 * 1024
RUNS = "runs"
_NAME = re.compile(r"[^./\\:][^/\\:]*\.yaml")
_SUM = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Change:
    """A file, by its path below the root, from one text to another; None where there is no file."""

    path: str
    was: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class _Planned:
    """The same as the journal has it: with the checksum of what the file was."""

    path: str
    was: str | None
    text: str | None


@contextmanager
def opened(root: Path, project: str) -> Iterator[list[str]]:
    """Holds the lock of a project, with what was cut off there completed before: gives what that was, in a line."""
    with alone(root, project):
        done = [_complete(root, project)] if _is_made(root, project) else []
        _sweep(root, project)
        yield done


def complete(root: Path) -> list[str]:
    """Completes what was cut off, in all projects: gives a line for each. Raises Blocked."""
    done: list[str] = []
    for project in projects(root):
        if _is_made(root, project):
            with opened(root, project) as some:
                done += some
    return done


def cut_off(root: Path) -> list[Problem]:
    """A problem for each project in which something was cut off."""
    found = []
    for project in filter(lambda one: _is_made(root, one), projects(root)):
        wrong, right = "what was being written was cut off here", "`render` completes it"
        try:
            _planned(root, project)
        except Blocked:
            wrong, right = "this is no file that was written here", "remove it"
        found.append(Problem(Place(_name(project), 1, 1), wrong, right))
    return found


def put(root: Path, project: str, changes: Sequence[Change]) -> None:
    """Makes all the changes, or none. The caller holds the lock of the project.

    Raises Blocked before anything is changed: where a file is not what it was when it was read, or cannot be written.
    """
    planned = [_Planned(one.path, _sum(one.was), one.text) for one in changes if one.was != one.text]
    places = _places(root, project, [one.path for one in planned])
    staged: dict[str, Path] = {}
    try:
        for one in planned:
            if one.text is not None:
                places[one.path].parent.mkdir(parents=True, exist_ok=True)
                staged[one.path] = rough_copy(places[one.path], one.text)
        for one in planned:
            if _now(places[one.path]) != one.was:
                raise Blocked(f"{one.path} was changed by someone else just now; nothing was written, try again")
        if len(planned) > 1:
            _journalled(root, project, planned, places, staged)
        elif staged and planned[0].was is None:
            _create(planned[0].path, staged, places)
        else:
            _make(planned, places, staged)
    finally:
        for rough in staged.values():
            rough.unlink(missing_ok=True)


def _journalled(
    root: Path, project: str, planned: Sequence[_Planned], places: Mapping[str, Path], staged: Mapping[str, Path]
) -> None:
    text = json.dumps({"format": FORMAT, "files": [asdict(one) for one in planned]}, ensure_ascii=False)
    if len(text.encode("utf-8")) > MOST_BYTES:
        raise Blocked(f"this is more than can be written into ledger/{project} at once; nothing was written")
    write_whole(_journal(root, project), text)
    try:
        _make(planned, places, staged)
    except OSError as error:
        said = f"{_name(project)} keeps what is left to do, which cannot be done now ({error.strerror})"
        raise Blocked(f"{said}: `render` completes it; do not add it again") from None
    _journal(root, project).unlink()


def takes(project: str, path: str) -> bool:
    """Whether a path is that of a file of a project's ledger, which can be written here."""
    from reckon.model.kinds import PROJECT

    folder, _, name = path.rpartition("/")
    if folder == f"ledger/{project}/{RUNS}":
        return bool(_NAME.fullmatch(name)) and name.isprintable()
    own = {f"{one}.yaml" for one in ("project", *PROJECT) if one != RUNS}
    return folder == f"ledger/{project}" and name in own


def _create(path: str, staged: Mapping[str, Path], places: Mapping[str, Path]) -> None:
    """Puts a new file in its place; one that came there meanwhile stays."""
    try:
        os.link(staged[path], places[path])
    except FileExistsError:
        raise Blocked(f"{path} is there already; nothing was written, try again") from None
    except (OSError, NotImplementedError):  # a disk without hard links
        os.replace(staged[path], places[path])


def _make(planned: Sequence[_Planned], places: Mapping[str, Path], staged: Mapping[str, Path]) -> None:
    """Writes what is to be there, and then removes what is not: so nothing is gone before it stands elsewhere."""
    for one in planned:
        if one.text is not None:
            os.replace(staged.get(one.path) or rough_copy(places[one.path], one.text), places[one.path])
    for one in planned:
        if one.text is None:
            places[one.path].unlink(missing_ok=True)


def _complete(root: Path, project: str) -> str:
    """Does what is left to do. Raises Blocked before anything is done."""
    planned = _planned(root, project)
    places = _places(root, project, [one.path for one in planned])
    for one in planned:
        if _now(places[one.path]) not in (one.was, _sum(one.text)):
            right = f"write into it what is missing, and remove {_name(project)}"
            raise Blocked(f"{_name(project)} cannot be completed: {one.path} was changed meanwhile; {right}")
    for one in planned:
        places[one.path].parent.mkdir(parents=True, exist_ok=True)
    _make(planned, places, {})
    _journal(root, project).unlink()
    return f"completed what was cut off in ledger/{project}: {len(planned)} files"


def _planned(root: Path, project: str) -> list[_Planned]:
    """What a journal says is to be done. Raises Blocked where it says what none that was written here does."""
    path, name = _journal(root, project), _name(project)
    ours = inside(root, path, "ledger") and not path.is_symlink() and path.is_file()
    try:
        plan = json.loads(path.read_bytes()) if ours and path.stat().st_size <= MOST_BYTES else None
        if isinstance(plan, dict) and plan.keys() == {"format", "files"} and plan["format"] == FORMAT:
            found = [_one(project, raw) for raw in plan["files"]]
            if len({one.path for one in found}) == len(found) > 1:
                return found
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    raise Blocked(f"{name} is no file that was written here; remove it")


def _one(project: str, raw: Mapping[str, Any]) -> _Planned:
    """A file of a journal. Raises one of the errors that `_planned` takes for a journal of somebody else's."""
    one = _Planned(**raw)
    known = one.was is None or _SUM.fullmatch(one.was)
    gone = one.text is None and not one.path.startswith(f"ledger/{project}/{RUNS}/")
    if not takes(project, one.path) or not known or _sum(one.text) == one.was or gone:
        raise ValueError(one.path)
    return one


def _places(root: Path, project: str, paths: Sequence[str]) -> dict[str, Path]:
    """The files at some paths, links followed: they may lead about in the tree; several files are in its ledger."""
    below, places = "ledger" if len(paths) > 1 else "", {}
    for path in paths:
        place = Path(root, path)
        if not takes(project, path):
            raise Blocked(f"{path} is no file of the ledger of {project}; nothing was written")
        if not inside(root, place, below) or is_hidden(place.resolve().relative_to(root.resolve())):
            right = "put the file itself there; nothing was written"
            raise Blocked(f"{path} leads out of {below or 'the tree'} by a link: {right}")
        places[path] = place.resolve()  # a link inside the tree stays one
        if places[path].exists() and not places[path].is_file():
            raise Blocked(f"{path} is no file; move it elsewhere. Nothing was written")
    if len(set(places.values())) < len(paths):
        raise Blocked(f"two files of ledger/{project} are one, by a link; remove the link. Nothing was written")
    return places


def _now(place: Path) -> str | None:
    """The checksum of a file as it is; None where there is none."""
    return checksum(place.read_bytes()) if place.exists() else None


def _sum(text: str | None) -> str | None:
    return None if text is None else checksum(text.encode("utf-8"))


def _sweep(root: Path, project: str) -> None:
    """Removes what was staged by those who were killed. The lock is held, so nobody is at work."""
    for folder in (Path(root, "ledger", project), Path(root, "ledger", project, RUNS)):
        if folder.is_dir() and inside(root, folder, "ledger"):
            for path in [one for one in folder.iterdir() if ROUGH.fullmatch(one.name)]:
                path.unlink(missing_ok=True)


def _is_made(root: Path, project: str) -> bool:
    """Whether a journal is there. A link that leads nowhere is one that somebody put there."""
    return os.path.lexists(_journal(root, project))


def _journal(root: Path, project: str) -> Path:
    return Path(root, _name(project))


def _name(project: str) -> str:
    return f"ledger/{project}/{JOURNAL}"
