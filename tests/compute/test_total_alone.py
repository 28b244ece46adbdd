"""A stated total that is one of its parts while others are above zero: it is told with what is not in it, in a copy of
the example project and in one of another kind, also under random names and at other sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.variants import VARIANTS, Write, seeded, written

Files = dict[str, str]


def total(states: str, parts: tuple[str, ...] = ("<30.2>", "<5.1>", "<2.2>")) -> Files:
    """Parts in GiB, what they need on a card, and what is stated of that."""
    memory = ", ".join(
        f"«{name}»: {{title: «The {name}», gib: {size}}}" for name, size in zip("abcde", parts, strict=False)
    )
    return {
        "gpus": "card: {title: Card, vram_gib: 90}\n",
        "configurations": f"«x»: {{title: «The x», memory: {{{memory}}}}}\n",
        "claims": f"- {{of: configurations.«x».on.card.need_gib, at: Page 1, states: {states}}}\n",
    }


ONLY, FIRST = "it is {} alone: {} are not in it", ("«The x»: «The a»", "«The x»: «The b», «The x»: «The c»")
CASES: list[tuple[str, Files, str]] = [
    # 30.2 + 5.1 + 2.2 are 37.5.
    ("the largest part", total("<30.2>"), ONLY.format("«The a»", "«The b», «The c»")),
    ("a part in the middle", total("<5.1>"), ONLY.format("«The b»", "«The a», «The c»")),
    (
        "a range that is that of one part",
        total("<20.1>-<30.2>", ("<20.1>-<30.2>", "<5.1>", "<2.2>")),
        ONLY.format("«The a»", "«The b», «The c»"),
    ),
    (
        "more parts than are named",
        total("<30.2>", ("<30.2>", "<5.1>", "<2.2>", "<1.1>", "<1.2>")),
        ONLY.format("«The a»", "«The b», «The c», «The d» and 1 more"),
    ),
    ("the sum", total("<37.5>"), ""),
    ("a part that is far larger than the others: right rounding", total("<30.2>", ("<30.2>", "<0.02>", "<0.01>")), ""),
    ("others of nothing", total("<30.2>", ("<30.2>", "0", "0")), ""),
    ("all but one", total("<35.3>"), "it comes out when"),
    ("a number of its own", total("<33.3>"), "no"),
]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("files", "wanted"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_a_total_that_is_one_of_its_parts_is_told(ledger: Any, files: Files, wanted: str, write: Write) -> None:
    found = [
        "".join(part if isinstance(part, str) else "#" for part in each.arithmetic)
        for each in ledger(**written(write, files)).book().findings["p"]
        if each.rule == "claim-contradicted"
    ]
    assert len(found) == bool(wanted)
    if wanted.startswith("it is"):  # of two or three digits it is told with `perhaps`
        assert found[0].removesuffix(write(wanted)).endswith(("; ", "; perhaps "))
    assert any(" alone: " in text for text in found) == wanted.startswith("it is")


@pytest.mark.parametrize(
    ("states", "wanted"), [("660 GPU-hours", True), ("1200 GPU-hours", False), ("1199 GPU-hours", False)]
)
def test_the_total_of_the_example_is_said_to_be_its_largest_line(tmp_path: Path, states: str, wanted: bool) -> None:
    """48 + 96 + 660 + 180 + 48 + 108 + 60 are 1,200, of which 660 are for pretraining."""
    claim = f"- {{of: budget.subtotal, at: Page 1, states: {states}}}\n"
    found = seeded(tmp_path, {"birdsong/claims.yaml": [("", claim)]})
    book = calculate(load(tmp_path)[0])[0]
    told = [part for each in book.findings["birdsong"] for part in each.arithmetic if isinstance(part, str)]
    assert any("it is Pretraining alone: " in part for part in told) is wanted
    assert ("claim-contradicted:birdsong.budget.subtotal" in found) is (states != "1200 GPU-hours")
