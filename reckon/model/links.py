"""Where a path of a tree leads. A tree may come from a stranger: a link in it may name anything on this machine."""

from __future__ import annotations

from pathlib import Path


def astray(root: Path, path: Path) -> str:
    """Why a path below a root is not to be followed; empty where it may be.

    It leads out of the root, in a circle, or through a link to what is hidden there: `.git` may keep a token.
    """
    try:
        there, top = path.resolve(), root.resolve()
    except (OSError, RuntimeError):
        return "leads out of the root"
    if not there.is_relative_to(top) or there.is_symlink():  # what is a link still leads in a circle
        return "leads out of the root"
    hidden = [part for part in there.relative_to(top).parts if part.startswith(".")]
    if hidden and not any(part.startswith(".") for part in path.relative_to(root).parts):
        return "leads to a hidden file"
    return ""
