"""A measurement far from a plan; a margin that is paid twice."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence

MEASURED = """\
<m>: {title: <M>, kind: measured, date: 2026-01-01, gpus: 1, seconds_per_step: 1, peak_gib: <10>,
      memory: {peak_gib: job}}
"""
PROJECTED = "<q>: {title: Q, measurements: [<m>], steps: 3600, compare: a}\n"


@pytest.mark.parametrize(("name", "title"), [("m", "Bench"), ("moss", "Moss")])
@pytest.mark.parametrize(("card", "alone"), [("20", False), ("9", False), ("", True)])
def test_memory_far_from_a_need_is_told_with_the_card_that_cannot_hold_it(
    name: str, title: str, card: str, alone: bool, ledger: Any
) -> None:
    """An hour projected beside four planned; 10 GiB measured beside 30 needed, on a card of 20 or 9 GiB, or on none
    that is named for it."""
    names = {"m": name, "M": title, "q": "q", "10": "10"}
    measured, projected = MEASURED, PROJECTED
    for key, other in names.items():
        measured, projected = measured.replace(f"<{key}>", other), projected.replace(f"<{key}>", other)
    node = "hardware: {node: {title: Node, cards: [small], runs: [job]}}\n" if card else ""
    book = ledger(
        project="memory: {job: {title: Job, need_gib_per_gpu: 30}}\n" + node,
        measurements=measured,
        gpus=f"card: {{title: Card, vram_gib: 40}}\nsmall: {{title: Small, vram_gib: {card or 20}}}\n",
        projections=projected,
        plan="one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 4}}}\n",
    ).book()
    rules = [sorted(each.rule for each in group.members) for group in by_cause(book.findings["p"])]
    assert ["records-far-apart"] in rules, "hours are another matter"
    assert (["memory-far-apart"] in rules) is alone
    assert (["hardware-cannot-hold", "memory-far-apart"] in rules) is not alone


MARGINS = """\
one:
  title: One
  items:
    oak: {title: Oak, scope: per-seed, gpu_hours: 50, includes_margin: true<oak>}
    elm: {title: Elm, scope: one-time, gpu_hours: 100, includes_margin: true<elm>}
"""


@pytest.mark.parametrize(
    ("oak", "elm", "says"),
    [
        # 2 seeds: 2 × 2 and 6 are a margin of 10; 10% of 200 are 20, and half of these are paid twice.
        (
            "2",
            "6",
            "Oak, Elm: 200 GPU-h are planned, 10 GPU-h of it as a margin. The contingency of 10% adds 20 GPU-h",
        ),
        (
            "2-20",
            "6",
            "Oak, Elm: 200 GPU-h are planned, 10–46 GPU-h of it as a margin. The contingency of 10% adds 20 GPU-h",
        ),
        # Of one line it is not said how large it is.
        ("2", "", "Oak, Elm: 200 GPU-h are planned. The contingency of 10% adds 20 GPU-h"),
    ],
)
def test_how_much_of_a_margin_is_paid_twice(oak: str, elm: str, says: str, ledger: Any) -> None:
    plan = MARGINS
    for name, hours in (("oak", oak), ("elm", elm)):
        plan = plan.replace(f"<{name}>", f", margin: {hours}" if hours else "")
    book = ledger(project="seeds: 2\ncontingency: 10%\n", plan=plan).book()
    (found,) = [each for each in book.findings["p"] if each.rule == "margin-on-margin"]
    assert format_sentence(found.arithmetic) == says
