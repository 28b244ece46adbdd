"""Cards that hold none of the work, and runs on such cards."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.present.render.numbers import format_sentence

PLAN = """
one:
  title: One
  items:
    a: {title: A, scope: one-time, gpu_hours: 40}
    b: {title: B, scope: one-time, gpu_hours: 60, need_gib_per_gpu: 60}
    c: {title: C, scope: one-time, gpu_hours: 100}
"""
GPUS = "card: {title: Card, vram_gib: 80}\nsmall: {title: Small, vram_gib: 24, counts_as: {card: 1}}\n"


def told(ledger: Any, rule: str, **texts: str) -> list[str]:
    found = ledger(plan=PLAN, gpus=GPUS, **texts).book().findings["p"]
    return [
        f"{each.severity} {each.subject}: {format_sentence(each.arithmetic)}" for each in found if each.rule == rule
    ]


@pytest.mark.parametrize(
    ("memory", "wanted"),
    [
        ("x: {title: X, need_gib_per_gpu: 30}", ["note p.hardware.h.small: 30 GiB/GPU needed, 24 GiB usable"]),
        ("x: {title: X, need_gib_per_gpu: 30}, y: {title: Y, need_gib_per_gpu: 20}", []),  # it may be meant for that
        ("x: {title: X, need_gib_per_gpu: 20-30}", []),
    ],
)
def test_hardware_that_says_nothing_and_holds_no_work(ledger: Any, memory: str, wanted: list[str]) -> None:
    project = f"memory: {{{memory}}}\nhardware: {{h: {{title: H, cards: [small]}}}}\n"
    assert told(ledger, "hardware-cannot-hold", project=project) == wanted


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ("item: b, gpu: small", ["warning p.runs.2025.1: its item needs 60 GiB/GPU, Small has 24 GiB"]),
        ("item: b, gpu: small, status: failed", []),
        ("item: b", []),
        ("item: a, gpu: small", []),
    ],
)
def test_a_run_on_a_card_that_cannot_hold_it(ledger: Any, fields: str, wanted: list[str]) -> None:
    ledger_ = ledger(plan=PLAN, gpus=GPUS)
    ledger_.write("ledger/p/runs/2025.yaml", f"- {{date: 2025-02-03, gpus: 1, wall_hours: 3, {fields}}}\n")
    found = [each for each in ledger_.book().findings["p"] if each.rule == "peak-above-card"]
    assert [f"{each.severity} {each.subject}: {format_sentence(each.arithmetic)}" for each in found] == wanted
