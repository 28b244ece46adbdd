# ruff: noqa: E501 (tables read better unbroken)
"""Rules about documents that say one thing in two ways: each with an error that it finds and a near miss, in a copy of
the example project and in one of another kind, also under random names and at other sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.variants import VARIANTS, Write, seeded, written

RULES = ("stated-differently",)
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


def said(*claims: str) -> Files:
    """Verdicts on two cards, as `SUBJECT: WORD`, on pages of their own."""
    stated = "".join(
        "- {{of: setups.«s».{}, states: {}, at: Page {}, source: {}}}\n".format(*claim.split(": ")) for claim in claims
    )
    return {**setups(), "claims": stated}


CASES: list[tuple[str, Files, list[str]]] = [
    (
        "two that are the fastest",
        said("fastest: card-x2: 1: «A»", "fastest: card-x1: 2: «A»"),
        ["warning stated-differently:p.setups.«s».fastest"],
    ),
    (
        "two that are the fastest, in two documents",
        said("fastest: card-x2: 1: «A»", "fastest: card-x1: 1: «B»"),
        ["warning stated-differently:p.setups.«s».fastest"],
    ),
    (
        "one that is the fastest, and another the cheapest",
        said("fastest: card-x2: 1: «A»", "cheapest: card-x1: 2: «A»"),
        [],
    ),
    ("one that is the fastest, twice", said("fastest: card-x2: 1: «A»", "fastest: card-x2: 1: «B»"), []),
    (
        "one that is worth having, and is not",
        said("card-x1.standing: frontier: 1: «A»", "card-x1.standing: dominated: 2: «A»"),
        ["warning stated-differently:p.setups.«s».card-x1.standing"],
    ),
]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("files", "wanted"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_what_documents_say_in_two_ways_is_told(ledger: Any, files: Files, wanted: list[str], write: Write) -> None:
    found = ledger(**written(write, files)).book().findings["p"]
    assert [f"{each.severity} {each.id}" for each in found if each.rule in RULES] == [
        write(subject) for subject in wanted
    ]


def verdicts(first: str, second: str) -> dict[str, Any]:
    claims = f"- {{of: setups.s.cheapest, at: Page 1, states: {first}}}\n- {{of: setups.s.cheapest, at: Page 9, states: {second}}}\n"
    return {**CATALOG, "birdsong/claims.yaml": [("", claims)]}


@pytest.mark.parametrize(
    ("edits", "wanted"),
    [
        (verdicts("l40s-x1", "a100-80gb-x4"), ["stated-differently:birdsong.setups.s.cheapest"]),
        (verdicts("l40s-x1", "l40s-x1"), []),
    ],
)
def test_an_error_in_the_example_is_found(tmp_path: Path, edits: dict[str, Any], wanted: list[str]) -> None:
    assert [found for found in seeded(tmp_path, edits) if found.startswith(RULES)] == wanted
