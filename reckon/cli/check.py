"""What a change did since it left a revision, as far as git tells: the files that it touched, and what was released."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from reckon.language.text import Place, echoed

if TYPE_CHECKING:
    from reckon.model.problem import Problem

OLD = "DMT"  # what git calls files that were there before: removed, modified, of another type
_RELEASED = re.compile(r"ledger/[^/]+/releases/[^/]+\.json|docs/[^/]+/releases/[^/]+/.+")


def touched(root: Path, base: str, kinds: str = "") -> list[str]:
    """The paths that a change touched, those of some kinds alone if that is asked for; none without a revision."""
    from reckon.load.git import NoTree, changed

    try:
        return changed(root, base, kinds) if base else []
    except NoTree:
        return []


def altered(root: Path, base: str) -> list[str]:
    """The files of releases that a change alters or removes, also where what is left of them holds together."""
    return [path for path in touched(root, base, OLD) if _RELEASED.fullmatch(path)]


def undone(root: Path, base: str) -> list[Problem]:
    """A problem for each of these: what was released stays as it was."""
    from reckon.model.problem import Problem

    wrong = "this change alters or removes what was released"
    back = f"get it back: git checkout {quote(echoed(base))} --"
    return [Problem(Place(path, 1, 1), wrong, f"{back} {quote(path)}") for path in altered(root, base)]
