"""Rows of a table in JSON: the objects of a list, or of a map, at the path that a source states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from reckon.language.text import Text, place_of
from reckon.model.finding import ProblemList

from ..formats import Row
from ..table import parse_json, unquoted
from ..yaml_nodes import Map, Seq, Stop
from .reading import NotAnExport

_BETWEEN_LINES = re.compile(r"(\}[ \t\r]{0,9})(\n\s{0,99}\{)")
"""Where one object ends and the next one begins, as in JSON Lines; in JSON a comma is between them."""


def is_json(text: str) -> bool:
    """Whether a text is a list or an object in JSON, by how it begins."""
    return text.lstrip()[:1] in ("[", "{")


def parse(text: str, file: str) -> Any:
    """The tree of a text in JSON; of objects in lines of their own, a list. Raises NotAnExport where it is none."""
    problems: ProblemList = []
    joined = _BETWEEN_LINES.sub(r"\1,\2", text)
    if joined != text:
        text = f"[{joined}]"
    try:
        tree = parse_json(text, file, problems)
        if not problems:
            return tree
    except Stop as stop:
        problems.insert(0, stop.problem)
    raise NotAnExport(problems[0].wrong, problems[0].right)


def read_rows(tree: Any, path: str) -> Iterator[Row]:
    """The names of columns, then a row for each object, cells in the order of the names.

    Names of nested objects have dots (`properties.cluster`); a name that an object lacks is an empty cell, and lists in
    objects have no text. Raises NotAnExport where there are no objects.
    """
    objects = [node for node in _find_nodes(tree, path) if isinstance(node, Map)]
    if not objects:
        where = f"at `{path}`" if path else "in this file"
        raise NotAnExport(f"there are no rows {where}", "state where the list of rows is: `path: data.items`")
    flat = [dict(_flatten(node)) for node in objects]
    names = dict.fromkeys(name for cells in flat for name in cells)
    yield tuple(Text(name, place_of(objects[0])) for name in names)
    for node, cells in zip(objects, flat, strict=True):
        yield tuple(Text(cells.get(name, ""), place_of(node)) for name in names)


def find_path(tree: Any) -> str:
    """The path of the longest list of objects; empty where the tree is that list, or has none."""
    longest = (0, "")
    waiting = [("", tree)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, Seq):
            longest = max(longest, (sum(isinstance(child, Map) for child in node), path))
        elif isinstance(node, Map):
            waiting += [(f"{path}.{unquoted(key)}".lstrip("."), child) for key, child in node.items()]
    return longest[1]


def _find_nodes(tree: Any, path: str) -> Iterator[Any]:
    """What stands at a path: names with dots between them, `*` for each of a list or a map. A list at its end stands
    for what it holds."""
    nodes = [tree]
    for step in filter(None, path.split(".")):
        nodes = [child for node in nodes for child in _children(node, step)]
    for node in nodes:
        yield from node if isinstance(node, Seq) else [node]


def _children(node: Any, step: str) -> list[Any]:
    """What a map holds under a name, or a list or a map at `*`."""
    if isinstance(node, Map):
        return [child for key, child in node.items() if step in ("*", key[1:-1])]
    return list(node) if step == "*" and isinstance(node, Seq) else []


def _flatten(node: Map, before: str = "") -> Iterator[tuple[str, str]]:
    """The values of an object by their names, those of nested objects with dots."""
    for key, value in node.items():
        name = before + unquoted(key)
        if isinstance(value, Map):
            yield from _flatten(value, f"{name}.")
        else:
            yield name, unquoted(value) if isinstance(value, Text) and value != "null" else ""
