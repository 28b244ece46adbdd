"""A page is to be read in the place of its document: it may not take much longer to read.

Words are counted as `scripts/words.py` counts them: tokens with a letter or a digit, in the article as it is rendered.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
ON_THE_PAGE, WITH_DETAILS, FINDINGS = 1.3, 2.2, 1900
"""How many times the words of its document a first page may have, and that with its details; how many words a page of
findings may have."""


class Document(NamedTuple):
    """A document of its authors, by how many words it has, and the pages that are made from its ledger."""

    title: str
    words: int
    page: str
    details: tuple[str, ...]
    findings: str


# The documents stand elsewhere; their words were counted once, as those of pages are.
DOCUMENTS = (
    Document("Pixelis computational budget", 1357, "pixelis/index.md", ("pixelis/lines.md",), "pixelis/findings.md"),
    Document(
        "Phase 2 GPU analysis",
        1106,
        "phase2-collection/index.md",
        ("phase2-collection/setups.md",),
        "phase2-collection/findings.md",
    ),
    Document("ARPO CPU performance report", 696, "arpo/cpu-report.md", ("arpo/cpu-details.md",), "arpo/findings.md"),
    Document("ARPO GPU estimates", 651, "arpo/gpu-estimates.md", ("arpo/gpu-details.md",), "arpo/findings.md"),
    Document(
        "GRPO A40 feasibility", 550, "grpo-gsm8k/feasibility.md", ("grpo-gsm8k/details.md",), "grpo-gsm8k/findings.md"
    ),
)


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scripts_words", ROOT / "scripts/words.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(page: str) -> int:
    """The words of a page of docs/."""
    return int(script().words((ROOT / "docs" / page).read_text("utf-8")))


@pytest.mark.parametrize("document", DOCUMENTS, ids=[one.title for one in DOCUMENTS])
def test_a_page_takes_little_longer_to_read_than_its_document(document: Document) -> None:
    page, findings = words(document.page), words(document.findings)
    details = sum(words(name) for name in document.details)
    assert page > 0
    assert findings > 0
    assert page <= ON_THE_PAGE * document.words
    assert page + details <= WITH_DETAILS * document.words
    assert findings <= FINDINGS


def test_words_are_those_that_a_reader_meets() -> None:
    """Three of a heading, two of a sentence, one of a cell, and what a closed element has; no dash, no title of a
    picture."""
    text = (
        "# A heading here\n\nTwo words — \n\n| one |\n|---|\n| – |\n\n![words in place of it](x.svg)\n\n"
        "<details markdown><summary>more</summary>\n\nshown\n\n</details>\n"
    )
    assert script().words(text) == 8
