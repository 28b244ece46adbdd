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
    assert (done.code, done.out) == (0, "Nothing changed since HEAD, and nothing is at risk.\n")


@pytest.mark.parametrize(("hours", "done", "risky"), [(880, 90, False), (110, 5, True)])
def test_where_it_ends_is_the_risk_and_not_what_is_used(hours: int, done: int, risky: bool, root: Path) -> None:
    """Of 1,100: 80% used with 90% of the work done ends at some 978; 10% used with 5% done at more than 1,100."""
    plant(root, run(hours, done))
    said = budget(root, "digest", "--since", "HEAD").out
    assert said.startswith("Since HEAD: 1 project changed, of 1.\n\nDemo: 1 run more, +")
    assert f"- Spent: 0 GPU-h → {hours} GPU-h\n" in said
    assert ("\nAt risk\n- Demo: at risk: the chance of exceeding the final budget is " in said) == risky


def test_markdown_of_a_hostile_title_does_nothing(root: Path) -> None:
    hostile = "title: '<b>x</b> @all [a](javascript:x)'"
    plant(root, {PLAN: WORK.replace("title: Training", hostile).replace("1000", "1200")})
    said = budget(root, "digest", "--since", "HEAD", "--format", "markdown").out
    assert "- Final budget: 1,100 GPU-h → 1,320 GPU-h\n" in said
    assert "1000 → 1200" in said
    assert not [acts for acts in ("<b>", "@all", "[a](javascript") if acts in said]


def test_a_revision_that_is_not_there_is_told(root: Path) -> None:
    done = budget(root, "digest", "--since", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert "nowhere" in done.err
