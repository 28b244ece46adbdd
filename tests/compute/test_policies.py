"""Policies: what holds, what does not, what cannot be said yet; and how a breach reads."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.compute.statements.conditions import PolicyResult
from reckon.present.render.numbers import format_sentence

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 10}
    eval: {title: Evaluation, scope: one-time, gpu_hours: 8-12}
"""
# 30 of 30 + 10% GPU-hours are planned at most; 19 are charged within seven days, 5 of them without a result.
RUNS = """\
- {item: sft, seed: 1, date: 2025-01-27, gpu_hours: 12}
- {item: sft, seed: 2, date: 2025-02-02, gpu_hours: 5, status: failed}
- {item: talk, unplanned: true, date: 2025-02-02, gpu_hours: 2, cost_usd: 5}
"""


def kept(ledger: Any, require: str, runs: str = RUNS, each: str = "") -> tuple[PolicyResult, ...]:
    about = f"each: {each}, " if each else ""
    project = (
        f"seeds: 2\ncontingency: 10%\nceiling: 30\npolicies: {{k: {{{about}require: '{require}', message: Stop.}}}}\n"
    )
    found: tuple[PolicyResult, ...] = ledger(project=project, plan=PLAN, runs=runs).book().policies["p"]
    return found


@pytest.mark.parametrize(
    ("require", "holds"),
    [
        ("actual.total <= 19 gpu_hours", True),
        ("actual.total < 19 gpu_hours", False),
        ("actual.total is 19 gpu_hours", True),
        ("not actual.total < 19 gpu_hours", True),
        ("not (actual.total is 19 gpu_hours and ceiling is 30 gpu_hours)", False),
        ("not (actual.total is 18 gpu_hours or ceiling is 31 gpu_hours)", True),
        # a range is judged by its value to plan with, unless an end is named
        ("plan.eval.gpu_hours <= 10 gpu_hours", True),
        ("plan.eval.gpu_hours.high <= 10 gpu_hours", False),
        ("actual.total inside plan.eval.gpu_hours", False),
        ("10 gpu_hours inside plan.eval.gpu_hours", True),
        ("not (10 gpu_hours inside plan.eval.gpu_hours)", False),
        # units convert themselves
        ("limits.ceiling.days_left >= 98 h", False),
        ("limits.ceiling.days_left >= 97 h", True),
        ("limits.ceiling.reached >= 2025-02-07", True),
        ("limits.ceiling.reached >= 2025-02-08", False),
        ("actual.waste_share <= 1/4", False),
        # what is not known is settled only by the rest
        ("plan.sft.eac <= 30 gpu_hours", None),
        ("plan.sft.eac <= 30 gpu_hours or ceiling > 1 gpu_hours", True),
        ("plan.sft.eac <= 30 gpu_hours and ceiling < 1 gpu_hours", False),
    ],
)
def test_a_condition_is_judged(require: str, holds: bool | None, ledger: Any) -> None:
    (one,) = kept(ledger, require, RUNS.replace("failed", "running") if "eac" in require else RUNS)
    assert one.holds is holds


# Addresses that no run has brought about yet, and what says that they will come.
COMING = [
    ("limits.ceiling.days_left >= 14 days", ""),
    ("limits.final.reached > 2025-03-01", ""),
    ("pace.end <= 2025-12-31", ""),
    ("pace.end_p90 <= 2025-12-31", ""),
    ("phases.one.end_p10 <= 2025-12-31", ""),
    ("phases.one.days_to_end_p90 <= 90 days", ""),
    ("pace.gpu_hours_per_day <= 5 gpu_hours_per_day", ""),
    ("pace.first >= 2025-01-01", ""),
    ("pace.through <= 2025-12-31", ""),
    ("pace.days <= 90 days", ""),
    ("pace.charged <= 30 gpu_hours", ""),
    ("actual.unplanned <= 5% * budget.final", ""),
    ("actual.cost <= 100 usd", ""),
    ("actual.by_month.2025-12 <= 5 gpu_hours", ""),
    ("actual.by_month.2025-12.so_far <= 5 gpu_hours", ""),
    ("actual.waste.by_cause.preempted <= 5 gpu_hours", ""),
    ("contingency.freed >= 0 gpu_hours", "phase"),
    ("freed >= 0 gpu_hours", "item"),
]


