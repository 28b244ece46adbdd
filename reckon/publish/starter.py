"""A new tree, and the files for CI in one that is there: `init` and `init --upgrade`.

A new tree is made aside, inside the folder that it is for, and moved into place whole or not at all. Its files for CI
are updated three-way, by the digests that were kept of them: what nobody changed is replaced; what only the
tree changed stays; where both did, ours is put beside. All or nothing, by the journal of the tree.

`requirements.txt` of a new tree names where this program came from (`cli/init`). Where CI could not get that,
`publish/package_files` packs the running program. The guide comes with the package, and `guide` prints it: a team has
no copy of it that could grow old. Pages are the same bytes however the program was called, so they call it `budget`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from reckon.language.text import some_of
from reckon.model.release import checksum

from . import journal, package_files
from .files import Blocked, folders_made
from .releases import linked
from .write_plan import BESIDE, DIGESTS, TREE, FileChange, ours, text_of

Files = Mapping[str, bytes]
"""What files hold, by their paths in a tree."""
Digests = Mapping[str, str] | None
"""The checksums of files as `init` wrote them, by path; None where none were kept."""
_MADE_IN = ".budget-init"
_WHOLE = ("docs", "ledger")  # never shared: `render` refuses what it did not write there
MOST_NAMED = 20
REQUIREMENTS = "requirements.txt"
SAME, LEFT = "same", "left"  # of which nothing is told
WRITTEN, REPLACED, GONE = "written", "updated", "missing here, skipped"
ASIDE = "changed here, kept; the new version is {}: copy what you need, then remove it"
# Of what an older version wrote:
REMOVED = "removed, no longer needed"
OWN = "changed here, kept; no longer needed"
_FORMAT, _MOST_BYTES = 1, 1024 * 1024
_SUM = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,4}")  # what may follow, as rc1, is not compared


@contextmanager
def prepare_folder(folder: Path) -> Iterator[Path]:
    """A folder to make the tree in. What is in it at the end goes into `folder`; nothing does where anything fails.

    Raises Blocked where `folder` is not a place for a tree.
    """
    _ask_for_room(folder)
    made = folders_made(folder)
    aside = folder / _MADE_IN
    try:
        try:
            aside.mkdir()
        except FileExistsError:
            other = f"another `init` is running there; if not, remove {aside}"
            raise Blocked(f"{folder} has {_MADE_IN}: {other}. Nothing written") from None
        try:
            yield aside
            _move_in(aside)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except BaseException:
        for new in reversed(made):
            with suppress(OSError):
                new.rmdir()
        raise


def starter(site_name: str) -> Files:
    """The files that a new tree begins with, by path: those of the starter, and the settings of the site."""
    folder = package_files.part("starter")
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    settings = package_files.part("settings").read_bytes().decode()
    ours = next(line for line in settings.splitlines() if line.startswith("site_name:"))
    return {**found, "mkdocs.yml": settings.replace(ours, f"site_name: {site_name}").encode()}


def repository_above(folder: Path) -> Path | None:
    """The top of the git repository that a folder lies in, where that is not the folder itself."""
    here = folder.resolve()
    top = next((above for above in (here, *here.parents) if (above / ".git").exists()), here)
    return None if top == here else top


def _ask_for_room(folder: Path) -> None:
    if folder.is_symlink():
        raise Blocked(f"{folder} is a link; name the folder itself. Nothing written")
    if folder.exists() and not folder.is_dir():
        raise Blocked(f"{folder} is a file; name a folder. Nothing written")
    for above in folder.resolve().parents:
        if is_tree(above):
            right = f"add a project as a folder under {above / 'ledger'}, or name a folder elsewhere"
            raise Blocked(f"{folder} is inside another tree with a ledger; {right}. Nothing written")


def is_tree(folder: Path) -> bool:
    """Whether there is a ledger in a folder; one that cannot be looked into has none."""
    with suppress(OSError):
        ledger = folder / "ledger"
        return (ledger / "catalog").is_dir() or any(ledger.glob("*/project.yaml"))
    return False


def plan_moves(aside: Path) -> list[tuple[Path, Path]]:
    """Where all that was made goes in the folder around it: each folder as a whole, or what is in it where there is one
    already. Raises Blocked, with their names, where files would be overwritten."""
    folder, moves, waiting = aside.parent, list[tuple[Path, Path]](), [aside]
    for place in waiting:
        for path in sorted(place.iterdir()):
            target = folder / path.relative_to(aside)
            if path.is_dir() and target.is_dir() and not target.is_symlink() and path.name not in _WHOLE:
                waiting.append(path)
            else:
                moves.append((path, target))
    _ask_for_places(folder, [target for _, target in moves])
    return moves


def _ask_for_places(folder: Path, targets: Iterable[Path]) -> None:
    """Raises Blocked, with their names, where anything is at one of these places of a folder."""
    there = [target.relative_to(folder).as_posix() for target in targets if os.path.lexists(target)]
    if there:
        right = "move that elsewhere, or name a new folder. Nothing written"
        raise Blocked(f"{folder} has {some_of(there, MOST_NAMED)}, which `init` does not overwrite; {right}")


def _move_in(aside: Path) -> None:
    """Moves everything into the folder around it; if one thing cannot be moved, everything is moved back."""
    moved = []
    try:
        for path, target in plan_moves(aside):
            _ask_for_places(aside.parent, [target])  # somebody else may write meanwhile
            path.rename(target)
            moved.append((path, target))
    except BaseException:
        for path, target in moved:
            target.rename(path)
        raise


class _Tree(NamedTuple):
    """What is in a tree, and the digests of what `init` wrote there; None where it kept none."""

    root: Path
    kept: Digests = None

    def digest(self, path: str) -> str | None:
        return (self.kept or {}).get(path)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none. Raises Blocked for a link, or what is not a file."""
        target = self.root / path
        if said := linked(self.root, path):
            raise Blocked(f"{said}. Nothing written")
        if target.is_symlink() or (target.exists() and not target.is_file()):
            raise Blocked(f"{path} is not a file; put the file itself there. Nothing written")
        return target.read_bytes() if target.exists() else None


