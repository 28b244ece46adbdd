"""A tree -> a record, or all that is wrong with it. What cannot be read is cut out, so that the rest is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from reckon.language.text import NOWHERE, Place, place_of
from reckon.model.problem import Problem
from reckon.model.record import Record

Cut = Callable[[tuple[Any, ...]], None]


@cache
def _adapter(kind: type[Record]) -> TypeAdapter[Record]:
    return TypeAdapter(kind)


def validate(kind: type[Record], tree: Any, problems: list[Problem], cut: Cut) -> Record | None:
    """The record in a tree; None if nothing is left. Problems are appended, paths that were cut out told to `cut`."""
    adapter = _adapter(kind)
    said = problems
    while True:
        try:
            return adapter.validate_python(tree, context=said)
        except ValidationError as error:
            if said is problems:
                problems.extend(one for entry in error.errors(include_url=False) for one in _problems(entry, tree))
                said = []
            if not _prune(tree, error, cut):
                return None


def _problems(entry: Mapping[str, Any], tree: Any) -> list[Problem]:
    """Our problems out of one error of the validator."""
    kind, path = entry["type"], entry["loc"]
    if kind == "ledger":
        return [
            one if one.place is not NOWHERE else Problem(_place(tree, path), one.wrong, one.right)
            for one in entry["ctx"]["problems"]
        ]
    if kind == "missing":
        return [Problem(_place(tree, path[:-1]), f"`{path[-1]}` is missing", f"add `{path[-1]}:`")]
    where = _place(tree, path)
    if kind in ("tuple_type", "list_type"):
        return [Problem(where, "a list is expected here", "write `[one, two]`, or a line with `- ` for each")]
    if kind in ("dict_type", "model_type", "model_attributes_type", "mapping_type"):
        return [
            Problem(
                where, "a map of names and values is expected here", "write `name: value` lines below the key, indented"
            )
        ]
    return [Problem(where, entry["msg"][:200], "look the key up in the guide")]


def _place(tree: Any, path: tuple[Any, ...]) -> Place:
    """The place of the deepest part of a path that exists in the tree."""
    where = place_of(tree)
    for step in path:
        try:
            tree = tree[step]
        except (KeyError, IndexError, TypeError):
            break
        where = place_of(tree) if place_of(tree) is not NOWHERE else where
    return where


def _prune(tree: Any, error: ValidationError, cut: Cut) -> bool:
    """Cuts the offending parts out of a tree; says whether a tree is left to try again."""
    for entry in error.errors(include_url=False):
        path = entry["loc"][:-1] if entry["type"] == "missing" else entry["loc"]
        path = path[:-1] if path and path[-1] == "[key]" else path
        if not path:
            return False
        parent = tree
        for step in path[:-1]:
            parent = parent[step] if _has(parent, step) else None
        if _has(parent, path[-1]):
            assert parent is not None
            del parent[path[-1]]
        cut(path)
    return True


def _has(parent: Any, step: Any) -> bool:
    return (isinstance(parent, dict) and step in parent) or (
        isinstance(parent, list) and isinstance(step, int) and step < len(parent)
    )
