"""The settings of a site (`mkdocs.yml`, `docs/nav.yml`), read as data before any builder sees them.

`site_settings.yaml` gives each key its shape, and no other key is taken: none of them names code, a file outside docs/,
or a program to run. A new key belongs there only if the builder takes it as a text, a flag or a number: what is
imported, called, run, or opened by a path is left to `--trust`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reckon.language.text import Place, Text, place_of
from reckon.model import bounds
from reckon.model.finding import Problem, ProblemList, nearest
from reckon.model.scalars import Unread
from reckon.model.tree import FILE, ORDER, SiteSettings

from . import files
from .yaml_nodes import PARSER, Map, Seq, Stop, read_tree

Shape = str | list[Any] | dict[str, Any]
"""What a part of the settings has to be, as `site_settings.yaml` writes it."""

TRUST = "remove it; `build` and `serve` accept any setting with `--trust`, in a repository you trust"
TYPED = frozenset({"flag", "no", "number", "depth", "flag-or-line"})
"""The texts that are flags or numbers, where they look so."""


@cache
def shapes() -> Mapping[str, Any]:
    """What can be set, and its shapes."""
    text = Path(__file__).with_name("site_settings.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, Loader=PARSER)  # which makes texts, lists and maps
    return found


def _read_part(part: Any, shape: Shape, problems: ProblemList) -> Any:
    """A part of a tree as plain data; with a problem, what is given means nothing."""
    if isinstance(shape, dict):
        return _read_map(part, shape, problems)
    if isinstance(shape, list):
        one = shape[0] if len(shape) == 1 else None
        return _read_list(part, one, problems) if one else _read_part(part, _choose(part, shape), problems)
    named = shapes()["shapes"].get(shape)
    return _read_part(part, named, problems) if named else _read_text(part, shape, problems)


def _choose(part: Any, alternatives: list[Shape]) -> Shape:
    """The shape for what a part is: a text, a list or a map; the first where there is none for it."""
    kind: type = dict if isinstance(part, Map) else list if isinstance(part, Seq) else str
    return next((shape for shape in alternatives if isinstance(shape, kind)), alternatives[0])


def _read_text(part: Any, name: str, problems: ProblemList) -> Any:
    """One text of a shape."""
    pattern, what = _text_shape(name)
    if not isinstance(part, Text):
        return complain(part, "one text is expected here", f"write {what}", problems)
    if not re.fullmatch(pattern, part, re.DOTALL):
        return complain(part, f"`{part[:60]}` does not fit here", f"write {what}", problems)
    if name not in TYPED:
        return str(part)
    return int(part) if part.isdecimal() else {"true": True, "false": False}.get(part, str(part))


@cache
def _text_shape(name: str) -> tuple[str, str]:
    """The pattern of a text, and what to write."""
    texts = shapes()["texts"]
    if name not in texts:
        words = name.split(" | ")
        return "|".join(map(re.escape, words)), "one of " + ", ".join(f"`{word}`" for word in words)
    pattern, what = texts[name]
    for part in ("path", "web"):
        pattern = pattern.replace(f"{{{part}}}", texts[part][0])
    return pattern, what


def _read_list(part: Any, entry: Shape, problems: ProblemList) -> Any:
    """A list whose entries all have a shape."""
    if not isinstance(part, Seq):
        return complain(part, "a list is expected here", "begin each entry with `- `", problems)
    return [_read_part(inner, entry, problems) for inner in part]


def _read_map(part: Any, known: dict[str, Shape], problems: ProblemList) -> Any:
    """A map with some of the known keys, each with a shape of its own; or what a key of several words stands for."""
    first = next(iter(known), "")
    how, _, word = first.partition(" ")
    if how == "named" and isinstance(part, Seq):
        return [_read_name(entry, word, known[first], problems) for entry in part]
    if how == "named":
        return _read_list(part, "", problems)
    if not isinstance(part, Map):
        right = "write `name: value` lines below the key, indented"
        return complain(part, "a map of names and values is expected here", right, problems)
    if how == "one" and len(part) != 1:
        return complain(part, "an entry has one title", "begin each with `- ` on a line of its own", problems)
    if word:
        return {_read_text(key, word, problems): _read_part(part[key], known[first], problems) for key in part}
    for key in part:
        if key not in known:
            right = nearest(key, known, short=0) or TRUST
            complain(key, f"`{key[:60]}` is not an allowed site setting", right, problems)
    return {str(key): _read_part(inner, known[key], problems) for key, inner in part.items() if key in known}


def _read_name(part: Any, kind: str, known: Any, problems: ProblemList) -> Any:
    name, options = next(iter(part.items())) if isinstance(part, Map) and len(part) == 1 else (part, "")
    if not isinstance(name, Text):
        right = "write `- name`, or `- name: {options}`"
        return complain(part, f"a name of a {kind} is expected here", right, problems)
    if name not in known:
        hint = "" if "." in name else nearest(name, known, short=0)  # with `pymdownx.` all are alike
        return complain(name, f"`{name[:60]}` is not an allowed {kind}", hint or TRUST, problems)
    return str(name) if options == "" else {str(name): _read_part(options, known[name], problems)}


def complain(part: Any, wrong: str, right: str, problems: ProblemList) -> None:
    """Appends a problem with a part, unless it could not be read: then there is a problem already."""
    if not isinstance(part, Unread):
        problems.append(Problem(place_of(part), wrong, right))


def settings(root: Path, ours: str, ordered: bool = True) -> tuple[SiteSettings, ProblemList]:
    """The settings of a tree's site, and all that is wrong with them; `ours`, as text, for a tree without any.

    Where the settings inherit the order of the pages in docs/nav.yml, that file is checked too if `ordered` (a render
    writes it anew, so it need not be). It is not part of the result.
    """
    problems: ProblemList = []
    own = os.path.lexists(root / FILE)
    text = files.read(root, root / FILE, problems, bounds.SETTINGS) if own else ours
    found = _read(text, FILE, shapes()["settings"], problems)
    inherits = found.pop("INHERIT", None) is not None
    if own and not problems and "site_name" not in found:
        problems.append(Problem(Place(FILE), "`site_name` is missing", "add `site_name:`"))
    if own and inherits and ordered and os.path.lexists(root / ORDER):
        _read(files.read(root, root / ORDER, problems, bounds.SETTINGS), ORDER, _order_shape(), problems)
    return SiteSettings(found, inherits and "nav" not in found), sorted(set(problems))


def order(text: str) -> tuple[Any, ProblemList]:
    """The order of the pages in a text as it stands in docs/nav.yml, and all that is wrong with it."""
    problems: ProblemList = []
    return _read(text, ORDER, _order_shape(), problems).get("nav"), problems


def _order_shape() -> dict[str, Shape]:
    """What stands in docs/nav.yml."""
    return {"nav": shapes()["settings"]["nav"]}


def _read(text: str | None, name: str, known: dict[str, Shape], problems: ProblemList) -> dict[str, Any]:
    """The data in a text; none where there is no text, or it is not that of a map."""
    try:
        tree = read_tree(text or "", name, problems)
        if tree and not isinstance(tree, Map):
            raise Stop(tree.place, "a map is expected here", "write `name: value` on each line")
    except Stop as stop:
        problems.append(stop.problem)
        return {}
    return dict(_read_part(tree, known, problems) or {}) if tree else {}
