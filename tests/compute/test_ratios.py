# ruff: noqa: E501 (messages stand unbroken)
"""Hours on another card: a ratio counts both ways, and a plan can be moved to another card with its hours."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from reckon.compute.budget.card_conversion import convert
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.render.numbers import format_sentence

GPUS = (
    "card: {{title: Card{card}}}\nother: {{title: Other{other}}}\nthird: {{title: Third, counts_as: {{other: 3x}}}}\n"
)
PLAN = """\
one:
  title: One
  items:
    own: {title: Own, scope: one-time, gpu_hours: 100, gpu: other}
    free: {title: Free, scope: per-seed, gpu_hours: 66}
    guess: {title: Guess, scope: one-time, gpu_hours: 40, estimate: {formula: hours * gpus, hours: 24-48, gpus: 1}}
"""
PROJECT = "seeds: 2\nprices: [cloud]\n"
PRICES = "cloud: {title: Cloud, usd_per_gpu_hour: {card: 0.40, other: 1.80}}\n"
RUNS = "- {item: free, seed: 1, gpu_hours: 17}\n- {item: own, gpu_hours: 8}\n- {item: free, seed: 1, gpu: third, gpu_hours: 1}\n"


def gpus(card: str = "", other: str = "") -> str:
    named = {
        "card": f", counts_as: {{other: {card}}}" if card else "",
        "other": f", counts_as: {{card: {other}}}" if other else "",
    }
    return GPUS.format(**named)


def tree(ledger: Any, card: str = "", other: str = "", runs: str = "") -> Any:
    texts = {"gpus": gpus(card, other), "plan": PLAN, "project": PROJECT, "runs": runs}
    return ledger(**texts, **{"ledger/catalog/prices.yaml": PRICES})


def test_a_ratio_counts_both_ways(ledger: Any) -> None:
    """An hour on the other card is 1.7 of the project's: 100 there are 170 here, stated either way."""
    for card, other in (("", "1.7x"), (F(10, 17), "")):
        stated = "{formula: 1 / 1.7}" if card else ""
        found = tree(ledger, stated, other).book()
        assert found["p.plan.own.total"].use == 170
        assert found["catalog.gpus.card.counts_as.other"].use == F(10, 17)


def test_the_inverse_of_a_range_is_a_range_and_of_nothing_unknown(ledger: Any) -> None:
    found = tree(ledger, "0.5-0.8x").book()["catalog.gpus.other.counts_as.card"].value
    assert (found.low, found.high) == (F(5, 4), 2)
    unknown = tree(ledger, "0x", runs="- {item: own, gpu_hours: 8}\n").book()
    assert unknown["p.actual.total"].missing == ("catalog.gpus.other.counts_as.card",)


def test_the_stated_direction_wins_and_ratios_do_not_chain(ledger: Any) -> None:
    found = tree(ledger, "0.6x", "1.7x", RUNS).book()
    assert found["p.plan.own.total"].use == 170
    assert found["p.actual.total"].missing == ("catalog.gpus.third.counts_as.card",)


@pytest.mark.parametrize(
    ("card", "other"), [("0.6x", "1.7x"), ("0.59x", "1.70x"), ("60%", "1.6-1.8x"), ("unknown", "9x")]
)
def test_both_directions_may_stand_where_their_last_digits_allow_it(ledger: Any, card: str, other: str) -> None:
    assert tree(ledger, card, other).problems() == []


@pytest.mark.parametrize(("card", "other"), [("0.6x", "1.9x"), ("0.58x", "1.70x"), ("2x", "2x")])
def test_unequal_ratios_are_a_problem_at_the_later_one(ledger: Any, card: str, other: str) -> None:
    assert tree(ledger, card, other).problems() == [
        f"ledger/catalog/gpus.yaml:2:41: other counts as {other} of card, and card as {card} of other; keep one, "
        "which counts both ways, or let them be inverse: the other is in ledger/catalog/gpus.yaml, line 1"
    ]


def changed(ledger: Any, *changes: tuple[str, str], other: str = "1.7x", converted: bool = True, runs: str = "") -> Any:
    read, problems = load(tree(ledger, other=other, runs=runs).root, changes)
    more = []
    if converted:
        read, more = convert(read)
    book, last = calculate(read)
    return book, [str(problem) for problem in (*problems, *more, *last)]


def test_a_plan_moved_to_another_card_is_converted(ledger: Any) -> None:
    """66 hours on the card are 66 / 1.7 on the other: 38.8 at $1.80 are $69.88 for each of two seeds. What has a card of
    its own stays; what is estimated is converted too, and explained by its formula."""
    found, problems = changed(ledger, ("p.gpu", "other"))
    assert problems == []
    assert found["p.plan.free.gpu_hours"].use == F(660, 17)
    assert round(found["p.plan.free.gpu_hours"].use * F("1.80"), 2) == F("69.88")
    assert found["p.plan.own.total"].use == 100
    assert found["p.plan.guess.estimate"].value.high == F(480, 17)
    assert found["p.plan.guess.estimate"].origin.formula.text == "(hours * gpus) * catalog.gpus.card.counts_as.other"
    assert [finding.rule for finding in found.findings["p"] if "gpu" in finding.rule] == []