@pytest.mark.parametrize(("require", "each"), COMING)
def test_a_policy_about_runs_can_stand_there_before_the_first(require: str, each: str, ledger: Any) -> None:
    found = kept(ledger, require, "[]", each)
    assert found
    assert all(one.holds is None and one.judged.missing for one in found)


# The same of a grant.
OF_GRANT = [
    "days_left >= 14 days",
    "reached > 2025-03-01",
    "days_to_end >= 14 days",
    "days_since_end <= 14 days",
    "unused <= 5 gpu_hours",
    "pace_to_use_up <= 5 gpu_hours_per_day",
    "pace.days <= 90 days",
    "pace.charged <= 30 gpu_hours",
    "pace.gpu_hours_per_day <= 5 gpu_hours_per_day",
]


@pytest.mark.parametrize("require", OF_GRANT)
def test_a_policy_about_the_use_of_a_grant_can_stand_there_before_the_first_run(require: str, ledger: Any) -> None:
    grants = "g: {title: Grant, projects: [p], gpu_hours: 100, until: 2025-12-31}\n"
    project = f"seeds: 2\npolicies: {{k: {{require: 'allocations.g.{require}', message: Stop.}}}}\n"
    (one,) = ledger(project=project, plan=PLAN, runs="[]", allocations=grants).book().policies["p"]
    assert (one.holds, bool(one.judged.missing)) == (None, True)


def test_a_month_without_runs_is_undecided_and_one_that_is_none_a_problem(ledger: Any) -> None:
    (one,) = kept(ledger, "actual.by_month.2025-12 <= 5 gpu_hours")
    assert one.holds is None
    project = "policies: {k: {require: actual.by_month.2025-13 <= 5 gpu_hours, message: Stop.}}\n"
    (said,) = ledger(project=project, plan=PLAN.replace("per-seed", "one-time"), runs="[]").problems()
    assert "there is no figure `actual.by_month.2025-13`" in said


@pytest.mark.parametrize("word", ["for: fase", "each: [phase]"])
def test_of_a_policy_about_what_nobody_can_read_nothing_else_is_told(word: str, ledger: Any) -> None:
    project = f"policies: {{k: {{{word}, require: actual <= planned, message: Stop.}}}}\n"
    (said,) = ledger(project=f"seeds: 2\n{project}", plan=PLAN, runs=RUNS).problems()
    assert said.startswith("ledger/p/project.yaml:6:")
    assert "actual" not in said


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("waste_share", "did you mean `actual.waste_share`?"),
        ("unplanned", "did you mean `actual.unplanned`?"),
    ],
)
def test_the_last_word_of_a_figure_of_the_whole_project_leads_to_it(address: str, hint: str, ledger: Any) -> None:
    project = f"policies: {{k: {{require: '{address} <= 1', message: Stop.}}}}\n"
    (said,) = ledger(project=f"seeds: 2\n{project}", plan=PLAN, runs=RUNS).problems()
    assert said.endswith(f"there is no figure `{address}`; {hint}")


@pytest.mark.parametrize("require", ["forecast.p90 <= ceiling", "forecast.probability_over_ceiling < 10%"])
def test_a_forecast_can_be_required_before_the_plan_is_known(require: str, ledger: Any) -> None:
    plan = "one: {title: One, items: {sft: {title: SFT, scope: one-time, gpu_hours: unknown}}}\n"
    project = f"ceiling: 30\npolicies: {{k: {{require: '{require}', message: Stop.}}}}\n"
    (one,) = ledger(project=project, plan=plan).book().policies["p"]
    assert one.holds is None
    assert one.judged.missing


UNREAD = [
    (
        {"plan": PLAN.replace("scope: per-seed, gpu_hours: 10", "scope: per-sed, gpu_hours: ten")},
        "contingency.left >= ceiling",
    ),
    ({"ledger/catalog/prices.yaml": "cloud: {title: Cloud, usd_per_gpu_hour: many}"}, "money.final <= 5 usd"),
    ({"plan": PLAN, "runs": "- {item: sft, gpu_hours: many}"}, "limits.final.days_left >= 2 days"),
]


@pytest.mark.parametrize(("files", "require"), UNREAD, ids=["plan", "prices", "runs"])
def test_nothing_is_said_of_what_rests_on_an_unread_part(files: dict[str, str], require: str, ledger: Any) -> None:
    project = (
        "seeds: 2\ncontingency: 10%\nceiling: 30\n" + f"policies: {{k: {{require: '{require}', message: Stop.}}}}\n"
    )
    said = ledger(project=project, **files).problems()
    assert said
    assert not [line for line in said if "project.yaml" in line]


