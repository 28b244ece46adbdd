"""A tree -> a record, or all that is wrong with it. What cannot be read is cut out, so that the rest is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reckon.language.text import NOWHERE, Place, Text, place_of
from reckon.model.finding import Problem, ProblemList
from reckon.model.record import Record
from reckon.model.records import SCOPES
from reckon.model.scalars import Unread, Wrong

# What is to stand in a field, where its name does not say so already.
WANTED = {
    "scope": f" with {', '.join(SCOPES[:-1])} or {SCOPES[-1]}",
    "version": " with numbers and dots, such as 0.1.0",
    "as_of": " with the day of the plan, such as 2025-09-03",
    "gpu": " with a card from catalog/gpus.yaml",
}
# What a map is to look like, where a value alone comes to mind first.
SHAPES = {"progress": "write it as `progress: {done: 2, total: 5}`"}
KeyPath = tuple[Any, ...]
"""The keys and numbers that lead to a part of a tree."""
Cut = Callable[[KeyPath], None]
SomeRecord = TypeVar("SomeRecord", bound=Record)


def validate(kind: type[SomeRecord], tree: Any, problems: ProblemList, cut: Cut) -> SomeRecord | None:
    """The record in a tree; None if nothing is left. Problems are appended; `cut` is called with each path cut out.

    What is wrong is told of the tree as it was written: once parts are cut out, others only follow from that.
    """
    stood: set[KeyPath] = set()
    record, errors = _read(kind, tree, problems)
    for error in errors:
        problems += _problems(error, tree)
    while record is None and _prune(tree, errors, cut, stood):
        record, errors = _read(kind, tree, [])
    return record


def _read(kind: type[SomeRecord], tree: Any, unknown: ProblemList) -> tuple[SomeRecord | None, Sequence[ErrorDetails]]:
    """The record in a tree, or None and all that pydantic finds wrong with it."""
    try:
        return kind.model_validate(tree, context=unknown), ()
    except ValidationError as error:
        return None, error.errors(include_url=False)


def _problems(entry: ErrorDetails, tree: Any) -> ProblemList:
    """One error of the validator as our problems."""
    kind = entry["type"]
    path = entry["loc"]
    where = _place(tree, path)
    if kind == "value_error":
        error: Exception = entry["ctx"]["error"]
        if not isinstance(error, Wrong):
            raise error
        return [replace(problem, place=where) if problem.place is NOWHERE else problem for problem in error.problems]
    if kind == "missing":
        name = str(path[-1])
        return [Problem(where, f"`{name}` is missing", f"add `{name}:`{WANTED.get(name, '')}")]
    if isinstance(entry["input"], Unread):
        return []
    if kind == "tuple_type":
        return [Problem(where, "a list is expected here", "write `[one, two]`, or a line with `- ` for each")]
    if kind in ("dict_type", "model_type"):
        right = SHAPES.get(str(path[-1]) if path else "", "write `name: value` lines below the key, indented")
        return [Problem(where, "a map of names and values is expected here", right)]
    raise AssertionError(f"the validator says {kind}: {entry['msg']}")


def _place(tree: Any, path: KeyPath) -> Place:
    """The place of the deepest part of a path that exists in the tree."""
    places = [place_of(part) for part in _along(tree, path)]
    return next((place for place in reversed(places) if place is not NOWHERE), NOWHERE)


def _along(tree: Any, path: KeyPath) -> list[Any]:
    """The tree and the parts of it that a path goes through, as far as it leads."""
    parts = [tree]
    for step in path:
        part = parts[-1]
        # `[key]` stands for a key that is wrong, whatever it holds.
        below = range(len(part)) if isinstance(part, list) else part if isinstance(part, dict) else ()
        if step not in below:
            break
        parts.append(part[step])
    return parts


# What stands in for a required field that is missing or unreadable, so that the rest of its record is checked too.
# Nothing is rendered from a ledger with problems, so no stand-in is ever seen.
STAND_INS = {
    "title": "?",
    "version": "0",
    "as_of": "0001",
    "gpu": "none",
    "scope": "one-time",
    "gpu_hours": "unknown",
    "need_gib_per_gpu": "unknown",
    "kind": "measured",
    "status": "pending",
    "note": "?",
}


def _stand_in(tree: Any, path: KeyPath) -> bool:
    """Puts a stand-in where a required field is missing; says whether there is one for it."""
    parent = _along(tree, path[:-1])[-1]
    if path[-1] not in STAND_INS or not isinstance(parent, dict):
        return False
    parent[Text(path[-1])] = Text(STAND_INS[path[-1]])
    return True


def _prune(tree: Any, entries: Sequence[ErrorDetails], cut: Cut, stood: set[KeyPath]) -> bool:
    """Cuts the offending parts out of a tree, or puts a stand-in; says whether a tree is left to try again."""
    paths = set()
    for entry in entries:
        path = entry["loc"]
        if entry["type"] == "missing" and path not in stood and _stand_in(tree, path):
            stood.add(path)
            cut(path)
        else:
            path = path[:-1] if entry["type"] == "missing" else path
            paths.add(path[: len(_along(tree, path)) - 1])  # the deepest part that is there
    if () in paths:
        return False
    # Later entries of a list go first, and parts before the wholes they stand in, so that each path still leads there.
    for path in sorted(paths, key=lambda path: [(isinstance(at, int), str(at).zfill(9)) for at in path], reverse=True):
        del _along(tree, path[:-1])[-1][path[-1]]
        cut(path)
    return True
