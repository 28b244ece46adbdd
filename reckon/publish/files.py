"""Which files differ from the pages that were rendered, and how they are brought up to date.

Each file is written beside itself and then moved into place: whoever stops a render finds every page old or new.
Everything under docs/ is generated, except guide/, assets/ and folders named releases. Links are never followed, and
names that begin with a dot are left alone.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from reckon.language.lazy import regex
from reckon.model.bounds import PAGE, read_bounded

from .reference_links import all_as_kept

HOME = "docs"
FIRST = "docs/nav.yml"
KEPT = ("guide", "assets")
STATEMENTS = "allocations"
"""The folder of the statements of allocations, which depend on all projects; no project has this name."""
RELEASES, INDEX = "releases", "index.md"
STALE, MISSING, LEFT_OVER = "stale", "missing", "left over"
PICTURES = (".svg", ".json")
LONGEST = 500  # characters of a line of a diff
ROUGH = regex(r"\..+\.[0-9]+\.tmp")


class Blocked(Exception):
    """Something on disk stands in the way of a page; the message says what it is and what would help."""


class PageDifference(NamedTuple):
    """A file that is not what was rendered: stale, missing, or left over from a page that is no longer made."""

    path: str
    kind: str
    was: str = ""
    would: str = ""

    def diff(self) -> str:
        """How the file differs, as a unified diff; of pictures only that they do."""
        if self.path.endswith(PICTURES):
            return f"{self.path}: the picture or its data differ\n"
        names = f"{self.path} (on disk)", f"{self.path} (rendered)"
        lines = unified_diff(self.was.splitlines(), self.would.splitlines(), *names, lineterm="")
        return "".join(line[:LONGEST] + ("…" if len(line) > LONGEST else "") + "\n" for line in lines)


def existing(root: Path, pictures: bool = True) -> Callable[[str], str | None]:
    """A function that gives the text of the file now at a path below a root; None where there is none to be read, or
    where it is one of `pictures` and these are not wanted."""

    def read(path: str) -> str | None:
        target, wanted = root / path, pictures or not path.endswith(PICTURES)
        if wanted and target.is_file() and not any(step.is_symlink() for step in _steps(root, path)):
            with suppress(UnicodeDecodeError):
                return read_bounded(target, PAGE).decode()
        return None

    return read


def compare(root: Path, pages: Mapping[str, str], only: Collection[str] = (), home: str = HOME) -> list[PageDifference]:
    """What differs between the pages and the files under `home`, in order of path; `only` limits it to some projects.

    Pages directly under `home` depend on every project and are always compared. Those of docs/ are as they are kept
    there (`reference_links`). Raises Blocked.
    """
    differences = []
    for path, text in all_as_kept(pages, home) if home == HOME else pages.items():
        target = _target(root, path, home)
        if not _concerns(path, only):
            continue
        was = read_bounded(target, PAGE) if target.is_file() else None
        if was != text.encode():
            kind, old = (MISSING, "") if was is None else (STALE, was.decode("utf-8", "replace"))
            differences.append(PageDifference(path, kind, old, text))
    for path in _living(root, home):
        if path not in pages and _concerns(path, only) and not (only and path.count("/") == 1):
            differences.append(PageDifference(path, LEFT_OVER, existing(root)(path) or ""))
    return sorted(differences, key=lambda difference: difference.path)


def write(root: Path, pages: Mapping[str, str], home: str = HOME) -> list[str]:
    """Brings the files up to date; gives the paths that were written or removed. Raises Blocked before any change."""
    return settle(root, compare(root, pages, home=home), home)


def settle(root: Path, differences: list[PageDifference], home: str = HOME) -> list[str]:
    """Settles some differences: the order of the pages first, since it marks docs/ as rendered; pages that are left
    over last. Raises Blocked."""
    ask_for_room(differences)
    newest = None
    for difference in sorted(differences, key=lambda it: (it.kind == LEFT_OVER, it.path != FIRST, it.path)):
        target = root / difference.path
        if difference.kind == LEFT_OVER:
            target.unlink(missing_ok=True)
            _drop_empty(target.parent, root / home)
        else:
            write_whole(target, difference.would)
            newest = target
    if newest:
        _tidy(root / home, newest.stat().st_mtime)
    return [difference.path for difference in differences]


def folders_made(folder: Path) -> list[Path]:
    """Makes a folder and those that it stands in; gives those that were not there, the innermost last."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return new[::-1]


def write_whole(target: Path, text: str | bytes | bytearray | Path) -> None:
    """Writes a text, or what another file holds, so that there is always either the old or the new file, never a part
    of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    rough = rough_copy(target, text)
    try:
        os.replace(rough, target)
    finally:
        rough.unlink(missing_ok=True)


def rough_copy(target: Path, text: str | bytes | bytearray | Path) -> Path:
    """A file beside the target that holds the text, with the target's permissions: to be moved into its place."""
    rough = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    rough.unlink(missing_ok=True)
    try:
        with open(rough, "xb") as file:
            if isinstance(text, Path):  # of any size: a piece at a time
                with text.open("rb") as other:
                    shutil.copyfileobj(other, file, 1 << 20)
            else:
                file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):
            rough.chmod(stat.S_IMODE(target.stat().st_mode))
    except BaseException as error:
        rough.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = error.filename or str(target)  # an error while writing has none
        raise
    return rough


