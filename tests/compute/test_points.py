# ruff: noqa: E501 (tables read better unbroken)
"""Points of a text picture held against what is stated of them: in a copy of the example project and in one of another
kind, also under random names and at other sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.present.render.numbers import format_sentence
from tests.variants import VARIANTS, Write, seeded, written

RULES = ("point-misplaced",)
Point = tuple[str, str]


def picture(*points: Point) -> dict[str, str]:
    """What is stated of items, and where a chart has them."""
    names = "abcdefgh"[: len(points)]
    items = ", ".join(
        f"«{name}»: {{title: «The {name}», scope: one-time, gpu_hours: <{stated}>}}"
        for name, (stated, _) in zip(names, points, strict=True)
    )
    rows = ", ".join(f"«{name}»: [<{stated}>]" for name, (stated, _) in zip(names, points, strict=True))
    drawn = ", ".join(f"«{name}»: [{at}]" for name, (_, at) in zip(names, points, strict=True))
    at = "at: «Chart», columns: [gpu_hours]"
    return {
        "plan": f"one: {{title: «One», items: {{{items}}}}}\n",
        "claims": f"- {{of: plan, {at}, rows: {{{rows}}}, drawn: {{{drawn}}}}}\n",
    }


CASES: list[tuple[str, list[Point], list[str]]] = [
    ("in the wrong order", [("18", "<4>"), ("4.5", "<20>")], ["«The b»", "«The a»"]),  # the farthest first
    ("where they are", [("18", "<18>"), ("4.5", "<4>")], []),
    # Lines of ten: 54 on that of 50 is cut off, 18 on that of 20 is rounded, 70 on that of 80 is neither.
    ("rounded, and cut off", [("54", "<50>"), ("18", "<20>"), ("17", "<10>")], []),
    ("a whole line away", [("54", "<50>"), ("18", "<20>"), ("70", "<80>")], ["«The c»"]),
    ("somewhere in its label", [("18", "<4>-<18>"), ("4.5", "<1>-<9>")], []),
    ("beside its label", [("18", "<4>-<17>"), ("4.5", "<1>-<9>")], ["«The a»"]),
    ("not on this axis", [("18", "-"), ("4.5", "<4>")], []),
    ("all at nothing", [("18", "0"), ("4.5", "0")], []),
]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("points", "off"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_a_point_is_held_against_what_is_stated_of_it(
    ledger: Any, points: list[Point], off: list[str], write: Write
) -> None:
    found = [each for each in ledger(**written(write, picture(*points))).book().findings["p"] if each.rule in RULES]
    assert [(each.id, each.severity, each.of_source) for each in found] == [
        ("point-misplaced:p.plan", "warning", True)
    ] * bool(off)
    if found:
        said = format_sentence(found[0].arithmetic).removeprefix("the labels are drawn at (stated): ")
        assert [part.partition(" at ")[0] for part in said.split(", ")] == [write(name) for name in off]


@pytest.mark.parametrize(
    ("drawn", "wanted"),
    [
        # Each seed takes 220 GPU-hours of pretraining and 60 of finetuning.
        ("pretrain: [60], finetune: [220]", ["point-misplaced:birdsong.plan"]),
        ("pretrain: [220], finetune: [60]", []),
    ],
)
def test_an_error_in_the_example_is_found(tmp_path: Path, drawn: str, wanted: list[str]) -> None:
    claim = f"- {{of: plan, at: Figure 1, columns: [gpu_hours], rows: {{pretrain: [220], finetune: [60]}}, drawn: {{{drawn}}}}}\n"
    found = seeded(tmp_path, {"birdsong/claims.yaml": [("", claim)]})
    assert [each for each in found if each.startswith(RULES)] == wanted


def test_two_pictures_of_one_record_are_two_findings(ledger: Any) -> None:
    files = picture(("18", "4"), ("4.5", "20"))
    files = {
        name: text.replace("«", "").replace("»", "").replace("<", "").replace(">", "") for name, text in files.items()
    }
    again = files["claims"].replace("Chart", "Other chart")
    found = ledger(**{**files, "claims": files["claims"] + again}).findings()
    at = "warning point-misplaced:p.plan"
    assert [each for each in found if "point-" in each] == [at, f"{at}#2"]
