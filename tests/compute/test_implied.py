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

RULES = ("efficiency-implied", "rate-above-peak", "marginal-from-afar", "savings-miss-difference")
PROJECT = "prices: [«list»]\nthroughputs: [«table»]\n"
GPUS = "card: {title: Card, vram_gib: 40}\n«other»: {title: Other}\n"
CLOUD = {
    "ledger/catalog/models.yaml": "«m»: {title: «The model»}\n",
    "ledger/catalog/providers.yaml": "«cloud»: {title: «The cloud»}\n",
    "ledger/catalog/prices.yaml": "«list»: {provider: «cloud», usd_per_gpu_hour: {card: 2, «other»: 1}}\n",
    "ledger/catalog/throughputs.yaml": "«table»: {model: «m», tokens_per_second_per_gpu: {card: 10, «other»: 4}}\n",
}
Files = dict[str, str]


def setups(*claims: str, work: str = "") -> Files:
    """Two cards, one or two of each; what is stated of setups as `SETUP.FIGURE: VALUE`."""
    stated = "".join("- {{of: setups.«s».{}, at: Page 1, states: {}}}\n".format(*claim.split(": ")) for claim in claims)
    return {
        **CLOUD,
        "project": PROJECT,
        "gpus": GPUS,
        "claims": stated,
        "workloads": f"«w»: {{title: «The work», model: «m», samples: 3600, tokens_per_sample: 10{work}}}\n",
        "setups": "«s»: {title: «The setups», workload: «w», counts: [1, 2], reference: «other»-x1}\n",
    }


def wide(few: str, many: str, efficiency: str = "", more: str = "") -> Files:
    """A projection, the same on eight GPUs, and the hours that are stated of both."""
    share = f", efficiency: {efficiency}" if efficiency else ""
    return {
        "measurements": "«m»: {title: «M», kind: measured, gpus: 1, seconds_per_step: 36}\n",
        "projections": f"«q»: {{title: «Q», measurements: [«m»], steps: 1000}}\n«r»: {{title: «R», base: «q», gpus: 8{share}{more}}}\n",
        "claims": f"- {{of: projections.«q».«m».hours, at: P, states: {few}}}\n- {{of: projections.«r».«m».hours, at: P, states: {many}}}\n",
    }


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


S, Q = "p.setups.«s»", "p.projections.«r».«m».hours"
HALF, COSTS = (
    ("card-x1.hours: <20.4>", "card-x2.hours: {}"),
    (
        "«other»-x1.hours: 49.1",
        "«other»-x1.usd: <17.3>",
        "card-x1.hours: 20.4",
        "card-x1.usd: <20.6>",
        "card-x2.hours: 10.4",
    ),
)


def twice(hours: str, work: str) -> Files:
    return setups(HALF[0], HALF[1].format(hours), work=work)


def saved(usd: str, price: str) -> Files:
    return setups(*COSTS, f"card-x2.usd: {usd}", f"card-x2.usd_per_hour_saved: {price}")


