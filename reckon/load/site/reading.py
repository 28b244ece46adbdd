"""`mkdocs.yml` and `docs/nav.yml`: from their files to data, or to all that is wrong with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from reckon.language.text import Place
from reckon.model.problem import Problem
from reckon.model.site import FILE, ORDER, Settings

from .. import files
from ..events import Stop
from ..tree import Map, read_tree
from .shapes import keyed
from .tables import NAV, SITE, Options

MOST_BYTES = 4 * 1024 * 1024


def settings(root: Path, ours: str, ordered: bool = True) -> tuple[Settings, list[Problem]]:
    """The settings of a tree's site, and all that is wrong with them; `ours`, as text, for a tree without any.

    The order of the pages that lies in the tree is tried too where the settings take it over, unless it is not
    `ordered` for: a render writes it anew. It is no part of what is given.
    """
    problems: list[Problem] = []
    own = os.path.lexists(root / FILE)
    found = _read(_text(root, FILE, problems) if own else ours, FILE, SITE, problems)
    inherits = found.pop("INHERIT", None) is not None
    if own and not problems and "site_name" not in found:
        problems.append(Problem(Place(FILE, 1, 1), "`site_name` is missing", "add `site_name:`"))
    if own and inherits and ordered and os.path.lexists(root / ORDER):
        _read(_text(root, ORDER, problems), ORDER, NAV, problems)
    return Settings(found, inherits and "nav" not in found), sorted(set(problems))


def order(text: str) -> tuple[Any, list[Problem]]:
    """The order of the pages in a text as it stands in docs/nav.yml, and all that is wrong with it."""
    problems: list[Problem] = []
    return _read(text, ORDER, NAV, problems).get("nav"), problems


def _text(root: Path, name: str, problems: list[Problem]) -> str:
    return files.read(root, root / name, problems, MOST_BYTES) or ""


def _read(text: str, name: str, known: Options, problems: list[Problem]) -> dict[str, Any]:
    """The data in a text."""
    try:
        tree = read_tree(text, name, problems)
        if tree and not isinstance(tree, Map):
            raise Stop(tree.place, "a map is expected here", "write `name: value` on each line")
    except Stop as stop:
        problems.append(stop.problem)
        return {}
    return dict(keyed(known)(tree, problems) or {}) if tree else {}
