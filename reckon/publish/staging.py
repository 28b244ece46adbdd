"""A complete tree of plain files for the builder of a site: settings, pages, and what people wrote, all of it copied.

Nothing of it leads back to where it came from, and nothing but texts and files is handed on: whatever reads MkDocs
settings can build it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from reckon.model.release import HOME as RELEASED
from reckon.model.site import FILE, Settings

from . import plain, shipped
from .files import HOME, INDEX, KEPT, Blocked, write_whole
from .newer import with_note

MARK = "# Staged by `budget`: whatever stands in this file and in docs/ beside it is written anew. Do not edit."
_FRONT = re.compile(r"---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a site is made of beside the files of its tree: pages by path below the root, the settings and the order.

    Without settings they are taken from the tree as they stand, by the builder itself: only in a tree that is trusted.
    """

    pages: Mapping[str, str]
    settings: Settings | None
    order: Any = None


def stage(root: Path, sources: Sources, place: Path) -> int:
    """Fills an empty folder with `mkdocs.yml` and `docs/`; gives how many files that are. Raises Blocked."""
    texts = dict(sources.pages)
    taken = {name: (root, name) for name in _own(root)}
    for name in plain.below(shipped.assets(), "."):
        taken.setdefault(f"{HOME}/assets/{name.removeprefix('./')}", (shipped.assets(), name))
    names = {one.removeprefix(f"{HOME}/") for one in (*texts, *taken)}
    for name in [one for one in taken if _of_release(one) and one.endswith(".md")]:
        texts[name] = _noted(plain.text(*taken.pop(name)), name.removeprefix(f"{HOME}/"), names)
    if sources.settings:
        texts[FILE] = settings_text(sources.settings, sources.order)
    for name, text in texts.items():
        _new(place, name).write_bytes(text.encode("utf-8"))
    for name, (above, path) in taken.items():
        with open(_new(place, name), "xb") as target:
            plain.read(above, path, lambda file, target=target: shutil.copyfileobj(file, target))  # type: ignore[misc]
    return len(texts) + len(taken)


def _own(root: Path) -> Iterator[str]:
    """The files of a tree that its site takes over: what people wrote, and the pages of releases."""
    for one in KEPT:
        yield from plain.below(root, f"{HOME}/{one}")
    docs = root / HOME
    for folder in sorted(docs.iterdir()) if docs.is_dir() else ():
        home = f"{HOME}/{folder.name}/{RELEASED}"
        if not folder.name.startswith(".") and folder.name not in KEPT and folder.is_dir():
            yield from (one for one in plain.below(root, home) if one != f"{home}/{INDEX}")


def _of_release(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) > 3 and parts[1] not in KEPT and parts[2] == RELEASED


def _noted(text: str, path: str, names: set[str]) -> str:
    """The text of a page of a release, with the note that there is a newer one behind what stands in front of it."""
    front = _FRONT.match(text)
    at = front.end() if front else 0
    return text[:at] + with_note(text[at:], path, names)


def _new(place: Path, name: str) -> Path:
    """Where a file goes that is not there yet; its folder is made."""
    target = place / name
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def settings_text(settings: Settings, order: Any) -> str:
    """The text of `mkdocs.yml` that says these settings, with the order of the pages where they have none."""
    import yaml

    values = dict(settings.values)
    if settings.ordered:
        values["nav"] = order
    return f"{MARK}\n" + yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=10_000)


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
            write_whole(place / FILE, (new / FILE).read_bytes().decode("utf-8"))  # with the mark: from here it is ours
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
    other = "name a new or empty folder, or one that was staged before. Nothing was written"
    if place.is_symlink() or any((place / one).is_symlink() for one in (FILE, HOME)):
        raise Blocked(f"{place} is a link, or holds one; {other}")
    here, there = root.resolve(), place.resolve()
    if here.is_relative_to(there) or any(there.is_relative_to(here / one) for one in shipped.SOURCES):
        raise Blocked(f"{place} holds what the pages are made of; {other}")
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
        return opened.readline(len(MARK) + 2).rstrip(b"\r\n") == MARK.encode("utf-8")
