"""The words of a tree: the ids of what its files name, for editors. What is wrong in a file is not told here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reckon.language.text import Text
from reckon.model.finding import ProblemList
from reckon.model.kinds import ALLOCATIONS, CATALOG, INSIDE, PROJECT
from reckon.model.records.shared import NOBODY
from reckon.model.scalars import ADDRESSED, Wrong
from reckon.model.values import read_seeds

from . import files
from .yaml_nodes import Map, Stop, as_map, read_tree

TreeWords = Mapping[str, list[str]]
"""Ids in order by what they are of, in the words of `RefersTo`; and `seeds`."""


def tree_words(root: Path) -> TreeWords:
    """The words of all projects under a root. A kind is left out where a file that may have more cannot be read."""
    found: dict[str, set[str]] = defaultdict(set)
    unread: set[str] = set()
    for path in _files(root):
        problems: ProblemList = []
        text = files.read(root, path, problems)
        tree = None
        with suppress(Stop):
            tree = read_tree(text or "", path.name, problems)
        if isinstance(tree, Map):
            for kind, words in _named(path, tree):
                found[kind].update(str(word) for word in words)
        elif text is None or text.strip():
            unread.update(kind for kind, _ in _named(path, {}))
    found["projects"] = {folder.name for folder in files.projects(root, [])}
    if found["allocations"]:
        found["allocations"].add(NOBODY)
    return {kind: sorted(filter(_is_word, words)) for kind, words in found.items() if kind not in unread}


def _is_word(word: str) -> bool:
    return len(word) <= files.LONGEST_ID and ADDRESSED.fullmatch(word) is not None


def _files(root: Path) -> Iterator[Path]:
    """The files that name something which others refer to."""
    yield from files.catalog_files(root, [])
    allocations = root / "ledger" / f"{ALLOCATIONS.id}.yaml"
    if allocations.exists():
        yield allocations
    for folder in files.projects(root, []):
        for path in files.project_files(root, folder, []):
            if path.parent == folder and path.stem in ("project", *PROJECT):
                yield path


def _named(path: Path, tree: Mapping[Any, Any]) -> Iterator[tuple[str, Iterable[str]]]:
    """The kinds of what a file names, each with the ids that stand there."""
    if path.stem == "project":
        yield "seeds", _seeds(tree)
        for kind in INSIDE:
            yield kind, as_map(tree.get(kind))
    elif path.stem == "plan":
        yield "phases", tree
        yield "items", [item for phase in tree.values() for item in as_map(as_map(phase).get(Text("items")))]
    else:
        yield (f"catalog.{path.stem}" if path.stem in CATALOG else path.stem), tree


def _seeds(tree: Mapping[Any, Any]) -> tuple[str, ...]:
    try:
        return read_seeds(tree.get("seeds", "")).names
    except Wrong:
        return ()