@pytest.mark.parametrize("require", ["limits.extended.days_left >= 14 days", "limits.final.days >= 14 days"])
def test_what_will_never_come_is_refused(require: str, ledger: Any) -> None:
    project = f"policies: {{k: {{require: {require}, message: Stop.}}}}\n"
    (said,) = ledger(project=project, plan=PLAN.replace("per-seed", "one-time")).problems()
    assert "there is no figure `limits." in said


def test_the_unit_of_what_is_to_come_is_checked(ledger: Any) -> None:
    project = "policies: {k: {require: pace.gpu_hours_per_day <= 5 gpu_hours, message: Stop.}}\n"
    (said,) = ledger(project=project, plan=PLAN.replace("per-seed", "one-time")).problems()
    assert "GPU is compared with GPU × time" in said


def test_each_is_judged_by_its_own_figures(ledger: Any) -> None:
    found = kept(ledger, "actual <= bac", each="seed")
    assert [(one.about, one.holds) for one in found] == [("SFT, seed 1", False), ("SFT, seed 2", True)]


@pytest.mark.parametrize(
    ("require", "says"),
    [
        ("actual.total <= 18 gpu_hours", "actual is 19 GPU-h and must be at most 18 GPU-h"),
        ("not actual.total > 18 gpu_hours", "actual is 19 GPU-h and must be at most 18 GPU-h"),
        ("not (actual.total is 19 gpu_hours)", "actual is 19 GPU-h and must not be 19 GPU-h"),
        ("plan.sft.actual <= 16 gpu_hours", "SFT: actual is 17 GPU-h and must be at most 16 GPU-h"),
    ],
)
def test_a_breach_says_what_is_and_what_is_to_be(require: str, says: str, ledger: Any) -> None:
    project = f"seeds: 2\nceiling: 40\npolicies: {{k: {{require: '{require}', message: Stop.}}}}\n"
    book = ledger(project=project, plan=PLAN, runs=RUNS).book()
    assert [format_sentence(one.arithmetic) for one in book.findings["p"] if one.rule == "policy-breached"] == [says]


def test_names_of_the_ledger_keep_their_capitals_in_a_breach(ledger: Any) -> None:
    policy = "{each: allocation, require: used_share <= 10%, message: Stop.}"
    grant = "g: {title: Spring grant, gpu_hours: 100, projects: [p]}\n"
    book = ledger(project=f"seeds: 2\npolicies: {{k: {policy}}}\n", plan=PLAN, runs=RUNS, allocations=grant).book()
    (found,) = [one for one in book.findings["p"] if one.rule == "policy-breached"]
    assert format_sentence(found.arithmetic) == "Spring grant: share used is 19% and must be at most 10%"


def test_many_breaches_of_one_policy_are_gathered(ledger: Any) -> None:
    """Of 25 items twenty are told, the 24th because it is accepted, and the other four together."""
    items = "".join(f"    i{n}: {{title: Item {n}, scope: one-time, gpu_hours: 10}}\n" for n in range(1, 26))
    project = """\
policies: {k: {each: item, require: gpu_hours <= 9 gpu_hours, message: Stop.}}
accept: [{finding: policy-breached:p.policies.k.i24, reason: It was agreed.}]
"""
    book = ledger(project=project, plan=f"one:\n  title: One\n  items:\n{items}", runs="").book()
    found = [one for one in book.findings["p"] if one.rule == "policy-breached"]
    assert [one.subject for one in found if not one.accepted][:20] == [f"p.policies.k.i{n}" for n in range(1, 21)]
    assert [one.subject for one in found][20:] == ["p.policies.k", "p.policies.k.i24"]
    assert format_sentence(found[20].title) == "A policy is breached: k (and 4 more)"
    assert format_sentence(found[20].arithmetic) == "the first of these is Item 21"
    assert found[21].accepted


RULED = """\
policies:
  long:
    title: At most a day
    for: run
    require: wall_hours <= 24 h or gpu_hours <= plan.eval.gpu_hours
    severity: warning
    remedy: Split it.
"""


