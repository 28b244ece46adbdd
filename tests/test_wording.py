"""Words that readers stumble over: CONTRIBUTING.md lists them. What stood before may stay; no new text has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reading import ROOT

AVOIDED = (
    r"reckon(?:s|ed|ing)?",
    r"(?<!there )is no(?= [a-z])",
    r"for want of",
    r"the first first",
    r"pass(?:es|ed|ing)? (?:a|an|the|its|your) (?:limit|ceiling|budget)",
    r"holds? (?=figures?\b|numbers?\b|hours\b)",
)
WORDS = re.compile(rf"\b(?:{'|'.join(AVOIDED)})\b", re.IGNORECASE)
NAMES = re.compile(r"reckon[./]\S+|import reckon|`reckon\S*`|[\"']reckon[\"']|\{[{%#].*?[#%}]\}")
# How many there are. They go with the texts of users, which have an issue of their own: then these numbers go down.
MOST = {"messages": 101, "templates": 9, "guide": 124}


def strings(path: Path) -> Iterator[str]:
    """The texts of a module that somebody may read while it runs: all but docstrings and single words."""
    tree = ast.parse(path.read_text("utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in alone else None
        if isinstance(text, str) and " " in text.strip():
            yield text


def texts(kind: str) -> Iterator[str]:
    """What is read: messages of the engine, lines of templates, lines of the guide."""
    if kind == "messages":
        for path in sorted((ROOT / "reckon").rglob("*.py")):
            yield from strings(path)
    folder, ending = {"templates": (ROOT / "templates", "*.j2"), "guide": (ROOT / "docs" / "guide", "*.md")}.get(
        kind, (ROOT, "")
    )
    for path in sorted(folder.rglob(ending)) if ending else ():
        yield from path.read_text("utf-8").splitlines()


def avoided(text: str) -> list[str]:
    """The words of a text that are better said otherwise."""
    return WORDS.findall(NAMES.sub(" ", text))


@pytest.mark.parametrize("kind", MOST)
def test_no_new_text_has_words_that_are_avoided(kind: str) -> None:
    found = [text.strip() for text in texts(kind) for _ in avoided(text)]
    assert len(found) == MOST[kind], f"write them otherwise, or lower the number: {found[-30:]}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("`x` is no number", 1),
        ("there is no folder", 0),
        ("undefined, for want of a price", 1),
        ("this is reckoned from runs", 1),
        ("see `reckon/load/reader.py` and `import reckon`", 0),
        ("passing the ceiling", 1),
        ("the policy holds", 0),
        ("it holds figures of the plan", 1),
    ],
)
def test_what_is_avoided(text: str, count: int) -> None:
    assert len(avoided(text)) == count
