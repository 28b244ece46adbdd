"""Shapes of settings: functions that make plain data of a part of a tree, or say what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from reckon.language.text import Text, place_of
from reckon.model.problem import Problem, nearest
from reckon.model.scalars import Unread

from ..tree import Map, Seq

Shape = Callable[[Any, list[Problem]], Any]
"""Takes a part of a tree and gives data; what is wrong is appended to the problems, and what is given means nothing."""

TRUST = "leave it out; `build` and `serve` take any setting with `--trust`, for a tree of your own"


def text(fits: str, what: str, make: Callable[[str], Any] = str) -> Shape:
    """One text that fits a pattern as a whole; `what` says what to write."""
    pattern = re.compile(fits, re.DOTALL)

    def read(part: Any, problems: list[Problem]) -> Any:
        if not isinstance(part, Text):
            complain(part, "one text is expected here", f"write {what}", problems)
        elif not pattern.fullmatch(part):
            complain(part, f"`{part[:60]}` does not fit here", f"write {what}", problems)
        else:
            return make(str(part))
        return None

    return read


def choice(*words: str) -> Shape:
    """One of some words."""
    return text("|".join(map(re.escape, words)), "one of " + ", ".join(f"`{one}`" for one in words))


def listed(one: Shape) -> Shape:
    """A list whose entries all have a shape."""

    def read(part: Any, problems: list[Problem]) -> Any:
        if not isinstance(part, Seq):
            return complain(part, "a list is expected here", "begin each entry with `- `", problems)
        return [one(inner, problems) for inner in part]

    return read


def keyed(known: Mapping[str, Shape]) -> Shape:
    """A map with some of the known keys, each with a shape of its own."""

    def read(part: Any, problems: list[Problem]) -> Any:
        if not isinstance(part, Map):
            return _a_map(part, problems)
        found = {}
        for key, inner in part.items():
            if key in known:
                found[str(key)] = known[key](inner, problems)
            else:
                hint = nearest(key, known, short=0)
                complain(key, f"`{key[:60]}` is no setting that a site may have here", hint or TRUST, problems)
        return found

    return read


def each(fits: str, what: str, one: Shape) -> Shape:
    """A map with keys of any name that fits a pattern, and values of one shape."""
    name = text(fits, what)

    def read(part: Any, problems: list[Problem]) -> Any:
        if not isinstance(part, Map):
            return _a_map(part, problems)
        return {name(key, problems): one(inner, problems) for key, inner in part.items()}

    return read


def either(alone: Shape, a_map: Shape, a_list: Shape | None = None) -> Shape:
    """One shape for a text, another for a map, and where it is given one for a list."""

    def read(part: Any, problems: list[Problem]) -> Any:
        if isinstance(part, Map):
            return a_map(part, problems)
        return (a_list if a_list and isinstance(part, Seq) else alone)(part, problems)

    return read


def named(kind: str, known: Mapping[str, Mapping[str, Shape]]) -> Shape:
    """A list of names, each alone or with a map of its options."""

    def one(part: Any, problems: list[Problem]) -> Any:
        options: Any = None
        name = part
        if isinstance(part, Map) and len(part) == 1:
            name, options = next(iter(part.items()))
        if not isinstance(name, Text):
            right = "write `- name`, or `- name: {options}`"
            return complain(part, f"a name of a {kind} is expected here", right, problems)
        if name not in known:
            hint = "" if "." in name else nearest(name, known, short=0)  # with `pymdownx.` all are alike
            return complain(name, f"`{name[:60]}` is no {kind} that a site may use here", hint or TRUST, problems)
        if options is None or options == "":
            return str(name)
        return {str(name): keyed(known[name])(options, problems)}

    return listed(one)


def _a_map(part: Any, problems: list[Problem]) -> None:
    right = "write `name: value` lines below the key, indented"
    complain(part, "a map of names and values is expected here", right, problems)


def complain(part: Any, wrong: str, right: str, problems: list[Problem]) -> None:
    """Tells what is wrong with a part; what could not even be read is told already."""
    if not isinstance(part, Unread):
        problems.append(Problem(place_of(part), wrong, right))
