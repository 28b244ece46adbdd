"""`digest`: what changed since a revision and what is at risk, for a job that sends it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.test_release import budget
from tests.small import plant

PLAN = "ledger/demo/plan.yaml"
WORK = "first: {title: First, items: {train: {title: Training, scope: one-time, gpu_hours: 1000}}}\n"
RUNS = "ledger/demo/runs/2026-01.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A committed tree with a plan of 1,000 GPU-h and 10% contingency, and no runs."""
    root = plant(tmp_path / "tree")
    for path in (root / "ledger/demo/runs").iterdir():
        path.unlink()
    head = (root / "ledger/demo/project.yaml").read_text("utf-8").replace("seeds: 2\n", "")
    plant(root, {PLAN: WORK, "ledger/demo/project.yaml": head})
    who = "-c", "user.name=A", "-c", "user.email=a@example.org"
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def run(hours: int, done: int) -> dict[str, str]:
    """A run of so many GPU-hours, after which so many hundredths of the work are done."""
    progress = f"status: running, progress: {{done: {done}, total: 100}}"
    return {RUNS: f"- {{date: 2026-01-02, item: train, gpu_hours: {hours}, {progress}}}\n"}


def test_nothing_changed_is_one_line(root: Path) -> None:
    done = budget(root, "digest", "--since", "HEAD")
    assert (done.code, done.out) == (0, "No figure changed since HEAD, and nothing is at risk.\n")


@pytest.mark.parametrize(("hours", "done", "risky"), [(880, 90, False), (110, 5, True)])
def test_where_it_ends_is_the_risk_and_not_what_is_used(hours: int, done: int, risky: bool, root: Path) -> None:
    """Of 1,100: 80% used with 90% of the work done ends at some 978; 10% used with 5% done at more than 1,100."""
    plant(root, run(hours, done))
    said = budget(root, "digest", "--since", "HEAD").out
    why = "the chance of exceeding the final budget is 67% (38% before any run)"
    risk = f"At risk\n- Demo: at risk (until now not begun): {why}\n\n"
    none = "" if risky else "; nothing is at risk"
    begins = f"Since HEAD: 1 project changed, of 1{none}.\n\n" + risk * risky + f"Demo: 1 run more, +{hours} GPU-h\n"
    state = "" if risky else "- State: not begun → within plan\n"  # of a risk it stands above
    assert said.startswith(f"{begins}{state}- Spent: 0 GPU-h → {hours} GPU-h\n")


def test_the_ledger_says_from_which_chance_on_it_is_a_risk(root: Path) -> None:
    """10% used with 10% done may end above: as likely as 42%, which the project calls a risk from 30% on, not from 45%.
    Status, digest and review say the same."""
    head = (root / "ledger/demo/project.yaml").read_text("utf-8")
    plant(root, {**run(110, 10), "ledger/demo/project.yaml": f"{head}at_risk: {{budget: 45%}}\n"})
    assert "\nAt risk\n" not in budget(root, "digest", "--since", "HEAD").out
    assert "state:" not in budget(root, "status").out
    plant(root, {"ledger/demo/project.yaml": f"{head}at_risk: {{budget: 30%}}\n"})
    why = "the chance of exceeding the final budget is 42% (38% before any run; at risk from 30%)"
    said = budget(root, "digest", "--since", "HEAD").out
    assert f"\nAt risk\n- Demo: at risk (until now not begun): {why}\n" in said
    assert "- At risk: nothing → budget 30%\n" in said
    assert f" AT RISK: {why}. " in " ".join(budget(root, "status").out.split())
    told = budget(root, "review", "HEAD").out
    assert f"\n**Now at risk**: {why}.\n" in told
    assert "| State | not begun | at risk |" in told


def test_a_review_says_where_an_added_project_stands(root: Path) -> None:
    texts = {path.name: path.read_text("utf-8") for path in (root / "ledger/demo").glob("*.yaml")}
    spent = next(iter(run(5000, 50).values()))
    plant(root, {**{f"ledger/newer/{name}": text for name, text in texts.items()}, "ledger/newer/runs/a.yaml": spent})
    told = budget(root, "review", "HEAD").out
    assert ": added, " in told
    assert "\n**Over budget**: 5,000 GPU-h are charged, " in told


