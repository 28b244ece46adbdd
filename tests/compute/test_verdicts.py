"""Verdicts of policies: with what is undecided, over each phase, item, seed or grant; breaches as findings."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.present.render.numbers import format_sentence

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 40}
    svd: {title: SVD, finishes: piece, scope: one-time, gpu_hours: 20}
two:
  title: Two
  extension: true
  items:
    big: {title: Big, scope: one-time, gpu_hours: 50}
"""
RUNS = """\
- {date: 2025-01-01, item: sft, seed: 1, gpu_hours: 50}
- {date: 2025-01-02, item: sft, seed: 2, gpu_hours: 10, status: failed}
- {date: 2025-01-03, item: svd, gpu_hours: 5}
"""
GOES_ON = RUNS.replace("50}", "49}") + "- {date: 2025-01-02, item: sft, seed: 2, gpu_hours: 1, status: running}\n"
GRANTS = """\
wide: {title: Wide, gpu_hours: 1000, since: 2025-02, projects: [p]}
tight: {title: Tight, gpu_hours: 66, until: 2025-01, projects: [p]}
nobody: {title: None, gpu_hours: 1, projects: []}
"""


def tree(ledger: Any, require: str, more: str = "", runs: str = RUNS) -> Any:
    policy = f"policies:\n  rule: {{require: '{require}', message: Do something., {more}}}\n"
    return ledger(
        project=f"seeds: 2\ncontingency: 10%\nceiling: 150\n{policy}", plan=PLAN, runs=runs, allocations=GRANTS
    )


def verdicts(ledger: Any, require: str, more: str = "", runs: str = RUNS) -> dict[str, bool | None]:
    return {kept.about: kept.holds for kept in tree(ledger, require, more, runs).book().policies["p"]}


YES, NO, OPEN = "actual.total is 65 gpu_hours", "actual.total > 65 gpu_hours", "plan.sft.seeds.2.eac > 0 gpu_hours"


@pytest.mark.parametrize(
    ("require", "holds"),
    [
        (YES, True),
        (NO, False),
        (OPEN, None),
        ("actual.total >= 65 gpu_hours", True),
        ("actual.total < 65 gpu_hours", False),
        ("actual.total <= 2.5 gpu-days", False),
        (f"not {NO}", True),
        (f"not {OPEN}", None),
        (f"{YES} and {OPEN}", None),
        (f"{NO} and {OPEN}", False),
        (f"{OPEN} and {NO}", False),
        (f"{YES} or {OPEN}", True),
        (f"{OPEN} or {YES}", True),
        (f"{NO} or {OPEN}", None),
        (f"{NO} or not {OPEN}", None),
        ("actual.waste_share <= 16%", True),
        ("actual.waste_share <= 15%", False),
        ("actual.total + plan.svd.remaining <= ceiling - 70 gpu_hours", True),
        ("actual.total + plan.svd.remaining < ceiling - 70 gpu_hours", False),
    ],
)
def test_what_holds_does_not_or_is_undecided(ledger: Any, require: str, holds: bool | None) -> None:
    """65 hours are charged, 10 of them wasted. What becomes of seed 2 nobody knows: it runs and states no progress."""
    assert verdicts(ledger, require, runs=GOES_ON) == {"": holds}


def test_what_is_undecided_names_what_would_settle_it(ledger: Any) -> None:
    found = tree(ledger, OPEN, runs=GOES_ON).book()
    (kept,) = found.policies["p"]
    assert kept.judged.missing == ("p.plan.sft.seeds.2.progress",)
    assert [finding.judgement for finding in found.findings["p"]] == ["progress-unknown#unsaid"], "that is no breach"


@pytest.mark.parametrize(
    ("each", "require", "holds"),
    [
        ("phase", "overrun_share <= 10%", {"One": True, "Two": True}),
        ("phase", "actual > 0 gpu_hours", {"One": True, "Two": False}),
        ("phase", "contingency.left_share >= 1%", {"One": False}),
        ("item", "drawn is 0 gpu_hours", {"SFT": False, "SVD": True, "Big": True}),
        ("item", "actual <= ceiling", {"SFT": True, "SVD": True, "Big": True}),
        ("seed", "actual <= bac", {"SFT, seed 1": False, "SFT, seed 2": True}),
        ("seed", "eac < 60 gpu_hours", {"SFT, seed 1": True, "SFT, seed 2": True}),
        ("allocation", "used_share <= 95%", {"Wide": True, "Tight": False}),
        ("allocation", "gpu_hours <= ceiling", {"Wide": False, "Tight": True}),
    ],
)
def test_over_each_of_its_things(ledger: Any, each: str, require: str, holds: dict[str, bool | None]) -> None:
    """Names are sought there first, then in the project. What only some of them have is judged for those alone."""
    assert verdicts(ledger, require, f"each: {each}") == holds


def test_a_breach_is_a_finding_with_its_place_and_what_to_do(ledger: Any) -> None:
    found = tree(ledger, "actual <= bac", "each: seed, severity: warning, title: Seeds keep to their plan").book()
    (breach,) = found.findings["p"]
    assert (breach.id, breach.severity) == ("policy-breached:p.policies.rule.sft.seeds.1", "warning")
    assert format_sentence(breach.title) == "A policy is breached: Seeds keep to their plan (SFT, seed 1)"
    assert format_sentence(breach.remedy) == "Do something."
    assert [(one.file, one.line) for one in breach.places] == [("ledger/p/project.yaml", 9)]


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_its_severity_is_what_it_says(ledger: Any, severity: str) -> None:
    assert tree(ledger, NO, f"severity: {severity}").findings() == [f"{severity} policy-breached:p.policies.rule"]


def test_a_breach_can_be_accepted(ledger: Any) -> None:
    accept = "accept:\n  - {finding: 'policy-breached:p.policies.rule', reason: We know.}\n"
    policy = f"policies:\n  rule: {{require: '{NO}', message: Stop.}}\n"
    found = ledger(project=f"seeds: 2\n{policy}{accept}", plan=PLAN, runs=RUNS).book().findings["p"]
    assert [(one.id, bool(one.accepted)) for one in found] == [("policy-breached:p.policies.rule", True)]


@pytest.mark.parametrize(
    ("require", "more", "says"),
    [
        ("actual.totle > 0 gpu_hours", "", "there is no figure `actual.totle`"),
        ("actual.total", "", "`actual.total` is not a condition"),
        ("actual.total > 65", "", "write a unit after a number"),
        ("actual.total > 15%", "", "both sides must measure the same"),
        ("actual.waste_share <= 25", "", "a share is compared with a bare 25"),
        ("used_share <= 95%", "", "there is no figure `used_share`"),
        ("actual.total > 65 gpu_hours", "each: month", "`month` is not allowed here"),
    ],
)
def test_a_policy_that_cannot_be_read_is_a_problem(ledger: Any, require: str, more: str, says: str) -> None:
    (problem,) = tree(ledger, require, more).problems()
    assert says in problem
    assert problem.startswith("ledger/p/project.yaml:9:")
