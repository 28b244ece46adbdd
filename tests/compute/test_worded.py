"""Claims that state words: whether they hold, and what a finding says of one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import SMALL, plant

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load

VERDICT = "configurations.c.on.card.verdict"


def claimed(root: Path, states: str, gib: str = "20") -> Book:
    """A need on a card of 24 GiB with 2 GiB to stay free, and a claim on its verdict."""
    ledger, problems = load(
        plant(
            root,
            {
                **SMALL,
                "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "reserve_gib: 2\n",
                "ledger/demo/configurations.yaml": f"c: {{title: C, memory: {{all: {{gib: {gib}}}}}}}\n",
                "ledger/demo/claims.yaml": f"- {{of: {VERDICT}, states: {states}, at: Page 1}}\n",
            },
        )
    )
    book, more = calculate(ledger)
    assert problems + more == []
    return book


def findings(book: Book) -> list[tuple[str, str]]:
    return [(one.severity, one.id) for one in book.findings["demo"] if one.rule == "claim-contradicted"]


# Up to 22 GiB fits, up to 24 is tight.
@pytest.mark.parametrize(
    ("gib", "verdict"), [("22", "fits"), ("22.1", "tight"), ("24", "tight"), ("24.1", "does-not-fit")]
)
@pytest.mark.parametrize("stated", ["fits", "tight", "does-not-fit"])
def test_a_stated_verdict_holds_where_it_is_the_reckoned_one(
    gib: str, verdict: str, stated: str, tmp_path: Path
) -> None:
    book = claimed(tmp_path, stated, gib)
    (found,) = book.worded["demo"]
    assert found.holds is (stated == verdict)
    cautious = (stated, verdict) == ("does-not-fit", "tight")
    severity = "note" if cautious else "warning" if "tight" in (stated, verdict) else "error"
    assert findings(book) == ([] if found.holds else [(severity, f"claim-contradicted:demo.{VERDICT}")])


def test_a_verdict_without_its_need_is_not_decided(tmp_path: Path) -> None:
    book = claimed(tmp_path, "fits", "unknown")
    assert [found.holds for found in book.worded["demo"]] == [None]
    assert findings(book) == []


def test_the_finding_gives_need_memory_and_reserve(tmp_path: Path) -> None:
    book = claimed(tmp_path, "fits", "23")
    (found,) = (one for one in book.findings["demo"] if one.rule == "claim-contradicted")
    figures = [part.address for part in found.arithmetic if not isinstance(part, str)]
    at = "demo.configurations.c.on.card.need_gib"
    assert figures == [at, "catalog.gpus.card.vram_gib", "demo.reserve_gib"]
    assert {place.file for place in found.places} >= {"ledger/demo/claims.yaml", "ledger/demo/configurations.yaml"}
