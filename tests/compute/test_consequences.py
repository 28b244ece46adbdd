"""What follows from entries that look wrong stands with them; what does not follow stands alone, and none is hidden."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from reckon.model.finding_groups import by_cause
from reckon.model.rules import CAUSE, CONSEQUENCE, KINDS, RULES
from reckon.present.render.numbers import format_sentence
from reckon.present.terminal.messages import report

PLAN = """\
one:
  title: One
  items:
    a: {title: A, scope: one-time, gpu_hours: 100}
    b: {title: B, scope: one-time, gpu_hours: 100}
"""
FINE = "- {item: a, date: 2025-01-10, gpus: 4, wall_hours: 25}\n"
# 20 h of four GPUs within five hours: GPU-hours, read so it took 20 of 80.
WRONG = "- {item: b, start: 2025-01-12T10:00, end: 2025-01-12T15:00, gpus: 4, wall_hours: 20}\n"
RIGHT = "- {item: b, start: 2025-01-12T10:00, end: 2025-01-12T15:00, gpus: 4, wall_hours: 5}\n"
DOUBT = "run-hours-doubtful:p.runs.2025.2#gpu-hours"


def told(ledger: Any, project: str, runs: str, **texts: str) -> list[tuple[str, ...]]:
    """Each entry: its severity, the id of its cause, and the ids of what follows from it."""
    findings = ledger(project=project, plan=texts.pop("plan", PLAN), runs=runs, **texts).book().findings["p"]
    return [(group.severity, group.lead.id, *(each.id for each in group.consequences)) for group in by_cause(findings)]


@pytest.mark.parametrize(
    ("ceiling", "severity", "follows"),
    [
        # 180 are charged, 120 once the run is corrected. Of 200 planned, 100 are left to do in either case.
        (130, "error", True),
        (120, "error", True),
        (119, "warning", False),
    ],
)
def test_a_limit_follows_from_hours_that_are_no_less_than_its_excess(
    ledger: Any, ceiling: int, severity: str, follows: bool
) -> None:
    project = f"ceiling: {ceiling}\nbegan: 2025-01-01\n"
    entries = told(ledger, project, FINE + WRONG)
    passed = "limit-passed:p.limits.ceiling"
    assert ((severity, DOUBT, passed) if follows else (severity, DOUBT)) in entries
    assert (("error", passed) in entries) is not follows
    assert (passed in str(told(ledger, project, FINE + RIGHT))) is not follows


def test_a_plan_does_not_follow_from_a_run(ledger: Any) -> None:
    """200 are planned, and the ceiling allows 190, whatever was charged."""
    entries = told(ledger, "ceiling: 190\nbegan: 2025-01-01\n", FINE + WRONG)
    assert entries == [("warning", DOUBT), ("error", "plan-above-limit:p.budget.final")]


def test_it_says_what_it_follows_from_and_is_as_severe_as_before(ledger: Any) -> None:
    tree = ledger(project="ceiling: 130\nbegan: 2025-01-01\n", plan=PLAN, runs=FINE + WRONG)
    found = tree.book().findings["p"]
    (passed,) = (each for each in found if each.rule == "limit-passed")
    assert (passed.severity, passed.follows) == ("error", True)
    assert format_sentence(passed.remedy) == "It follows from line 2 of 2025.yaml: correct that first."
    (cause,) = (each for each in found if each.id == DOUBT)
    assert [(each.charged, each.right) for each in cause.corrections] == [(80, 20)]
    (told_line,) = (line for line in report(tree.book(), [], "text") if line.startswith("    follows"))
    assert told_line == f"    follows {passed.id}: 180 GPU-h are charged, 130 GPU-h allowed, passed on 2025-01-12"


@pytest.mark.parametrize(
    ("require", "follows"),
    [
        ("actual.total <= 150 gpu_hours", True),
        ("actual.total <= 119 gpu_hours", False),
        ("forecast.p90 <= 1000 gpu_hours", None),
        ("contingency.left_share >= 10%", None),
        ("plan.b.actual <= 30 gpu_hours", True),
        ("plan.a.actual <= 30 gpu_hours", False),
        # 100 of 180, and 100 of 120 once the run of b is corrected
        ("plan.a.actual / actual.total >= 80%", True),
        ("plan.a.actual / actual.total <= 50%", False),
    ],
)
def test_a_policy_follows_where_it_would_be_kept(ledger: Any, require: str, follows: bool | None) -> None:
    """None: it is kept with the wrong hours too."""
    policies = f"policies: {{k: {{require: '{require}', message: Stop.}}}}\n"
    project = f"ceiling: 500\nbegan: 2025-01-01\ncontingency: 10%\n{policies}"
    entries = told(ledger, project, FINE + WRONG)
    policy = "policy-breached:p.policies.k"
    assert (policy in str(entries)) is (follows is not None)
    assert any(entry[1:] == (DOUBT, policy) for entry in entries) is bool(follows)
    assert (policy in str(told(ledger, project, FINE + RIGHT))) is (follows is False)


def test_what_another_item_is_bound_to_does_not_follow(ledger: Any) -> None:
    """The run of b explains nothing about a."""
    policy = "policies: {k: {each: item, require: actual <= 60 gpu_hours, message: Stop.}}\n"
    entries = told(ledger, f"ceiling: 500\nbegan: 2025-01-01\n{policy}", FINE + WRONG)
    assert entries == [
        ("error", DOUBT, "policy-breached:p.policies.k.b"),
        ("error", "policy-breached:p.policies.k.a"),
    ]


def test_the_second_of_two_equal_entries_is_left_out(ledger: Any) -> None:
    """100 and 100 again: 200 of 150."""
    project = "ceiling: 150\nbegan: 2025-01-01\n"
    entries = told(ledger, project, FINE + FINE)
    (cause,) = (entry for entry in entries if entry[1].startswith("run-entered-twice"))
    assert cause[2:] == ("limit-passed:p.limits.ceiling",)


def test_many_runs_in_another_unit_are_corrected_together(ledger: Any) -> None:
    """Seven runs of 30 minutes, typed as hours of four GPUs."""
    runs = "".join(
        f"- {{item: b, start: 2025-01-{day}T10:00, end: 2025-01-{day}T10:32, gpus: 4, wall_hours: 30}}\n"
        for day in range(11, 18)
    )
    entries = told(ledger, "ceiling: 300\nbegan: 2025-01-01\n", runs)
    assert ("error", "run-hours-doubtful:p.runs#unit", "limit-passed:p.limits.ceiling") in [
        tuple(name for name in entry if "far-from" not in name and "final" not in name) for entry in entries
    ]


def test_a_plan_above_the_ceiling_follows_from_seeds_that_are_counted_twice(ledger: Any) -> None:
    """60 for all three seeds are planned as 180; the ceiling allows 100, or 50."""
    estimate = "{formula: hours_per_seed * gpus * seeds, hours_per_seed: 5, gpus: 4}"
    plan = f"one: {{title: One, items: {{a: {{title: A, scope: per-seed, gpu_hours: 60, estimate: {estimate}}}}}}}\n"
    twice, above = "seeds-counted-twice:p.plan.a", "plan-above-limit:p.budget.final"
    assert ("error", twice, above) in told(ledger, "seeds: 3\nceiling: 100\n", "[]\n", plan=plan)
    assert ("error", above) in told(ledger, "seeds: 3\nceiling: 50\n", "[]\n", plan=plan)


def test_nothing_follows_from_what_somebody_accepts(ledger: Any) -> None:
    accept = f"accept: [{{finding: '{DOUBT}', reason: It is right., by: Mira}}]\n"
    entries = told(ledger, f"ceiling: 130\nbegan: 2025-01-01\n{accept}", FINE + WRONG)
    assert ("error", "limit-passed:p.limits.ceiling") in entries


def test_findings_are_told_by_kind_then_severity_then_size(ledger: Any) -> None:
    """A warning of 60 hours too many stands before an error of a limit that does not follow, a larger one first."""
    more = WRONG.replace("item: b", "item: a").replace("12T", "14T").replace("wall_hours: 20", "wall_hours: 19")
    entries = told(ledger, "ceiling: 90\nbegan: 2025-01-01\n", more + WRONG + FINE)
    kinds = [KINDS.index(RULES[entry[1].partition(":")[0]].kind) for entry in entries if entry[0] != "note"]
    assert kinds == sorted(kinds)
    assert entries[0][1] == "run-hours-doubtful:p.runs.2025.2#gpu-hours", "60 of 80; the first is 57 of 76"


def test_every_rule_has_a_kind() -> None:
    assert {rule.kind for rule in RULES.values()} == set(KINDS)
    assert RULES["limit-passed"].kind == CONSEQUENCE
    assert RULES["claim-contradicted"].kind == CAUSE


BOUNDS = """\
policies:
  all: {require: actual.total <= ALL gpu_hours}
  item: {for: item, require: actual <= ITEM gpu_hours, severity: warning}
  run: {for: run, require: gpu_hours <= RUN gpu_hours, severity: warning}
  rest: {require: contingency.left_share >= REST%}
  lost: {require: actual.waste_share <= LOST%}
