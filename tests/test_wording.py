"""Words that readers stumble over: CONTRIBUTING.md lists them. Nothing new that people read has them.

What had them before this was tested stands in `wording_known.txt`, by file; no docstring is there. A text that is
written otherwise has to leave that list: `UPDATE=1 pytest tests/test_wording.py` strikes it, and adds none.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reading import ROOT

AVOIDED = (
    r"reckon(?:s|ed|ing)?",
    r"(?<!there )is no(?= (?!longer|slower|dearer)[a-z])",
    r"for want of",
    r"the first first",
    r"pass(?:es|ed|ing)? (?:a|an|the|its|your) (?:limit|ceiling|budget)",
    r"holds? (?=figures?\b|numbers?\b|hours\b)",
)
WORDS = re.compile(rf"\b(?:{'|'.join(AVOIDED)})\b", re.IGNORECASE)
NAMES = re.compile(r"reckon[./]\S+|import reckon|`reckon\S*`|[\"']reckon[\"']|\{[{%#].*?[#%}]\}")
KNOWN = ROOT / "tests" / "wording_known.txt"


def texts() -> Iterator[tuple[Path, str]]:
    """What is read, with its file: docstrings and messages of the engine, lines of templates, of the guide and of the
    settings of the site."""
    for path in (ROOT / "reckon").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
                yield path, node.value
    for path in [*(ROOT / "templates").rglob("*.j2"), *(ROOT / "docs" / "guide").rglob("*.md")]:
        if path.name != "messages.md":  # which quotes what the engine says
            yield from ((path, line) for line in path.read_text("utf-8").splitlines())
    site = ROOT / "mkdocs.yml"  # what stands at the foot of every page, and in what searches find
    yield from ((site, line) for line in site.read_text("utf-8").splitlines())


def avoided(text: str) -> list[str]:
    """The words of a text that are better said otherwise."""
    return WORDS.findall(NAMES.sub(" ", text))


def test_no_new_text_has_words_that_are_avoided() -> None:
    found = {f"{path.relative_to(ROOT)}: {' '.join(text.split())}" for path, text in texts() if avoided(text)}
    known = set(KNOWN.read_text("utf-8").splitlines())
    if os.environ.get("UPDATE"):
        known &= found
        KNOWN.write_text("".join(f"{line}\n" for line in sorted(known)), "utf-8")
    assert sorted(found - known) == [], "write these otherwise: CONTRIBUTING.md has the words"
    assert sorted(known - found) == [], "these are gone: strike them with UPDATE=1"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("`x` is no number", 1),
        ("there is no folder", 0),
        ("a page that is no longer made", 0),
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
