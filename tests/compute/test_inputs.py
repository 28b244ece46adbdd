"""Inputs beside what is known of cards, and beside each other: what sets a rule off, and its honest neighbour."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from reckon.compute.audit.inputs import family_of
from reckon.compute.book import Book
from reckon.load.reader import load, read_cards
from reckon.model.ledger import Catalog, Ledger
from reckon.model.records import Card
from reckon.present.render.numbers import format_sentence
from tests.reading import ROOT

A100 = "a100: {title: NVIDIA A100 80GB, vram_gib: 80}\n"
H100 = "h100: {title: NVIDIA H100 80GB, vram_gib: 80, counts_as: {a100: RATIO}}\n"
PROJECT = "title: P\nversion: 1\nas_of: 2026-01-05\ngpu: a100\n"


def told(ledger: Any, **texts: str) -> list[str]:
    """The arithmetic of what is implausible in a ledger on an A100."""
    files = {"gpus": A100, "project": PROJECT, **texts}
    found = ledger(**files).book().findings["p"]
    return [format_sentence(each.arithmetic) for each in found if each.rule == "input-implausible"]


def priced(ledger: Any, price: str, as_of: str = "2026-01-05", currency: str = "usd", tier: str = "") -> list[str]:
    own = f"tier: {tier}, " if tier else ""
    prices = f"list: {{title: List, as_of: 2026-01-05, {own}{currency}_per_gpu_hour: {{a100: {price}}}}}\n"
    project = PROJECT.replace("2026-01-05", as_of) + "prices: [list]\n"
    return told(ledger, **{"ledger/catalog/prices.yaml": prices, "project": project})


@pytest.mark.parametrize(
    ("price", "slips"),
    [
        ("1.80", None),
        ("7.17", None),  # 1.5 times the highest, 4.78
        ("7.18", "with a digit too many; of a node of eight"),
        ("14.40", "of a node of eight; with a digit too many"),
        ("180", "in cents"),
        ("0.42", None),
        ("0.18", "with a digit missing; of an eighth of a GPU"),
        ("1000", ""),
    ],
)
def test_a_price_far_outside_of_its_band(ledger: Any, price: str, slips: str | None) -> None:
    found = priced(ledger, price)
    assert len(found) == (slips is not None)
    if slips:
        assert all(slip in found[0] for slip in slips.split("; "))


def test_a_band_of_another_time_is_not_used(ledger: Any) -> None:
    """That of the A100 is of March 2026, whose last day is 548 days before 2027-09-30."""
    assert priced(ledger, "18", "2027-09-30")
    assert not priced(ledger, "18", "2027-10-01")
    assert not priced(ledger, "18", "2024-09-28")


def test_another_tier_may_cost_less_and_not_more(ledger: Any) -> None:
    assert not priced(ledger, "0.18", tier="spot")
    assert priced(ledger, "0.18", tier="on-demand")
    assert priced(ledger, "18", tier="spot")


@pytest.mark.parametrize(
    ("ratio", "slip"),
    [
        ("2", None),
        # The bandwidth is 1.64 times, the arithmetic 3.17 times: 0.986 to 4.438 of an hour.
        ("0.99", None),
        ("0.98", ""),
        ("4.43", None),
        ("0.5", "inverted"),
        ("20", "ten times too large"),
        ("0.2", "ten times too small"),
    ],
)
def test_hours_of_a_card_count_as_bandwidth_and_arithmetic_say(ledger: Any, ratio: str, slip: str | None) -> None:
    cards = A100 + H100.replace("RATIO", ratio)
    found = told(ledger, gpus=cards)
    assert len(found) == (slip is not None)
    assert slip is None or slip in found[0]


@pytest.mark.parametrize(
    ("card", "found"),
    [
        ("{title: NVIDIA A100 80GB, vram_gib: 80}", False),
        ("{title: NVIDIA A100 80GB, vram_gib: 79.2}", False),
        ("{title: NVIDIA A100 80GB, vram_gib: 8}", True),
        ("{title: NVIDIA A100 80GB, vram_gib: 40}", True),
        ("{title: NVIDIA L40S, vram_gib: 44}", False),
        ("{title: NVIDIA L40S, vram_gib: 24}", True),
        ("{title: Tesla V100, vram_gib: 32}", False),
        ("{title: A card of ours, vram_gib: 7}", False),
    ],
)
def test_the_memory_of_a_card_is_what_its_name_says(ledger: Any, card: str, found: bool) -> None:
    assert bool(told(ledger, gpus=f"a100: {card}\n")) is found


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ("samples_per_second: 2.36, seconds_per_step: 0.423", ""),  # 0.998 samples a step
        ("samples_per_second: 23.6, seconds_per_step: 0.339", ""),  # eight
        ("samples_per_second: 0.236, seconds_per_step: 0.423", "samples a step, not 1"),
        ("samples_per_second: 2.36, seconds_per_step: 4.23, samples_per_step: 1", "10 samples a step, not 1"),
        ("samples_per_second: 2, tokens_per_second: 8192", ""),  # of at most 4,096 tokens
        ("samples_per_second: 2, tokens_per_second: 8194", "4,097 tokens a sample, of at most 4,096"),
        ("peak_vram_gib: 80, device: a100", ""),
        ("peak_vram_gib: 80.1, device: a100", "80.1 GiB were in use"),
    ],
)
def test_measurements_beside_each_other(ledger: Any, fields: str, says: str) -> None:
    measured = f"m: {{title: M, kind: measured, {fields}}}\n"
    item = "{title: A, scope: one-time, gpu_hours: 10, settings: {max_sequence_tokens: 4096}}"
    plan = f"one: {{title: One, items: {{a: {item}}}}}\n"
    found = told(ledger, measurements=measured, plan=plan)
    assert len(found) == bool(says)
    assert not says or says in found[0]


@pytest.mark.parametrize(("ceiling", "found"), [("1100", False), ("1.100", True), ("900", False), ("11", False)])
def test_a_ceiling_with_a_dot_for_thousands(ledger: Any, ceiling: str, found: bool) -> None:
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 1000}}}\n"
    assert bool(told(ledger, plan=plan, project=f"{PROJECT}ceiling: {ceiling}\n")) is found


@pytest.mark.parametrize(("hours", "digit"), [("22", True), ("20", True), ("24", False), ("19", False)])
def test_a_plan_with_a_digit_missing(ledger: Any, hours: str, digit: bool) -> None:
    """The estimate is 200 to 232 GPU-hours."""
    item = f"{{title: A, scope: one-time, gpu_hours: {hours}, estimate: 200-232}}"
    found = ledger(plan=f"one: {{title: One, items: {{a: {item}}}}}\n").book().findings["p"]
    (above,) = [each for each in found if each.judgement == "plan-unlike-its-estimate#below"]
    assert ("a digit?" in format_sentence(above.arithmetic)) is digit


# The cards


def test_each_figure_of_a_card_has_a_public_source() -> None:
    for family in read_cards().values():
        assert family.specifications.startswith("https://")
        assert bool(family.usd_per_gpu_hour) == bool(family.as_of) == (len(family.prices) == 2)
        assert all(source.startswith("https://") for source in family.prices)
        assert family.usd_per_gpu_hour is None or family.usd_per_gpu_hour[0] < family.usd_per_gpu_hour[1]


@pytest.mark.parametrize("root", [".", "starter"])
def test_catalogues_agree_with_what_is_known_of_their_cards(root: str) -> None:
    """Where this repository or its starter states what is in the file of cards, it is the same."""
    ledger, _ = load(ROOT / root)
    compared = 0
    for name, card in ledger.catalog.gpus.items():
        family = family_of(Book(ledger, {}), name)
        if family is None:
            continue
        stated = {
            "vram_gib": (card.vram_gib, [Fraction(size) for size in family.vram_gib]),
            "bandwidth": (card.memory_gb_per_second, [Fraction(family.memory_gb_per_second)]),
            "bf16": (card.dense_tflops.get("bf16"), [Fraction(family.bf16_tflops)] if family.bf16_tflops else []),
        }
        for quantity, known in stated.values():
            if quantity is not None and known:
                assert quantity.value.use in known, name
                compared += 1
    assert compared >= 2


@pytest.mark.parametrize(
    ("title", "family"),
    [
        ("NVIDIA A100 80GB", "a100-80gb"),
        ("A100-SXM4-40GB", "a100-40gb"),
        ("NVIDIA A100", None),
        ("NVIDIA H100 80GB SXM", "h100-80gb"),
        ("NVIDIA H100 80GB PCIe", "h100-pcie-80gb"),
        ("NVIDIA H100 NVL 94GB", None),
        ("GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA A10G", None),
        ("AMD Instinct MI300X", "mi300x"),
        ("NVIDIA H800", None),
    ],
)
def test_a_card_is_known_by_the_words_of_its_name(title: str, family: str | None) -> None:
    cards = {"card": Card.model_validate({"title": title})}
    found = family_of(Book(Ledger(Catalog(gpus=cards), cards=read_cards()), {}), "card")
    assert found == (read_cards()[family] if family else None)
