"""A printed product gives the result that is printed behind it."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.present.render.products import with_numbers


@pytest.mark.parametrize(
    ("figures", "printed"),
    [
        # 0.423 s × 10,000 is 1.175 h or 70.5 min; 0.4 s would be 66.7 min, 0.42 s would be 70 min.
        (
            "step: {title: S, seconds: {formula: a_seconds, a_seconds: 0.423}}\n"
            "f: {title: F, hours: {formula: figures.step * many, many: 10000}}\n",
            "0.423 s × 10,000 = 1.2 h",
        ),
        # 0.4 s × 1,000 is 6.7 min either way: nothing more is printed.
        (
            "step: {title: S, seconds: {formula: a_seconds, a_seconds: 0.4001}}\n"
            "f: {title: F, hours: {formula: figures.step * many, many: 1000}}\n",
            "0.4 s × 1,000 = 0.1 h",
        ),
        # What is no product is left alone.
        (
            "step: {title: S, hours: {formula: a_hours, a_hours: 0.423}}\n"
            "f: {title: F, hours: {formula: figures.step + b_hours, b_hours: 1}}\n",
            "0.4 h + 1 h = 1.4 h",
        ),
    ],
)
def test_factors_give_the_printed_result(ledger: Any, figures: str, printed: str) -> None:
    assert with_numbers(ledger(figures=figures).book()["p.figures.f"]) == printed
