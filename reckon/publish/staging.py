"""A complete tree of plain files for the builder of a site: settings, pages, and what people wrote, all of it copied.

Nothing of it leads back to where it came from, and nothing but texts and files is handed on: whatever reads MkDocs
settings can build it. The last part finds and reads plain files: it follows no link that leads out of the tree.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from reckon.model.bounds import MIB, PAGE
from reckon.model.release import HOME as RELEASED
from reckon.model.release import numeric
from reckon.model.tree import FILE, READ_ONLY, SiteSettings, is_hidden

from . import package_files
from .files import HOME, INDEX, KEPT, Blocked, write_whole
from .package_files import ask_for_inside
from .reference_links import FRONT, as_made
from .site_markup import GUIDE, laid_out, sized

MARK = "# Staged by `budget`: whatever stands in this file and in docs/ beside it is written anew. Do not edit."


class Sources(NamedTuple):
    """What a site is made of beside the files of its tree: pages by path below the root, the settings and the order.

    Without settings they are taken from the tree as they stand, by the builder itself: only in a tree that is trusted.
    """

    pages: Mapping[str, str]
    settings: SiteSettings | None
    order: Any = None


def stage(root: Path, sources: Sources, place: Path) -> int:
    """Fills an empty folder with `mkdocs.yml` and `docs/`; gives how many files that are. Raises Blocked."""
    import yaml

    texts = dict(sources.pages)
    taken = {name: (root, name) for name in _own_files(root)}
    assets = package_files.part("assets")
    for name in files_below(assets, "."):
        taken.setdefault(f"{HOME}/assets/{name.removeprefix('./')}", (assets, name))
    names = {path.removeprefix(f"{HOME}/") for path in (*texts, *taken)}
    for name in [path for path in taken if _of_release(path) and path.endswith(".md")]:
        texts[name] = with_note(as_made(plain_text(*taken.pop(name))), name.removeprefix(f"{HOME}/"), names)
    for name in [path for path in taken if path.startswith(f"{HOME}/{GUIDE}/") and path.endswith(".md")]:
        texts[name] = plain_text(*taken.pop(name))
    if sources.settings:
        values = dict(sources.settings.values) | ({"nav": sources.order} if sources.settings.ordered else {})
        texts[FILE] = f"{MARK}\n" + yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=10_000)
    for name, text in texts.items():
        laid = text
        if name.endswith(".md"):
            laid = sized(laid_out(text, name.removeprefix(f"{HOME}/")), PurePosixPath(name).parent, texts)
        _new(place, name).write_bytes(laid.encode())
    for name, (above, path) in taken.items():
        with plain_file(above, path) as file, open(_new(place, name), "xb") as target:
            shutil.copyfileobj(file, target)
    return len(texts) + len(taken)


def _own_files(root: Path) -> Iterator[str]:
    """The files of a tree that its site takes over: what people wrote, and the pages of releases."""
    for name in KEPT:
        yield from files_below(root, f"{HOME}/{name}")
    docs = root / HOME
    for folder in sorted(docs.iterdir()) if docs.is_dir() else ():
        home = f"{HOME}/{folder.name}/{RELEASED}"
        if not folder.name.startswith(".") and folder.name not in KEPT and folder.is_dir():
            yield from (path for path in files_below(root, home) if path != f"{home}/{INDEX}")


def _of_release(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) > 3 and parts[1] not in KEPT and parts[2] == RELEASED


def _new(place: Path, name: str) -> Path:
    """Where a file goes that is not there yet; its folder is made."""
    target = place / name
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def stage_into(root: Path, sources: Sources, place: Path) -> int:
    """Stages into a folder that is new, empty or was staged before: its `mkdocs.yml` and `docs/` alone are replaced.

    Raises Blocked, before anything is written, for any other folder; gives how many files there are.
    """
    ask_for_folder(root, place)
    is_new = not place.exists()
    place.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix=".budget-", dir=place) as aside:
            new, old = Path(aside, "new"), Path(aside, "old")
            count = stage(root, sources, new)
            write_whole(place / FILE, (new / FILE).read_bytes().decode())  # with the mark: from here it is ours
            if (place / HOME).exists():
                (place / HOME).rename(old)
            (new / HOME).rename(place / HOME)
    except BaseException:
        if is_new:
            with suppress(OSError):
                place.rmdir()
        raise
    return count


def ask_for_folder(root: Path, place: Path) -> None:
    """Refuses to stage into what is neither new, nor empty, nor was staged before."""
    other = "name a new, empty or previously staged folder. Nothing written"
    if place.is_symlink() or any((place / name).is_symlink() for name in (FILE, HOME)):
        raise Blocked(f"{place} is or contains a link; {other}")
    here, there = root.resolve(), place.resolve()
    if here.is_relative_to(there) or any(there.is_relative_to(here / folder) for folder in package_files.SOURCES):
        raise Blocked(f"{place} contains sources of the pages; {other}")
    if not os.path.lexists(place):
        return
    if not place.is_dir():
        raise Blocked(f"{place} is a file; {other}")
    if any(place.iterdir()) and not _is_ours(place / FILE):
        raise Blocked(f"{place} is not empty, and was not staged; {other}")


def _is_ours(file: Path) -> bool:
    """Whether a file of settings was written here."""
    if not file.is_file():
        return False
    with open(file, "rb") as opened:
        return opened.readline(len(MARK) + 2).rstrip(b"\r\n") == MARK.encode()


_RELEASED = re.compile(rf"(?P<home>[^/]+/{RELEASED})/(?P<version>[0-9.]+)/(?P<page>.+\.md)")


def with_note(markdown: str, path: str, pages: Collection[str]) -> str:
    """The text of a page of the site, with the note below its heading if it is one of a release that is not the newest.

    `path` and `pages` are relative to docs/.
    """
    here = _RELEASED.fullmatch(path)
    if not here:
        return markdown
    released = (found for page in pages if (found := _RELEASED.fullmatch(page)))
    versions = [here["version"], *(found["version"] for found in released if found["home"] == here["home"])]
    newest = max(versions, key=lambda version: numeric(version) or ())
    if numeric(newest) == numeric(here["version"]):
        return markdown
    page = here["page"] if f"{here['home']}/{newest}/{here['page']}" in pages else "index.md"
    up = "../" * (here["page"].count("/") + 1)
    lead = f"A newer version exists: [{newest}]({up}{newest}/{page})."
    note = f"> [!WARNING]\n> {lead} See the [current pages]({up}../index.md).\n"
    front = FRONT.match(markdown)
    at = front.end() if front else 0
    first = re.compile(r"^# .+\n", re.MULTILINE).search(markdown, at)
    at = first.end() if first else at
    return f"{markdown[:at]}\n{note}\n{markdown[at:].lstrip()}"


MOST_FOUND = 100_000


def guide_pages(root: Path) -> list[str]:
    """The pages under docs/guide/, which people write: their paths below docs/, in order. Links are left out.

    Raises Blocked where the folder itself leads out of the root.
    """
    docs = root / HOME
    ask_for_inside(root, f"{HOME}/guide", "folder")
    found = (Path(folder, name) for folder, _, names in os.walk(docs / "guide") for name in names)
    pages = (path.relative_to(docs) for path in found if path.suffix == ".md" and not path.is_symlink())
    return sorted(_sayable(path.as_posix()) for path in pages if not is_hidden(path))


def files_below(root: Path, folder: str, most: int = MOST_FOUND) -> Iterator[str]:
    """The files of a folder and of those in it: their paths below the root, in order, without hidden ones.

    A link inside the root stands for what it leads to. Raises Blocked, with the path, for one that leads elsewhere, and
    for what is neither file nor folder.
    """
    found = 0
    waiting: list[tuple[str, tuple[Path, ...]]] = [(folder, ())] if os.path.lexists(root / folder) else []
    while waiting:
        name, above = waiting.pop()
        path = root / name
        ask_for_inside(root, name)
        found += 1
        if found > most:
            raise Blocked(f"{folder} has more than {most:,} files; move them elsewhere")
        if path.is_file():
            yield name
        elif not path.is_dir():
            raise Blocked(_odd(name, path))
        elif (real := path.resolve()) in above:
            raise Blocked(f"{name} leads into itself; replace it by the folder itself")
        else:
            names = sorted((_sayable(inner) for inner in os.listdir(path) if not inner.startswith(".")), reverse=True)
            waiting += [(f"{name}/{inner}", (*above, real)) for inner in names]


def _sayable(name: str) -> str:
    """A name, if it can be written into a page. Raises Blocked."""
    if not name.isprintable():
        raise Blocked(
            f"`{name.encode('utf-8', 'replace').decode()}` is not a name that a page can show; rename the file"
        )
    return name


def _odd(name: str, path: Path) -> str:
    if path.is_symlink():
        return f"{name} leads nowhere; replace it by the file itself"
    return f"{name} is not a regular file; move it elsewhere"


@contextmanager
def plain_file(root: Path, name: str) -> Iterator[BinaryIO]:
    """A file below the root, opened. Raises Blocked where it is none, or leads out of the root."""
    path = root / name
    ask_for_inside(root, name)
    try:
        handle = os.open(path.resolve(), READ_ONLY)
    except OSError as error:
        raise Blocked(f"{name} cannot be read: {error.strerror}") from None
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Blocked(_odd(name, path))
        yield file


def plain_text(root: Path, name: str) -> str:
    """The text of a file below the root. Raises Blocked."""
    with plain_file(root, name) as file:
        raw = file.read(PAGE + 1)
    if len(raw) > PAGE:
        raise Blocked(f"{name} is larger than {PAGE // MIB} MiB; shorten it")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Blocked(f"{name} is not UTF-8 (byte {error.start + 1}); save it as UTF-8") from None
