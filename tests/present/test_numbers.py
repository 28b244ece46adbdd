"""How many digits figures have where they stand beside others: ranges, ratios that hours are converted with, claims."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from reckon.language.quantity import Value, point
from reckon.language.units import GPU_HOURS, PLAIN, key_unit
from reckon.model.figure import Figure, Stated, Worked
from reckon.present.render.numbers import figure_text, value_text
from tests.present.test_status import files_of


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [("0.0891", "0.142", "0.089–0.142 t"), ("0.142", "0.9", "0.1–0.9 t"), ("0.0891", "14.2", "0.089–14.2 t")],
)
def test_both_ends_of_a_small_range_have_as_many_digits(low: str, high: str, text: str) -> None:
    value = Value(Fraction(low), None, Fraction(high))
    assert figure_text(Figure("", "emissions", key_unit("tonnes"), value, Worked("by hand"))) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [("-89.7", "-78.5", "−89.7 to −78.5 GPU-h"), ("-7.2", "2.8", "−7.2 to 2.8 GPU-h"), ("0", "8", "0–8 GPU-h")],
)
def test_no_dash_stands_beside_a_minus(low: str, high: str, text: str) -> None:
    value = Value(Fraction(low), None, Fraction(high))
    assert figure_text(Figure("", "remaining", GPU_HOURS, value, Worked("by hand"))) == text


@pytest.mark.parametrize(
    ("key", "number", "calculated", "stated"),
    [
        ("gpu_hours", "1/1800", "0.00056 GPU-h", "0.0005556 GPU-h"),
        ("gpu_hours", "1/2000", "0.0005 GPU-h", "0.0005 GPU-h"),
        ("gpu_hours", "-1/1800", "−0.00056 GPU-h", "−0.0005556 GPU-h"),
        ("gpu_hours", "1/3600000", "2.778 × 10⁻⁷ GPU-h", "2.778 × 10⁻⁷ GPU-h"),
        ("seconds", "1/1800", "5.556 × 10⁻⁴ s", "5.556 × 10⁻⁴ s"),
    ],
)
def test_seconds_of_a_gpu_are_hours_that_can_be_read(key: str, number: str, calculated: str, stated: str) -> None:
    for origin, text in ((Worked("by hand"), calculated), (Stated(number), stated)):
        assert figure_text(Figure("", "hours", key_unit(key), point(Fraction(number)), origin)) == text


@pytest.mark.parametrize(("ratio", "text"), [("1/1.7", "0.588×"), ("1/0.6", "1.667×"), ("1/2", "0.5×")])
def test_a_ratio_of_cards_has_the_digits_that_hours_are_converted_with(ratio: str, text: str) -> None:
    above, below = ratio.split("/")
    value = point(Fraction(above) / Fraction(below))
    figure = Figure("catalog.gpus.a.counts_as.b", "ratio", PLAIN, value, Worked("by hand"), "x")
    assert value_text(figure) == text


def test_no_row_of_derivations_repeats_its_figure(ledger: Any) -> None:
    """What runs sum up, what is worked out, and what is another figure by another name has nothing to put in."""
    plan = "one: {title: One, items: {work: {title: Work, scope: one-time, gpu_hours: 80}}}\n"
    runs = "- {date: 2025-01-02, item: work, gpu_hours: 3, progress: {done: 1, total: 10}}\n"
    for page in (files_of(ledger(plan=plan, runs=more).book())["docs/p/derivations.md"] for more in (runs, "[]\n")):
        page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", page)
        assert not re.findall(r"<br>([^<|=]+) = \1(?=<| \||$)", page, re.MULTILINE)
        assert "| `sum over runs of work`<br>" in page
        assert "| `gpu_hours`<br>`ledger/p/plan.yaml:1` |" in page, "the ledger line says what it is"
        assert "`plan.work.total`<br>80 GPU-h |" in page, "a figure by another name leads there"


def test_a_claim_stands_as_it_was_stated(ledger: Any) -> None:
    """A time of twice 100 minutes, which the ledger has in hours, stands beside what was stated in minutes."""
    plan = "one: {title: One, items: {work: {title: Work, scope: one-time, gpu_hours: 80}}}\n"
    claims = "- {of: plan.work.total, states: ~80, at: Page 1}\n- {of: figures.d, states: ~200 min, at: Page 2}\n"
    figures = "d: {title: Time, hours: {formula: each_minutes * 2, each_minutes: 100}}\n"
    page = files_of(ledger(plan=plan, claims=claims, figures=figures).book())["docs/p/derivations.md"]
    page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", page)
    assert "| &#126;80 GPU-h | 80 GPU-h | confirmed | Page 1 |" in page
    assert "| &#126;200 min | 200 min | confirmed | Page 2 |" in page
