"""Pixelis as it was first released, and BLOOM beside it, worked out by hand from their sources."""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.figure import Calculated, ledger_lines
from tests.released import tree


@cache
def book() -> Book:
    with TemporaryDirectory() as root:
        read, problems = load(tree(Path(root)))
    found, more = calculate(read)
    assert problems + more == []
    return found


PLANNED = {
    "svd": 5,
    "sft": 135,
    "rft": 750,
    "domain-adaptation": 90,
    "continual-learning": 180,
    "evaluation": 120,
    "ablations": 30,
    "profiling": 25,
}


@pytest.mark.parametrize(("item", "hours"), PLANNED.items())
def test_each_line(item: str, hours: int) -> None:
    assert book()[f"pixelis.plan.{item}.total"].use == hours


@pytest.mark.parametrize(
    ("address", "hours"),
    [
        ("budget.one-time", 5),
        ("budget.per-seed", 1275),
        ("budget.single-seed", 55),
        ("budget.subtotal", 1335),
        ("budget.contingency", F("200.25")),
        ("budget.final", F("1535.25")),
        ("budget.extensions", 800),
        ("budget.extended", F("2335.25")),
        ("phases.offline.planned", 5 + 135 + 750),
        ("phases.online.planned", 270),
        ("phases.evaluation.planned", 175),
        ("actual.total", 0),
        ("budget.remaining", F("1535.25")),
        ("plan.rft.remaining", 750),
        ("plan.rft.seeds.2.remaining", 250),
    ],
)
def test_the_budget(address: str, hours: object) -> None:
    value = book()[f"pixelis.{address}"].value
    assert (value.low, value.use, value.high) == (hours, hours, hours)


@pytest.mark.parametrize(
    ("address", "low", "use", "high"),
    [
        # 3 epochs × 8–10 h × 8 GPUs × 1.10
        ("plan.sft.estimate", F("211.2"), F("237.6"), 264),
        # 5 thousands of steps × 30–40 h × 8 GPUs × 1.20
        ("plan.rft.estimate", 1440, 1680, 1920),
        ("plan.svd.estimate", 3, F("3.5"), 4),
        ("plan.domain-adaptation.estimate", 30, 30, 30),
        ("plan.continual-learning.estimate", F("57.6"), F("57.6"), F("57.6")),
        ("plan.evaluation.estimate", 30, 30, 30),
        ("plan.ablations.estimate", 25, 25, 25),
        ("plan.profiling.estimate", 20, 20, 20),
        ("plan.rft.estimate_total", 4320, 5040, 5760),
        # 3 + 3 × (211.2 + 1440 + 30 + 57.6 + 30) + 25 + 20
        ("estimates.subtotal", F("5294.4"), F("6094.1"), F("6893.8")),
        ("figures.sft-effective-batch", 32, 48, 64),
        ("figures.storage-total", 500, 500, 500),
        ("figures.qwen3-8b-weights", 16, 16, 16),
        # 0.423 s × steps × multiplier / (GPUs × efficiency)
        ("projections.sft-10k-steps.micro-benchmark.hours", F("1.175"), F("1.175"), F("1.175")),
        ("projections.sft-30k-steps.micro-benchmark.hours", F("3.525"), F("3.525"), F("3.525")),
        (
            "projections.sft-30k-steps-8-gpus.micro-benchmark.hours",
            F("3.525") / 8 / F("0.85"),
            F("3.525") / 8 / F("0.85"),
            F("3.525") / 8 / F("0.85"),
        ),
        ("projections.rft-5k-steps.micro-benchmark.hours", F("2.9375"), F("3.81875"), F("4.7")),
        (
            "projections.rft-5k-steps-8-gpus.micro-benchmark.hours",
            F("2.9375") / F("6.8"),
            F("3.81875") / F("6.8"),
            F("4.7") / F("6.8"),
        ),
    ],
)
def test_ranges(address: str, low: object, use: object, high: object) -> None:
    value = book()[f"pixelis.{address}"].value
    assert (value.low, value.use, value.high) == (low, use, high)