def digests(wanted: Files, version: str, also: Digests = None) -> bytes:
    """The text of the file that keeps what was written, by path."""
    sums = {**(also or {}), **{path: checksum(data) for path, data in wanted.items()}}
    told = {"format": _FORMAT, "version": version, "files": dict(sorted(sums.items()))}
    return (json.dumps(told, indent=1) + "\n").encode()


def upgrade(root: Path, wanted: Files, version: str) -> list[str]:
    """Brings the files of a tree up to date; tells what became of each, and nothing where all were. Raises Blocked."""
    if root.is_symlink() or not root.is_dir():
        raise Blocked(f"{root} is not a folder; name the folder of a tree. Nothing written")
    if not is_tree(root):
        raise Blocked(f"{root} has no ledger; create one with `init` without --upgrade. Nothing written")
    with journal.opened(root, TREE) as done:
        said, changes = _changes(_Tree(root, _read_digests(root, version)), wanted, version)
        journal.apply_changes(root, TREE, changes)
    return [*done, *said]


def _changes(tree: _Tree, wanted: Files, version: str) -> tuple[list[str], list[FileChange]]:
    """What becomes of each file, in a line, and the changes that make it so."""
    outcomes = _outcomes(tree, wanted)
    old = _no_longer_ours(tree, wanted, bound=outcomes.get(REQUIREMENTS) in (LEFT, ASIDE))
    needed = {path: tree.digest(path) or "" for path, kind in old.items() if kind == SAME}
    made = ((path, kind) for path, kind in outcomes.items() if kind in (WRITTEN, REPLACED, ASIDE))
    writes: dict[str, bytes | None] = {path + BESIDE * (kind == ASIDE): wanted[path] for path, kind in made}
    said = _describe_outcome(tree, wanted, {**outcomes, **old})
    keep = digests(wanted, version, needed)
    if tree.read(DIGESTS) != keep:
        writes[DIGESTS] = keep
        said.append(f"{DIGESTS}: updated")
    writes |= {path: None for path, kind in old.items() if kind == REMOVED}
    return said, [FileChange(path, text_of(tree.read(path)), text_of(data)) for path, data in writes.items()]


