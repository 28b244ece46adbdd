"""JSON Schemas of the ledger's files, with which editors complete and check while one types.

`schemas.json` has them as they are for every tree; `scripts/editor_schemas.py` makes it from the models of records. The
words of a tree are put in here: the ids that its files can name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .tree_words import TreeWords, tree_words

HOME = "ledger/.schema"
SHAPES = Path(__file__).with_name("schemas.json")
MOST_WORDS = 5000
"""Of a kind with more, none is listed."""


def schemas(words: TreeWords) -> dict[str, str]:
    """The schema of each kind of file, by name, as text, with the words of a tree."""
    listed = {kind: _enumeration(kind, names) for kind, names in words.items() if 0 < len(names) <= MOST_WORDS}
    found = {}
    for name, schema in json.loads(SHAPES.read_text("utf-8")).items():
        parts = schema["$defs"]
        parts.update((kind, listed[kind]) for kind in listed if kind in parts)
        found[name] = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    return found


def schema_files(root: Path) -> dict[str, str]:
    """The schemas for the tree under a root, by path, as ledger files name them in their first line."""
    return {f"{HOME}/{name}.schema.json": text for name, text in schemas(tree_words(root)).items()}


def _enumeration(kind: str, names: Sequence[str]) -> dict[str, Any]:
    """The words that a field can name, also as what an editor reads them for: a number, true or false."""
    values: list[object] = []
    for name in names:
        values.append(name)
        if name in ("true", "false"):
            values.append(name == "true")
        elif name.isdigit() and str(int(name)) == name:
            values.append(int(name))
    message = f"not in `{kind}` of the ledger; after adding it there, run `budget schema`"
    what = f"one of `{kind}` of the ledger"
    return {"description": what, "enum": values, "errorMessage": message, "examples": names[:1]}
