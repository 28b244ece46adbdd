"""How full the pages of a document are: none hollow where another way to set it has as few, no unit broken in two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.present.paper.blocks import Blocks, Paper, PaperHead
from reckon.present.paper.typeset import Filled, Spot, filled, fitted, pdf
from tests.commands import given

pytest.importorskip("typst")
pypdf = pytest.importorskip("pypdf")

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="9"><rect width="9" height="9"/></svg>'
CALL = """
autumn:
  title: Autumn call
  gpu_hours: unknown
  since: 2025-07
  until: 2025-12
  projects: [birdsong]
"""
FOOT = 60
"""Points from below: nothing but the footer stands there."""


@pytest.mark.parametrize(
    ("spots", "pages", "hollow"),
    [
        ([Spot("paragraph", 1, 5)], 1, 0),  # one page is as full as it is
        ([Spot("paragraph", 1, 18), Spot("picture", 2, 12)], 2, 1),  # 15.9 of 25.5 cm, less than two thirds
        ([Spot("paragraph", 1, 20), Spot("picture", 2, 12)], 2, 0),
        ([Spot("paragraph", 1, 5), Spot("table", 2, 12)], 2, 0),  # the table begins on the first
        ([Spot("paragraph", 1, 20), Spot("paragraph", 2, 9)], 2, 1),  # 6.9 of 25.5 cm, less than three tenths
        ([Spot("paragraph", 1, 20), Spot("list", 3, 20)], 3, 0),
    ],
)
def test_a_page_is_hollow_where_less_than_two_thirds_are_filled(spots: list[Spot], pages: int, hollow: int) -> None:
    assert filled(spots, pages) == Filled(pages, hollow)


def paper(*, spare: bool, text: str = "Words.") -> Paper:
    parts = Blocks()
    parts.paragraph(text)
    parts.picture("p", SVG, "What it shows.", 50, spare)
    return Paper("T", "budget", "Draft.", "T", PaperHead("1.0", "2026-01-01", draft=True), parts)


@pytest.mark.parametrize(
    ("bare", "shown", "kept"),
    [
        (Filled(1), Filled(2), False),
        (Filled(2), Filled(2), True),
        (Filled(2, 1), Filled(2), True),
        (Filled(2), Filled(2, 1), False),
    ],
)
def test_a_spare_picture_stays_where_it_takes_no_page_and_fills_one(bare: Filled, shown: Filled, kept: bool) -> None:
    text = fitted(paper(spare=True), lambda text: shown if '"svg"' in text else bare)
    assert ('"svg"' in text) == kept


def test_a_picture_that_is_not_spare_stays() -> None:
    assert '"svg"' in fitted(paper(spare=False), lambda text: Filled(2 if '"svg"' in text else 1))


def height(page: Any) -> float:
    """What share of the height of a page is used, its footer and margins left out."""
    found: list[float] = []

    def text(said: str, place: list[float], at: list[float], *_: object) -> None:
        if said.strip() and (up := at[4] * place[1] + at[5] * place[3] + place[5]) > FOOT:
            found.append(up)

    page.extract_text(visitor_text=text)
    return (780 - min(found)) / (780 - FOOT)


def test_no_page_of_an_application_is_nearly_empty(example_tree: Path) -> None:
    root = example_tree
    with (root / "ledger/allocations.yaml").open("a", encoding="utf-8") as file:
        file.write(CALL)
    done = given(root, "application", "birdsong", "--grant", "autumn", "--out", "a.pdf")
    assert done.returncode == 0, done.stderr
    pages = pypdf.PdfReader(root / "a.pdf").pages
    assert len(pages) == 2
    assert height(pages[0]) > 2 / 3
    assert height(pages[1]) > 1 / 2
    text = " ".join(" ".join(page.extract_text() for page in pages).split())
    assert "Phase 2: training 840 768–888 807 33.2 $1,596 $1,533" in text, "cost is told by phase"


@pytest.mark.parametrize("word", ["25 GPU-h", "2025-06-10", "1,297–1,435"])
def test_units_days_and_ranges_are_in_one_line(tmp_path: Path, word: str) -> None:
    """Among words of all lengths one of them would meet the end of a line."""
    document = paper(spare=False, text=" ".join(f"{'a' * (1 + n % 7)} {word}" for n in range(60)))
    (tmp_path / "a.pdf").write_bytes(pdf(document))
    (page,) = pypdf.PdfReader(tmp_path / "a.pdf").pages
    assert page.extract_text().count(word.split()[-1]) == 60
