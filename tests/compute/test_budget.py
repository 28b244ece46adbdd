"""The budget formula: scopes, contingency, extensions, and that one changed line moves all that hangs on it."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.released import files, tree
from tests.small import plant

PLAN = """\
one:
  title: One
  items:
    setup: {title: Setup, scope: one-time, gpu_hours: 10}
    train: {title: Train, scope: per-seed, gpu_hours: 100, estimate: 80-120}
two:
  title: Two
  items:
    ablate: {title: Ablate, scope: single-seed, gpu_hours: 20}
    sweep: {title: Sweep, scope: all-seeds, gpu_hours: 70}
"""
EXTRA = """\
more:
  title: More
  extension: true
  items:
    extra: {title: Extra, scope: per-seed, gpu_hours: 5}
"""


def uses(book: Any, *names: str) -> list[object]:
    return [book[f"p.{name}"].use for name in names]


def test_scopes(ledger: Any) -> None:
    book = ledger(project="seeds: 4\n", plan=PLAN).book()
    assert uses(book, "budget.one-time", "budget.per-seed", "budget.single-seed", "budget.all-seeds") == [
        10,
        400,
        20,
        70,
    ]
    assert uses(book, "budget.subtotal", "budget.final", "phases.one.planned", "phases.two.planned") == [
        500,
        500,
        410,
        90,
    ]
    assert book["p.plan.train.total"].use == 400


def test_without_contingency_there_is_none(ledger: Any) -> None:
    book = ledger(project="seeds: 4\n", plan=PLAN).book()
    assert book.get("p.budget.contingency") is None
    assert book.get("p.budget.extensions") is None
    assert book.get("p.budget.extended") is None


def test_a_plan_without_seeds(ledger: Any) -> None:
    plan = PLAN.replace("per-seed", "one-time")
    assert uses(ledger(plan=plan).book(), "plan.train.total", "budget.one-time", "budget.final") == [100, 110, 200]


def test_named_seeds_are_counted(ledger: Any) -> None:
    assert uses(ledger(project="seeds: [7, 42, x-1]\n", plan=PLAN).book(), "seeds", "budget.per-seed") == [3, 300]


def test_one_rate_for_all(ledger: Any) -> None:
    book = ledger(project="seeds: 4\ncontingency: 15%\n", plan=PLAN).book()
    assert uses(book, "budget.contingency", "budget.final") == [75, 575]
    assert book["p.budget.contingency"].origin.formula.text == "budget.subtotal * contingency"  # type: ignore[union-attr]


def test_a_phase_and_an_item_may_name_rates_of_their_own(ledger: Any) -> None:
    plan = PLAN.replace("title: Two\n", "title: Two\n  contingency: 50%\n").replace(
        "gpu_hours: 70}", "gpu_hours: 70, contingency: 0}"
    )
    book = ledger(project="seeds: 4\ncontingency: 10%\n", plan=plan).book()
    # 10 % of 10 + 400, 50 % of 20, nothing of 70
    assert uses(book, "budget.contingency", "budget.final") == [51, 551]


def test_only_an_item_has_contingency(ledger: Any) -> None:
    plan = PLAN.replace("gpu_hours: 20}", "gpu_hours: 20, contingency: 1.5x}")
    assert uses(ledger(project="seeds: 4\n", plan=plan).book(), "budget.contingency", "budget.final") == [30, 530]


def test_contingency_may_be_a_formula_or_a_range(ledger: Any) -> None:
    book = ledger(project="seeds: 4\ncontingency: 10-20%\n", plan=PLAN).book()
    value = book["p.budget.final"].value
    assert (value.low, value.use, value.high) == (550, 575, 600)
    book = ledger(
        project="seeds: 4\ncontingency: {formula: lost_hours / hours, lost_hours: 1, hours: 10}\n", plan=PLAN
    ).book()
    assert book["p.budget.contingency"].use == 50


def test_extensions_stand_outside_contingency(ledger: Any) -> None:
    book = ledger(project="seeds: 4\ncontingency: 10%\n", plan=PLAN + EXTRA).book()
    assert uses(book, "budget.final", "budget.extensions", "budget.extended") == [550, 20, 570]
    assert book.get("p.budget.extensions_contingency") is None


def test_unless_they_name_one(ledger: Any) -> None:
    plan = PLAN + EXTRA.replace("extension: true\n", "extension: true\n  contingency: 25%\n")
    book = ledger(project="seeds: 4\ncontingency: 10%\n", plan=plan).book()
    assert uses(book, "budget.contingency", "budget.extensions_contingency", "budget.extended") == [50, 5, 575]


def test_a_plan_of_extensions_alone(ledger: Any) -> None:
    book = ledger(project="seeds: 2\n", plan=EXTRA).book()
    assert book.get("p.budget.final") is None
    assert uses(book, "budget.extended") == [10]


def test_totals_exist_for_the_estimates_too(ledger: Any) -> None:
    book = ledger(project="seeds: 4\ncontingency: 10%\n", plan=PLAN).book()
    value = book["p.estimates.final"].value
    # 10 + 4 × 80–120 + 20 + 70, where there is no estimate the plan stands in; and a tenth
    assert (value.low, value.use, value.high) == (462, 550, 638)
    assert book["p.phases.one.estimated"].value.high == 490
    assert book.get("p.phases.two.estimated") is None


def test_ceiling(ledger: Any) -> None:
    assert uses(ledger(project="seeds: 1\nceiling: 450\n", plan=PLAN).book(), "budget.below_ceiling") == [250]


def test_an_unknown_line_makes_the_total_unknown_and_is_named(ledger: Any) -> None:
    book = ledger(project="seeds: 1\n", plan=PLAN.replace("gpu_hours: 20", "gpu_hours: unknown")).book()
    assert book["p.budget.final"].missing == ("p.plan.ablate.gpu_hours",)
    assert book["p.phases.one.planned"].use == 110


def test_an_item_on_another_gpu_enters_through_its_ratio(ledger: Any) -> None:
    plan = PLAN.replace("gpu_hours: 100", "gpu: other, gpu_hours: 100")
    gpus = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
    book = ledger(project="seeds: 4\n", gpus=gpus, plan=plan, runs="- {item: train, seed: 1, gpu_hours: 30}\n").book()
    assert uses(book, "plan.train.total", "plan.train.estimate_total", "budget.final") == [200, 200, 300]
    assert uses(book, "plan.train.actual", "plan.train.remaining", "plan.train.seeds.1.remaining") == [15, 185, 35]


CHANGES = [
    (
        "seeds: 3",
        "seeds: 5",
        {
            "seeds",
            "plan.rft.total",
            "plan.rft.estimate_total",
            "plan.rft.remaining",
            "phases.offline.planned",
            "budget.per-seed",
            "budget.final",
            "budget.extended",
            "estimates.final",
            "plan.evaluation.estimate",
        },
        {"plan.svd.total", "plan.rft.gpu_hours", "budget.single-seed", "budget.extensions"},
    ),
    (
        "contingency: 15%",
        "contingency: 20%",
        {
            "contingency",
            "budget.contingency",
            "budget.final",
            "budget.extended",
            "budget.remaining",
            "estimates.contingency",
        },
        {"budget.subtotal", "budget.extensions", "plan.rft.total"},
    ),
    (
        "gpu_hours: 250",
        "gpu_hours: 251",
        {
            "plan.rft.gpu_hours",
            "plan.rft.total",
            "plan.rft.seeds.1.remaining",
            "phases.offline.planned",
            "budget.per-seed",
            "budget.subtotal",
            "budget.contingency",
            "budget.final",
            "budget.extended",
        },
        {"plan.rft.estimate", "plan.sft.total", "budget.one-time", "estimates.final"},
    ),
    (
        "hours_per_epoch: 8-10",
        "hours_per_epoch: 8-11",
        {"plan.sft.estimate", "plan.sft.estimate_total", "estimates.final"},
        {"budget.final", "plan.sft.total"},
    ),
]


@pytest.mark.parametrize(("line", "changed", "moved", "stays"), CHANGES, ids=[one[1] for one in CHANGES])
def test_one_changed_line_moves_what_hangs_on_it_and_nothing_else(
    tmp_path: Path, line: str, changed: str, moved: set[str], stays: set[str]
) -> None:
    own = {path: text.replace(line, changed) for path, text in files().items() if "/pixelis/" in path}
    plant(tmp_path, {**files(), **own})
    before, after = (calculate(load(root)[0])[0].figures for root in (tree(tmp_path / "before"), tmp_path))
    differ = {address.removeprefix("pixelis.") for address in before if before[address].value != after[address].value}
    assert moved <= differ
    assert not stays & differ
    assert not any(address.startswith(("bloom", "catalog", "allocations")) for address in differ)


def test_pixelis_with_five_seeds(tmp_path: Path) -> None:
    """5 + 5 × 425 + 55 = 2185, and 15 %."""
    test_one_changed_line_moves_what_hangs_on_it_and_nothing_else(
        tmp_path, "seeds: 3", "seeds: 5", {"budget.final"}, set()
    )
    assert calculate(load(tmp_path)[0])[0]["pixelis.budget.final"].use == F(2185) * F("1.15")


def test_a_ceiling_over_extensions_alone_is_no_problem(ledger: Any) -> None:
    """What lies below a ceiling is told of the base budget; without one there is nothing to tell."""
    plan = "a:\n  title: A\n  extension: true\n  items:\n    b: {title: B, scope: one-time, gpu_hours: 30}\n"
    book = ledger(project="ceiling: 50\n", plan=plan).book()
    assert book["p.budget.extended"].use == 30
    assert book.get("p.budget.below_ceiling") is None
