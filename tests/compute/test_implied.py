# ruff: noqa: E501 (tables read better unbroken)
"""Rules about what stated figures imply together: each with an error that it finds and a near miss, in a copy of the
example project and in one of another kind, also under random names and at other sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.compute.audit.grouping import together
from reckon.model.finding import Finding, say
from reckon.model.finding_groups import by_cause
from tests.variants import VARIANTS, Write, seeded, written

RULES = ("rate-above-peak", "savings-miss-difference")
Files = dict[str, str]


def cut(second: str, *, total: str = "<28.4>", levers: str = "[«l», «k»]", part: str = "trainer") -> Files:
    """A configuration and a smaller one: what both need, and what two levers save."""
    return {
        "configurations": f"«b»: {{title: «B», memory: {{server: {{gib: 30}}, trainer: {{gb: 8}}}}}}\n«c»: {{title: «C», base: «b», levers: {levers}}}\n",
        "levers": f"«l»: {{title: «L», part: server, saves_gb: <10.1>}}\n«k»: {{title: «K», part: {part}, saves_gb: {second}}}\n",
        "claims": f"- {{of: configurations.«b».on.card.need_gib, at: P, states: <44.4>}}\n- {{of: configurations.«c».on.card.need_gib, at: P, states: {total}}}\n",
    }


def rate(tflops: str, formats: str = "{bf16: <312>, tf32: <156>, int8: <624>}") -> Files:
    plan = f"gpu_hours: {{formula: flop / tflops_per_gpu, flop: 1e18, tflops_per_gpu: {tflops}}}"
    return {
        "plan": f"one: {{title: One, items: {{«a»: {{title: «A», scope: one-time, {plan}}}}}}}\n",
        "gpus": f"card: {{title: Card, dense_tflops: {formats}}}\n",
    }


CASES: list[tuple[str, Files, list[str]]] = [
    # 44.4 - 28.4 are 16.0 GiB; 10.1 + 7.1 GB are 16.02 GiB, 10.1 + 9.1 GB are 17.88 GiB.
    ("savings that are the difference", cut("<7.1>"), []),
    ("savings that are more", cut("<9.1>"), ["warning savings-miss-difference:p.configurations.«c».on.card"]),
    (
        "savings that are less",
        cut("<7.1>", total="<26.4>"),
        ["warning savings-miss-difference:p.configurations.«c».on.card"],
    ),
    ("savings of which one is unknown", cut("unknown"), []),
    ("savings without levers", cut("<9.1>", levers="[]"), []),
    ("operations above the peak", rate("<313>"), ["error rate-above-peak:p.plan.«a».gpu_hours.tflops_per_gpu"]),
    ("operations at the peak", rate("<312>"), []),
    ("operations on a card without a peak", rate("<900>", "{}"), []),
    ("operations below the peak of whole numbers alone", rate("<900>", "{int8: <624>}"), []),
]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("files", "wanted"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_what_stated_figures_imply_is_told(ledger: Any, files: Files, wanted: list[str], write: Write) -> None:
    found = ledger(**written(write, files)).book().findings["p"]
    assert [f"{each.severity} {each.id}" for each in found if each.rule in RULES] == [
        write(subject) for subject in wanted
    ]


def claims(*pairs: str) -> dict[str, list[tuple[str, str]]]:
    text = "".join("- {{of: {}, at: Page 1, states: {}}}\n".format(*pair.split(": ")) for pair in pairs)
    return {"birdsong/claims.yaml": [("", text)]}


LESS = {
    "birdsong/configurations.yaml": [
        ("", "b: {title: B, memory: {model: {gib: 40}}}\nc: {title: C, base: b, levers: [l]}\n")
    ],
    "birdsong/levers.yaml": [("", "l: {title: L, part: model, saves_gb: 20}\n")],
}
PEAK = {
    "catalog/gpus.yaml": [
        ("  dense_tflops: {bf16: 312, fp16: 312, fp32: 19.5, tf32: 156, int8: 624}\n", "  dense_tflops: {bf16: 312}\n")
    ],
    "birdsong/figures.yaml": [
        (
            "",
            "f: {title: F, tflops_per_gpu: {formula: operations_flop / plan.pretrain.gpu_hours, operations_flop: 3e20}}\n",
        )
    ],
}
IN_THE_EXAMPLE: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "savings twice",
        {**LESS, **claims("configurations.b.on.a100-80gb.need_gib: 40", "configurations.c.on.a100-80gb.need_gib: 30")},
        ["savings-miss-difference:birdsong.configurations.c.on.a100-80gb"],
    ),
    (
        "savings once",
        {**LESS, **claims("configurations.b.on.a100-80gb.need_gib: 40", "configurations.c.on.a100-80gb.need_gib: 21")},
        [],
    ),
    ("3e20 operations in 220 GPU-hours are 379 TFLOP/s", PEAK, ["rate-above-peak:birdsong.figures.f"]),
    (
        "2.4e20 operations are 303",
        {**PEAK, "birdsong/figures.yaml": [("", PEAK["birdsong/figures.yaml"][0][1].replace("3e20", "2.4e20"))]},
        [],
    ),
]


@pytest.mark.parametrize(("edits", "wanted"), [pytest.param(*rest, id=name) for name, *rest in IN_THE_EXAMPLE])
def test_an_error_in_the_example_is_found(tmp_path: Path, edits: dict[str, Any], wanted: list[str]) -> None:
    assert [found for found in seeded(tmp_path, edits) if found.startswith(RULES)] == wanted


@pytest.mark.parametrize(
    ("subjects", "entries"),
    [
        (["setups.s.card-x2.usd_per_hour_saved", "setups.s.card-x4.usd_per_hour_saved"], 1),
        (["setups.s.card-x2.usd_per_hour_saved", "setups.t.card-x2.usd_per_hour_saved"], 2),
        (["configurations.c.on.card", "configurations.c.on.other"], 1),
        (["configurations.c.on.card", "configurations.d.on.card"], 2),
    ],
)
def test_one_cause_on_several_cards_is_one_entry(ledger: Any, subjects: list[str], entries: int) -> None:
    cards = {"ledger/catalog/gpus.yaml": "card: {title: Card, vram_gib: 80}\nother: {title: Other, vram_gib: 40}\n"}
    known = ledger(**cards).book().ledger
    alike = [Finding("rule", "warning", f"p.{subject}", say("a"), say("b"), say("c"), say("d")) for subject in subjects]
    groups = by_cause(together(known, alike))
    assert len(groups) == entries
    assert [found.id for group in groups for found in group.members] == [found.id for found in alike]