@pytest.mark.parametrize(
    ("require", "broken"),
    [
        # 1: 2 x 30 h of sft; 2: 1 x 30 h of eval; 3: 40 GPU-hours on 4, so 10 h; 4: 9 GPU-hours of GPUs nobody counted
        ("wall_hours <= 24 h", ["1", "2"]),
        ("gpu_hours <= 30 gpu_hours", ["1", "3"]),
        ("gpus <= 2 gpus", ["3"]),
        # 10 of a seed of sft and 10 of eval are planned; what is unplanned has none
        ("gpu_hours <= 4 * plan.eval.gpu_hours", ["1"]),
        ("wall_hours <= 24 h or gpus < 2 gpus", ["1"]),
        ("cost_usd <= 10 usd", ["4"]),
        ("energy_kwh <= 1 kwh", []),
        ("gpu_hours / gpus <= 24 h", ["1", "2"]),
        ("gpu_hours <= ceiling", ["1", "3"]),
        ("gpu_hours <= 2 * ceiling", []),
    ],
)
def test_a_policy_for_each_run(ledger: Any, require: str, broken: list[str]) -> None:
    """A run that does not state what is named is passed over; where none breaches it, the policy is kept."""
    runs = """\
- {item: sft, seed: 1, date: 2025-01-27, gpus: 2, wall_hours: 30}
- {item: eval, date: 2025-01-28, gpus: 1, wall_hours: 30}
- {item: sft, seed: 2, date: 2025-01-29, gpus: 4, gpu_hours: 40}
- {item: talk, unplanned: true, date: 2025-02-02, gpu_hours: 9, cost_usd: 12}
"""
    found = kept(ledger, require, runs, each="run")
    assert [result.at.rpartition(".")[2] for result in found if result.holds is False] == broken
    assert [result.about for result in found if result.holds] == ([] if broken else [""])


def test_a_rule_of_a_team_is_told_at_the_line_of_the_run(ledger: Any) -> None:
    runs = "- {item: sft, seed: 1, date: 2025-01-27, gpus: 2, wall_hours: 30}\n"
    book = ledger(project="seeds: 2\nceiling: 300\n" + RULED, plan=PLAN, runs=runs).book()
    (found,) = (each for each in book.findings["p"] if each.rule == "policy-breached")
    assert (found.id, found.severity) == ("policy-breached:p.policies.long.sft.runs.2025.1", "warning")
    assert format_sentence(found.title) == "A policy is breached: At most a day (SFT, 2025-01-27)"
    assert format_sentence(found.remedy) == "Split it."
    assert [place.short for place in found.places] == ["ledger/p/runs/2025.yaml:1", "ledger/p/project.yaml:11"]


@pytest.mark.parametrize("runs", ["[]\n", "- {item: sft, seed: 1, date: 2025-01-27, gpus: 2, wall_hours: 30}\n"])
@pytest.mark.parametrize(
    ("require", "wrong"),
    [
        ("wall_hours <= forecast.p50", "time is compared with GPU × time"),
        ("hours <= 3 h", "there is no figure `hours`"),
    ],
)
def test_a_policy_for_each_run_is_read_before_the_first(ledger: Any, runs: str, require: str, wrong: str) -> None:
    assert [result.holds for result in kept(ledger, "wall_hours <= 48 h", runs, each="run")] == [True]
    written = f"policies: {{k: {{for: run, require: {require}}}}}\n"
    (problem,) = ledger(project="seeds: 2\n" + written, plan=PLAN, runs=runs).problems()
    assert wrong in problem


def test_a_payer_is_an_allocation_and_older_names_mean_the_same(ledger: Any) -> None:
    grants = "g: {title: Grant, projects: [p], gpu_hours: 100}\nh: {title: Other, projects: [q, p], gpu_hours: 100}\n"
    names = {}
    for word in ("for: payer", "for: allocation", "each: allocation"):
        policies = f"policies: {{k: {{{word}, require: used_share <= 10%, message: Stop.}}}}\n"
        other = {"ledger/q/project.yaml": "title: Q\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n"}
        book = ledger(project="seeds: 2\n" + policies, plan=PLAN, runs="[]\n", allocations=grants, **other).book()
        (policy,) = (each for each in book.projects["p"].project.policies.values())
        assert policy.remedy == "Stop."
        names[word] = [result.about for result in book.policies["p"]]
    assert len({tuple(found) for found in names.values()}) == 1