def _tidy(home: Path, now: float) -> None:
    """Removes what renders that were killed more than a minute ago left behind, wherever pages are."""
    for folder, names, files in os.walk(home):
        above = KEPT if Path(folder) == home else ()
        names[:] = [folder for folder in names if not folder.startswith(".") and folder not in (*above, RELEASES)]
        for path in (Path(folder, name) for name in files if ROUGH.fullmatch(name)):
            with suppress(OSError):
                if path.lstat().st_mtime < now - 60:
                    path.unlink()


def foreign(differences: list[PageDifference]) -> list[str]:
    """The files among the pages that were not made here; if nothing was ever rendered, all files that are there."""
    if any(difference.path == FIRST and difference.kind == MISSING for difference in differences):
        return [difference.path for difference in differences if difference.kind != MISSING]
    over = (difference for difference in differences if difference.kind == LEFT_OVER)
    return [difference.path for difference in over if not _made_here(difference)]


def ask_for_room(differences: list[PageDifference]) -> None:
    """Refuses to remove or replace files that were not made here. Raises Blocked."""
    if own := foreign(differences):
        several = f"{len(own)} files that `budget` did not render, such as"
        count = several if len(own) > 1 else "a file that `budget` did not render:"
        mend = "move your pages to docs/guide/, other files to docs/assets/, and remove old ones"
        raise Blocked(f"docs/ holds {count} {own[0]}; {mend}. Nothing written")


def _made_here(difference: PageDifference) -> bool:
    """Whether a file that no page is made for any more was rendered: pages and pictures say so themselves."""
    if difference.path.endswith(".vl.json"):
        return difference.was.startswith('{\n "autosize"')  # a comment cannot stand there; every picture begins so
    if difference.path.endswith(".csv"):
        return difference.was.startswith("allocation,period,state,")
    mark = {".md": "<!-- Made by `", ".svg": "<!-- picture "}.get(Path(difference.path).suffix)
    return mark is not None and mark in difference.was


def _steps(root: Path, path: str) -> Iterator[Path]:
    """The folders of a path below the root, from the top down, and the path itself."""
    step = root
    for part in path.split("/"):
        step = step / part
        yield step


def _target(root: Path, path: str, home: str) -> Path:
    """Where a page goes. Raises Blocked for a path outside `home`, or where a link or a folder stands in the way."""
    parts = path.split("/")
    strange = any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts)
    if strange or not path.startswith(home + "/"):
        raise Blocked(f"{path} is not below {home}/; nothing written")
    if home == HOME and RELEASES in parts[2:] and parts[2:] != [RELEASES, INDEX]:
        raise Blocked(f"{path} is the folder of releases, which no page replaces; nothing written")
    target = root / path
    for step in _steps(root, path):
        if step.is_symlink():
            raise _a_link(step.relative_to(root).as_posix())
        if step != target and step.exists() and not step.is_dir():
            raise Blocked(f"{step.relative_to(root).as_posix()} is a file where a folder is needed; move it elsewhere")
    if target.exists() and not target.is_file():
        raise Blocked(f"{path} is a folder where a page is needed; move it elsewhere")
    return target


def _a_link(path: str) -> Blocked:
    return Blocked(f"{path} is a link, which `budget` does not follow; replace it by the file or folder itself")


def _concerns(path: str, only: Collection[str]) -> bool:
    """Whether a path belongs to one of some projects, or depends on all of them."""
    parts = path.split("/")
    return not only or len(parts) == 2 or parts[1] in (*only, STATEMENTS)


def _living(root: Path, home: str) -> list[str]:
    """The paths of all generated files under `home`; a link counts as a file and is not followed."""
    if (root / home).is_symlink():
        raise _a_link(home)
    found, folders = [], [home]
    while folders:
        folder = folders.pop()
        for entry in os.scandir(root / folder) if (root / folder).is_dir() else ():
            path = f"{folder}/{entry.name}"
            if entry.name.startswith(".") or (folder == home and entry.name in KEPT) or entry.name == RELEASES:
                index = Path(entry.path, INDEX)
                if entry.name == RELEASES and folder.count("/") == 1 and not entry.is_symlink() and index.is_file():
                    found.append(f"{path}/{INDEX}")
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            else:
                found.append(path)
    return found


def _drop_empty(folder: Path, home: Path) -> None:
    """Removes folders that a removed page leaves empty."""
    with suppress(OSError):
        while folder != home:
            folder.rmdir()
            folder = folder.parent
