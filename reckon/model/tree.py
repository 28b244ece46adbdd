"""A tree: where its paths lead, who renders its pages, and what it says of its site, as data that no builder has seen.

A tree may come from a stranger: a link in it may name anything on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from msgspec import Struct

READ_ONLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How a stranger's file is opened: no link is followed and no pipe waited for, where the system can do so."""


def inside(root: Path, path: Path, below: str = "") -> bool:
    """Whether a path, its links followed, lies under the root, or under a folder in it. A circle of links does not."""
    there = _reached(root, path)
    return there is not None and there.is_relative_to(below)


def astray(root: Path, path: Path) -> str:
    """Why a path below a root must not be followed; empty if it may be.

    It leads out of the root, in a circle, or through a link to what is hidden there: `.git` may keep a token.
    """
    there = _reached(root, path)
    if there is None:
        return "leads out of the root"
    if is_hidden(there) and not is_hidden(path.relative_to(root)):
        return "leads to a hidden file"
    return ""


def is_hidden(path: PurePath) -> bool:
    """Whether a file, or a folder that it lies in, has a name with a dot in front."""
    return any(part.startswith(".") for part in path.parts)


def _reached(root: Path, path: Path) -> PurePath | None:
    """What a path leads to, its links followed, as a path below the root; None where that lies outside."""
    try:
        there, top = path.resolve(), root.resolve()
    except (OSError, RuntimeError):
        return None
    # If it is a link still, it leads in a circle, which is no error from Python 3.13 on.
    return there.relative_to(top) if there.is_relative_to(top) and not there.is_symlink() else None


PEOPLE, CI, NONE = "people", "ci", "none"  # `pages` in ledger/tree.yaml
FILE = "mkdocs.yml"
ORDER = "docs/nav.yml"


class SiteSettings(Struct, frozen=True):
    """The settings of a site: texts, numbers, flags, lists and maps by the names that MkDocs has for them.

    `ordered` says that the order of the pages is the one that a render makes (`INHERIT: docs/nav.yml`).
    """

    values: Mapping[str, Any]
    ordered: bool
