"""Wall-clock hours that are entered as GPU-hours: one slip is one entry, whichever rules see it."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.model.finding_groups import FindingGroup, by_cause

# Two trainings of 3 epochs of 10 h on 8 GPUs: 240 GPU-h each, planned with the 30 hours that they take on the clock.
LINE = """
    {name}:
      title: {title}
      scope: one-time
      gpu_hours: {hours}
      estimate: {{formula: epochs * hours_per_epoch * gpus, epochs: 3, hours_per_epoch: 10, gpus: 8}}"""


def plan(names: tuple[str, str] = ("oak", "elm"), hours: tuple[str, str] = ("30", "30"), more: str = "") -> str:
    lines = "".join(
        LINE.format(name=name, title=name.title(), hours=some) for name, some in zip(names, hours, strict=True)
    )
    return f"train:\n  title: Training\n  items:{lines}{more}\n"


def entries(ledger: Any, plan: str, claims: str = "", figures: str = "{}\n") -> list[FindingGroup]:
    book = ledger(plan=plan, claims=claims or "[]\n", figures=figures).book()
    return [group for group in by_cause(book.findings["p"]) if group.severity == "error"]


def rules(group: FindingGroup) -> list[str]:
    return sorted(finding.judgement for finding in group.members)


ALL = [
    "plan-unlike-its-estimate#clock",
    "plan-unlike-its-estimate#clock",
    "plan-unlike-its-estimate#whole",
]


def test_one_slip_is_one_entry_that_names_its_cause(ledger: Any) -> None:
    (group,) = entries(ledger, plan())
    assert rules(group) == ALL
    assert group.lead.judgement == "plan-unlike-its-estimate#clock"
    assert group.title == ("Wall-clock hours were entered as GPU-hours",)


def test_hours_that_are_stated_and_are_those_of_the_clock_belong_to_it(ledger: Any) -> None:
    (group,) = entries(ledger, plan(), "- {of: plan.oak.estimate, states: 30, at: Table 1}\n")
    assert rules(group) == ["claim-contradicted", *ALL]


def test_a_part_of_the_estimate_on_the_same_gpus_belongs_to_it(ledger: Any) -> None:
    """240 GPU-h without what comes on top, stated as 30; and of as many GPUs that are counted by themselves."""
    bare = "bare: {title: Bare, gpu_hours: {formula: hours * GPUS, hours: 30EIGHT}}\n"
    claim = "- {of: figures.bare, states: 30, at: Table 1}\n"
    same = bare.replace("GPUS", "plan.oak.estimate.gpus").replace("EIGHT", "")
    assert [rules(group) for group in entries(ledger, plan(), claim, same)] == [["claim-contradicted", *ALL]]
    own = bare.replace("GPUS", "gpus").replace("EIGHT", ", gpus: 8")
    assert [rules(group) for group in entries(ledger, plan(), claim, own)] == [ALL, ["claim-contradicted"]]


def test_stated_hours_that_are_not_near_the_clock_stand_by_themselves(ledger: Any) -> None:
    found = entries(ledger, plan(), "- {of: plan.oak.estimate, states: 100, at: Table 1}\n")
    assert [rules(group) for group in found] == [ALL, ["claim-contradicted"]]


def test_a_budget_that_another_line_makes_short_too_is_told_by_itself(ledger: Any) -> None:
    """100 GPU-h planned of 240 estimated: 30 wall-clock hours do not explain it."""
    other = LINE.format(name="ash", title="Ash", hours="100")
    found = entries(ledger, plan(more=other))
    assert [rules(group) for group in found] == [
        ["plan-unlike-its-estimate#whole"],
        ["plan-unlike-its-estimate#clock", "plan-unlike-its-estimate#clock"],
        ["plan-unlike-its-estimate#below"],
    ]


def test_with_other_names_and_hours_it_is_the_same(ledger: Any) -> None:
    text = plan(("birch", "yew"), ("3000", "3000")).replace("hours_per_epoch: 10", "hours_per_epoch: 1000")
    (group,) = entries(ledger, text)
    assert rules(group) == ALL


def test_what_is_found_in_a_plan_that_a_document_states_is_in_the_source(ledger: Any) -> None:
    """Every line and the final budget are stated as they are planned: 30 + 30."""
    lines = "".join(f"- {{of: plan.{name}.total, states: 30, at: Table 2}}\n" for name in ("oak", "elm"))
    whole = "- {of: budget.final, states: 60, at: Table 2}\n"
    assert [group.of_source for group in entries(ledger, plan(), lines + whole)] == [True]
    assert [group.of_source for group in entries(ledger, plan(), whole)] == [False]
    changed = entries(ledger, plan(hours=("37", "30")), lines + whole)
    assert not any(group.of_source for group in changed if group.rule != "claim-contradicted")


@pytest.mark.parametrize(("start", "end", "found"), [("T09:30", "T12:00", 1), ("T09:30+02:00", "T12:00+02:00", 0)])
def test_times_with_an_offset_and_times_without_do_not_compare(ledger: Any, start: str, end: str, found: int) -> None:
    """Two runs hold all four GPUs from 9:30 to 12:00, if it is one clock that says so."""
    runs = "- {start: 2025-01-05T09:00, end: 2025-01-05T12:00, item: a, gpus: 4, wall_hours: 3}\n"
    runs += f"- {{start: '2025-01-05{start}', end: '2025-01-05{end}', item: a, gpus: 4, wall_hours: 2.5}}\n"
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n"
    rules = [each.rule for each in ledger(project="gpus: 4\n", plan=plan, runs=runs).book().findings["p"]]
    assert rules.count("more-than-the-capacity") == found