"""


@pytest.mark.parametrize("seed", range(40))
def test_a_row_is_gone_once_its_entry_is_corrected_and_no_other_is(ledger: Any, seed: int) -> None:
    """Runs at random, one of them with GPU-hours in place of hours, under limits at random. A breach follows just if
    the ledger in which that run is written rightly does not have it."""
    chance = Random(seed)
    bounds = BOUNDS
    for name, most in (("ALL", 400), ("ITEM", 200), ("RUN", 90), ("REST", 100), ("LOST", 40)):
        bounds = bounds.replace(name, str(chance.randint(1, most)))
    lines = [
        f"- {{item: {chance.choice('ab')}, start: 2025-01-{day}T06:00, end: 2025-01-{day}T{6 + hours:02}:00, gpus: 4, "
        f"wall_hours: {hours}, status: {chance.choice(('completed', 'failed'))}}}\n"
        for day, hours in ((day, chance.randint(2, 12)) for day in range(11, 15))
    ]
    wrong = WRONG if chance.random() < 0.7 else WRONG.replace("}", ", status: failed}")
    project = f"ceiling: {chance.randint(60, 400)}\ncontingency: 20%\nbegan: 2025-01-01\n{bounds}"
    found = ledger(project=project, plan=PLAN, runs="".join(lines) + wrong).book().findings["p"]
    right = ledger(project=project, plan=PLAN, runs="".join(lines) + wrong.replace("hours: 20", "hours: 5")).book()
    left = {each.id for each in right.findings["p"]}
    broken = [each for each in found if each.kind == CONSEQUENCE]
    rows = [each for each in broken if each.follows]
    assert {each.id for each in rows} == {each.id for each in broken} - left
    assert {each.common and each.common.key for each in rows} <= {"run-hours-doubtful:p.runs.2025.5#gpu-hours"}


def test_what_stays_says_what_it_is_with_all_corrected(ledger: Any) -> None:
    """180 are charged, and 120 once the run is corrected: of 119 still one too many."""
    found = ledger(project="ceiling: 119\nbegan: 2025-01-01\n", plan=PLAN, runs=FINE + WRONG).book().findings["p"]
    (passed,) = (each for each in found if each.rule == "limit-passed")
    assert not passed.follows
    assert format_sentence(passed.title) == "The ceiling is passed, even with what looks wrong corrected"
    assert format_sentence(passed.arithmetic) == "120 GPU-h are charged, 119 GPU-h allowed, passed on 2025-01-12"
    assert not any(getattr(part, "address", "") for part in passed.arithmetic), "no page has these numbers"


def test_what_stays_as_it_is_keeps_its_words(ledger: Any) -> None:
    """Of 200 planned and 190 allowed, whatever was charged."""
    found = ledger(project="ceiling: 190\nbegan: 2025-01-01\n", plan=PLAN, runs=FINE + WRONG).book().findings["p"]
    (above,) = (each for each in found if each.rule == "plan-above-limit")
    assert format_sentence(above.title) == "More is planned than the ceiling allows"


def test_a_plan_far_below_its_estimate_is_corrected_too(ledger: Any) -> None:
    """10 planned of estimated 100: the 80 that were charged are too many for it alone."""
    estimate = "{formula: hours * gpus, hours: 25, gpus: 4}"
    plan = f"one: {{title: One, items: {{a: {{title: A, scope: one-time, gpu_hours: 10, estimate: {estimate}}}}}}}\n"
    run = "- {item: a, date: 2025-01-10, gpus: 4, wall_hours: 20}\n"
    policies = "policies: {k: {require: actual.total <= budget.final, message: Stop.}}\n"
    entries = told(ledger, f"{policies}ceiling: 500\nbegan: 2025-01-01\n", run, plan=plan)
    cause = "plan-unlike-its-estimate:p.plan.a#below"
    assert any(entry[1] == cause and "policy-breached:p.policies.k" in entry for entry in entries), entries


def test_what_is_stated_of_a_line_stands_with_the_slip_that_makes_it_wrong(ledger: Any) -> None:
    """60 for all seeds are stated; planned for each of three they are 180. A total of 90 is wrong in either case."""
    estimate = "{formula: hours_per_seed * gpus * seeds, hours_per_seed: 5, gpus: 4}"
    plan = f"one: {{title: One, items: {{a: {{title: A, scope: per-seed, gpu_hours: 60, estimate: {estimate}}}}}}}\n"
    claims = "- {of: plan.a.total, states: 90, at: T}\n- {of: plan.a.total, states: 60, at: U}\n"
    found = ledger(project="seeds: 3\n", plan=plan, runs="[]\n", claims=claims).book().findings["p"]
    (cause,) = (group for group in by_cause(found) if group.lead.rule == "seeds-counted-twice")
    assert [each.id for each in cause.following] == ["claim-contradicted:p.plan.a.total#2"]
    assert (
        format_sentence(cause.lead.effect) == "With this alone corrected, the final budget is 60 GPU-h, not 180 GPU-h."
    )
    assert any(group.lead.id == "claim-contradicted:p.plan.a.total" for group in by_cause(found))


def test_what_a_correction_does_is_not_told_where_the_plan_reads_another_project(ledger: Any) -> None:
    """The same line, and one of 40 hours: 220 planned, and 100 once the seeds are taken out. Where the 40 are twice
    what another project has, nothing is said, as that one is left out of what is calculated."""
    estimate = "{formula: hours_per_seed * gpus * seeds, hours_per_seed: 5, gpus: 4}"
    first = f"a: {{title: A, scope: per-seed, gpu_hours: 60, estimate: {estimate}}}"
    files = {
        "claims": "- {of: plan.a.total, states: 60, at: T}\n",
        "ledger/q/project.yaml": "title: Q\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n",
        "ledger/q/figures.yaml": "y: {title: Y, gpu_hours: 20}\n",
    }
    said = []
    for hours in ("40", "{formula: q.figures.y * 2}"):
        plan = f"one: {{title: One, items: {{{first}, b: {{title: B, scope: one-time, gpu_hours: {hours}}}}}}}\n"
        groups = by_cause(ledger(project="seeds: 3\n", plan=plan, **files).book().findings["p"])
        (cause,) = (group for group in groups if group.lead.rule == "seeds-counted-twice")
        said.append((format_sentence(cause.lead.effect), [each.id for each in cause.following]))
    effect = "With this alone corrected, the final budget is 100 GPU-h, not 220 GPU-h."
    assert said == [(effect, ["claim-contradicted:p.plan.a.total"]), ("", [])]


def test_what_only_a_ceiling_in_thousands_breaks_stands_with_it(ledger: Any) -> None:
    """`1.100` is one and a tenth; of eleven hundred the 200 that are planned are few."""
    entries = told(ledger, "ceiling: 1.100\nbegan: 2025-01-01\n", FINE)
    (cause,) = (entry for entry in entries if entry[1] == "input-implausible:p.ceiling")
    assert {name.partition(":")[0] for name in cause[2:]} == {"plan-above-limit", "limit-passed"}


def test_more_gpus_than_there_are_explain_what_is_passed(ledger: Any) -> None:
    """Two runs of four GPUs at one time, of four that there are: of 160 GPU-h one of them took 80."""
    runs = "".join(
        f"- {{item: {item}, start: 2025-01-12T00:00, end: 2025-01-12T20:00, gpus: 4, wall_hours: 20}}\n"
        for item in "ab"
    )
    entries = told(ledger, "ceiling: 100\ngpus: 4\nbegan: 2025-01-01\n", runs)
    assert ("error", "more-than-the-capacity:p.gpus#gpus", "limit-passed:p.limits.ceiling") in entries


@pytest.mark.parametrize(
    ("progress", "right"),
    [("3/10", None), ("5/100", "5/10"), ("50/100", None)],
)
def test_progress_that_contradicts_is_corrected_as_others_say(ledger: Any, progress: str, right: str | None) -> None:
    """4/10 was reached before: less cannot be, and of another whole the same number may be meant."""
    lines = [("2025-01-10", "2/10"), ("2025-01-11", "4/10"), ("2025-01-12", progress)]
    runs = "".join(
        f"- {{item: a, date: {day}, gpus: 4, wall_hours: 2, attempt: {number}, "
        f"progress: {{done: {done}, total: {total}}}}}\n"
        for number, (day, done, total) in enumerate(((day, *reached.split("/")) for day, reached in lines), 1)
    )
    found = ledger(project="began: 2025-01-01\n", plan=PLAN, runs=runs).book().findings["p"]
    (doubt,) = (each for each in found if each.rule == "attempts-out-of-order")
    ((_, now),) = doubt.corrections[0].fields
    assert (f"{now.done}/{now.total}" if now else None) == right


def test_limits_that_are_not_kept_are_one_entry(ledger: Any) -> None:
    """What is accepted stands by itself, with its reason."""
    few, fewer = (f"{{title: P, require: actual.total < {most} gpu_hours}}" for most in (100, 90))
    project = f"ceiling: 130\nbegan: 2025-01-01\npolicies: {{few: {few}, fewer: {fewer}}}\n"
    runs = FINE + "- {item: b, date: 2025-01-12, gpus: 4, wall_hours: 20}\n"
    findings = ledger(project=project, plan=PLAN, runs=runs).book().findings["p"]
    (entry,) = [group for group in by_cause(findings) if group.severity == "error"]
    assert len(entry.members) == 4
    assert format_sentence(entry.title).endswith(", and 3 more limits")
    accepted = "accept: [{finding: 'policy-breached:p.policies.few', reason: Agreed}]\n"
    findings = ledger(project=project + accepted, plan=PLAN, runs=runs).book().findings["p"]
    (entry,) = [group for group in by_cause(findings) if group.severity == "error"]
    assert len(entry.members) == 3