CASES: list[tuple[str, Files, list[str]]] = [
    # 20.35 / (2 x 10.15) is 100.2%, whatever was rounded; 20.35 / (2 x 10.25) is 99.3%.
    ("two GPUs more than twice as fast", twice("<10.1>", ""), [f"error efficiency-implied:{S}"]),
    ("two GPUs that may just be twice as fast", twice("<10.2>", ""), []),
    (
        "two GPUs twice as fast, where 90% is stated",
        twice("<10.2>", ", models: 2, efficiency: 90%"),
        [f"warning efficiency-implied:{S}"],
    ),
    ("two GPUs twice as fast, where 99% is stated", twice("<10.2>", ", models: 2, efficiency: 99%"), []),
    (
        "two GPUs less fast than is stated",
        twice("<11.6>", ", models: 2, efficiency: 90%"),
        [f"warning efficiency-implied:{S}"],
    ),
    ("two GPUs as fast as is stated", twice("<11.3>", ", models: 2, efficiency: 90%"), []),
    ("three models on two GPUs", twice("<11.6>", ", models: 3, efficiency: 90%"), []),
    ("times of which only one is stated", setups("card-x2.hours: <10.1>"), []),
    ("eight GPUs more than eight times as fast", wide("<24.4>", "<2.9>", "90%"), [f"error efficiency-implied:{Q}"]),
    ("eight GPUs at another efficiency", wide("<24.4>", "<3.1>", "90%"), [f"warning efficiency-implied:{Q}"]),
    ("eight GPUs at their efficiency", wide("<24.4>", "<3.4>", "90%"), []),
    ("eight GPUs for more work", wide("<24.4>", "<2.9>", "90%", ", steps: 500"), []),
    # From the slow card 13.4 for 38.7 h are 0.346; from the single one 10.1 for 10 h are 1.01.
    (
        "an hour saved, priced from the slowest",
        saved("<30.7>", "<0.346>"),
        ["warning marginal-from-afar:p.setups.«s».card-x2.usd_per_hour_saved"],
    ),
    ("an hour saved, priced from the next", saved("<30.7>", "<1.01>"), []),
    ("an hour saved that is hardly dearer from the next", saved("<22.7>", "<0.1395>"), []),
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


CATALOG = {
    "catalog/models.yaml": [("", "m: {title: M}\n")],
    "catalog/throughputs.yaml": [
        ("", "t: {title: T, model: m, tokens_per_second_per_gpu: {a100-80gb: 10, l40s: 4}}\n")
    ],
    "birdsong/project.yaml": [("prices: [example-cloud] ", "throughputs: [t]\nprices: [example-cloud] ")],
    "birdsong/workloads.yaml": [
        ("", "w: {title: W, model: m, samples: 3600, tokens_per_sample: 10, models: 4, efficiency: 90%}\n")
    ],
    "birdsong/setups.yaml": [("", "s: {title: S, workload: w, counts: [1, 4], reference: l40s-x1}\n")],
}


def claims(*pairs: str) -> dict[str, list[tuple[str, str]]]:
    text = "".join("- {{of: {}, at: Page 1, states: {}}}\n".format(*pair.split(": ")) for pair in pairs)
    return {"birdsong/claims.yaml": [("", text)]}


SLOW = (
    "setups.s.l40s-x1.hours: 49",
    "setups.s.l40s-x1.usd: 17",
    "setups.s.a100-80gb-x1.hours: 20",
    "setups.s.a100-80gb-x1.usd: 20",
    "setups.s.a100-80gb-x4.usd: 30",
)
PRICED = "setups.s.a100-80gb-x4.usd_per_hour_saved: {}"
LESS = {
    "birdsong/configurations.yaml": [
        ("", "b: {title: B, memory: {model: {gib: 40}}}\nc: {title: C, base: b, levers: [l]}\n")
    ],
    "birdsong/levers.yaml": [("", "l: {title: L, part: model, saves_gb: 20}\n")],
}
PEAK = {
    "catalog/gpus.yaml": [("  vram_gib: 80\n", "  vram_gib: 80\n  dense_tflops: {bf16: 312}\n")],
    "birdsong/figures.yaml": [
        (
            "",
            "f: {title: F, tflops_per_gpu: {formula: operations_flop / plan.pretrain.gpu_hours, operations_flop: 3e20}}\n",
        )
    ],
}
IN_THE_EXAMPLE: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "four GPUs above 100%",
        {**CATALOG, **claims(*SLOW, "setups.s.a100-80gb-x4.hours: 4.7")},
        ["efficiency-implied:birdsong.setups.s"],
    ),
    ("four GPUs at what is stated", {**CATALOG, **claims(*SLOW, "setups.s.a100-80gb-x4.hours: 5.6")}, []),
    (
        "an hour from afar",
        {**CATALOG, **claims(*SLOW, "setups.s.a100-80gb-x4.hours: 5.6", PRICED.format(0.30))},
        ["marginal-from-afar:birdsong.setups.s.a100-80gb-x4.usd_per_hour_saved"],
    ),
    (
        "an hour from the next",
        {**CATALOG, **claims(*SLOW, "setups.s.a100-80gb-x4.hours: 5.6", PRICED.format(0.69))},
        [],
    ),
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