def _read_digests(root: Path, version: str) -> Digests:
    """The digests that were kept in a tree. Raises Blocked where the file is not what `init` writes."""
    data = _Tree(root).read(DIGESTS)
    if data is None:
        return None
    mend = "restore it from your history; without it, each file that differs counts as changed. Nothing written"
    try:
        told = json.loads(data if len(data) <= _MOST_BYTES else b"{}")
        form, by, kept = told["format"], told["version"], told["files"]
        strange = next((path for path, sum_ in kept.items() if not ours(path) or not _SUM.fullmatch(sum_)), None)
        newer = type(form) is int and (form > _FORMAT or _numbers(by) > _numbers(version))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Blocked(f"{DIGESTS} cannot be read: {mend}") from None
    if newer:
        raise Blocked(f"{DIGESTS} was written by version {by:.50}, and this is {version}; upgrade the package first")
    if strange is not None or form != _FORMAT:
        what = "" if strange is None else f" ({strange!r:.200})"
        raise Blocked(f"{DIGESTS} is not as `init` writes it{what}; {mend}")
    return dict(kept)


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.match(version)
    if not found:
        raise ValueError(version)
    return tuple(map(int, found[0].split(".")))


def _outcomes(tree: _Tree, wanted: Files) -> dict[str, str]:
    """What becomes of each file that this version writes."""
    found = {path: _outcome(tree, path, data) for path, data in wanted.items()}
    if found.get(REQUIREMENTS) in (LEFT, GONE):
        return found
    # requirements.txt asks for what is in .budget/, so nothing of that may be missing.
    return {path: WRITTEN if kind == GONE and path.startswith(".budget/") else kind for path, kind in found.items()}


def _outcome(tree: _Tree, path: str, data: bytes) -> str:
    was, then = tree.read(path), tree.digest(path)
    if was == data:
        return SAME
    if was is None:
        return GONE if then or (tree.kept is None and path != REQUIREMENTS) else WRITTEN
    if checksum(was) == then or path.endswith(".whl"):
        return REPLACED
    if then == checksum(data):
        return LEFT
    if tree.read(path + BESIDE) not in (None, data) and checksum(tree.read(path + BESIDE) or b"") != then:
        raise Blocked(f"{path}{BESIDE} is in the way of a new file next to {path}; move it. Nothing written")
    return ASIDE


def _no_longer_ours(tree: _Tree, wanted: Files, bound: bool) -> dict[str, str]:
    """What becomes of files that an older version wrote; where requirements.txt is bound to them, they are kept."""
    found = {}
    for path in sorted(tree.kept or ()):
        was = tree.read(path)
        if path in wanted or was is None:
            continue
        if checksum(was) != tree.digest(path):
            found[path] = OWN
        elif bound and path.startswith(".budget/"):
            found[path] = SAME
        else:
            found[path] = REMOVED
    return found


def _describe_outcome(tree: _Tree, wanted: Files, outcomes: Mapping[str, str]) -> list[str]:
    said = []
    if tree.kept is None:
        said.append("An older `init` wrote no digests here, so each file that differs counts as changed.")
    for path, kind in sorted(outcomes.items()):
        if kind not in (SAME, LEFT) and (kind != GONE or tree.digest(path) != checksum(wanted[path])):
            said.append(f"{path}: {kind.format(path + BESIDE)}")
    return said
