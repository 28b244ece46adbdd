"""Rules about plans as a whole, and about plans that are too high: each with an error that it finds and a near miss, in
a copy of the example project and in one of another kind, also under random names and at other sizes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.variants import VARIANTS, Write, seeded, written

PLAN = "birdsong/plan.yaml"
RULES = (
    "plan-unlike-its-estimate#whole",
    "plan-unlike-its-estimate#repeats",
    "plan-unlike-its-estimate#above",
    "seeds-counted-twice#count",
    "margin-on-margin#unstated",
    "margin-on-margin",
)


def judgement(found: str) -> str:
    """The rule and the evidence of the id of a finding."""
    return re.sub(r":[^#]*", "", found)


def plan(*items: str, project: str = "") -> dict[str, str]:
    """A project whose items are written as `id: fields`."""
    lines = ", ".join("«{0}»: {{title: «The {0}», {1}}}".format(*item.split(": ", 1)) for item in items)
    return {"plan": f"one: {{title: One, items: {{{lines}}}}}\n", "project": project}


def once(gpu_hours: str, estimate: str = "", more: str = "", scope: str = "one-time") -> str:
    return f"scope: {scope}, gpu_hours: {gpu_hours}" + (f", estimate: {estimate}" if estimate else "") + more


SIFT, FOLD = "sift: " + once("<40>", "<60>-<80>"), "fold: " + once("<30>", "<50>-<60>")
REPEATED = ", repeats: {{of: [«sift», «fold»], times: {}}}"
SEEDS = "seeds: 3\n"

CASES: list[tuple[str, dict[str, str], list[str]]] = [
    # 60 + 50 are at least needed; 70 are planned, 80.5 with the contingency, and 109.9 or 110 with a larger one.
    (
        "two lines that are short by more than the contingency",
        plan(SIFT, FOLD, project="contingency: 15%\n"),
        ["plan-unlike-its-estimate:p.budget.final#whole"],
    ),
    ("two lines that are short by less than the contingency", plan(SIFT, FOLD, project="contingency: 57.2%\n"), []),
    (
        "two lines that are short by a little more",
        plan(SIFT, FOLD, project="contingency: 57%\n"),
        ["plan-unlike-its-estimate:p.budget.final#whole"],
    ),
    ("one line that is short", plan(SIFT, "fold: " + once("<55>", "<50>-<60>")), []),
    ("a line that makes up for the others", plan(SIFT, FOLD, "rest: " + once("<120>", "<70>")), []),
    # 15 x (40 + 30) = 1,050.
    (
        "fifteen runs at less than one run costs",
        plan(SIFT, "fold: " + once("<30>"), "again: " + once("<450>", more=REPEATED.format(15))),
        ["plan-unlike-its-estimate:p.plan.«again»#repeats"],
    ),
    (
        "fifteen runs at what they cost, rounded down",
        plan(SIFT, "fold: " + once("<30>"), "again: " + once("<1000>", more=REPEATED.format(15))),
        [],
    ),
    (
        "fifteen runs that are shorter",
        plan(SIFT, "fold: " + once("<30>"), "again: " + once("<450>", more=REPEATED.format(6.5))),
        [],
    ),
    (
        "fifteen runs at twice what they cost",
        plan(SIFT, "fold: " + once("<30>"), "again: " + once("<2100>", more=REPEATED.format(15))),
        [],
    ),
    (
        "fifteen runs at more than that",
        plan(SIFT, "fold: " + once("<30>"), "again: " + once("<2101>", more=REPEATED.format(15))),
        ["plan-unlike-its-estimate:p.plan.«again»#repeats"],
    ),
    (
        "what is planned for all seeds is repeated for one",
        plan(
            "sift: " + once("<120>", scope="all-seeds"),
            "fold: " + once("<30>", scope="per-seed"),
            "again: " + once("<140>", more=REPEATED.format(2)),
            project=SEEDS,
        ),
        [],
    ),
    (
        "what is planned for all seeds is not enough twice",
        plan(
            "sift: " + once("<120>", scope="all-seeds"),
            "fold: " + once("<30>", scope="per-seed"),
            "again: " + once("<120>", more=REPEATED.format(2)),
            project=SEEDS,
        ),
        ["plan-unlike-its-estimate:p.plan.«again»#repeats"],
    ),
    (
        "a line that repeats for each seed",
        plan(
            "sift: " + once("<40>"),
            "fold: " + once("<30>"),
            "again: " + once("<70>", more=REPEATED.format(3), scope="per-seed"),
            project=SEEDS,
        ),
        [],
    ),
    # An estimate of 10 to 12 on eight GPUs, and for three seeds.
    (
        "a plan that is the estimate for all seeds",
        plan("sift: " + once("<33>", "<10>-<12>", scope="per-seed"), project=SEEDS),
        ["plan-unlike-its-estimate:p.plan.«sift»#above"],
    ),
    (
        "a plan that covers the estimate of a seed",
        plan("sift: " + once("<17.9>", "<10>-<12>", scope="per-seed"), project=SEEDS),
        [],
    ),
    (
        "a plan for all seeds beside the estimate of one",
        plan("sift: " + once("<33>", "<10>-<12>", scope="all-seeds"), project=SEEDS),
        ["plan-unlike-its-estimate:p.plan.«sift»#above"],
    ),
    (
        "a plan for all seeds beside the estimate of all",
        plan(
            "sift: " + once("<33>", "{formula: gpu_hours * seeds, gpu_hours: <10>-<12>}", scope="all-seeds"),
            project=SEEDS,
        ),
        [],
    ),
    (
        "a plan that counts its GPUs twice",
        plan("sift: " + once("<640>", "{formula: hours * gpus, hours: <10>, gpus: 8}")),
        ["plan-unlike-its-estimate:p.plan.«sift»#above"],
    ),
    (
        "a plan of twice its estimate",
        plan("sift: " + once("<20>", "<10>")),
        ["plan-unlike-its-estimate:p.plan.«sift»#above"],
    ),
    ("a plan of less", plan("sift: " + once("<19.9>", "<10>")), []),
    # A number of its own in a line for each of three seeds.
    (
        "runs that are as many as the seeds",
        plan("sift: " + once("{formula: runs * gpu_hours, runs: 3, gpu_hours: <10>}", scope="per-seed"), project=SEEDS),
        ["seeds-counted-twice:p.plan.«sift».gpu_hours#count"],
    ),
    (
        "runs that are not",
        plan("sift: " + once("{formula: runs * gpu_hours, runs: 4, gpu_hours: <10>}", scope="per-seed"), project=SEEDS),
        [],
    ),
    (
        "runs that the item says a seed takes",
        plan(
            "sift: " + once("{formula: runs * gpu_hours, gpu_hours: <10>}", scope="per-seed", more=", runs: 3"),
            project=SEEDS,
        ),
        [],
    ),
    (
        "runs in a line for all seeds",
        plan(
            "sift: " + once("{formula: runs * gpu_hours, runs: 3, gpu_hours: <10>}", scope="all-seeds"), project=SEEDS
        ),
        [],
    ),
    (
        "tasks that are as many as the seeds",
        plan(
            "sift: " + once("{formula: tasks * gpu_hours, tasks: 3, gpu_hours: <10>}", scope="per-seed"), project=SEEDS
        ),
        [],
    ),
    (
        "seeds of its own in the estimate",
        plan(
            "sift: "
            + once("<40>", "{formula: gpu_hours * own_seeds, gpu_hours: <10>, own_seeds: 3}", scope="per-seed"),
            project=SEEDS,
        ),
        ["seeds-counted-twice:p.plan.«sift».estimate#count"],
    ),
    (
        "hours of all seeds, divided by them",
        plan(
            "sift: " + once("{formula: gpu_hours / own_seeds, gpu_hours: <30>, own_seeds: 3}", scope="per-seed"),
            project=SEEDS,
        ),
        [],
    ),
    # 100 planned, of which 10 are above the estimate, or 4.9 that is less than a twentieth.
    (
        "a margin that is not told, below a contingency",
        plan("sift: " + once("<100>", "<80>-<90>"), project="contingency: 10%\n"),
        ["margin-on-margin:p.contingency#unstated"],
    ),
    ("a margin of little", plan("sift: " + once("<100>", "<80>-<95.1>"), project="contingency: 10%\n"), []),
    ("a margin without a contingency", plan("sift: " + once("<100>", "<80>-<90>")), []),
    (
        "a margin in a line without contingency",
        plan("sift: " + once("<100>", "<80>-<90>", more=", contingency: 0"), project="contingency: 10%\n"),
        [],
    ),
    (
        "a margin that is told",
        plan("sift: " + once("<100>", "<80>-<90>", more=", includes_margin: true"), project="contingency: 10%\n"),
        ["margin-on-margin:p.plan.«sift»"],
    ),
    (
        "a margin in the estimate",
        plan(
            "sift: " + once("<100>", "{formula: gpu_hours * (1 + margin), gpu_hours: <80>, margin: 25%}"),
            project="contingency: 10%\n",
        ),
        ["margin-on-margin:p.plan.«sift»"],
    ),
    (
        "the contingency in the plan",
        plan(
            "sift: " + once("{formula: gpu_hours * (1 + contingency), gpu_hours: <80>}"), project="contingency: 10%\n"
        ),
        ["margin-on-margin:p.plan.«sift»"],
    ),
    (
        "an overhead, which is no margin",
        plan(
            "sift: " + once("<100>", "{formula: gpu_hours * (1 + overhead), gpu_hours: <80>, overhead: 25%}"),
            project="contingency: 10%\n",
        ),
        [],
    ),
]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("files", "wanted"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_a_rule_about_plans_finds_what_it_is_for(
    ledger: Any, files: dict[str, str], wanted: list[str], write: Write
) -> None:
    found = [found.id for found in ledger(**written(write, files)).book().findings["p"] if found.judgement in RULES]
    assert found == [write(subject) for subject in wanted]


IN_THE_EXAMPLE: list[tuple[str, list[tuple[str, str]], str]] = [
    (
        "two lines short",
        [("gpu_hours: 220\n", "gpu_hours: 100\n"), ("gpu_hours: 60\n", "gpu_hours: 20\n")],
        "plan-unlike-its-estimate:birdsong.budget.final#whole",
    ),
    (
        "the larger model repeats pretraining four times",
        [("gpu_hours: 200}", "gpu_hours: 200, repeats: {of: [pretrain, finetune], times: 4}}")],
        "plan-unlike-its-estimate:birdsong.plan.larger-model#repeats",
    ),
    (
        "pretraining of all seeds in each",
        [("gpu_hours: 220\n", "gpu_hours: 660\n")],
        "plan-unlike-its-estimate:birdsong.plan.pretrain#above",
    ),
    ("GPUs twice", [("gpu_hours: 60\n", "gpu_hours: 240\n")], "plan-unlike-its-estimate:birdsong.plan.finetune#above"),
    (
        "three runs for each seed",
        [("gpu_hours: 20\n", "gpu_hours: {formula: repeats * gpu_hours, repeats: 3, gpu_hours: 20}\n")],
        "seeds-counted-twice:birdsong.plan.robustness.gpu_hours#count",
    ),
    ("a margin", [("gpu_hours: 220\n", "gpu_hours: 300\n")], "margin-on-margin:birdsong.contingency#unstated"),
    (
        "a buffer",
        [
            (
                "formula: epochs * hours_per_epoch * gpus\n",
                "formula: epochs * hours_per_epoch * gpus * (1 + buffer)\n        buffer: 5%\n",
            )
        ],
        "margin-on-margin:birdsong.plan.pretrain",
    ),
]
KEPT: list[list[tuple[str, str]]] = [
    [],
    [("gpu_hours: 200}", "gpu_hours: 200, repeats: {of: [pretrain], times: 0.9}}")],
    [("gpu_hours: 220\n", "gpu_hours: 200\n"), ("gpu_hours: 60\n", "gpu_hours: 56\n")],
    [("gpu_hours: 20\n", "gpu_hours: {formula: repeats * gpu_hours, repeats: 2, gpu_hours: 10}\n")],
]


@pytest.mark.parametrize(("edits", "wanted"), [pytest.param(*rest, id=name) for name, *rest in IN_THE_EXAMPLE])
def test_an_error_in_the_example_is_found(tmp_path: Path, edits: list[tuple[str, str]], wanted: str) -> None:
    assert [found for found in seeded(tmp_path, {PLAN: edits}) if judgement(found) in RULES] == [wanted]


@pytest.mark.parametrize("edits", KEPT)
def test_what_is_no_error_in_the_example_is_not_told(tmp_path: Path, edits: list[tuple[str, str]]) -> None:
    assert not [found for found in seeded(tmp_path, {PLAN: edits}) if judgement(found) in RULES]