def test_projections_as_they_are_printed() -> None:
    names = ("sft-10k-steps", "sft-30k-steps", "sft-30k-steps-8-gpus", "rft-5k-steps", "rft-5k-steps-8-gpus")
    used = [book()[f"pixelis.projections.{name}.micro-benchmark.hours"].use for name in names]
    assert [f"{float(one or 0):.4g}" for one in used] == ["1.175", "3.525", "0.5184", "3.819", "0.5616"]


def test_the_final_budget_rests_on_the_line_of_each_item() -> None:
    found = {(place.file, place.line) for place in ledger_lines(book()["pixelis.budget.final"])}
    project = book().ledger.projects["pixelis"]
    for item in PLANNED:
        hours = project.items[item].gpu_hours
        assert (hours.place.file, hours.place.line) in found
    for item in project.plan["extended"].items.values():
        assert (item.gpu_hours.place.file, item.gpu_hours.place.line) not in found


def test_the_formula_is_printed_from_the_items_that_it_sums() -> None:
    origin = book()["pixelis.budget.per-seed"].origin
    assert isinstance(origin, Calculated)
    names = ("sft", "rft", "domain-adaptation", "continual-learning", "evaluation")
    assert origin.formula.text == " + ".join(f"plan.{name}.total" for name in names)
    assert [figure.address for figure in origin.operands.values()] == [f"pixelis.plan.{name}.total" for name in names]


def test_findings_of_pixelis_are_the_golden_list() -> None:
    wanted = (Path(__file__).parent / "pixelis_findings.txt").read_text("utf-8").splitlines()
    assert [f"{one.severity} {one.id}" for one in book().findings["pixelis"]] == wanted


def test_what_is_found_in_the_document_stands_open() -> None:
    """Its authors never saw the audit: nobody can accept in their name."""
    assert [one.id for one in book().findings["pixelis"] if one.accepted or one.was] == []


# BLOOM-176B: a plan from FLOP, an allocation, a ceiling, an actual


def test_bloom_plan_from_its_operations() -> None:
    planned = book()["bloom-176b.plan.final-run.gpu_hours"].use
    # 8 × 200e9 × 300e9 FLOP / 150e12 FLOP/s / 3600 s
    assert planned == F(8 * 200 * 300 * 10**18, 150 * 10**12 * 3600) == F(8_000_000, 9)


def test_bloom_against_ceiling_and_allocation() -> None:
    found = book()
    assert found["bloom-176b.actual.total"].use == 1_082_990
    assert found["bloom-176b.ceiling"].use == 2_000_000
    assert found["bloom-176b.actual.below_ceiling"].use == 2_000_000 - 1_082_990
    assert found["bloom-176b.budget.below_ceiling"].use == 2_000_000 - F(8_000_000, 9)
    assert found["allocations.jean-zay.used"].use == 1_082_990
    assert found["allocations.jean-zay.left"].use == 3_000_000 - 1_082_990
    share = found["allocations.jean-zay.used_share"]
    assert (f"{float(share.use or 0):.1%}", share.form) == ("36.1%", "%")


def test_bloom_gpus_times_time_is_not_what_was_reported() -> None:
    spent, older, finding = book().findings["bloom-176b"]
    assert (older.severity, older.rule) == ("note", "accept-stale"), "the released ledger names an older id"
    assert (finding.was, finding.judgement) == ("warning", "run-hours-doubtful#twice")
    assert finding.by == "the keepers of this ledger"
    assert (spent.severity, spent.id) == ("warning", "limit-passed:bloom-176b.limits.final")
    *_, held, stated = (part.use for part in finding.arithmetic if not isinstance(part, str))
    assert held == 384 * (118 * 24 + 5 + F(41, 60)) == F("1089670.4")
    assert stated == 1_082_990


def test_bloom_emissions() -> None:
    assert book()["bloom-176b.figures.emissions"].use == F(433_196 * 57, 10**6)