def test_an_added_project_tells_what_is_wrong_with_it(root: Path) -> None:
    """Its error is named where its state counts it, in the review and in the digest."""
    plan = WORK.replace("gpu_hours: 1000", "gpu_hours: 1000, estimate: 9000 gpu_hours")
    head = (root / "ledger/demo/project.yaml").read_text("utf-8").replace("title: Demo", "title: Newer")
    plant(root, {"ledger/newer/project.yaml": head, "ledger/newer/plan.yaml": plan})
    error = "the estimate does not support the plan: estimate 9,000 GPU-h, plan 1,000 GPU-h: 9× as much"
    told = budget(root, "review", "HEAD").out
    assert "**Not begun, with open errors**" in told
    assert told.index("New findings:") < told.index(error) < told.index("<details")
    said = budget(root, "digest", "--since", "HEAD").out.partition("\nNewer: added, ")[2]
    assert f"{error}\n" in said
    assert "- new error: " in said


def test_another_title_of_a_project_is_told(root: Path) -> None:
    head = (root / "ledger/demo/project.yaml").read_text("utf-8")
    plant(root, {"ledger/demo/project.yaml": head.replace("title: Demo", "title: Shown")})
    assert "**Shown**: renamed project Demo → Shown\n" in budget(root, "review", "HEAD").out
    assert "\nShown: renamed project Demo → Shown\n" in budget(root, "digest", "--since", "HEAD").out


def test_a_risk_that_was_there_comes_after_a_new_one(root: Path) -> None:
    old, new = (f"ledger/{name}/" for name in ("demo", "later"))
    texts = {path.name: path.read_text("utf-8") for path in (root / old).glob("*.yaml")}
    plant(root, {f"{new}{name}": text for name, text in texts.items()} | run(110, 5))
    plant(root, {f"{new}project.yaml": texts["project.yaml"].replace("title: Demo", "title: Later")})
    who = "-c", "user.name=A", "-c", "user.email=a@example.org"
    for words in (["add", "."], [*who, "commit", "-qm", "two"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    plant(root, {RUNS.replace(old, new): run(110, 5)[RUNS]})
    risks = budget(root, "digest", "--since", "HEAD").out.partition("\nAt risk\n")[2].splitlines()[:2]
    assert [line.partition(": the")[0] for line in risks] == [
        "- Later: at risk (until now not begun)",
        "- Demo: at risk",
    ]


NEWS = "Since HEAD: 1 project changed, of 1; nothing is at risk."


@pytest.mark.parametrize(("changed", "said"), [(False, ""), (True, NEWS)])
def test_a_job_that_sends_it_is_given_nothing_where_there_is_nothing(changed: bool, said: str, root: Path) -> None:
    plant(root, run(880, 90) if changed else {})
    assert budget(root, "digest", "--since", "HEAD", "--if-any").out.partition("\n")[0] == said


def test_markdown_of_a_hostile_title_does_nothing(root: Path) -> None:
    hostile = "title: '<b>x</b> @all [a](javascript:x)'"
    plant(root, {PLAN: WORK.replace("title: Training", hostile).replace("1000", "1200")})
    said = budget(root, "digest", "--since", "HEAD", "--format", "markdown").out
    assert "**Demo: final budget 1,100 → 1,320 GPU-h (+220)**\n\n- " in said
    assert "1000 → 1200" in said
    assert not [acts for acts in ("<b>", "@all", "[a](javascript") if acts in said]


def test_a_day_stands_for_the_last_commit_before_it(root: Path) -> None:
    """The one commit is of today, so that a day of long ago stands for it too, as the first there is."""
    plant(root, run(880, 90))
    for day in ("2999-01-01", "1999-01-01"):
        said = budget(root, "digest", "--since", day).out
        assert said.startswith(f"{NEWS.replace('HEAD', day)}\n\nDemo: 1 run more, +880 GPU-h\n")


def test_a_day_that_no_calendar_has_is_refused(root: Path) -> None:
    done = budget(root, "digest", "--since", "2026-13-45")
    assert (done.code, done.out) == (2, "")
    assert "2026-13-45 is not in the calendar; check the date" in done.err


def test_a_revision_that_is_not_there_is_told(root: Path) -> None:
    done = budget(root, "digest", "--since", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert "nowhere" in done.err


def test_a_project_that_went_counts_among_those_that_there_were(root: Path) -> None:
    (root / "ledger/demo").rename(root / "ledger/other")
    assert budget(root, "digest", "--since", "HEAD").out.startswith("Since HEAD: 2 projects changed, of 2")


def test_an_item_that_comes_has_its_hours_with_their_unit(root: Path) -> None:
    more = "1000}, more: {title: More, scope: one-time, gpu_hours: 200}}}"
    plant(root, {PLAN: WORK.replace("1000}}}", more)})
    assert "- added item More (200 GPU-h)" in budget(root, "digest", "--since", "HEAD").out.splitlines()