def test_runs_stay_on_the_card_that_they_were_on(ledger: Any) -> None:
    found, problems = changed(ledger, ("p.gpu", "other"), runs=RUNS)
    assert problems == []
    assert found["p.actual.total"].use == F(170, 17) + 8 + 3


def test_hours_that_stay_while_the_card_changes_are_told(ledger: Any) -> None:
    found, _ = changed(ledger, ("p.gpu", "other"), converted=False)
    (finding,) = [finding for finding in found.findings["p"] if finding.judgement == "hours-of-another-card#kept"]
    whole, ratio, hours = (part for part in finding.arithmetic if not isinstance(part, str))
    assert (whole.use, ratio.use, hours.use) == (172, F(10, 17), F(1720, 17))


@pytest.mark.parametrize(
    "changes",
    [
        (("p.gpu", "card"),),
        (("p.seeds", "3"),),
        (("p.gpu", "other"), ("p.plan.free.gpu_hours", "39"), ("p.plan.guess.gpu_hours", "24")),
    ],
)
def test_nothing_is_told_where_hours_changed_with_the_card(ledger: Any, changes: tuple[tuple[str, str], ...]) -> None:
    found, _ = changed(ledger, *changes, converted=False)
    assert [finding for finding in found.findings["p"] if finding.judgement == "hours-of-another-card#kept"] == []


def kept(ledger: Any, *changes: tuple[str, str], runs: str = "") -> list[tuple[str, str]]:
    found, _ = changed(ledger, *changes, converted=False, runs=runs)
    ours = (finding for finding in found.findings["p"] if finding.judgement == "hours-of-another-card#kept")
    return [(finding.address, format_sentence(finding.arithmetic)) for finding in ours]


TWO = "- {item: free, seed: 1, gpu_hours: 17}\n- {item: own, gpu_hours: 8}\n- {item: free, seed: 1, gpu: other, gpu_hours: 1}\n"


def test_an_item_that_changes_its_card_is_told_with_its_past_runs(ledger: Any) -> None:
    """66 hours for each of two seeds are planned on the card, at 10/17 of the other; and 17 were run there: 1 was on the
    other anyway. An item with a card of its own moves from that one."""
    assert kept(ledger, ("p.plan.free.gpu", "other"), runs=TWO) == [
        (
            "p.plan.free.gpu",
            "132 GPU-h planned on Card are counted as hours on Other; at 0.588× they are 77.6 GPU-h; 17 GPU-h of past runs count as spent on Other, too",
        )
    ]
    assert kept(ledger, ("p.plan.own.gpu", "card"), runs=TWO) == [
        (
            "p.plan.own.gpu",
            "100 GPU-h planned on Other are counted as hours on Card; at 1.7× they are 170 GPU-h; 8 GPU-h of past runs count as spent on Card, too",
        )
    ]
    assert kept(ledger, ("p.plan.own.gpu", "other"), runs=TWO) == [], "it is there already"
    hours = (("p.plan.free.gpu", "other"), ("p.plan.free.gpu_hours", "39"))
    assert kept(ledger, *hours) == [], "the hours changed with it, and nothing has run"
    assert kept(ledger, *hours, runs=TWO) == [
        ("p.plan.free.gpu", "17 GPU-h of past runs count as spent on Other, which were on Card")
    ]
    both = kept(ledger, ("p.gpu", "other"), ("p.plan.own.gpu", "card"), runs=TWO)
    assert [subject for subject, _ in both] == ["p.plan.own.gpu", "p.gpu"], "what is about most hours first"
    assert both[1][1].endswith("17 GPU-h of past runs count as spent on Other, too")


def test_an_item_is_converted_and_its_runs_stay(ledger: Any) -> None:
    """39 of 66 hours, 660/17 exactly; spent are 17 + 1.7 on the card, and 8 x 1.7 of what was on the other."""
    found, problems = changed(ledger, ("p.plan.free.gpu", "other"), runs=TWO)
    assert problems == []
    assert found["p.plan.free.gpu_hours"].use == F(660, 17)
    assert found["p.plan.free.total"].use == 132, "as many hours on the card as before"
    assert found["p.actual.total"].use == 17 + F("1.7") + F("13.6")
    assert found["p.money.actual"].use == F("6.80") + 9 * F("1.80")
    _, problems = changed(ledger, ("p.plan.free.gpu", "third"))
    assert [problem.partition(",")[0] for problem in problems] == [
        "--set p.plan.free.gpu=third: no ratio between card and third is known"
    ]


def test_without_a_ratio_nothing_can_be_converted(ledger: Any) -> None:
    _, problems = changed(ledger, ("p.gpu", "other"), other="")
    assert problems == [
        "--set p.gpu=other: no ratio between card and other is known, which converting hours asks for; "
        "state under `counts_as` of card what one of its hours counts as on other"
    ]
