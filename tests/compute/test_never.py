"""What no finding says: a limit passed before the first run, a negative amount called a margin, a key for a value."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.compute.book import Book
from reckon.model.kinds import CEILING
from reckon.present.budget.limits import reach
from reckon.present.render.numbers import format_sentence

PLAN = """\
one:
  title: One
  items:
    a: {title: Sweep, scope: one-time, gpu_hours: 300}
    b: {title: Final, scope: one-time, gpu_hours: 50, includes_margin: true, MARGIN}
"""
PROJECT = "contingency: 10%\nceiling: 500\nbegan: 2025-09-01\n"


def book_of(ledger: Any, runs: str = "[]\n", margin: str = "estimate: 40") -> Book:
    book: Book = ledger(project=PROJECT, plan=PLAN.replace("MARGIN", margin), runs=runs).book()
    return book


def sentences(book: Book, rule: str) -> list[str]:
    return [format_sentence(each.arithmetic) for each in book.findings["p"] if each.rule == rule]


@pytest.mark.parametrize(
    ("run", "since"),
    [
        # 2,400 GPU-hours up to the third of September: 13 days, of which 500 are used on 24 August, ten days before it.
        ("date: 2025-09-03, gpus: 8, wall_hours: 300", ""),
        ("end: 2025-09-03, gpus: 8, wall_hours: 300", ""),
        ("start: 2025-09-03, gpus: 8, wall_hours: 300", ", passed on 2025-09-05"),
        ("start: 2025-09-01T00:00, end: 2025-09-14T00:00, gpus: 8, wall_hours: 300", ", passed on 2025-09-03"),
    ],
)
def test_no_limit_is_passed_before_the_first_run(ledger: Any, run: str, since: str) -> None:
    book = book_of(ledger, f"- {{item: a, {run}}}\n")
    assert f"2,400 GPU-h are charged, 500 GPU-h allowed{since}" in sentences(book, "limit-passed")
    near = reach(book, "p", CEILING)
    assert near is not None
    assert near.passed
    assert (near.day is not None) is bool(since)


@pytest.mark.parametrize(
    ("estimate", "margin"),
    [
        ("30-40", "10–20"),
        ("40-80", "0–10"),
        ("80", ""),
    ],
)
def test_no_negative_amount_is_called_a_margin(ledger: Any, estimate: str, margin: str) -> None:
    """50 planned, less the estimate: −30 is no margin, and −30 to 10 is one of at most 10."""
    book = book_of(ledger, margin=f"estimate: {estimate}, margin: {{formula: gpu_hours - estimate}}")
    told = f"Final: 50 GPU-h are planned, {margin} GPU-h of it as a margin. The contingency of 10% adds 5 GPU-h"
    assert sentences(book, "margin-on-margin") == ([told] if margin else [])


def test_records_are_told_by_their_titles(ledger: Any) -> None:
    """A run on another card than planned, and one with too many hours."""
    files = {
        "gpus": "card: {title: Small Card, vram_gib: 24}\nbig: {title: Big Card, vram_gib: 80, counts_as: {card: 2}}\n",
        "ledger/catalog/prices.yaml": "l: {usd_per_gpu_hour: {card: 1, big: 3}}\n",
        "plan": PLAN.replace("MARGIN", "estimate: 40"),
        "project": PROJECT + "prices: [l]\n",
        "runs": "- {item: a, date: 2025-09-02, gpu: big, gpus: 1, wall_hours: 100}\n"
        "- {item: a, date: 2025-09-03, gpus: 8, wall_hours: 300}\n",
    }
    found = {each.judgement: format_sentence(each.arithmetic) for each in ledger(**files).book().findings["p"]}
    assert found["paid-otherwise"].startswith(
        "100 GPU-h on Big Card in place of Small Card. They cost $100 more than planned"
    )
    assert "planned for Sweep are 300 GPU-h" in found["run-hours-doubtful#gpu-hours"]
