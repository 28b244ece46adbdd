"""Each rule about what documents state, and about whole plans, finds an error that is put into the example project.

It is silent on its near miss. Rules not tried so beside their own tests are here; the list says where the others are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reckon.compute.audit import differently, implied, orders, pictures, totals
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.finding_groups import by_cause
from reckon.model.rules import RULES
from tests.example_tree import plant_example
from tests.variants import seeded

TRIED = {
    "test_plan_totals": (
        "plan-unlike-its-estimate",
        "margin-on-margin",
    ),
    "test_orders": ("order-contradicted",),
    "test_points": ("point-misplaced",),
    "test_implied": ("savings-miss-difference", "rate-above-peak"),
    "test_seeded": ("stated-differently", "claim-contradicted"),
}
"""The rules by the module that puts an error into the example project, and into a project of another kind."""


def test_each_rule_of_these_rooms_is_tried_in_the_example() -> None:
    rooms = (totals, orders, pictures, implied, differently)
    names = [room.__name__.rpartition(".")[2] for room in rooms]
    here = [id for id, rule in RULES.items() if rule.judge.partition(".")[0] in names]
    tried = [rule for rules in TRIED.values() for rule in rules]
    assert sorted({*here, "claim-contradicted", "rate-above-peak"}) == sorted(tried)
    for module, rules in TRIED.items():
        text = Path(__file__).with_name(f"{module}.py").read_text("utf-8")
        assert [rule for rule in rules if f"{rule}:birdsong" not in text and f"{rule}:catalog" not in text] == []


def stated(*claims: tuple[str, str]) -> str:
    """Claims of one table, a figure of the example and what is stated of it each."""
    return "".join(f"- {{of: {of}, states: {states}, at: 'Table 1, {of}'}}\n" for of, states in claims)


TWICE = ["claim-contradicted:birdsong.budget.{}", "stated-differently:birdsong.budget.{}"]


@pytest.mark.parametrize(
    ("figure", "states", "found"),
    [
        # The final budget is 1,380 GPU-hours, 180 of which are contingency.
        ("final", ("1380", "1480"), True),
        ("final", ("1380", "~1400"), False),
        ("final", ("1300-1400", "1380"), False),
        ("contingency", ("180", "200"), True),
    ],
)
def test_what_is_stated_in_two_ways_is_found(tmp_path: Path, figure: str, states: tuple[str, str], found: bool) -> None:
    claims = stated(*((f"budget.{figure}", each) for each in states))
    told = [each.partition("#")[0] for each in seeded(tmp_path, {"birdsong/claims.yaml": [("", claims)]})]
    wanted = [rule.format(figure) for rule in TWICE] if found else []
    assert [each for each in told if each.startswith(("stated-differently", "claim-contradicted"))] == wanted


# 3.6 times 220, 60 and 20 GPU-hours; 108 are planned for the ablations, of which 130 are no such multiple.
SLIPPED = [("plan.pretrain.gpu_hours", "792"), ("plan.finetune.gpu_hours", "216"), ("plan.robustness.gpu_hours", "72")]


def causes(root: Path, *claims: tuple[str, str]) -> list[list[str]]:
    """The lines of the plan that are told together, each cause by itself."""
    plant_example(root)
    (root / "ledger/birdsong/claims.yaml").write_text(stated(*claims), "utf-8")
    ledger, problems = load(root)
    book, more = calculate(ledger)
    assert [str(problem) for problem in problems + more] == []
    groups = [group for group in by_cause(book.findings["birdsong"]) if group.rule == "claim-contradicted"]
    return [[one.id.split(".")[2] for one in group.all] for group in groups]


def test_one_slip_in_three_lines_is_one_cause_and_another_mistake_another(tmp_path: Path) -> None:
    assert causes(tmp_path / "one", *SLIPPED) == [["pretrain", "finetune", "robustness"]]
    both = causes(tmp_path / "two", *SLIPPED, ("plan.ablation.gpu_hours", "130"))
    assert sorted(both) == [["ablation"], ["pretrain", "finetune", "robustness"]]


def test_lines_that_are_stated_as_they_are_have_none(tmp_path: Path) -> None:
    right = [("plan.pretrain.gpu_hours", "220"), ("plan.finetune.gpu_hours", "~60"), ("plan.ablation.gpu_hours", "108")]
    assert causes(tmp_path, *right) == []
