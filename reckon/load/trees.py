"""Trees to compare: the working tree, a folder, a revision of git, or a release. Each gives a ledger.

Nothing is written but into a temporary folder, which is gone afterwards. If the machine fails at that, an OSError is
raised, so that it does not look like a ledger that cannot be read.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from posixpath import dirname, join, normpath
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.text import echoed, place_of
from reckon.model.finding import ProblemList
from reckon.model.kinds import PROPOSALS
from reckon.model.release import HOME, Changed, Snapshot, numeric, read_snapshot
from reckon.model.scalars import ID

from . import files, git
from .git import NoTree
from .reader import ReadLedger, load, proposed

WORKING = "the working tree"
_FOLDERS = ("./", "../", "/", "~/")
# What is wrong with the name of a file, and not with the machine.
_NAMING = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ})


class Tree(Struct, frozen=True):
    """A tree to compare: what it is called, where its ledger lies now, and what is known of it beside that.

    `revision` is the id of a commit; `snapshot` what was released, and `judged` whether it says what its findings were;
    `lines` the folder in which git may know who wrote a line; `proposal` the project and id of one that is made in it.
    """

    name: str
    root: Path
    revision: str = ""
    snapshot: Snapshot | None = None
    judged: bool = True
    lines: Path | None = None
    proposal: tuple[str, str] | None = None


@contextmanager
def opened(root: Path, named: str, project: str = "") -> Iterator[Tree]:
    """The tree that a text names, as seen from a root: empty or `.`, a release, a folder, or a revision.

    A release without its project has to be of the one asked for, or to be the only one. Raises NoTree.
    """
    if named in ("", "."):
        yield Tree(WORKING, root, lines=root)
        return
    with TemporaryDirectory(prefix="budget-") as spare:
        place = Path(spare)
        if own := _proposal(root, named):
            yield Tree(named, root, lines=root, proposal=own)
        elif snapshot := _release(root, named, project):
            yield released(place, *snapshot)
        elif folder := _folder(root, named):
            yield Tree(named, folder, lines=folder)
        else:
            yield _revision(root, place, named)


def _proposal(root: Path, named: str) -> tuple[str, str] | None:
    """The project and the id of the proposal that is named, as `pixelis@own-configuration`; None where none is."""
    own, at, name = named.rpartition("@")
    known = at and ID.fullmatch(own) and ID.fullmatch(name)
    return (own, name) if known and (root / "ledger" / own / PROPOSALS.id / f"{name}.yaml").is_file() else None


def ledger_of(tree: Tree) -> ReadLedger:
    """The ledger of a tree, and what is wrong in it. A release or revision is held to the rules of its own format; and
    a release lacks other projects, so grants that name them are no problem there."""
    ledger, problems = load(tree.root)
    if tree.proposal and not problems:
        return proposed(tree.root, ledger, *tree.proposal)[:2]
    if tree.snapshot or tree.revision:
        own = ledger.settings.format
        problems = [problem for problem in problems if problem.since <= own]
        ledger = replace(ledger, held_to=own, sound=not problems)
    if tree.snapshot is None:
        return ledger, problems
    if problems:
        _given_back(tree.root, tree.snapshot)
    granted = (name for grant in ledger.allocations.values() for name in grant.projects)
    absent = {place_of(name) for name in granted if name not in ledger.projects}
    problems = [problem for problem in problems if problem.place not in absent]
    grants = {}
    for id_, grant in ledger.allocations.items():
        projects = tuple(name for name in grant.projects if name in ledger.projects)
        grants[id_] = grant.model_copy(update={"projects": projects})
    return replace(ledger, allocations=grants, sound=not problems), problems


def _given_back(place: Path, snapshot: Snapshot) -> None:
    """Raises OSError where a folder does not give back the files of a release that were put into it."""
    for name, text in snapshot.files.items():
        if (place / name).read_bytes() != text.encode():
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(place / name))


def _folder(root: Path, named: str) -> Path | None:
    """The folder that is named, if it is one with a ledger in it.

    A revision takes precedence: otherwise a change that adds a folder `origin/main` would be compared with that folder.
    """
    path = Path(named).expanduser() if named.startswith("~/") else Path(named)
    try:
        if (path / "ledger").is_dir():
            return path if named.startswith(_FOLDERS) or not git.is_revision(root, named) else None
    except (OSError, ValueError):
        return None
    if named.startswith(_FOLDERS):
        raise NoTree(f"there is no {'folder ledger/ in ' if path.is_dir() else ''}`{echoed(named)}`")
    return None


def _release(root: Path, named: str, project: str) -> tuple[Snapshot, bool] | None:
    """The release that is named, and whether it knows its findings; None where another kind of tree may be meant."""
    own, at, version = named.rpartition("@")
    every = [(path.parent.parent.name, path) for path in _snapshots(root)]
    found = {name: path for name, path in every if _is(path.stem, version)}
    known = dict(every)
    if at:
        if not ID.fullmatch(own) or not (own in known or (root / "ledger" / own).is_dir()):
            return None
        if own not in found:
            versions = sorted((path.stem for name, path in every if name == own), key=lambda stem: numeric(stem) or ())
            raise NoTree(f"`{own}` has no release {echoed(version)}; it has {', '.join(versions) or 'none yet'}")
    elif not found or (project and project not in found):
        return None
    own = own or project or next(iter(found))
    if not at and not project and len(found) > 1:
        names = ", ".join(f"{name}@{version}" for name in found)
        raise NoTree(f"several projects have a release {version}; name one: {names}")
    return _read(root, found[own], own)


def _snapshots(root: Path) -> Iterator[Path]:
    """The files of all releases of a tree; links that leave it are left alone."""
    for project in files.entries(root, root / "ledger", []):
        for path in files.entries(root, project / HOME, []):
            if path.suffix == ".json":
                yield path


def _is(stem: str, version: str) -> bool:
    return stem == version or (numeric(stem) is not None and numeric(stem) == numeric(version))


def _read(root: Path, path: Path, project: str) -> tuple[Snapshot, bool]:
    problems: ProblemList = []
    text = files.read(root, path, problems)
    if text is None:
        raise NoTree(str(problems[0]))
    try:
        return read_snapshot(text, project, path.stem), "findings" in json.loads(text)
    except Changed as error:
        mend = error.right or "`check` shows how to restore it"
        raise NoTree(f"{files.name_path(root, path)}: {error.wrong}; {mend}") from None


def released(place: Path, snapshot: Snapshot, judged: bool = True) -> Tree:
    """A release, with its ledger files put into an empty folder. Raises NoTree for one that would go elsewhere."""
    put_aside(place, snapshot.files)
    return Tree(f"{snapshot.project}@{snapshot.version}", place, snapshot=snapshot, judged=judged)


def put_aside(place: Path, texts: Mapping[str, str]) -> None:
    """Puts the files of a ledger into an empty folder. Raises NoTree for one that would go elsewhere."""
    for name, text in texts.items():
        _write_file(place, name, text.encode())


def _revision(root: Path, place: Path, named: str) -> Tree:
    """A revision, with its ledger files put into a folder; links last, so that nothing is written through one."""
    revision = git.commit(root, named)
    try:
        whole = list(git.contents(root, git.list_files(root, revision)))
    except NoTree as error:
        raise NoTree(f"{named}: {error}") from None
    for entry, content in whole:
        if entry.mode != git.LINK:
            _write_file(place, entry.path, content)
    for entry, content in whole:
        if entry.mode == git.LINK:
            _link(place, named, entry.path, os.fsdecode(content))
    return Tree(named, place, revision, lines=root)


def _write_file(place: Path, name: str, content: bytes) -> None:
    """Writes a file of a ledger into a folder. Raises NoTree for one that would go elsewhere, or can have no file."""
    parts = name.split("/")
    if parts[0] != "ledger" or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise NoTree(f"`{name[:60]}` is not the path of a ledger file")
    path = place / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as file:
            file.write(content)
    except FileExistsError:
        raise NoTree(f"`{name[:60]}` appears twice") from None
    except OSError as error:
        if error.errno in _NAMING:
            raise NoTree(f"`{name[:60]}` cannot be saved temporarily: {error.strerror}") from None
        error.filename = error.filename or str(path)  # what fails only while it is written has none
        raise


def _link(place: Path, named: str, name: str, target: str) -> None:
    """Makes a link of a revision, if it leads to something in the ledger."""
    inside = not target.startswith("/") and normpath(join(dirname(name), target)).startswith("ledger/")
    if not inside or "\0" in target:
        raise NoTree(f"{named}: {name}: this link leads out of ledger/; replace it by the file itself")
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.symlink_to(target)
    except FileExistsError:
        raise NoTree(f"{named}: `{name[:60]}` appears twice") from None
