"""Lines about runs say what the budget was charged, and the hours held beside; chances are those of the state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.test_news import HALF, HEAD, RUNS, both, commit, edit, root, says
from tests.cli.test_release import budget
from tests.small import plant

__all__ = ["root"]

PLAN = """\
base: {title: Base, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}
more: {title: More, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 50}}}
"""
ABOVE = "plan-above-limit:demo.budget.final"
DONE = "- {date: 2026-01-02, item: a, gpu_hours: 52, progress: {done: 5, total: 10}}\n"
BEGUN = "- {date: 2026-01-03, item: b, gpu_hours: 5, progress: {done: 1, total: 10}}\n"


@pytest.fixture
def half(root: Path) -> Path:
    """The small tree with a card that counts as 0.6 of the project's."""
    plant(root, {"ledger/catalog/gpus.yaml": HALF})
    commit(root)
    return root


def inputs(root: Path) -> list[str]:
    """What diff says of runs, without their lines in the ledger."""
    lines = [line.strip().partition("  ledger/")[0] for line in budget(root, "diff").out.splitlines()]
    return [line for line in lines if line.startswith("runs of ")]


def test_runs_on_another_card_say_what_they_were_charged(half: Path) -> None:
    """Of 4 × 5 hours held on the slow card, and 10 of a run that failed there, 0.6 each are charged: 12 and 6."""
    plant(
        half,
        {
            "ledger/demo/runs/new.yaml": """\
- {date: 2026-02-03, item: train, seed: 2, gpu: slow, gpus: 4, wall_hours: 5}
- {date: 2026-02-04, item: train, seed: 2, gpu: slow, gpu_hours: 10, status: failed}
- {date: 2026-02-05, item: detour, unplanned: true, gpu_hours: 3}
"""
        },
    )
    said = "runs of train, 2026-02: 0 → 2, 0 → 18 GPU-h (0 → 30 hours held)"
    assert inputs(half) == ["runs of detour, 2026-02: 1 → 2, 2 → 5 GPU-h", said]
    says(half, "3 runs more, +21 GPU-h (+33 hours held)")
    assert said in budget(half, "review", "HEAD").out


def test_a_run_that_was_on_another_card_is_charged_otherwise(half: Path) -> None:
    """1.5 hours held as before, of which 0.6 are 0.9."""
    edit(half, RUNS, "item: test, gpu_hours: 1.5", "item: test, gpu: slow, gpu_hours: 1.5")
    assert inputs(half) == ["runs of test, 2026-02: 1 → 1, 1.5 → 0.9 GPU-h (1.5 hours held)"]
    says(half, "runs changed, −0.6 GPU-h (hours held as before)")


def test_a_run_counts_on_the_card_of_its_item(half: Path) -> None:
    """The item is on the slow card and its run names none: 1.5 held hours and 2 more are 0.9 and 1.2."""
    edit(half, "ledger/demo/plan.yaml", "scope: one-time", "scope: one-time\n      gpu: slow")
    commit(half)
    plant(half, {"ledger/demo/runs/new.yaml": "- {date: 2026-02-03, item: test, gpu_hours: 2}\n"})
    assert inputs(half) == ["runs of test, 2026-02: 1 → 2, 0.9 → 2.1 GPU-h (1.5 → 3.5 hours held)"]


def test_hours_of_which_a_ratio_is_missing_are_held(half: Path) -> None:
    edit(half, "ledger/catalog/gpus.yaml", ", counts_as: {card: 0.6x}", "")
    commit(half)
    plant(half, {"ledger/demo/runs/new.yaml": "- {date: 2026-02-03, item: test, gpu: slow, gpu_hours: 2}\n"})
    assert inputs(half) == ["runs of test, 2026-02: 1 → 2, 1.5 → 3.5 GPU-h held"]
    says(half, "1 run more, +2 GPU-h held")


def test_a_finding_judged_otherwise_is_named_with_both_severities(root: Path) -> None:
    edit(root, HEAD, "contingency: 10%", "contingency: 10%\nceiling: 50")
    commit(root)
    edit(root, HEAD, "ceiling: 50", f"ceiling: 50\naccept: [{{finding: '{ABOVE}', reason: known, by: A}}]")
    judged = "1 finding judged otherwise (error → accepted: More is planned than the ceiling allows)"
    assert f"Demo: 99 GPU-h as before; 1 accepted finding changed, {judged}" in budget(root, "diff").out.splitlines()


def test_chances_are_those_of_the_state_with_extensions_once_begun(root: Path) -> None:
    """In one message the state and the rows below it give a limit one chance."""
    plant(root, {"ledger/demo/plan.yaml": PLAN, RUNS: "[]\n", "ledger/demo/runs/2026-01.yaml": DONE})
    edit(root, HEAD, "contingency: 10%", "contingency: 20%\nceiling: 135")
    commit(root)
    (root / "ledger/demo/runs/2026-01.yaml").write_text(DONE + BEGUN, "utf-8")
    digest, review = both(root)
    (risk,) = [line for line in digest if line.startswith("- Demo: at risk")]
    (chance,) = re.findall(r"of exceeding the ceiling is (\d+%)", risk)
    rows = dict(re.findall(r"^- (.+): .* → (\S+)$", "\n".join(digest), re.MULTILINE))
    assert rows["Risk to the ceiling with extensions"] == chance
    assert rows["Risk to the final budget"] == final(root)
    assert any(line.startswith("| Risk to the extended budget | ") for line in review)


def final(root: Path) -> str:
    """The chance of exceeding the budget as `status` has it."""
    (found,) = re.findall(r"^Final budget +(\S+%) ", budget(root, "status").out, re.MULTILINE)
    return found


def test_extensions_that_have_not_begun_have_no_rows(root: Path) -> None:
    plant(root, {"ledger/demo/plan.yaml": PLAN, RUNS: "[]\n", "ledger/demo/runs/2026-01.yaml": "[]\n"})
    edit(root, HEAD, "contingency: 10%", "contingency: 20%\nceiling: 135")
    commit(root)
    plant(root, {"ledger/demo/runs/2026-01.yaml": DONE})
    digest, _ = both(root)
    assert not [line for line in digest if line.startswith("- Chance") and "exten" in line]
